"""All values of a card at once, and the steps of any one of them."""

from __future__ import annotations

from dataclasses import dataclass

from indexer.rules.card import Card
from indexer.rules.card_colors import card_colors, face_colors
from indexer.rules.color_identity import SourcedColors, color_identity
from indexer.rules.colors import ColorSet, ManaTypes
from indexer.rules.derivation import Derived, Step, Trace
from indexer.rules.mana_value import card_mana_value, face_mana_value, format_number
from indexer.rules.produced_mana import card_produced_mana
from indexer.rules.symbols import Number


@dataclass(frozen=True, slots=True)
class FaceValues:
    """The values of one face, as of a spell or permanent that uses it."""

    mana_value: Derived[Number]
    colors: Derived[ColorSet]


@dataclass(frozen=True, slots=True)
class CardValues:
    """The values of a card outside the game."""

    mana_value: Derived[Number]
    colors: Derived[ColorSet]
    color_identity: Derived[ColorSet]
    identity_sources: tuple[SourcedColors, ...]
    produced_mana: Derived[ManaTypes]
    faces: tuple[FaceValues, ...]
    """One for each face of the card, in order."""


def evaluate(card: Card) -> CardValues:
    """Every value that the rules give the card and its faces. Never raises: what can't be decided says so."""
    identity = color_identity(card)
    mana_value = card_mana_value(card)
    colors = card_colors(card)
    if len(card.faces) == 1:
        faces: tuple[FaceValues, ...] = (FaceValues(mana_value, colors),)
    else:
        faces = tuple(FaceValues(face_mana_value(card, i), face_colors(card, i)) for i in range(len(card.faces)))
    return CardValues(mana_value, colors, identity.colors, identity.sources, card_produced_mana(card), faces)


FIELDS = ("mana_value", "colors", "color_identity", "produced_mana")
"""The values that a card has, in the order in which they are told."""


def steps_of(card: Card, field: str, face_index: int | None = None) -> tuple[Step, ...]:
    """How one of `FIELDS` follows from the rules, step by step; of the card (None) or of one face.

    Raises:
        KeyError: another field, or one that a face doesn't have.
    """
    trace = Trace()
    if face_index is None:
        {
            "mana_value": card_mana_value,
            "colors": card_colors,
            "color_identity": color_identity,
            "produced_mana": card_produced_mana,
        }[field](card, trace)
    else:
        {"mana_value": face_mana_value, "colors": face_colors}[field](card, face_index, trace)
    return tuple(trace.steps)


def format_value(value: Number | ColorSet | ManaTypes) -> str:
    """Any of a card's values as text: `4`, `0.5`, `WU`, empty for colorless or no mana."""
    return str(value) if isinstance(value, ColorSet | ManaTypes) else format_number(value)
