"""Scryfall's values, MTGJSON's and ours side by side: who stands alone against the other two.

MTGJSON takes much of its data from Scryfall. That these two agree is weaker evidence than that either agrees with the
rules, and a value that MTGJSON alone has differently is often only older.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import Connection, RowMapping, select

from indexer.reports.mismatches import MismatchFilter, load_mismatches
from indexer.reports.mtgjson import OtherCard
from indexer.reports.tabular import cell_text
from indexer.reports.values import FIELDS
from indexer.storage.models import Card, CardFace

_KINDS_BY_NAME = frozenset({"card", "nontraditional"})
"""Kinds of object that a name alone tells: tokens are named like cards, and many like one another."""


class Alone(StrEnum):
    """Whose value differs from the other two."""

    SCRYFALL = "scryfall"
    OURS = "ours"
    MTGJSON = "mtgjson"
    ALL = "all"
    """No two agree."""
    UNKNOWN = "unknown"
    """An open mismatch of ours of whose value MTGJSON tells nothing."""


@dataclass(frozen=True, slots=True)
class ThreeWayRow:
    """One value about which the three don't agree."""

    oracle_id: str
    card: str
    scryfall_uri: str | None
    face: str | None
    """The face's name; None: the value stands on the card itself."""
    field: str
    scryfall: str
    mtgjson: str | None
    ours: str | None
    alone: Alone
    category: str | None
    """Of the open mismatch that we report at that place; None if we report none."""


@dataclass(frozen=True, slots=True)
class ThreeWayResult:
    """All such rows, ours first, and what they were found among."""

    rows: list[ThreeWayRow]
    cards_compared: int
    """Cards that both sides have."""
    values_compared: int


@dataclass(frozen=True, slots=True)
class _Place:
    """A published value of the pool with ours."""

    face_index: int | None
    face: str | None
    field: str
    published: str
    computed: str


def compare_three_ways(connection: Connection, others: Iterable[OtherCard]) -> ThreeWayResult:
    """Hold the values of MTGJSON's cards against the pool's. A card is found by Oracle id, else by a unique card name.

    The rows of open mismatches come first, in the order of the report, whether MTGJSON has the card or not.
    """
    cards = {row["oracle_id"]: row for row in _load_cards(connection)}
    faces = _load_faces(connection)
    by_name: dict[str, str | None] = {}
    for oracle_id, card in cards.items():
        if card["object_kind"] not in _KINDS_BY_NAME:
            continue
        by_name[card["name"]] = None if card["name"] in by_name else oracle_id
    mismatches = load_mismatches(connection, MismatchFilter())
    open_ones = {(row.oracle_id, row.face_index, row.field): row for row in mismatches}
    found: dict[tuple[str, int | None, str], ThreeWayRow] = {}
    compared, values = set(), 0
    for other in others:
        oracle_id = other.oracle_id if other.oracle_id in cards else by_name.get(other.name)
        if oracle_id is None or oracle_id in compared:
            continue
        compared.add(oracle_id)
        card = cards[oracle_id]
        for place in _places(card, faces.get(oracle_id, ())):
            theirs = _value_of(other, place)
            if theirs is None:
                continue
            values += 1
            alone = _who_is_alone(place.published, theirs, place.computed)
            if alone is not None:
                key = (oracle_id, place.face_index, place.field)
                mismatch = open_ones.get(key)
                found[key] = ThreeWayRow(
                    *(oracle_id, card["name"], card["scryfall_uri"], place.face, place.field),
                    *(place.published, theirs, place.computed, alone, mismatch.category if mismatch else None),
                )
    rows = []
    for row in mismatches:
        key = (row.oracle_id, row.face_index, row.field)
        unknown = ThreeWayRow(
            *(row.oracle_id, row.card, row.scryfall_uri, row.face, row.field),
            *(row.published, None, row.computed, Alone.UNKNOWN, row.category),
        )
        rows.append(found.pop(key) if key in found else unknown)
    rows += sorted(found.values(), key=lambda row: (list(Alone).index(row.alone), row.card, FIELDS.index(row.field)))
    return ThreeWayResult(rows, len(compared), values)


def _load_cards(connection: Connection) -> Iterator[RowMapping]:
    columns = [getattr(Card, f"{prefix}{field}") for field in FIELDS for prefix in ("", "published_")]
    own = (Card.oracle_id, Card.name, Card.object_kind, Card.scryfall_uri)
    statement = select(*own, *columns).where(Card.removed_run_id.is_(None))
    yield from connection.execute(statement).mappings()


def _load_faces(connection: Connection) -> dict[str, list[RowMapping]]:
    """The faces of which colors are published, by card."""
    faces: dict[str, list[RowMapping]] = {}
    statement = select(
        CardFace.oracle_id, CardFace.face_index, CardFace.name, CardFace.colors, CardFace.published_colors
    ).where(CardFace.published_colors.is_not(None))
    for row in connection.execute(statement).mappings():
        faces.setdefault(row["oracle_id"], []).append(row)
    return faces


def _places(card: RowMapping, faces: Iterable[RowMapping]) -> Iterator[_Place]:
    for field in FIELDS:
        published, computed = card[f"published_{field}"], card[field]
        if published is not None and computed is not None:
            yield _Place(None, None, field, cell_text(published), cell_text(computed))
    for face in faces:
        if face["colors"] is not None:
            yield _Place(face["face_index"], face["name"], "colors", face["published_colors"], face["colors"])


def _value_of(other: OtherCard, place: _Place) -> str | None:
    if place.face_index is None:
        value: str | None = getattr(other, place.field)
        return value
    named = [face for face in other.faces if face.name == place.face]
    if len(named) == 1:
        return named[0].colors
    return other.faces[place.face_index].colors if place.face_index < len(other.faces) else None


def _who_is_alone(scryfall: str, mtgjson: str, ours: str) -> Alone | None:
    """None if all agree.

    >>> [_who_is_alone(*values) for values in ("224", "242", "422", "123", "222")]
    [<Alone.OURS: 'ours'>, <Alone.MTGJSON: 'mtgjson'>, <Alone.SCRYFALL: 'scryfall'>, <Alone.ALL: 'all'>, None]
    """
    match (scryfall == mtgjson, scryfall == ours, mtgjson == ours):
        case (True, True, _):
            return None
        case (True, _, _):
            return Alone.OURS
        case (_, True, _):
            return Alone.MTGJSON
        case (_, _, True):
            return Alone.SCRYFALL
        case _:
            return Alone.ALL
