"""Opening the database: SQLite or PostgreSQL, with transactions that mean what they say and failures of one line."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, NullPool, StaticPool, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from indexer.errors import ConfigError, StorageError
from indexer.storage.read_only import connect_read_only

BUSY_SECONDS = 30.0
"""How long a statement waits for another process's lock. A sync holds the write lock for its last stage only."""

CACHE_KIB = 16 * 1024
"""Page cache of SQLite. A first sync writes in key order, so that this is enough for a pool of any size."""

_DRIVERS = {
    "sqlite": "sqlite",
    "sqlite+pysqlite": "sqlite",
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
    "postgres": "postgresql+psycopg",
}
"""How an address may begin, and the driver that is used for it."""
_BEGIN = "sqlite_begin"
_HINTS = {
    "database or disk is full": "the disk is full",
    "attempt to write a readonly database": "the file or its folder is read-only",
    "unable to open database file": "the folder does not exist or can't be read or written",
    "disk I/O error": "the disk is full, or damaged",
    "database is locked": "another program holds a lock on it",
    "file is not a database": "it is not an SQLite database",
    "database disk image is malformed": "the file is damaged; restore it, or remove it and sync again",
}


def parse_url(database_url: str) -> URL:
    """The address as SQLAlchemy has it, with the driver that this project uses.

    Raises:
        ConfigError: it isn't the address of an SQLite or PostgreSQL database.
    """
    try:
        url = make_url(database_url)
        driver = _DRIVERS[url.drivername]
        if url.host and not url.host.startswith("/"):
            url.host.encode("idna")  # as the driver will, whose complaint about it is no database error
    except (ArgumentError, KeyError, ValueError) as error:
        raise ConfigError(
            f"not the address of a database: {_without_password(database_url)!r}; "
            "write sqlite:///path/to/cards.db or postgresql+psycopg://user@host/name"
        ) from error
    return url.set(drivername=driver)


def sqlite_file(url: URL) -> Path | None:
    """The database file; None for PostgreSQL and for an SQLite database in memory."""
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        return None
    return Path(str(url.database))


def open_engine(
    database_url: str, *, busy_seconds: float = BUSY_SECONDS, temporary: bool = False, read_only: bool = False
) -> Engine:
    """An engine whose connections are set up for this project. No connection is made yet.

    On SQLite: foreign keys on, and every transaction begun explicitly, so that reading is repeatable and schema changes
    roll back. `temporary` makes a nameless database on disk instead of the named one, which is gone
    with the engine. `read_only` is for an SQLite file that exists, and works where nothing may be written.

    Raises:
        ConfigError: not the address of a database, or its driver is not installed.
    """
    url = parse_url(database_url)
    try:
        if url.get_backend_name() == "postgresql":
            return create_engine(url, poolclass=NullPool)
        return _sqlite_engine(url, busy_seconds, temporary, read_only)
    except (NoSuchModuleError, ImportError) as error:
        raise ConfigError(
            f"the driver for {url.drivername!r} is not installed: pip install 'card-indexer[postgresql]'"
        ) from error


def _sqlite_engine(url: URL, busy_seconds: float, temporary: bool, read_only: bool) -> Engine:
    file = sqlite_file(url)
    creator: Callable[[], Any] | None = None
    if read_only and file is not None:
        creator = partial(connect_read_only, file, busy_seconds=busy_seconds)
    if temporary:
        file = None

        def creator() -> sqlite3.Connection:
            # SQLite's name for a private database on disk is the empty string.
            return sqlite3.connect("", isolation_level=None, check_same_thread=False)

    engine = create_engine(
        url,
        poolclass=NullPool if file else StaticPool,
        connect_args={"timeout": busy_seconds, "isolation_level": None},
        **({"creator": creator} if creator else {}),
    )

    @event.listens_for(engine, "connect")
    def set_up(connection: sqlite3.Connection, _record: object) -> None:
        set_pragmas(connection)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # The driver begins none before SELECT and DDL, so SQLAlchemy does: see its documentation on SQLite.
        kind = connection.get_execution_options().get(_BEGIN, "")
        connection.exec_driver_sql(f"BEGIN {kind}")

    return engine


def set_pragmas(connection: sqlite3.Connection) -> None:
    """What holds for one connection. Foreign keys can't be switched within a transaction, hence here."""
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")


def use_write_ahead_log(connection: Connection) -> None:
    """Make SQLite keep a write-ahead log from now on, so that readers and the writer don't wait for each other.

    It is a property of the file. A new file is filled without: nobody reads it yet, and the log would write every page
    twice. Call it outside a transaction.
    """
    driver = connection.connection.driver_connection
    if isinstance(driver, sqlite3.Connection):
        with suppress(sqlite3.OperationalError):
            # Somebody reads at this very moment: the next run will have it.
            driver.execute("PRAGMA journal_mode = WAL")


def refresh_statistics(connection: Connection, *, filled: Sequence[str] = ()) -> None:
    """Let the database look at its tables again for planning queries. Call it outside a transaction.

    `filled` names tables that were empty before. PostgreSQL looks at these now, and at others by itself when enough has
    changed: until then it takes a full table for an empty one, and `fits_my_commander` of docs/queries.toml takes more
    than 20 s on a whole pool instead of 0.1 s.
    """
    driver = connection.connection.driver_connection
    if isinstance(driver, sqlite3.Connection):
        with suppress(sqlite3.OperationalError):
            driver.execute("PRAGMA analysis_limit = 400")
            driver.execute("PRAGMA optimize")
    elif filled:
        # The pool is stored: that the planner doesn't know it yet is no failure.
        with suppress(DBAPIError), connection.begin():
            connection.exec_driver_sql(f"ANALYZE {', '.join(filled)}")


def for_writing(connection: Connection) -> Connection:
    """The connection, whose next transaction takes SQLite's write lock as it begins.

    One that reads first and locks later would fail at once if another process wrote in between.
    """
    return connection.execution_options(**{_BEGIN: "IMMEDIATE"})


def display_url(url: URL) -> str:
    """The address without its password."""
    return url.render_as_string(hide_password=True)


@contextmanager
def storage_errors(url: URL, doing: str) -> Iterator[None]:
    """Turn what a driver raises within the context into a `StorageError` of one line: can't <doing> <database>: why."""
    try:
        yield
    except DBAPIError as error:
        raise StorageError(_explain(url, doing, error.orig or error)) from error
    except sqlite3.Error as error:
        raise StorageError(_explain(url, doing, error)) from error
    except Exception as error:
        # psycopg is imported only if it is used; its errors are told by where their class comes from.
        if type(error).__module__.split(".")[0] == "psycopg":
            raise StorageError(_explain(url, doing, error)) from error
        raise


def _explain(url: URL, doing: str, error: BaseException) -> str:
    text = " ".join(str(error).split())
    for fragment, hint in _HINTS.items():
        if fragment in text:
            text = f"{hint} ({text})"
            break
    return f"can't {doing} {display_url(url)!r}: {text}"


def _without_password(text: str) -> str:
    before, at, after = text.rpartition("@")
    scheme, colon, _ = before.partition("://")
    return f"{scheme}{colon}***{at}{after}" if at and colon else text
