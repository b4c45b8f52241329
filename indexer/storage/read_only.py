"""Opening an SQLite file only to read it. This module imports no more than it needs: `indexer query` is quick."""

from __future__ import annotations

import sqlite3
from pathlib import Path


def connect_read_only(file: Path, *, busy_seconds: float = 5.0) -> sqlite3.Connection:
    """A connection to an SQLite file that can't write to it, in autocommit mode.

    A file with a write-ahead log can't be opened in the usual way where its side files can't be made: the file or its
    folder belongs to somebody else. If there is no log, nobody is writing, and the file can be read as it is. What a
    writer that was killed has left half done is taken back first, as by anybody who opens the file to write.

    Raises:
        sqlite3.Error: it can't be read.
    """
    address = file.resolve().as_uri()
    try:
        return _connect_and_look(f"{address}?mode=ro", busy_seconds)
    except sqlite3.OperationalError as error:
        text = str(error)
        if "unable to open" not in text and "readonly" not in text:
            raise
        if file.with_name(file.name + "-journal").exists():
            _connect_and_look(f"{address}?mode=rw", busy_seconds).close()
            return _connect_and_look(f"{address}?mode=ro", busy_seconds)
        if file.with_name(file.name + "-wal").exists():
            raise
        return _connect_and_look(f"{address}?mode=ro&immutable=1", busy_seconds)


def _connect_and_look(address: str, busy_seconds: float) -> sqlite3.Connection:
    connection = sqlite3.connect(address, uri=True, timeout=busy_seconds, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    return connection
