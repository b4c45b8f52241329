"""The log on standard error, as text and as JSON."""

from __future__ import annotations

import json
import logging
import subprocess
import sys

import pytest

from indexer.cli import configure_logging, main
from tests.conftest import PROJECT_ROOT

LOGGER = logging.getLogger("indexer.test")


def test_a_line_of_text_can_not_move_the_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(quiet=False, verbose=False)
    LOGGER.warning("card %s", "Evil\x1b[2J\nsecond")
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "\x1b" not in told
    assert "WARNING indexer.test: card Evil" in told


def test_one_json_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(quiet=False, verbose=True, as_json=True)
    LOGGER.debug("first\nline")
    try:
        raise ValueError("broken")
    except ValueError:
        LOGGER.exception("second")
    first, second = (json.loads(line) for line in capsys.readouterr().err.splitlines())
    assert first.keys() == {"time", "level", "logger", "message"}
    assert (first["level"], first["logger"], first["message"]) == ("debug", "indexer.test", "first\nline")
    assert first["time"].endswith("+00:00")
    assert "ValueError: broken" in second["exception"]


@pytest.mark.parametrize(("quiet", "verbose", "told"), [(True, False, 1), (False, False, 2), (False, True, 3)])
def test_how_much_is_told(quiet: bool, verbose: bool, told: int, capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(quiet=quiet, verbose=verbose)
    LOGGER.debug("a")
    LOGGER.warning("b")
    LOGGER.error("c")
    assert len(capsys.readouterr().err.splitlines()) == told


def test_the_format_comes_from_option_or_environment(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, environment in ((["--log-format", "json"], ""), ([], "json")):
        monkeypatch.setenv("INDEXER_LOG_FORMAT", environment)
        with pytest.raises(SystemExit):
            main(["explain", "--cost", "{1}", *arguments])
        capsys.readouterr()
        LOGGER.warning("x")
        assert json.loads(capsys.readouterr().err)["message"] == "x"


def test_what_the_database_library_logs_while_it_is_interrupted_is_not_shown() -> None:
    """A logger without a handler writes to standard error: not between the one line that a user gets."""
    script = (
        "import logging; from indexer.cli import configure_logging; configure_logging(quiet=False, verbose=False);"
        "logging.getLogger('sqlalchemy.pool.impl').error('Exception closing connection')"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=PROJECT_ROOT)
    assert done.stderr == ""
