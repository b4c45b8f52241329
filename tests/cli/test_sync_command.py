"""`indexer sync` as a user, a script and an operating system see it."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from indexer.cli import main
from indexer.storage.engine import open_engine
from indexer.storage.lock import sync_lock
from tests.conftest import PROJECT_ROOT
from tests.support.fake_scryfall import FakeScryfall, Fault
from tests.support.pools import raw_card
from tests.support.runs import connected, dump, is_sound, jsonl, write_records

MANY = [raw_card(f"Card {number}", "{1}", cmc=1.0) for number in range(60)]


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything in the test's own folder, by the environment, as in a service's unit file."""
    monkeypatch.setenv("INDEXER_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("INDEXER_DATABASE_URL", f"sqlite:///{tmp_path / 'cards.db'}")
    monkeypatch.setenv("INDEXER_API_URL", "http://127.0.0.1:9")
    for name in ("http_proxy", "https_proxy", "all_proxy", "INDEXER_ACCEPTED"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeScryfall]:
    with FakeScryfall({"oracle_cards": gzip.compress(jsonl(MANY))}) as running:
        monkeypatch.setenv("INDEXER_API_URL", running.api_url)
        yield running


def run(*arguments: str) -> int:
    """The exit status of `indexer` with these arguments."""
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert isinstance(caught.value.code, int)
    return caught.value.code


def cards_file(tmp_path: Path, records: list[dict[str, Any]], name: str = "cards.jsonl") -> str:
    return str(write_records(tmp_path / name, records))


def test_a_night(server: FakeScryfall, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("sync") == 0
    first = capsys.readouterr()
    assert first.err == ""
    assert "Outcome     stored\n" in first.out
    assert "Cards       60: 60 added, 0 changed, 0 unchanged, 0 removed\n" in first.out
    assert run("sync") == 0
    assert "Outcome     up to date" in capsys.readouterr().out
    assert run("sync", "--quiet", "--force") == 0
    assert capsys.readouterr() == ("", "")


def test_json_is_one_object_with_a_version(server: FakeScryfall, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("sync", "--json") == 0
    printed = capsys.readouterr()
    summary = json.loads(printed.out)
    assert printed.out.count("\n") == 1
    assert summary["version"] == 1
    assert summary["outcome"] == "stored"
    assert summary["source"]["downloaded"] is True
    assert summary["cards"] == {"total": 60, "added": 60, "changed": 0, "unchanged": 0, "removed": 0, "restored": 0}
    assert summary["mismatches"] == {"open": 0, "open_by_field": {}, "new": 0, "reopened": 0, "resolved": 0}
    assert {"download", "read", "write", "commit", "total"} <= summary["seconds"].keys()


def test_a_refused_run_says_so_three_ways(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("sync", "--from-file", cards_file(tmp_path, MANY)) == 0
    capsys.readouterr()
    few = cards_file(tmp_path, MANY[:30], "few.jsonl")
    assert run("sync", "--from-file", few, "--json") == 3
    printed = capsys.readouterr()
    summary = json.loads(printed.out)
    assert summary["outcome"] == "refused"
    assert "from 60 to 30 cards" in summary["message"]
    assert printed.err == f"indexer: {summary['message']}\n"
    assert run("sync", "--from-file", few, "--allow-shrink") == 0
    assert "Warning     the pool would shrink from 60 to 30" in capsys.readouterr().out


def test_exit_statuses(server: FakeScryfall, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("sync", "--no-such-option") == 2
    assert run("sync", "--database-url", "mysql://x/y") == 2
    assert run("sync", "--from-file", str(tmp_path / "none.jsonl")) == 4
    server.always_misbehave("catalogue", Fault(status=400))
    assert run("sync") == 4
    (tmp_path / "file").touch()
    assert (
        run("sync", "--from-file", cards_file(tmp_path, MANY), "--database-url", f"sqlite:///{tmp_path}/file/x.db") == 1
    )
    with sync_lock(open_engine(os.environ["INDEXER_DATABASE_URL"])):
        assert run("sync") == 5
    for line in capsys.readouterr().err.splitlines():
        assert line.startswith("indexer: ")


def test_names_from_the_file_never_reach_the_terminal_raw(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evil = raw_card("Evil \x1b]0;owned\x07\u202e", "{1}", layout="\x1b[31mred", cmc=1.0)
    assert run("sync", "--from-file", cards_file(tmp_path, [*MANY, evil])) == 0
    printed = capsys.readouterr()
    assert "\x1b" not in printed.out + printed.err
    assert "unknown layout" in printed.out


def test_standard_input(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "indexer", "sync", "--from-file", "-", "--json"],
        input=gzip.compress(jsonl(MANY)),
        capture_output=True,
        check=True,
        cwd=PROJECT_ROOT,
    )
    summary = json.loads(done.stdout)
    assert summary["cards"]["added"] == 60
    assert summary["source"]["address"] == "standard input"
    assert done.stderr == b""


def test_a_dry_run_of_the_whole_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = cards_file(tmp_path, MANY)
    assert run("sync", "--from-file", path, "--dry-run") == 0
    assert "Outcome     stored (dry run: nothing was written)" in capsys.readouterr().out
    assert [entry.name for entry in tmp_path.iterdir()] == ["cards.jsonl"]


def test_progress_is_shown_on_a_terminal_only(tmp_path: Path) -> None:
    path = cards_file(tmp_path, MANY)
    for quiet in (False, True):
        terminal, other_end = os.openpty()
        with os.fdopen(terminal, "rb", buffering=0) as screen:
            command = [sys.executable, "-m", "indexer", "sync", "--force", "--from-file", path, *["--quiet"] * quiet]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=other_end, check=True, cwd=PROJECT_ROOT)
            os.close(other_end)
            shown = _all_of(screen)
        assert (b"Computing and storing" in shown) is not quiet
        assert b"Computing" not in done.stdout
        assert b"\x1b" not in done.stdout


def _all_of(screen: Any) -> bytes:
    shown = b""
    try:
        while piece := screen.read(4096):
            shown += piece
    except OSError:  # Linux's way to say that the other end is closed
        pass
    return shown


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_it_cleanly(tmp_path: Path, capsys: pytest.CaptureFixture[str], number: int, status: int) -> None:
    """Stopped while it waits for its input, with a worker beside it and the lock held."""
    assert run("sync", "--from-file", cards_file(tmp_path, MANY)) == 0
    with connected(tmp_path) as connection:
        before = dump(connection)
    lock = tmp_path / "cards.db.lock"
    lock.unlink()  # it comes back with the one who holds it
    process = subprocess.Popen(
        [sys.executable, "-m", "indexer", "sync", "--from-file", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=PROJECT_ROOT,
        text=True,
    )
    deadline = time.monotonic() + 30
    while not lock.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (status, "")
    assert err == "indexer: interrupted, nothing was changed\n"
    with connected(tmp_path) as connection:
        assert dump(connection) == before
    assert is_sound(tmp_path / "cards.db") == []
    assert not list(tmp_path.glob("*-wal"))


def test_an_acceptance_file_that_was_named_must_be_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("INDEXER_ACCEPTED", str(tmp_path / "acepted.toml"))
    assert run("sync", "--from-file", cards_file(tmp_path, MANY)) == 2
    assert "no acceptance file" in capsys.readouterr().err
    (tmp_path / "acepted.toml").touch()
    assert run("sync", "--from-file", cards_file(tmp_path, MANY)) == 0
