"""The figures of the page: agreement with the source, mismatches over time, the pool's make-up, the cards' texts."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, case, exists, func, or_, select

from indexer.reports.runs import STORED
from indexer.reports.values import FIELDS
from indexer.storage.models import Card, CardFace, Mismatch, SyncRun

_KEYS_IN_ONE_QUERY = 500
_CURVE_END = 10
_COLORS = {"": "colorless", "W": "white", "U": "blue", "B": "black", "R": "red", "G": "green"}
_COLOR_COUNTS = {2: "two colors", 3: "three colors", 4: "four colors", 5: "five colors"}


class Agreement(NamedTuple):
    """How many cards' published values of a field agree with the rules."""

    name: str
    """The field, or the layout."""
    compared: int
    """Cards for which the source publishes the value and the rules give it."""
    differing: int

    @property
    def rate(self) -> str:
        """The share that agrees, rounded down: `100%` only if every one does; a dash if none was compared.

        >>> Agreement("colors", 100_000, 1).rate, Agreement("colors", 3, 0).rate, Agreement("colors", 0, 0).rate
        ('99.99%', '100%', '–')
        """
        if not self.compared:
            return "–"
        if not self.differing:
            return "100%"
        hundredths = (self.compared - self.differing) * 10_000 // self.compared
        return f"{hundredths // 100}.{hundredths % 100:02d}%"

    @property
    def per_thousand(self) -> float:
        """Differing cards in a thousand compared."""
        return self.differing * 1000 / self.compared if self.compared else 0.0


class OpenCount(NamedTuple):
    """How many mismatches were open after a run."""

    run_id: int
    moment: dt.datetime
    number: int


class Bar(NamedTuple):
    """A count with its label."""

    label: str
    number: int
    key: str = ""
    """A name for its colors on the page; empty for the usual one."""


class FaceText(NamedTuple):
    """What is printed on a face, for a reader who judges a mismatch."""

    name: str
    mana_cost: str | None
    type_line: str | None
    oracle_text: str | None


def load_agreement(connection: Connection) -> tuple[list[Agreement], list[Agreement]]:
    """Agreement by field, in their order, and by layout (all fields together), the commonest layout first.

    Only what can be compared counts: a value that the source publishes, on the card or on one of its faces, and that
    the rules derive. A card differs if a mismatch of the field is open or accepted.
    """
    by_field: dict[str, list[int]] = {field: [0, 0] for field in FIELDS}
    by_layout: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for field in FIELDS:
        differs = exists().where(
            Mismatch.oracle_id == Card.oracle_id,
            Mismatch.field == field,
            Mismatch.category != "undecided",
            Mismatch.status != "resolved",
        )
        published = [getattr(Card, f"published_{field}").is_not(None)]
        if (on_face := getattr(CardFace, f"published_{field}", None)) is not None:
            published.append(exists().where(CardFace.oracle_id == Card.oracle_id, on_face.is_not(None)))
        rows = connection.execute(
            select(Card.layout, func.count(), func.sum(case((differs, 1), else_=0)))
            .where(
                Card.removed_run_id.is_(None),
                or_(differs, getattr(Card, f"{field}_decision") == "derived"),
                or_(differs, *published),
            )
            .group_by(Card.layout)
        )
        for layout, compared, differing in rows:
            for totals in (by_field[field], by_layout[layout]):
                totals[0] += compared
                totals[1] += differing
    return (
        [Agreement(name, *totals) for name, totals in by_field.items()],
        sorted((Agreement(name, *totals) for name, totals in by_layout.items()), key=lambda a: (-a.compared, a.name)),
    )


def load_open_over_time(connection: Connection) -> list[OpenCount]:
    """The number of open mismatches after each run that brought new data, oldest first."""
    rows = connection.execute(
        select(SyncRun.id, SyncRun.started_at, SyncRun.mismatches_open)
        .where(SyncRun.outcome == STORED)
        .order_by(SyncRun.id)
    )
    return [OpenCount(*row) for row in rows]


def load_mana_curve(connection: Connection) -> list[Bar]:
    """Cards whose front isn't a land, by mana value rounded down; the last bar takes all from 10."""
    bucket = func.floor(Card.mana_value)
    rows = connection.execute(
        select(bucket, func.count())
        .join(CardFace, (CardFace.oracle_id == Card.oracle_id) & (CardFace.face_index == 0))
        .where(
            Card.removed_run_id.is_(None),
            Card.object_kind == "card",
            Card.mana_value.is_not(None),
            or_(CardFace.type_line.is_(None), CardFace.type_line.not_like("%Land%")),
        )
        .group_by(bucket)
    )
    counts = [0] * (_CURVE_END + 1)
    for value, count in rows:
        counts[min(int(value), _CURVE_END)] += count
    return [Bar(f"{value}{'+' if value == _CURVE_END else ''}", count) for value, count in enumerate(counts)]


def load_color_identities(connection: Connection) -> list[Bar]:
    """Cards by color identity: colorless, each color alone, then by the number of colors."""
    rows = connection.execute(
        select(Card.color_identity, func.count())
        .where(Card.removed_run_id.is_(None), Card.object_kind == "card", Card.color_identity.is_not(None))
        .group_by(Card.color_identity)
    )
    counts: dict[str, int] = dict.fromkeys((*_COLORS.values(), *_COLOR_COUNTS.values()), 0)
    for identity, count in rows:
        name = _COLORS.get(identity or "") or _COLOR_COUNTS[len(identity or "")]
        counts[name] += count
    keys = {name: letter.lower() or "c" for letter, name in _COLORS.items()}
    return [Bar(name, count, keys.get(name, "m")) for name, count in counts.items()]


def load_face_texts(connection: Connection, oracle_ids: Iterable[str]) -> Mapping[str, Sequence[FaceText]]:
    """The faces of the cards, in order, by Oracle id."""
    wanted = sorted(set(oracle_ids))
    faces: dict[str, list[FaceText]] = defaultdict(list)
    for start in range(0, len(wanted), _KEYS_IN_ONE_QUERY):
        rows = connection.execute(
            select(CardFace.oracle_id, CardFace.name, CardFace.mana_cost, CardFace.type_line, CardFace.oracle_text)
            .where(CardFace.oracle_id.in_(wanted[start : start + _KEYS_IN_ONE_QUERY]))
            .order_by(CardFace.oracle_id, CardFace.face_index)
        )
        for oracle_id, name, mana_cost, type_line, oracle_text in rows:
            faces[oracle_id].append(FaceText(name, mana_cost, type_line, oracle_text))
    return faces
