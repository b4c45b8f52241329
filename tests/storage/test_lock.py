"""One sync at a time; a lock never outlives its holder."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from indexer.errors import StorageError, SyncInProgress
from indexer.storage.engine import open_engine
from indexer.storage.lock import sync_lock
from tests.conftest import PROJECT_ROOT

HOLDER = """
import sys, time
from indexer.storage.engine import open_engine
from indexer.storage.lock import sync_lock
with sync_lock(open_engine(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'cards.db'}"
    return str(request.getfixturevalue("postgresql_url"))


def holder(url: str) -> subprocess.Popen[str]:
    """Another process that holds the lock until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=PROJECT_ROOT
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_process_is_turned_away_at_once(url: str) -> None:
    engine = open_engine(url)
    with holder(url) as other:
        with pytest.raises(SyncInProgress, match=r"another sync of .* is running") as caught, sync_lock(engine):
            pass
        assert "\n" not in str(caught.value)
        assert caught.value.exit_status == 5
        other.communicate("")
    with sync_lock(engine):
        pass
    engine.dispose()


def test_a_killed_holder_leaves_no_lock(url: str) -> None:
    engine = open_engine(url)
    with holder(url) as other:
        other.send_signal(signal.SIGKILL)
    for attempt in range(50):  # a server notices a closed connection a moment later
        try:
            with sync_lock(engine):
                break
        except SyncInProgress:
            if attempt == 49:
                raise
            time.sleep(0.1)
    engine.dispose()


def test_the_lock_is_let_go_when_something_raises(url: str) -> None:
    engine = open_engine(url)
    with pytest.raises(ZeroDivisionError), sync_lock(engine):
        raise ZeroDivisionError
    with sync_lock(engine):
        pass
    engine.dispose()


def test_a_database_in_memory_needs_no_lock() -> None:
    with sync_lock(open_engine("sqlite://")), sync_lock(open_engine("sqlite://")):
        pass


def test_a_place_where_no_lock_can_be(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    engine = open_engine(f"sqlite:///{tmp_path / 'file' / 'cards.db'}")
    with pytest.raises(StorageError, match=r"can't write '.*cards\.db\.lock'"), sync_lock(engine):
        pass
