"""A type line taken apart into supertypes, card types and subtypes (CR 205)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

SUPERTYPES = frozenset({"Basic", "Legendary", "Ongoing", "Snow", "World"})
"""CR 205.4a."""

FUNNY_SUPERTYPES = frozenset({"Elite", "Host", "Token"})
"""Words that stand before the card types on tokens and on cards outside the rules (CR 100.7)."""

BASIC_LAND_TYPES = {"Plains": "W", "Island": "U", "Swamp": "B", "Mountain": "R", "Forest": "G"}
"""CR 305.6: basic land type -> the color of mana its intrinsic ability gives."""

NONTRADITIONAL_TYPES = frozenset({"Dungeon", "Phenomenon", "Plane", "Scheme", "Vanguard"})
"""Card types that are seen only on nontraditional cards (CR 309.1, 311.1, 312.1, 313.1, 314.1)."""


@dataclass(frozen=True, slots=True)
class TypeLine:
    """The words of one face's type line, in the printed order."""

    supertypes: tuple[str, ...]
    types: tuple[str, ...]
    subtypes: tuple[str, ...]

    @property
    def is_land(self) -> bool:
        """Whether land is among the card types."""
        return "Land" in self.types


@lru_cache(maxsize=16384)
def parse_type_line(text: str) -> TypeLine:
    """The parts of a type line. Words that no rule lists count as card types before the dash, subtypes after it.

    CR 205.3b: each word after the dash is a subtype, but "Time Lord" is one, and a plane's subtype is all of it.

    >>> parse_type_line("Legendary Snow Creature — Time Lord Wizard")
    TypeLine(supertypes=('Legendary', 'Snow'), types=('Creature',), subtypes=('Time Lord', 'Wizard'))
    """
    before, _, after = text.replace(" – ", " — ").replace(" - ", " — ").partition("—")
    words = before.split()
    supertypes = tuple(word for word in words if word in SUPERTYPES or word in FUNNY_SUPERTYPES)
    types = tuple(word for word in words if word not in SUPERTYPES and word not in FUNNY_SUPERTYPES)
    if "Plane" in types:
        subtypes: tuple[str, ...] = (after.strip(),) if after.strip() else ()
    elif "Time Lord" in after:
        subtypes = tuple(word.replace("\0", " ") for word in after.replace("Time Lord", "Time\0Lord").split())
    else:
        subtypes = tuple(after.split())
    return TypeLine(supertypes, types, subtypes)
