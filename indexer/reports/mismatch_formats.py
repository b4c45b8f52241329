"""The mismatches as a table, CSV, Markdown, or the versioned JSON document that `docs/report-json.md` describes."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TextIO

from sqlalchemy import Connection, func, select

from indexer.reports.mismatches import MismatchFilter, MismatchReportRow, card_url, new_alarms
from indexer.reports.runs import last_run
from indexer.reports.tabular import Link, TabularFormat, json_line, write_rows
from indexer.reports.values import (
    CATEGORIES,
    CATEGORY_NAMES,
    FIELD_NAMES,
    FIELDS,
    OBJECT_KINDS,
    STATUSES,
    set_difference,
    shown_value,
)
from indexer.rules.derivation import Step
from indexer.storage.models import Card, SyncRun

JSON_FORMAT = "card-indexer/mismatch-report"
JSON_VERSION = 1

ROW_KEYS = (
    "id",
    "oracle_id",
    "card",
    "scryfall_uri",
    "layout",
    "object_kind",
    "type_line",
    "mana_cost",
    "edhrec_rank",
    "legal_formats",
    "face_index",
    "face",
    "field",
    "published",
    "computed",
    "difference",
    "category",
    "rule",
    "explanation",
    "status",
    "status_reason",
    "new",
    "first_seen_run_id",
    "first_seen_at",
    "last_seen_run_id",
    "reopened_run_id",
    "resolved_run_id",
    "resolved_at",
    "runs_open",
)
"""The keys of a mismatch in JSON, besides `steps`: the attributes of a `MismatchReportRow` of the same name."""
# A difference such as "+U -R" would look like a formula; two plain columns say the same.
CSV_COLUMNS = tuple(name for key in ROW_KEYS for name in (("add", "remove") if key == "difference" else (key,)))


class Derivation(NamedTuple):
    """How a value follows from the rules."""

    steps: Sequence[Step] = ()
    text: str = ""
    """The same in one line, as it stands within the explanation of a mismatch."""

    def remark(self, explanation: str) -> str:
        """What an explanation says beyond these steps; all of it if it doesn't hold them.

        >>> Derivation((), "{1}: counts 1 (202.3)").remark("Known practice. {1}: counts 1 (202.3); also so")
        'Known practice. also so'
        """
        return explanation.replace(self.text, "", 1).replace(" ; ", " ").strip("; ") if self.text else explanation


StepsFor = Callable[[str, str, int | None], Derivation]
"""Gives the derivation of a value by Oracle id, field and face index (None: the card); an empty one if it can't."""


def no_steps(oracle_id: str, field: str, face_index: int | None) -> Derivation:
    """A `StepsFor` that knows no derivation."""
    return Derivation()


class PoolFacts(NamedTuple):
    """What a report says about the data it rests on."""

    run_id: int
    moment: dt.datetime
    """When the last run that brought new data ended."""
    source: str
    source_updated_at: dt.datetime | None
    sha256: str | None
    cards: int
    """Objects in the export now, of every kind."""
    rules_edition: str
    engine_version: str


def load_pool_facts(connection: Connection) -> PoolFacts | None:
    """The facts of the last run; None if no run has filled the pool yet."""
    last = last_run(connection)
    if last is None:
        return None
    run = connection.execute(
        select(
            SyncRun.source,
            SyncRun.source_updated_at,
            SyncRun.sha256,
            SyncRun.rules_edition,
            SyncRun.engine_version,
        ).where(SyncRun.id == last.run_id)
    ).one()
    cards = connection.scalar(select(func.count()).select_from(Card).where(Card.removed_run_id.is_(None))) or 0
    return PoolFacts(last.run_id, last.moment, run[0], run[1], run[2], cards, run[3], run[4])


def summary_line(rows: Sequence[MismatchReportRow], facts: PoolFacts) -> str:
    """One line about the rows and the data, such as `3 mismatches (2 published errors, 1 policy) in 30,412 cards …`."""
    by_category = Counter(row.category for row in rows)
    parts = [
        f"{number:,} {CATEGORY_NAMES[key]}{'s' if key == 'published_error' and number > 1 else ''}"
        for key in CATEGORIES
        if (number := by_category[key])
    ]
    count = f"{len(rows):,} {'mismatch' if len(rows) == 1 else 'mismatches'}" if rows else "No mismatches"
    detail = f" ({', '.join(parts)})" if parts else ""
    return f"{count}{detail} in {facts.cards:,} objects, run {facts.run_id} of {facts.moment:%Y-%m-%d}"


