"""One sync at a time, by locks that the operating system or the server lets go of when their holder dies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import Engine, text
from sqlalchemy.exc import SQLAlchemyError

from indexer.errors import StorageError, SyncInProgress
from indexer.storage.engine import display_url, sqlite_file, storage_errors

_ADVISORY_KEY = 0x1DE7_CA2D
"""Any number that no other program uses in the same database; advisory locks belong to one database."""


@contextmanager
def sync_lock(engine: Engine) -> Iterator[None]:
    """Hold the lock of a database while the context is open. A database in memory needs none.

    For SQLite it is a lock on the file `<database>.lock`, which stays behind empty and means nothing by itself. For
    PostgreSQL it is an advisory lock of a connection that does nothing else.

    Raises:
        SyncInProgress: another process holds it.
        StorageError: the lock can't be asked for.
    """
    if engine.dialect.name == "postgresql":
        with _advisory_lock(engine):
            yield
    elif file := sqlite_file(engine.url):
        with file_lock(file.with_name(f"{file.name}.lock"), f"another sync of {str(file)!r} is running"):
            yield
    else:
        yield


@contextmanager
def file_lock(path: Path, otherwise: str) -> Iterator[None]:
    """Hold a lock on a file, which is made if need be, while the context is open.

    Raises:
        SyncInProgress: another process holds it; `otherwise` is the message.
        StorageError: the file can't be made.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(path)
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise SyncInProgress(f"{otherwise} (it holds {str(path)!r})") from error
    except OSError as error:
        raise StorageError(f"can't write {str(path)!r}: {error.strerror or error}") from error
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _advisory_lock(engine: Engine) -> Iterator[None]:
    with storage_errors(engine.url, "lock"):
        connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")
    with connection:
        with storage_errors(engine.url, "lock"):
            held = connection.scalar(text("SELECT pg_try_advisory_lock(:key)"), {"key": _ADVISORY_KEY})
        if not held:
            raise SyncInProgress(f"another sync of {display_url(engine.url)!r} is running")
        try:
            yield
        finally:
            # The server lets go of it too once it sees that the connection is gone, as when this process dies; but the
            # next sync may ask before that.
            with suppress(SQLAlchemyError):
                connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": _ADVISORY_KEY})
