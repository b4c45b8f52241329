"""The commands with streams that are closed, full, gone or of another encoding, and with arguments that are no text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from indexer.cli import main

posix = pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
INDEXER = [sys.executable, "-m", "indexer"]


def through_shell(
    redirections: str, *arguments: str | bytes, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """`indexer` with these arguments, its streams redirected by a shell."""
    return subprocess.run(
        ["sh", "-c", f'"$@" {redirections}', "sh", *INDEXER, *arguments],
        env=os.environ | (environment or {}),
        capture_output=True,
        timeout=60,
    )


@posix
@pytest.mark.parametrize("redirections", ["2>&-", "<&- >&- 2>&-"])
def test_a_sync_does_without_streams(tmp_path: Path, redirections: str) -> None:
    cards = tmp_path / "cards.jsonl"
    cards.write_text(json.dumps({"object": "card"}) + "\n")
    database = f"sqlite:///{tmp_path}/cards.db"
    options = ("--from-file", str(cards), "--allow-rejects", "--data-dir", str(tmp_path), "--database-url", database)
    ended = through_shell(redirections, "sync", *options)
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert (tmp_path / "cards.db").exists()


@posix
@pytest.mark.parametrize("command", [("--help",), ("query", "SELECT 1"), ("report",)])
def test_a_reader_that_has_gone_is_no_failure(sqlite_pool_url: str, command: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ended = subprocess.run(
            [*INDEXER, *command],
            env=os.environ | {"INDEXER_DATABASE_URL": sqlite_pool_url},
            stdout=writing,
            stderr=subprocess.PIPE,
            timeout=60,
        )
    finally:
        os.close(writing)
    assert (ended.returncode, ended.stderr) == (0, b"")


@posix
def test_an_error_that_nobody_hears_keeps_its_status() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ended = subprocess.run([*INDEXER, "nothing"], stderr=writing, timeout=60)
    finally:
        os.close(writing)
    assert ended.returncode == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("command", [("query", "SELECT 1"), ("status",)])
def test_a_full_disk_is_one_line(sqlite_pool_url: str, command: tuple[str, ...]) -> None:
    ended = through_shell(">/dev/full", *command, environment={"INDEXER_DATABASE_URL": sqlite_pool_url})
    assert (ended.returncode, ended.stderr) == (1, b"indexer: can't write: No space left on device\n")


@posix
@pytest.mark.parametrize("encoding", ["ascii", "utf-16"])
def test_files_and_pipes_are_utf_8_in_any_locale(sqlite_pool_url: str, encoding: str) -> None:
    environment = {"INDEXER_DATABASE_URL": sqlite_pool_url, "PYTHONIOENCODING": encoding}
    ended = through_shell("", "query", "--format", "json", "SELECT 'Æ ↕' AS a", environment=environment)
    assert json.loads(ended.stdout.decode("utf-8")) == [{"a": "Æ ↕"}]


@posix
@pytest.mark.parametrize(
    "command",
    [
        (b"explain", b"\xff"),
        (b"search", b"\xff"),
        (b"search", b"o:/\xff/"),
        (b"query", b"SELECT '\xff'"),
        (b"query", b"SELECT :a", b"-p", b"a=\xff"),
        (b"serve", b"--port=0", b"--host=\xff"),
        (b"status", b"--database-url=postgresql://\xff/"),
    ],
)
def test_bytes_that_are_no_text_are_wrong_usage(sqlite_pool_url: str, command: tuple[bytes, ...]) -> None:
    ended = through_shell("", *command, environment={"INDEXER_DATABASE_URL": sqlite_pool_url})
    assert (ended.returncode, ended.stdout) == (2, b"")
    assert ended.stderr.startswith(b"indexer: ")
    assert ended.stderr.count(b"\n") == 1
    assert b"\\udcff" in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("status", "--database-url", f"sqlite:///{'a' * 5000}"), 1),
        (("report", "--output", "a" * 5000), 2),
        (("compare", "--mtgjson", "a" * 5000), 1),
        (("explain", "--cost", "{" * 100_000), 2),
        (("status", "--database-url", f"postgresql://{'a' * 100}/"), 2),
    ],
)
def test_endless_arguments_give_a_short_line(
    sqlite_pool_url: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    status: int,
) -> None:
    monkeypatch.setenv("INDEXER_DATABASE_URL", sqlite_pool_url)
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    error = capsys.readouterr().err
    assert ended.value.code == status
    assert error.startswith("indexer: ")
    assert error.count("\n") == 1
    assert len(error) < 1300
