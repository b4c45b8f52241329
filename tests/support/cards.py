"""Makers of engine cards, so that a table of tests shows only what matters in it."""

from __future__ import annotations

from indexer.rules.card import Arrangement, Card, Face, ObjectKind
from indexer.rules.colors import ColorSet


def face(
    cost: str | None = "",
    text: str | None = "",
    types: str = "Creature",
    *,
    name: str = "Card",
    indicator: str | None = None,
    given: str | None = None,
) -> Face:
    """One face; colors as letters."""
    return Face(
        name,
        cost,
        types,
        text,
        None if indicator is None else ColorSet.from_letters(indicator),
        None if given is None else ColorSet.from_letters(given),
    )


def card(
    *faces: Face,
    arrangement: Arrangement = Arrangement.SINGLE,
    kind: ObjectKind = ObjectKind.CARD,
    fronts: tuple[Face, ...] = (),
) -> Card:
    """A card of these faces, named after them."""
    return Card(" // ".join(each.name for each in faces), arrangement, kind, faces, fronts)
