"""Opening the pool for commands that only read it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

from indexer.config import Settings
from indexer.errors import SchemaOutOfDate, StorageError

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

_FIRST_SYNC = "run 'indexer sync' first"


@contextmanager
def open_pool(settings: Settings) -> Iterator[Connection]:
    """A connection to a pool that a sync has filled. Everything read from it is of one state of the pool.

    Raises:
        ConfigError: the address isn't one of a database.
        StorageError: there is no database, it can't be read, or no sync has come that far yet.
        SchemaOutOfDate: a query failed, and the database is older or newer than this program.
    """
    from sqlalchemy import inspect

    from indexer.storage.engine import display_url, open_engine, parse_url, sqlite_file, storage_errors

    url = parse_url(settings.database_url)
    file = sqlite_file(url)
    if file is not None and not file.exists():
        raise StorageError(f"no database at {str(file)!r}: {_FIRST_SYNC}, or name another with --database-url")
    engine = open_engine(settings.database_url, read_only=True)
    try:
        with _schema_blamed(engine), storage_errors(url, "read"), engine.connect() as connection:
            if connection.dialect.name == "postgresql":
                # SQLite's transactions are so by nature.
                connection.execution_options(isolation_level="REPEATABLE READ")
            if not inspect(connection).has_table("sync_runs"):
                raise StorageError(f"no card pool in {display_url(url)!r} yet: {_FIRST_SYNC}")
            yield connection
    finally:
        engine.dispose()


@contextmanager
def _schema_blamed(engine: Engine) -> Iterator[None]:
    """Blame the schema for a query that fails on an older or newer pool, most of which can be read."""
    from indexer.storage.engine import storage_errors
    from indexer.storage.migrate import check_schema

    try:
        yield
    except StorageError as error:
        try:
            with storage_errors(engine.url, "read"), engine.connect() as connection:
                check_schema(connection)
        except SchemaOutOfDate as reason:
            raise reason from error
        except StorageError:
            pass  # no pool, or one that can't be read at all: the first error says so
        raise


def seen_as_of(connection: Connection, point: str | None, *, full_text: bool = False) -> AbstractContextManager[None]:
    """A context in which the connection sees the pool as it was: after the run of that number, or at the end of a day.

    None leaves the pool as it is. `full_text` is for those who use the full-text index.

    Raises:
        ConfigError: neither a run that exists nor a date, or the pool begins later.
    """
    if point is None:
        return nullcontext()
    from indexer.history.overlay import pool_as_of
    from indexer.reports.runs import run_as_of

    return pool_as_of(connection, run_as_of(connection, point).run_id, full_text=full_text)