def write_mismatch_rows(
    rows: Sequence[MismatchReportRow], facts: PoolFacts, fmt: TabularFormat, stream: TextIO
) -> None:
    """Write the rows as a table, CSV or Markdown, under a line that sums them up (not in CSV).

    For JSON use `write_mismatch_json`.
    """
    if fmt == "csv":
        write_rows(CSV_COLUMNS, (_csv_cells(row) for row in rows), fmt, stream)
        return
    title = summary_line(rows, facts)
    if not rows:
        stream.write(title + "\n")
        return
    columns = _columns(rows)
    write_rows(
        [c.name for c in columns],
        [[c.cell(row) for c in columns] for row in rows],
        fmt,
        stream,
        title=title,
        note="explanation",
    )


def _csv_cells(row: MismatchReportRow) -> list[object]:
    add, remove = ("", "")
    if row.field != "mana_value" and row.computed is not None:
        add, remove = set_difference(row.published, row.computed)
    return [
        {"add": add, "remove": remove}[name] if name in ("add", "remove") else getattr(row, name)
        for name in CSV_COLUMNS
    ]


class _Column(NamedTuple):
    name: str
    cell: Callable[[MismatchReportRow], object]


def _columns(rows: Sequence[MismatchReportRow]) -> list[_Column]:
    """The columns for people. One in which every row would say the same is left out."""
    columns = [
        _Column("card", lambda row: Link(row.label, card_url(row))),
        _Column("field", lambda row: FIELD_NAMES[row.field]),
        _Column("published", lambda row: shown_value(row.field, row.published)),
        _Column("by the rules", lambda row: shown_value(row.field, row.computed)),
        _Column("change", lambda row: row.difference),
        _Column("category", lambda row: CATEGORY_NAMES[row.category]),
        _Column("rule", lambda row: row.rule),
    ]
    if any(row.status != "open" for row in rows):
        columns.append(_Column("status", lambda row: row.status))
    columns += [
        _Column("first seen", lambda row: row.first_seen_at.date()),
        _Column("runs", lambda row: row.runs_open),
        _Column("explanation", lambda row: row.explanation + (f" [{row.status_reason}]" if row.status_reason else "")),
    ]
    return columns


def json_row(row: MismatchReportRow, steps: Sequence[Step] = ()) -> dict[str, Any]:
    """One mismatch as the JSON document has it."""
    return {**{key: getattr(row, key) for key in ROW_KEYS}, "steps": [step._asdict() for step in steps]}


def write_mismatch_json(
    rows: Sequence[MismatchReportRow],
    facts: PoolFacts,
    wanted: MismatchFilter,
    stream: TextIO,
    *,
    now: dt.datetime,
    steps_for: StepsFor = no_steps,
) -> None:
    """Write the versioned JSON document, one mismatch a line."""
    head = {
        "format": JSON_FORMAT,
        "version": JSON_VERSION,
        "generated_at": now,
        "pool": facts._asdict(),
        "filter": {
            "status": sorted(wanted.statuses or STATUSES),
            "field": sorted(wanted.fields or FIELDS),
            "category": sorted(wanted.categories or CATEGORIES),
            "kind": sorted(wanted.kinds or OBJECT_KINDS),
            "new": wanted.new,
            "since_run_id": wanted.since,
            "between_run_ids": wanted.between,
            "limit": wanted.limit,
        },
        "counts": {
            "total": len(rows),
            "new_alarms": len(new_alarms(rows)),
            **{f"by_{name}": _counts(rows, name) for name in ("status", "category", "field")},
        },
    }
    stream.write(json_line(head)[:-1] + ',\n"mismatches":[')
    for number, row in enumerate(rows):
        stream.write(",\n" if number else "\n")
        stream.write(json_line(json_row(row, steps_for(row.oracle_id, row.field, row.face_index).steps)))
    stream.write("\n]}\n" if rows else "]}\n")


def _counts(rows: Sequence[MismatchReportRow], attribute: str) -> dict[str, int]:
    counts = Counter(getattr(row, attribute) for row in rows)
    return dict(sorted(counts.items()))
