"""References checked all at once on PostgreSQL while a new pool is filled.

PostgreSQL checks a foreign key with one query a row, also for rows that come by COPY. For the million rows of a first
sync that is half of the server's work; checking the full tables takes one join each.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, text

from indexer.storage.models import Base

_FOREIGN_KEYS = text(
    "SELECT conrelid::regclass, quote_ident(conname), pg_get_constraintdef(oid) FROM pg_constraint "
    "WHERE contype = 'f' AND conrelid = ANY(CAST(:tables AS regclass[])) ORDER BY 1, 2"
)


@contextmanager
def references_checked_at_the_end(connection: Connection) -> Iterator[None]:
    """Take the foreign keys off the pool's tables, and put them back as they were when the context ends.

    Only for tables that were made in the same transaction: those of a pool that others read would be locked. An
    exception has the caller roll everything back. SQLite, which checks by a look into an index, is left alone.

    Raises:
        sqlalchemy.exc.IntegrityError: a reference leads nowhere.
    """
    if connection.dialect.name != "postgresql":
        yield
        return
    keys = connection.execute(_FOREIGN_KEYS, {"tables": list(Base.metadata.tables)}).all()
    for table, name, _ in keys:
        connection.exec_driver_sql(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
    yield
    for table, name, definition in keys:
        connection.exec_driver_sql(f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}")
