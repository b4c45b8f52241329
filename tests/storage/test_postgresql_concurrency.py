"""PostgreSQL while a sync runs: readers see one pool at a time and never wait, a second sync is turned away, and a
killed one leaves the old pool and no lock."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, text

from indexer.cli.reading import open_pool
from indexer.errors import SyncInProgress
from indexer.pool import Pool
from indexer.storage.engine import open_engine
from tests.conftest import PROJECT_ROOT
from tests.support.runs import settings_in, sync_records, write_records
from tools.soak_sync import Night, make_night

pytestmark = pytest.mark.postgresql

CARDS = 200
ALLOWED = frozenset({"mismatches", "shrink"})
IN_ONE_STATEMENT = text(
    "SELECT (SELECT count(*) FROM cards WHERE removed_run_id IS NULL AND oracle_text = :word), "
    "(SELECT count(*) FROM cards WHERE removed_run_id IS NULL), "
    "(SELECT count(*) FROM card_faces JOIN cards USING (oracle_id) "
    "WHERE removed_run_id IS NULL AND card_faces.oracle_text = :word), "
    "(SELECT count(*) FROM cards WHERE removed_run_id IS NULL AND search_vector @@ to_tsquery('simple', :word)), "
    "(SELECT count(*) FROM mismatches WHERE status = 'open')"
)
NEWEST = text("SELECT max(oracle_text) FROM cards WHERE removed_run_id IS NULL")
STUCK_SYNC = """
import sys
from pathlib import Path
from indexer.config import Settings
from indexer.storage.writer import PoolWriter
from indexer.sync import Sync, SyncOptions

finish = PoolWriter.finish

def stuck(self):
    finish(self)
    print("written, not committed", flush=True)
    sys.stdin.read()

PoolWriter.finish = stuck
url, file = sys.argv[1:]
options = SyncOptions(from_file=Path(file), allowed=frozenset({"mismatches", "shrink"}), workers=0)
Sync(Settings(url, "http://127.0.0.1:9", Path(file).parent), options).run()
"""


@pytest.fixture
def engine(postgresql_url: str) -> Iterator[Engine]:
    """For readers who would rather fail than wait for a lock."""
    engine = open_engine(postgresql_url).execution_options(isolation_level="REPEATABLE READ")
    yield engine
    engine.dispose()


def nights(count: int) -> Iterator[tuple[Night, list[dict[str, Any]]]]:
    rng = random.Random(11)
    for number in range(count):
        yield make_night(number, CARDS, rng)


def wanted(night: Night) -> tuple[int, ...]:
    return (night.cards, night.cards, night.cards, night.cards, night.wrong)


def impatient(connection: Connection) -> Connection:
    connection.execute(text("SET LOCAL lock_timeout = '20ms'"))
    return connection


def seen(connection: Connection, number: int) -> tuple[int, ...]:
    return tuple(connection.execute(IN_ONE_STATEMENT, {"word": f"file{number}"}).one())


def indexer(*arguments: str, url: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, as its exit status is what counts."""
    command = [sys.executable, "-m", "indexer", *arguments, "--database-url", url]
    return subprocess.run(command, capture_output=True, text=True, cwd=PROJECT_ROOT, timeout=60, check=False)


def stuck_sync(url: str, file: Path) -> subprocess.Popen[str]:
    """A sync that has written everything and does not come to commit it."""
    process = subprocess.Popen(
        [sys.executable, "-c", STUCK_SYNC, url, str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=PROJECT_ROOT,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "written, not committed\n"
    return process


def test_an_unfinished_sync_is_seen_by_nobody_and_dies_without_a_trace(
    engine: Engine, postgresql_url: str, tmp_path: Path
) -> None:
    (old, old_records), (new, new_records) = nights(2)
    sync_records(tmp_path, old_records, database_url=postgresql_url)
    file = write_records(tmp_path / "new.jsonl", new_records)
    with stuck_sync(postgresql_url, file) as process:
        with engine.connect() as reader:
            assert seen(impatient(reader), old.number) == wanted(old)
        with Pool(postgresql_url) as pool:
            assert len(pool.search("layout:normal")) == old.cards
            assert len(pool.mismatches()) == old.wrong
        refused = indexer("sync", "--from-file", str(file), "--data-dir", str(tmp_path), url=postgresql_url)
        assert refused.returncode == 5, refused.stderr
        assert "another sync of" in refused.stderr
        process.kill()
    for attempt in range(100):  # the server notices a closed connection a moment later
        try:
            summary = sync_records(tmp_path, old_records, database_url=postgresql_url, allowed=ALLOWED, force=True)
            break
        except SyncInProgress:
            if attempt == 99:
                raise
            time.sleep(0.1)
    assert (summary.cards_changed, summary.cards_unchanged) == (0, old.cards), "the old pool is still there"
    sync_records(tmp_path, new_records, database_url=postgresql_url, allowed=ALLOWED)
    with engine.connect() as reader:
        assert seen(reader, new.number) == wanted(new)


def test_a_first_sync_shows_no_pool_until_it_is_complete(postgresql_url: str, engine: Engine, tmp_path: Path) -> None:
    ((night, records),) = nights(1)
    with stuck_sync(postgresql_url, write_records(tmp_path / "new.jsonl", records)) as process:
        refused = indexer("status", url=postgresql_url)
        assert refused.returncode == 1
        assert "run 'indexer sync' first" in refused.stderr
        process.communicate("")
    assert process.returncode == 0
    with engine.connect() as reader:
        assert seen(reader, night.number) == wanted(night)


def test_a_reader_keeps_the_pool_that_it_began_with(postgresql_url: str, tmp_path: Path) -> None:
    (old, old_records), (new, new_records) = nights(2)
    sync_records(tmp_path, old_records, database_url=postgresql_url)
    settings = settings_in(tmp_path, database_url=postgresql_url)
    with open_pool(settings) as reader:
        assert seen(reader, old.number) == wanted(old)
        sync_records(tmp_path, new_records, database_url=postgresql_url, allowed=ALLOWED)
        assert seen(reader, old.number) == wanted(old), "a report of several statements is of one pool"
    with open_pool(settings) as reader:
        assert seen(reader, new.number) == wanted(new)


def test_readers_who_never_stop_see_one_pool_at_a_time(engine: Engine, postgresql_url: str, tmp_path: Path) -> None:
    played = list(nights(4))
    sync_records(tmp_path, played[0][1], database_url=postgresql_url)
    done = threading.Event()
    pools_seen: set[int] = set()
    problems: list[str] = []

    def read() -> None:
        while not done.is_set():
            try:
                with engine.connect() as reader:
                    (word,) = impatient(reader).execute(NEWEST).one()
                    number = int(word.removeprefix("file"))
                    found = seen(reader, number)
            except Exception as error:  # a thread's own exception would be lost
                problems.append(str(error))
                return
            pools_seen.add(number)
            if found != wanted(played[number][0]):
                problems.append(f"file {number}: {found}")

    threads = [threading.Thread(target=read, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for night, records in played[1:]:
            sync_records(tmp_path, records, database_url=postgresql_url, allowed=ALLOWED)
            deadline = time.monotonic() + 30
            while night.number not in pools_seen and not problems and time.monotonic() < deadline:
                time.sleep(0.005)
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert problems == []
    assert pools_seen == {night.number for night, _ in played}
