"""Reading a pool that belongs to somebody else, whose folder is closed to writing."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy.exc import DBAPIError

from indexer.cli.reading import open_pool
from indexer.storage.engine import open_engine
from indexer.storage.read_only import connect_read_only
from tests.support.pools import raw_card
from tests.support.runs import settings_in, sync_records

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs the permissions of POSIX")
NOBODY = 65534


@contextmanager
def closed_to_writing(folder: Path) -> Iterator[None]:
    """The folder and its files can't be written to, not even by a test that runs as root."""
    modes = {path: path.stat().st_mode for path in (folder, *folder.iterdir())}
    for path in modes:
        path.chmod(0o555 if path.is_dir() else 0o444)
    user = os.geteuid()
    if user == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(user)
        for path, mode in modes.items():
            path.chmod(mode)


@pytest.fixture
def database() -> Iterator[Path]:
    """A database with a write-ahead log that was closed, in a folder that other users can reach."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "cards é%?.db")
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("CREATE TABLE cards (name)")
            connection.execute("INSERT INTO cards VALUES ('Bear')")
            connection.commit()
        assert [path.name for path in Path(folder).iterdir()] == [file.name]
        yield file


def test_a_pool_in_a_closed_folder_is_read(database: Path) -> None:
    with closed_to_writing(database.parent):
        with pytest.raises(sqlite3.OperationalError), closing(sqlite3.connect(database)) as connection:
            connection.execute("SELECT * FROM cards")
        with closing(connect_read_only(database)) as connection:
            assert connection.execute("SELECT name FROM cards").fetchall() == [("Bear",)]
    assert list(database.parent.iterdir()) == [database]


def test_an_engine_for_reading_cant_write(database: Path) -> None:
    engine = open_engine(f"sqlite:///{str(database).replace('%', '%25').replace('?', '%3F')}", read_only=True)
    with engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT name FROM cards").scalar() == "Bear"
        with pytest.raises(DBAPIError, match="readonly"):
            connection.exec_driver_sql("DELETE FROM cards")
    engine.dispose()


def test_it_sees_what_is_only_in_the_log(database: Path) -> None:
    with closing(sqlite3.connect(database)) as writer:
        writer.execute("INSERT INTO cards VALUES ('Elk')")
        writer.commit()
        with closing(connect_read_only(database)) as connection:
            assert connection.execute("SELECT count(*) FROM cards").fetchone() == (2,)


HALF_DONE = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("PRAGMA journal_mode = DELETE")
connection.execute("PRAGMA cache_size = 5")  # so that pages are written before the end
connection.execute("UPDATE cards SET name = 'half done'")
os._exit(9)
"""


def filled_and_killed(file: Path) -> None:
    """A database whose writer was killed, with pages of the unfinished transaction in the file."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE cards (name)")
        connection.executemany("INSERT INTO cards VALUES (?)", [("whole " * 100,)] * 1000)
        connection.commit()
    subprocess.run([sys.executable, "-c", HALF_DONE, file], check=False)
    assert file.with_name(file.name + "-journal").exists()
    assert b"half done" in file.read_bytes()


def test_what_a_killed_writer_left_is_taken_back(tmp_path: Path) -> None:
    filled_and_killed(tmp_path / "cards.db")
    with closing(connect_read_only(tmp_path / "cards.db")) as connection:
        assert connection.execute("SELECT count(*) FROM cards WHERE name LIKE 'whole%'").fetchone() == (1000,)


def test_what_a_killed_writer_left_is_never_read(database: Path) -> None:
    file = database.with_name("killed.db")
    filled_and_killed(file)
    with closed_to_writing(file.parent), pytest.raises(sqlite3.OperationalError):
        connect_read_only(file)


def test_what_is_no_database_is_told(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.Error):
        connect_read_only(tmp_path)
    (tmp_path / "x").write_text("no database, but long enough to be looked at" * 50)
    with pytest.raises(sqlite3.DatabaseError, match="not a database"):
        connect_read_only(tmp_path / "x")


def test_commands_that_read_open_the_pool_so(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    sync_records(tmp_path, [raw_card("Bear", "{1}{G}")])
    with open_pool(settings) as connection, pytest.raises(DBAPIError, match="readonly"):
        connection.exec_driver_sql("DELETE FROM cards")
