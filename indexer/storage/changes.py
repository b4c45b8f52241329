"""What differs between two states of a card, field by field, as `card_changes` records it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from indexer.batches import CARD_COLUMNS, Row
from indexer.records import FaceRow

VOLATILE = frozenset({"edhrec_rank"})
"""Columns that move every day for thousands of cards. They are stored, but a new rank is no change of the card."""


class FieldChange(NamedTuple):
    """One field's old and new value, as text; None where it has none."""

    field: str
    old: str | None
    new: str | None


Children = Mapping[str, Sequence[Row]]
"""The rows of one card by the name of their table."""

_FACES = "card_faces"
_LISTS = {"keywords": ("keywords", 1), "card_parts": ("parts", 3)}
"""Tables whose rows read best as one list: the name of the field, and the column to list."""
_KEYED = {"legalities": (slice(1, 2), 2), "mana_values": (slice(1, 3), 3)}
"""Tables with a field for each row: the columns that name it, and the column of its value."""
_FACE_NAME = FaceRow._fields.index("name")
_FLAGS = frozenset({"reserved", "digital", "funny", "game_changer"})


def field_changes(old_card: Row, new_card: Row, old: Children, new: Children) -> Iterator[FieldChange]:
    """Every field that differs. The masks, symbols and typed words follow from others and are left out.

    The only face of a card repeats the card's own values; what changed there is told once, of the card.
    """
    changed = list(_columns(CARD_COLUMNS, old_card, new_card))
    yield from changed
    yield from _face_changes(old.get(_FACES, ()), new.get(_FACES, ()), {change.field for change in changed})
    for table, (name, column) in _LISTS.items():
        before, after = (_listing(rows.get(table, ()), column) for rows in (old, new))
        if before != after:
            yield FieldChange(name, before, after)
    for table, (key, column) in _KEYED.items():
        first, second = (
            {".".join(map(str, row[key])): _text(row[column]) for row in rows.get(table, ())} for rows in (old, new)
        )
        for name in sorted(first.keys() | second.keys()):
            if first.get(name) != second.get(name):
                yield FieldChange(f"{table}.{name}", first.get(name), second.get(name))


def _columns(columns: Sequence[str], old: Row, new: Row) -> Iterator[FieldChange]:
    for column, before, after in zip(columns, old, new, strict=True):
        if before != after and not column.endswith("_mask") and column not in VOLATILE:
            show = _flag if column in _FLAGS else _text
            yield FieldChange(column, show(before), show(after))


def _face_changes(old: Sequence[Row], new: Sequence[Row], told: set[str]) -> Iterator[FieldChange]:
    first, second = ({row[1]: row for row in rows} for rows in (old, new))
    alone = len(first) == 1 and len(second) == 1
    for index in sorted(first.keys() | second.keys()):
        before, after = first.get(index), second.get(index)
        if before is None or after is None:
            yield FieldChange(f"faces.{index}", *(_text(row[_FACE_NAME]) if row else None for row in (before, after)))
            if before is not None:
                yield from (change._replace(field=f"faces.{index}.{change.field}") for change in _lost(before))
            continue
        for change in _columns(FaceRow._fields, before, after):
            if not (alone and change.field in told):
                yield change._replace(field=f"faces.{index}.{change.field}")


def _lost(face: Row) -> Iterator[FieldChange]:
    """What stood on a face that is gone, so that history can bring it back."""
    for column, value in zip(FaceRow._fields, face, strict=True):
        if value is not None and column not in ("oracle_id", "face_index", "name") and not column.endswith("_mask"):
            yield FieldChange(column, _text(value), None)


def _listing(rows: Sequence[Row], column: int) -> str | None:
    return ", ".join(sorted(str(row[column]) for row in rows)) or None


def _flag(value: object) -> str | None:
    return None if value is None else "true" if value else "false"


def _text(value: object) -> str | None:
    """A value as the tables show it: a whole number without a fraction."""
    if value is None:
        return None
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
