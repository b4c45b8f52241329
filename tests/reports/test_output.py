"""A report's file appears when it is whole, or not at all."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from indexer.errors import ConfigError, ExportError
from indexer.reports.output import open_output


def test_standard_output() -> None:
    stream = io.StringIO()
    with open_output(None, stream) as target:
        target.write("x")
    assert stream.getvalue() == "x"


def test_a_file_is_replaced_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "report.csv"
    path.write_text("old")
    with open_output(path, io.StringIO()) as stream:
        stream.write("é\r\n")
        stream.flush()
        assert path.read_text() == "old"
    assert path.read_bytes() == "é\r\n".encode()
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "report.csv"
    path.write_text("old")

    def fail_halfway() -> None:
        with open_output(path, io.StringIO()) as stream:
            stream.write("new")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_halfway()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link_and_the_mode_is_the_usual_one(tmp_path: Path) -> None:
    target = tmp_path / "target"
    link = tmp_path / "link"
    link.symlink_to(target)
    old = os.umask(0o022)
    try:
        with open_output(link, io.StringIO()) as stream:
            stream.write("x")
    finally:
        os.umask(old)
    assert link.is_symlink()
    assert target.read_text() == "x"
    assert target.stat().st_mode & 0o777 == 0o644


def test_a_device_is_written_to_as_it_is() -> None:
    with open_output(Path(os.devnull), io.StringIO()) as stream:
        stream.write("x")
    assert Path(os.devnull).is_char_device()


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    with (
        pytest.raises(ConfigError, match=r"can't write '.*none.*': No such file or directory"),
        open_output(tmp_path / "none" / "x", io.StringIO()),
    ):
        pass


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_disk_that_fills_up_is_told() -> None:
    with (
        pytest.raises(ExportError, match="can't finish '/dev/full': No space left"),
        open_output(Path("/dev/full"), io.StringIO()) as stream,
    ):
        stream.write("x")


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="needs /dev/fd")
def test_a_pipe_by_its_number_is_written_to() -> None:
    reading, writing = os.pipe()
    try:
        with open_output(Path(f"/dev/fd/{writing}"), io.StringIO()) as stream:
            stream.write("x")
        assert os.read(reading, 9) == b"x"
    finally:
        os.close(reading)
        os.close(writing)


@pytest.mark.skipif(os.name != "posix", reason="needs links")
def test_a_link_to_itself_is_told(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(ConfigError, match="can't write"), open_output(loop, io.StringIO()):
        pass
