"""The mismatches as reports want them: joined with their cards, narrowed by a filter, the weightiest first."""

from __future__ import annotations

import bisect
import datetime as dt
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Select, func, or_, select
from sqlalchemy.orm import aliased

from indexer.reports.runs import last_run, run_numbers
from indexer.reports.tabular import Link
from indexer.reports.values import CATEGORIES, FIELDS, OBJECT_KINDS, STATUSES, difference_text, shown_value
from indexer.storage.models import Card, CardFace, Legality, Mismatch, SyncRun


@dataclass(frozen=True, slots=True)
class MismatchFilter:
    """Which mismatches to show. An empty set of values means all of them."""

    statuses: frozenset[str] = frozenset({"open"})
    fields: frozenset[str] = frozenset()
    categories: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    new: bool = False
    """Only those that appeared, or came back, with the newest data."""
    since: int | None = None
    """Only those that appeared, came back or ended after this run."""
    between: tuple[int, int] | None = None
    """Only those that appeared, came back or ended after the first run and up to the second."""
    limit: int | None = None
    """At most so many, after sorting."""


@dataclass(frozen=True, slots=True)
class MismatchReportRow:
    """One mismatch with what a reader needs to judge it."""

    id: int
    oracle_id: str
    card: str
    scryfall_uri: str | None
    layout: str
    object_kind: str
    type_line: str | None
    mana_cost: str | None
    """Of the face if the value stands on one, otherwise of the card."""
    edhrec_rank: int | None
    legal_formats: int
    """In how many formats the card may be played (legal or restricted)."""
    face_index: int | None
    """None: the value stands on the card itself."""
    face: str | None
    """The face's name; None if the value stands on the card itself."""
    field: str
    published: str
    computed: str | None
    """None exactly if the category is `undecided`."""
    category: str
    rule: str
    explanation: str
    status: str
    status_reason: str | None
    first_seen_run_id: int
    first_seen_at: dt.datetime
    last_seen_run_id: int
    reopened_run_id: int | None
    resolved_run_id: int | None
    resolved_at: dt.datetime | None
    runs_open: int
    """How many runs it has stood in the data since it appeared, the one that first saw it included."""
    new: bool
    """It is open, and appeared or came back with the newest data: in the last run that brought any, or after it."""

    @property
    def difference(self) -> str:
        """What the correction changes: `+U -R`, `+2`; empty for an undecided value."""
        return difference_text(self.field, self.published, self.computed)

    @property
    def arrow(self) -> str:
        """`2 -> 4`, `colorless -> U`, `W -> undecided`."""
        return f"{shown_value(self.field, self.published)} -> {shown_value(self.field, self.computed)}"

    @property
    def label(self) -> str:
        """The card's name, with the face's name if the value stands on a face of a card with another name."""
        return self.card if self.face in (None, self.card) else f"{self.card} ({self.face})"


def card_url(row: MismatchReportRow) -> str:
    """Where the card can be looked at: the page that the source names, otherwise the source's search by Oracle id."""
    named = Link(row.card, row.scryfall_uri).safe_url
    return named or f"https://scryfall.com/search?q=oracleid%3A{quote(row.oracle_id, safe='')}"


def load_mismatches(connection: Connection, wanted: MismatchFilter | None = None) -> list[MismatchReportRow]:
    """The mismatches that the filter wants (without one: the open ones), what matters first.

    Open before accepted before resolved; errors before policy before undecided; playable cards before other objects;
    then by the number of formats in which the card is legal, by how much it is played, and by name.
    """
    wanted = wanted or MismatchFilter()
    last = last_run(connection)
    runs = run_numbers(connection)
    rows = []
    for record in connection.execute(_build(wanted)).mappings():
        end = len(runs) if record["resolved_run_id"] is None else bisect.bisect_left(runs, record["resolved_run_id"])
        appeared = max(record["first_seen_run_id"], record["reopened_run_id"] or 0)
        rows.append(
            MismatchReportRow(
                **record,
                runs_open=end - bisect.bisect_left(runs, record["first_seen_run_id"]),
                new=record["status"] == "open" and last is not None and appeared >= last.run_id,
            )
        )
    if wanted.new:
        rows = [row for row in rows if row.new]
    rows.sort(key=_weight)
    return rows[: wanted.limit]


def new_alarms(rows: Iterable[MismatchReportRow]) -> list[MismatchReportRow]:
    """Those that should wake somebody: new, and a published error. A known practice and what can't be read do not."""
    return [row for row in rows if row.new and row.category == "published_error"]


def _build(wanted: MismatchFilter) -> Select[Any]:
    first, resolved = aliased(SyncRun), aliased(SyncRun)
    formats = (
        select(func.count())
        .where(Legality.oracle_id == Card.oracle_id, Legality.status.in_(("legal", "restricted")))
        .scalar_subquery()
    )
    statement = (
        select(
            *Mismatch.__table__.columns,
            Card.name.label("card"),
            Card.scryfall_uri,
            Card.layout,
            Card.object_kind,
            func.coalesce(CardFace.type_line, Card.type_line).label("type_line"),
            func.coalesce(CardFace.mana_cost, Card.mana_cost).label("mana_cost"),
            Card.edhrec_rank,
            CardFace.name.label("face"),
            formats.label("legal_formats"),
            first.started_at.label("first_seen_at"),
            resolved.started_at.label("resolved_at"),
        )
        .join(Card, Card.oracle_id == Mismatch.oracle_id)
        .join(first, first.id == Mismatch.first_seen_run_id)
        .outerjoin(resolved, resolved.id == Mismatch.resolved_run_id)
        .outerjoin(CardFace, (CardFace.oracle_id == Mismatch.oracle_id) & (CardFace.face_index == Mismatch.face_index))
    )
    for column, values in (
        (Mismatch.status, wanted.statuses),
        (Mismatch.field, wanted.fields),
        (Mismatch.category, wanted.categories),
        (Card.object_kind, wanted.kinds),
    ):
        if values:
            statement = statement.where(column.in_(sorted(values)))
    marks = (Mismatch.first_seen_run_id, Mismatch.reopened_run_id, Mismatch.resolved_run_id)
    if wanted.since is not None:
        statement = statement.where(or_(*(mark > wanted.since for mark in marks)))
    if wanted.between is not None:
        start, end = wanted.between
        statement = statement.where(or_(*(mark.between(start + 1, end) for mark in marks)))
    return statement


def _weight(row: MismatchReportRow) -> tuple[object, ...]:
    return (
        STATUSES.index(row.status),
        CATEGORIES.index(row.category),
        OBJECT_KINDS.index(row.object_kind) if row.object_kind in OBJECT_KINDS else len(OBJECT_KINDS),
        -row.legal_formats,
        math.inf if row.edhrec_rank is None else row.edhrec_rank,
        row.card,
        -1 if row.face_index is None else row.face_index,
        FIELDS.index(row.field),
        row.id,
    )
