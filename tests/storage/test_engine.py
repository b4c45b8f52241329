"""Opening databases: addresses, transactions, pragmas, and failures of one line."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import text

from indexer.errors import ConfigError, StorageError
from indexer.storage.engine import (
    display_url,
    for_writing,
    open_engine,
    parse_url,
    sqlite_file,
    storage_errors,
    use_write_ahead_log,
)


@pytest.mark.parametrize(
    ("address", "driver"),
    [
        ("sqlite:///cards.db", "sqlite"),
        ("sqlite+pysqlite://", "sqlite"),
        ("postgresql://u:p@host/name", "postgresql+psycopg"),
        ("postgresql+psycopg://u@host/name", "postgresql+psycopg"),
    ],
)
def test_an_address_gets_the_driver_that_is_used_here(address: str, driver: str) -> None:
    assert parse_url(address).drivername == driver


@pytest.mark.parametrize(
    "address",
    ["", "cards.db", "mysql://host/name", "sqlite+aiosqlite:///x.db", "postgresql+psycopg2://host/name", "sqlite:/x"],
)
def test_another_address_is_refused_in_one_line(address: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_url(address)
    assert "\n" not in str(caught.value)
    assert "://" in str(caught.value)


def test_no_message_shows_a_password() -> None:
    with pytest.raises(ConfigError) as caught:
        parse_url("mysql://user:secret@host/name")
    assert "secret" not in str(caught.value)
    assert "secret" not in display_url(parse_url("postgresql://user:secret@host/name"))


@pytest.mark.parametrize(("address", "file"), [("sqlite:///a/b.db", Path("a/b.db")), ("sqlite://", None)])
def test_the_file_of_an_address(address: str, file: Path | None) -> None:
    assert sqlite_file(parse_url(address)) == file


def test_a_missing_driver_is_a_matter_of_setting_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    with pytest.raises(ConfigError, match=r"not installed: pip install 'card-indexer\[postgresql\]'"):
        open_engine("postgresql://host/name")


def test_foreign_keys_are_enforced_and_the_log_is_written_ahead(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'x.db'}")
    with engine.connect() as connection:
        use_write_ahead_log(connection)
        assert connection.scalar(text("PRAGMA foreign_keys")) == 1
        assert connection.scalar(text("PRAGMA journal_mode")) == "wal"
        assert connection.scalar(text("PRAGMA synchronous")) == 1


def test_opening_a_database_to_read_it_changes_nothing_in_it(tmp_path: Path) -> None:
    path = tmp_path / "others.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE t (x)")
    other.close()
    before = path.read_bytes()
    with open_engine(f"sqlite:///{path}").connect() as connection:
        assert connection.scalar(text("SELECT count(*) FROM t")) == 0
    assert path.read_bytes() == before


def test_schema_changes_roll_back(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'x.db'}")
    with engine.connect() as connection:
        connection.execute(text("CREATE TABLE t (x)"))
        connection.rollback()
        assert connection.scalar(text("SELECT count(*) FROM sqlite_master")) == 0


def test_what_a_reader_sees_stays_the_same_until_it_ends(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'x.db'}")
    with engine.connect() as reader, engine.connect() as writer:
        use_write_ahead_log(writer)
        writer.execute(text("CREATE TABLE t (x)"))
        writer.commit()
        assert reader.scalar(text("SELECT count(*) FROM t")) == 0
        writer.execute(text("INSERT INTO t VALUES (1)"))
        writer.commit()
        assert reader.scalar(text("SELECT count(*) FROM t")) == 0
        reader.rollback()
        assert reader.scalar(text("SELECT count(*) FROM t")) == 1


def test_a_writer_locks_as_it_begins(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'x.db'}", busy_seconds=0)
    with engine.connect() as first, engine.connect() as second:
        for_writing(first).begin()
        with pytest.raises(StorageError, match="another program holds a lock on it"), storage_errors(engine.url, "x"):
            for_writing(second).begin()


def test_a_temporary_database_has_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    engine = open_engine("sqlite:///cards.db", temporary=True)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE t (x)"))
    with engine.connect() as connection:
        assert connection.scalar(text("SELECT count(*) FROM t")) == 0
    engine.dispose()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(b"this is no database at all, but long enough to look at" * 40)
    engine = open_engine(f"sqlite:///{path}")
    with (
        pytest.raises(StorageError, match="it is not an SQLite database") as caught,
        storage_errors(engine.url, "read"),
        engine.connect() as connection,
    ):
        connection.execute(text("SELECT * FROM sqlite_master"))
    assert str(caught.value).startswith(f"can't read 'sqlite:///{path}': ")


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'none' / 'x.db'}")
    with pytest.raises(StorageError, match="the folder does not exist"), storage_errors(engine.url, "open"):
        engine.connect()


def test_a_server_that_is_not_there() -> None:
    engine = open_engine("postgresql://nobody:secret@127.0.0.1:9/none")
    with pytest.raises(StorageError) as caught, storage_errors(engine.url, "open"):
        engine.connect()
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)
