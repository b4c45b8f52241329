"""Groups of lands that players have names for, told by their text and types. No list of cards: new ones join."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sqlalchemy import ColumnElement, Integer, and_, case, literal, not_

from indexer.search.sql import Condition, contains, like
from indexer.storage.models import Card

_BASIC_LAND_TYPES = ("Plains", "Island", "Swamp", "Mountain", "Forest")


class LandFamily(NamedTuple):
    """One group."""

    names: tuple[str, ...]
    summary: str
    condition: Callable[[], Condition]


def _family(names: str, summary: str, *patterns: str, basic_types: int | None = None) -> LandFamily:
    """Lands whose text is like every pattern, with that many basic land types (any number if None)."""

    def condition() -> Condition:
        counted = [] if basic_types is None else [_number_of_basic_types() == basic_types]
        return and_(
            contains(Card.type_line, "Land"),
            not_(contains(Card.type_line, "Basic")),
            *(like(Card.oracle_text, pattern) for pattern in patterns),
            *counted,
        )

    return LandFamily(tuple(names.split()), summary, condition)


def _number_of_basic_types() -> ColumnElement[int]:
    one = [case((contains(Card.type_line, name), 1), else_=0) for name in _BASIC_LAND_TYPES]
    return sum(one, start=literal(0, Integer()))


_TWO_COLORS = "%{T}: Add {_} or {_}.%"

LAND_FAMILIES = (
    _family("dual", "two basic land types and no other text", "({T}: Add {_} or {_}.)", basic_types=2),
    _family(
        "fetchland",
        "fetches one of two basic land types for 1 life",
        "%Pay 1 life, Sacrifice%: Search your library for a% or %card%",
    ),
    _family("shockland", "two basic land types, untapped for 2 life", "%you may pay 2 life%don't%", basic_types=2),
    _family("checkland", "untapped beside one of two basic land types", "%unless you control a% or a%", _TWO_COLORS),
    _family("fastland", "untapped with few other lands", "%unless you control two or fewer other lands%", _TWO_COLORS),
    _family("slowland", "untapped with two other lands", "%unless you control two or more other lands%", _TWO_COLORS),
    _family("tangoland battleland", "untapped with two basic lands", "%unless you control two or more basic lands%"),
    _family("bondland", "untapped against two opponents", "%unless you have two or more opponents%", _TWO_COLORS),
    _family(
        "shadowland snarl", "untapped for a revealed land card", "%you may reveal a% card from your hand%", _TWO_COLORS
    ),
    _family(
        "painland", "colored mana for 1 damage", "%{T}: Add {C}.%", "%{T}: Add {_} or {_}. % deals 1 damage to you.%"
    ),
    _family(
        "canopyland canland",
        "colored mana for 1 life, later a card",
        "%Pay 1 life: Add {_} or {_}%",
        "%: Draw a card.%",
    ),
    _family("filterland", "turns one hybrid mana into two", "%{_/_}, {T}: Add {_}{_}, {_}{_}, or {_}{_}.%"),
    _family("gainland", "gains 1 life", "%, you gain 1 life.%", _TWO_COLORS),
    _family("scryland", "scries 1", "%enters%, scry 1%", _TWO_COLORS),
    _family("surveilland", "surveils 1", "%enters%, surveil 1%", basic_types=2),
    _family("bounceland karoo", "returns a land", "%enters%return a%land you control to its owner's hand%"),
    _family("bikeland cycleland bicycleland", "two basic land types and cycling", "%Cycling {2}%", basic_types=2),
    _family("triome tricycleland trikeland", "three basic land types and cycling", "%Cycling {3}%", basic_types=3),
    _family(
        "triland", "three colors, always tapped", "%enters%tapped.%", "%{T}: Add {_}, {_}, or {_}.%", basic_types=0
    ),
    _family("creatureland manland", "becomes a creature", "%becomes a%creature%"),
    _family("storageland", "stores mana", "%storage counter%"),
)
