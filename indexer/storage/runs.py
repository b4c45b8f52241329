"""The record of each sync: one row of `sync_runs`, whatever became of it.

Together with `known` this is all that a run needs that finds nothing new. Neither imports the mapped classes: those and
SQLAlchemy's ORM take half of such a run's time. A test holds the table here to the class.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Float,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    delete,
    func,
    insert,
    select,
    text,
    update,
)

from indexer.storage.types import UtcDateTime

KEPT_IDLE_RUNS = 100
"""So many of the latest runs are kept in any case; older ones only if they changed something."""

KEPT_REJECTIONS = 30
"""The rejected lines of so many of the latest runs are kept."""


_COUNTS = (
    "records_read",
    "records_rejected",
    "cards_total",
    "cards_added",
    "cards_changed",
    "cards_unchanged",
    "cards_removed",
    "cards_restored",
    "mismatches_open",
    "mismatches_new",
    "mismatches_reopened",
    "mismatches_resolved",
    "values_undecided",
)
_VERSIONS = ("rules_edition", "engine_version", "program_version")
_SECONDS = ("download_seconds", "read_seconds", "write_seconds", "total_seconds")

RUNS = Table(
    "sync_runs",
    MetaData(),
    Column("id", Integer, primary_key=True),
    Column("started_at", UtcDateTime, nullable=False),
    Column("finished_at", UtcDateTime),
    Column("outcome", String(16), nullable=False),
    Column("message", Text),
    Column("source", Text, nullable=False),
    Column("updated_at", UtcDateTime, key="source_updated_at"),
    Column("size", BigInteger),
    Column("sha256", Text),
    *(Column(name, Integer, nullable=False, default=0) for name in _COUNTS),
    Column("warnings", Text),
    *(Column(name, Text, nullable=False) for name in _VERSIONS),
    *(Column(name, Float) for name in _SECONDS),
)
"""The table, by the attributes of `models.SyncRun`."""


class Outcome(StrEnum):
    """How a run ended."""

    STORED = "stored"
    UP_TO_DATE = "up_to_date"
    REFUSED = "refused"
    FAILED = "failed"


class Versions(NamedTuple):
    """What decides the values of a record: with another version of any of these, everything is computed again."""

    rules_edition: str
    engine_version: str
    program_version: str


class StoredRun(NamedTuple):
    """The run that the pool comes from."""

    run_id: int
    source_updated_at: dt.datetime | None
    sha256: str | None
    versions: Versions


def last_stored(connection: Connection) -> StoredRun | None:
    """The last run that stored a pool; None if there is none."""
    runs = RUNS.c
    row = connection.execute(
        select(runs.id, runs.source_updated_at, runs.sha256, *(runs[name] for name in _VERSIONS))
        .where(runs.outcome == Outcome.STORED)
        .order_by(runs.id.desc())
        .limit(1)
    ).one_or_none()
    return StoredRun(row[0], row[1], row[2], Versions(*row[3:])) if row else None


def add_run(connection: Connection, values: Mapping[str, Any]) -> int:
    """Add a row, by the attributes of `SyncRun`, and give its number."""
    key = connection.execute(insert(RUNS).values(**values)).inserted_primary_key
    assert key is not None
    return int(key[0])


def complete_run(connection: Connection, run_id: int, values: Mapping[str, Any]) -> None:
    """Fill in what is known only at the end."""
    connection.execute(update(RUNS).where(RUNS.c.id == run_id).values(**values))


def prune_runs(connection: Connection, *, keep: int = KEPT_IDLE_RUNS, keep_rejections: int = KEPT_REJECTIONS) -> None:
    """Forget old runs that left no trace in the pool, and old rejected lines. Runs that stored a pool stay."""
    runs = RUNS.c
    newest = connection.scalar(select(func.max(runs.id))) or 0
    connection.execute(
        text("DELETE FROM rejected_records WHERE run_id <= :oldest"), {"oldest": newest - keep_rejections}
    )
    # An acceptance that ended is undone by whichever run comes next, also by one that stores nothing.
    named = text("SELECT reopened_run_id FROM mismatches WHERE reopened_run_id IS NOT NULL")
    connection.execute(
        delete(RUNS).where(
            runs.id <= newest - keep,
            runs.outcome != Outcome.STORED,
            runs.id.not_in(connection.scalars(named).all()),
        )
    )
