"""What the engine reads: a card's printed characteristics, under the rules' own names.

Nothing here knows where a card comes from. A caller translates its source into these values once.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from indexer.rules.colors import ColorSet


class Arrangement(Enum):
    """How the faces share a card, which decides whose characteristics count."""

    # Looked up in tables several times a card: Enum's own hash is a Python call (measured).
    __hash__ = object.__hash__

    SINGLE = "single"
    """One face: most cards, tokens, planes; leveler, class, case, saga frames too."""
    SPLIT = "split"
    """Two (or more) halves that combine (CR 709), Rooms (709.5) and aftermath included."""
    FLIP = "flip"
    """A second set of characteristics upside down (CR 710)."""
    TRANSFORMING = "transforming"
    """A nonmodal double-faced card (CR 712.2)."""
    MODAL = "modal"
    """A modal double-faced card (CR 712.3)."""
    MELD_PART = "meld part"
    """One of a meld pair (CR 712.4), front face."""
    MELDED = "melded"
    """The combined back face of a meld pair (CR 712.8g); `Card.meld_fronts` holds the two fronts."""
    ADVENTURER = "adventurer"
    """An inset Adventure (CR 715)."""
    OMEN = "omen"
    """An inset Omen (CR 720)."""
    PREPARATION = "preparation"
    """An inset prepare spell (CR 722)."""
    PROTOTYPE = "prototype"
    """A second cost, power and toughness (CR 718), given by the prototype ability in the rules text."""
    REVERSIBLE = "reversible"
    """The same card printed on both sides: each side is the whole card."""
    UNKNOWN = "unknown"
    """An arrangement this engine doesn't know: values that depend on it are undecided."""


class ObjectKind(Enum):
    """What the object is, which decides whether a mana cost says all about its color."""

    CARD = "card"
    """A traditional card (CR 108.2a)."""
    TOKEN = "token"
    """A token (CR 111): its characteristics are given by the effect that creates it. Double-faced tokens too."""
    NONTRADITIONAL = "nontraditional"
    """Planes, phenomena, schemes, vanguards, dungeons, Attractions: no card that a player's deck holds (CR 108.2a)."""
    OTHER = "other"
    """Emblems (CR 114), art cards, checklists: no card of the game."""


@dataclass(frozen=True, slots=True)
class Face:
    """One set of printed characteristics."""

    name: str
    mana_cost: str | None
    """Symbols in braces; `""` is no mana cost (CR 202.1b), which is not `{0}`; None: the source does not say."""
    type_line: str
    rules_text: str | None
    """Rules text with reminder text in parentheses, one ability a line; `""` is none; None: the source doesn't say."""
    color_indicator: ColorSet | None = None
    """The colors of the indicator (CR 204); None: there is none."""
    given_colors: ColorSet | None = None
    """Colors stated beside the characteristics, used only where the rules derive none (tokens); None: not stated."""


@dataclass(frozen=True, slots=True)
class Card:
    """One card outside the game, as its printed faces."""

    name: str
    arrangement: Arrangement
    kind: ObjectKind
    faces: tuple[Face, ...]
    """At least one. The first is the front, the left half, the normal characteristics."""
    meld_fronts: tuple[Face, ...] = ()
    """For `MELDED`: the front faces of the two cards; fewer than two means that the source doesn't have them."""
