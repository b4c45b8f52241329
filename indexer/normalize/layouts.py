"""Scryfall's layouts in the rules' terms: how faces share a card, and what kind of object it is."""

from __future__ import annotations

from indexer.rules.card import Arrangement, ObjectKind
from indexer.rules.type_line import NONTRADITIONAL_TYPES, TypeLine

ARRANGEMENTS: dict[str, Arrangement] = {
    **dict.fromkeys(
        (
            "normal",
            "leveler",
            "saga",
            "class",
            "case",
            "mutate",
            "token",
            "emblem",
            "planar",
            "scheme",
            "vanguard",
            "host",
            "augment",
            "front_card",
        ),
        Arrangement.SINGLE,
    ),
    "split": Arrangement.SPLIT,
    "flip": Arrangement.FLIP,
    "transform": Arrangement.TRANSFORMING,
    # Battles are sent as `transform`; the word stands in Scryfall's list of layouts all the same.
    "battle": Arrangement.TRANSFORMING,
    "double_faced_token": Arrangement.TRANSFORMING,
    "art_series": Arrangement.REVERSIBLE,
    "modal_dfc": Arrangement.MODAL,
    # A melded result is told from its parts by name, in `card.py`.
    "meld": Arrangement.MELD_PART,
    # Omens come as `adventure` too: told from Adventures by the subtype of the inset, in `card.py`.
    "adventure": Arrangement.ADVENTURER,
    "prepare": Arrangement.PREPARATION,
    "prototype": Arrangement.PROTOTYPE,
    "reversible_card": Arrangement.REVERSIBLE,
}
"""Layout -> arrangement. A layout that is not here is `Arrangement.UNKNOWN`."""

FACES_CARRY_COLORS = frozenset(
    {"transform", "battle", "modal_dfc", "double_faced_token", "art_series", "reversible_card"}
)
"""Layouts whose colors, costs and texts stand on the faces and not on the root."""

_KIND_OF_LAYOUT = {
    "token": ObjectKind.TOKEN,
    "double_faced_token": ObjectKind.TOKEN,
    "emblem": ObjectKind.OTHER,
    "art_series": ObjectKind.OTHER,
    "front_card": ObjectKind.OTHER,
    "planar": ObjectKind.NONTRADITIONAL,
    "scheme": ObjectKind.NONTRADITIONAL,
    "vanguard": ObjectKind.NONTRADITIONAL,
}


def object_kind(layout: str, line: TypeLine) -> ObjectKind:
    """What kind of object a record is, from its layout and the type line of its first face.

    Checklists, emblems and sticker sheets come in layouts of cards and tokens: their type line tells them apart.
    Dungeons and Attractions are nontraditional cards (CR 309.1, 717.1).
    """
    if line.types in (("Card",), ("Emblem",), ("Stickers",)):
        return ObjectKind.OTHER
    kind = _KIND_OF_LAYOUT.get(layout)
    if kind is not None:
        return kind
    if "Token" in line.supertypes:
        return ObjectKind.TOKEN
    if not NONTRADITIONAL_TYPES.isdisjoint(line.types) or "Attraction" in line.subtypes:
        return ObjectKind.NONTRADITIONAL
    return ObjectKind.CARD
