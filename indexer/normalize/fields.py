"""Values out of an untrusted record, each checked for its type. A wrong one raises, naming the field."""

from __future__ import annotations

import math

from indexer.errors import NormalizeError
from indexer.rules.colors import COLOR_LETTERS, MANA_LETTERS, ColorSet
from indexer.scryfall.types import RawRecord

MAX_INTEGER = 2**31 - 1
"""The largest number that an integer column of every supported database takes."""

MAX_TEXT = 10_000
"""Characters of a text; the longest on a card has about 1000. Reading one takes longer than its length tells."""


def optional_text(record: RawRecord, field: str) -> str | None:
    """The text of a field; None if it is missing or null, `""` if it is empty."""
    value = record.get(field)
    if value is None or (value.__class__ is str and "\0" not in value and len(value) <= MAX_TEXT):
        return value
    if isinstance(value, str) and len(value) > MAX_TEXT:
        raise wrong_field(record, field, f"has {len(value)} characters, which is more than any card's")
    if isinstance(value, str):
        raise wrong_field(record, field, "has a NUL character")
    raise wrong_field(record, field, f"should be text, not {type(value).__name__}")


def required_text(record: RawRecord, field: str) -> str:
    """The text of a field that every record has and that is never empty."""
    value = optional_text(record, field)
    if not value:
        raise wrong_field(record, field, "is missing" if value is None else "is empty")
    return value


def optional_number(record: RawRecord, field: str) -> float | None:
    """A finite number, 0 or more; None if it is missing or null."""
    value = record.get(field)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong_field(record, field, f"should be a number, not {type(value).__name__}")
    if not 0 <= value <= 1e15 or not math.isfinite(value):
        raise wrong_field(record, field, f"is out of range: {value!r}")
    return value


def optional_integer(record: RawRecord, field: str) -> int | None:
    """A whole number that fits a column; None if it is missing or null."""
    value = record.get(field)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong_field(record, field, f"should be a whole number, not {type(value).__name__}")
    if not -MAX_INTEGER <= value <= MAX_INTEGER:
        raise wrong_field(record, field, f"is out of range: {value!r}")
    return value


def optional_flag(record: RawRecord, field: str) -> bool | None:
    """True or false; None if it is missing or null."""
    value = record.get(field)
    if value is None or isinstance(value, bool):
        return value
    raise wrong_field(record, field, f"should be true or false, not {type(value).__name__}")


def optional_colors(record: RawRecord, field: str) -> ColorSet | None:
    """A set of color letters, in any order; None if the field is missing (not applicable, which isn't colorless)."""
    letters = _texts(record, field)
    if letters is None:
        return None
    for letter in letters:
        if len(letter) != 1 or letter not in COLOR_LETTERS:
            raise wrong_field(record, field, f"has {letter!r}, which is no color letter")
    return ColorSet.from_letters(letters)


def optional_mana_types(record: RawRecord, field: str) -> str | None:
    """Types of mana as text in WUBRGC order, other letters (funny cards have some) after them; None if missing."""
    letters = _texts(record, field)
    if letters is None:
        return None
    known = [letter for letter in MANA_LETTERS if letter in letters]
    return "".join(known + sorted({letter for letter in letters if letter not in MANA_LETTERS or len(letter) != 1}))


def text_list(record: RawRecord, field: str) -> list[str]:
    """A list of texts; empty if the field is missing or null."""
    return _texts(record, field) or []


def text_map(record: RawRecord, field: str) -> dict[str, str]:
    """An object with text values; empty if the field is missing or null."""
    value = record.get(field)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise wrong_field(record, field, f"should be an object, not {type(value).__name__}")
    for key, item in value.items():
        if item.__class__ is not str or "\0" in item or "\0" in key:
            raise wrong_field(record, field, f"has {key!r} with the value {item!r:.60}, which is no plain text")
    return value


def record_list(record: RawRecord, field: str) -> list[RawRecord]:
    """A list of objects; empty if the field is missing or null."""
    value = record.get(field)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise wrong_field(record, field, "should be a list of objects")
    return value


def _texts(record: RawRecord, field: str) -> list[str] | None:
    value = record.get(field)
    if value is None:
        return None
    if not isinstance(value, list):
        raise wrong_field(record, field, f"should be a list, not {type(value).__name__}")
    for item in value:
        if item.__class__ is not str or "\0" in item:
            raise wrong_field(record, field, f"has {item!r:.60}, which is no plain text")
    return value


def wrong_field(record: RawRecord, field: str, what: str) -> NormalizeError:
    """The error for a field of a record, with the card's name and id where the record has them."""
    name = record.get("name")
    card_id = record.get("id")
    return NormalizeError(
        f"field {field!r} {what}" + (f" (card {name!r:.80})" if isinstance(name, str) else ""),
        card_name=name if isinstance(name, str) else None,
        scryfall_id=card_id if isinstance(card_id, str) else None,
        field=field,
    )
