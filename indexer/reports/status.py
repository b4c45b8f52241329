"""How the pool is: its last runs, the age of its data, what it holds, and whether somebody should look."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, inspect, select, table

from indexer.reports.safe_text import one_line
from indexer.storage.migrate import HEAD, current_revision
from indexer.storage.models import Base, Card, Mismatch, SyncRun
from indexer.storage.runs import Outcome

STATUS_VERSION = 1
"""Of the JSON object; raised when something in it changes its meaning or goes."""

_SETTLED = (Outcome.STORED, Outcome.UP_TO_DATE)


@dataclass(frozen=True, slots=True)
class PoolStatus:
    """The facts, as of `now`."""

    now: dt.datetime
    schema_revision: str | None
    runs: Sequence[SyncRun]
    """The last ones, newest first."""
    stored: SyncRun | None
    """The run that the pool comes from."""
    settled: SyncRun | None
    """The last run that ended with a pool as the source has it."""
    kinds: dict[str, int]
    """Cards in the export, by kind of object."""
    removed: int
    """Cards that have left the export."""
    mismatches: dict[str, int]
    """By status."""
    rows: dict[str, int]
    """By table."""

    @property
    def data_age(self) -> dt.timedelta | None:
        """How long ago the export was made; of a file without a date, how long ago it was last found current."""
        if self.stored is None:
            return None
        since = self.stored.source_updated_at
        if since is None and self.settled is not None:
            since = self.settled.finished_at
        return None if since is None else self.now - since

    def problems(self, max_age: dt.timedelta) -> list[str]:
        """What monitoring should know, one line each; nothing if all is well."""
        found = []
        age = self.data_age
        if age is None:
            found.append("no sync has stored a pool yet")
        elif age > max_age:
            found.append(f"the data is {_span(age)} old, more than {_span(max_age)}")
        last = self.runs[0] if self.runs else None
        if last is not None and last.outcome not in _SETTLED:
            found.append(f"the last run (number {last.id}) was {last.outcome}: {one_line(last.message or '')}")
        ended = self.settled.finished_at if self.settled else None
        if age is not None and ended is not None and self.now - ended > max_age:
            found.append(f"no run has ended well for {_span(self.now - ended)}, more than {_span(max_age)}")
        if self.schema_revision != HEAD:
            found.append(f"the schema is at revision {self.schema_revision!r}, this program needs {HEAD!r}")
        return found


def load_status(connection: Connection, *, now: dt.datetime, runs: int = 5) -> PoolStatus:
    """Look at the pool; `runs` is how many of the last runs to tell of."""
    latest = select(SyncRun).order_by(SyncRun.id.desc())
    present = Card.removed_run_id.is_(None)
    kinds = connection.execute(
        select(Card.object_kind, func.count()).where(present).group_by(Card.object_kind).order_by(func.count().desc())
    )
    statuses = connection.execute(select(Mismatch.status, func.count()).group_by(Mismatch.status))
    return PoolStatus(
        now=now,
        schema_revision=current_revision(connection),
        runs=_runs(connection, latest.limit(runs)),
        stored=next(iter(_runs(connection, latest.where(SyncRun.outcome == Outcome.STORED).limit(1))), None),
        settled=next(iter(_runs(connection, latest.where(SyncRun.outcome.in_(_SETTLED)).limit(1))), None),
        kinds=dict(kinds.all()),
        removed=connection.scalar(select(func.count()).select_from(Card).where(~present)) or 0,
        mismatches=dict(statuses.all()),
        rows={
            name: connection.scalar(select(func.count()).select_from(table(name))) or 0
            for name in sorted(Base.metadata.tables.keys() & inspect(connection).get_table_names())
        },
    )


def _runs(connection: Connection, statement: Any) -> list[SyncRun]:
    return [SyncRun(**dict(zip(_RUN_ATTRIBUTES, row, strict=True))) for row in connection.execute(statement)]


_RUN_ATTRIBUTES = [attribute.key for attribute in SyncRun.__mapper__.column_attrs]


def status_json(status: PoolStatus, problems: Sequence[str] | None) -> dict[str, Any]:
    """The object for programs. `problems` is None if nobody asked for a check."""
    age = status.data_age
    return {
        "version": STATUS_VERSION,
        "schema_revision": status.schema_revision,
        "data_age_seconds": None if age is None else round(age.total_seconds()),
        "stored_run": status.stored and _run_json(status.stored),
        "runs": [_run_json(run) for run in status.runs],
        "cards": {"in_export": sum(status.kinds.values()), "removed": status.removed, "by_kind": status.kinds},
        "mismatches": status.mismatches,
        "rows": status.rows,
        "problems": problems,
    }


def status_lines(status: PoolStatus, problems: Sequence[str] | None) -> Iterator[str]:
    """The same for people."""
    stored, age = status.stored, status.data_age
    if stored is None or age is None:
        yield "Data        none: no sync has stored a pool yet"
    else:
        made = stored.source_updated_at or stored.finished_at
        assert made is not None
        yield f"Data        {_moment(made)}, {_span(age)} old, from {one_line(stored.source)}"
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in status.kinds.items())
    yield f"Cards       {sum(status.kinds.values()):,} in the export ({kinds or 'none'}), {status.removed:,} removed"
    counts = ", ".join(f"{status.mismatches.get(name, 0):,} {name}" for name in ("open", "accepted", "resolved"))
    yield f"Mismatches  {counts}"
    yield f"Schema      revision {status.schema_revision}" + (
        "" if status.schema_revision == HEAD else " (not current)"
    )
    yield "Rows        " + ", ".join(f"{name} {count:,}" for name, count in status.rows.items())
    for number, run in enumerate(status.runs):
        head = "Runs        " if not number else " " * 12
        yield head + _run_line(run)
    for problem in problems or ():
        yield f"Problem     {problem}"
    if problems is not None and not problems:
        yield "Check       all is well"


def _run_json(run: SyncRun) -> dict[str, Any]:
    values = {name: getattr(run, name) for name in _RUN_ATTRIBUTES}
    values["updated_at"] = values.pop("source_updated_at")
    values["warnings"] = run.warnings.splitlines() if run.warnings else []
    return {
        name: value.astimezone(dt.UTC).isoformat(timespec="seconds") if isinstance(value, dt.datetime) else value
        for name, value in values.items()
    }


def _run_line(run: SyncRun) -> str:
    start = f"{run.id}  {_moment(run.started_at)}  {run.outcome}"
    if run.outcome == Outcome.STORED:
        return (
            f"{start}: {run.cards_added:,} added, {run.cards_changed:,} changed, {run.cards_removed:,} removed, "
            f"{run.mismatches_open:,} mismatches open, {run.total_seconds or 0:.1f} s"
        )
    return f"{start}: {one_line(run.message)}" if run.message else start


def _moment(moment: dt.datetime) -> str:
    return f"{moment.astimezone(dt.UTC):%Y-%m-%d %H:%M} UTC"


def _span(span: dt.timedelta) -> str:
    """A span in the unit that suits it."""
    hours = span.total_seconds() / 3600
    if hours < 1:
        return f"{hours * 60:.0f} min"
    return f"{hours:.0f} h" if hours < 72 else f"{hours / 24:.0f} days"
