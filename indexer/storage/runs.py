"""The record of each sync: one row of `sync_runs`, whatever became of it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, func, insert, select, update

from indexer.storage.models import Mismatch, RejectedRecord, SyncRun

KEPT_IDLE_RUNS = 100
"""So many of the latest runs are kept in any case; older ones only if they changed something."""

KEPT_REJECTIONS = 30
"""The rejected lines of so many of the latest runs are kept."""


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
    table = SyncRun
    row = connection.execute(
        select(
            table.id,
            table.source_updated_at,
            table.sha256,
            table.rules_edition,
            table.engine_version,
            table.program_version,
        )
        .where(table.outcome == Outcome.STORED)
        .order_by(table.id.desc())
        .limit(1)
    ).one_or_none()
    return StoredRun(row[0], row[1], row[2], Versions(*row[3:])) if row else None


def add_run(connection: Connection, values: Mapping[str, Any]) -> int:
    """Add a row, by the attributes of `SyncRun`, and give its number."""
    key = connection.execute(insert(SyncRun).values(**values)).inserted_primary_key
    assert key is not None
    return int(key[0])


def complete_run(connection: Connection, run_id: int, values: Mapping[str, Any]) -> None:
    """Fill in what is known only at the end."""
    connection.execute(update(SyncRun).where(SyncRun.id == run_id).values(**values))


def prune_runs(connection: Connection, *, keep: int = KEPT_IDLE_RUNS, keep_rejections: int = KEPT_REJECTIONS) -> None:
    """Forget old runs that left no trace in the pool, and old rejected lines. Runs that stored a pool stay."""
    newest = connection.scalar(select(func.max(SyncRun.id))) or 0
    connection.execute(delete(RejectedRecord).where(RejectedRecord.run_id <= newest - keep_rejections))
    # An acceptance that ended is undone by whichever run comes next, also by one that stores nothing.
    named = select(Mismatch.reopened_run_id).where(Mismatch.reopened_run_id.is_not(None))
    connection.execute(
        delete(SyncRun).where(SyncRun.id <= newest - keep, SyncRun.outcome != Outcome.STORED, SyncRun.id.not_in(named))
    )
