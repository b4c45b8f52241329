"""The types of mana that a card's own abilities, or the spell itself, could produce.

CR 106.1b: six types. CR 106.3: mana is produced by the effects of spells and of abilities. An ability that the card
gives to something else (a token, an enchanted land, creatures it isn't one of) has that as its source (CR 113.7), so
it isn't the card's. CR 605.2: an ability counts even where the game would not let it produce mana just now. Reminder
text is left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from indexer.rules.card import Card, Face
from indexer.rules.colors import COLORLESS_MANA, NO_MANA, ManaTypes
from indexer.rules.derivation import Derived, Trace, undecided
from indexer.rules.holders import Holder
from indexer.rules.mana_abilities import Addition, find_additions, find_written, intrinsic_mana, says_nothing_of_mana

_NOTHING: Derived[ManaTypes] = Derived(NO_MANA, "106.3")


def face_produced_mana(face: Face, trace: Trace | None = None) -> Derived[ManaTypes]:
    """The types of mana that the face's own abilities, or the spell itself, could produce.

    Empty: none. Undecided: the rules text isn't known, words that add mana can't be read, or it can't be told who has
    a quoted ability that adds mana.

    >>> face_produced_mana(Face("Some Land", "", "Land", "{T}: Add {W} or {U}.")).value
    ManaTypes('WU')
    """
    return _face_mana(face, trace, "")


def card_produced_mana(card: Card, trace: Trace | None = None) -> Derived[ManaTypes]:
    """The types of mana that any face of the card could produce. A melded card's are its own, not its parts'.

    Undecided as soon as one face is.
    """
    if len(card.faces) == 1:
        return _face_mana(card.faces[0], trace, "")
    return _union(_face_mana(face, trace, f" of {face.name}") for face in card.faces)


def _union(parts: Iterable[Derived[ManaTypes]]) -> Derived[ManaTypes]:
    types, rule = NO_MANA, ""
    doubts: list[Derived[ManaTypes]] = []
    for part in parts:
        if part.value is None:
            doubts.append(part)
        elif part.value:
            types |= part.value
            rule = rule or part.rule
    return doubts[0] if doubts else Derived(types, rule or _NOTHING.rule)


def _face_mana(face: Face, trace: Trace | None, of_face: str) -> Derived[ManaTypes]:
    text = face.rules_text
    if text is None:
        return undecided("106.3", f"the rules text of {face.name!r} is not known", missing=True)
    if trace is None and says_nothing_of_mana(face.type_line, text):
        types = intrinsic_mana(face.type_line)
        return Derived(types, "305.6") if types else _NOTHING
    additions = find_additions(face)
    if trace is not None:
        _tell(additions, trace, of_face)
    return _sum(additions)


def _sum(additions: list[Addition]) -> Derived[ManaTypes]:
    types, rule = NO_MANA, ""
    for addition in additions:
        if addition.holder is Holder.OWN and addition.types:
            types |= addition.types
            rule = rule or _source_rule(addition)
    for addition in additions:
        if addition.holder is Holder.OTHER:
            continue
        if addition.types is None:
            return undecided(addition.rule, f"can't read what mana {addition.words!r} gives")
        if not addition.types.issubset(types):  # only then does it matter whose it is
            return undecided("113.7", f"can't tell who has the quoted ability {addition.words!r}")
    return Derived(types, rule or _NOTHING.rule)


def _source_rule(addition: Addition) -> str:
    """The rule by which there is mana at all, as against the one about its type."""
    return addition.rule if addition.rule in ("305.6", "702.189a", "701.10f") else "106.3"


def _tell(additions: list[Addition], trace: Trace, of_face: str) -> None:
    for addition in additions:
        place = addition.place + of_face
        if addition.holder is Holder.OTHER:
            trace.add("113.7", "another object has this ability and is the mana's source", addition.words, place)
        elif addition.holder is Holder.UNKNOWN:
            trace.add("113.7", "it can't be told who has this ability", addition.words, place)
        else:
            trace.add(addition.rule, addition.meaning, addition.words, place)
    if not any(addition.holder is Holder.OWN and addition.types for addition in additions):
        trace.add("106.3", "no spell or ability of its own tells a player to add mana", "", "rules text" + of_face)


# --- other readings -----------------------------------------------------------------------------------------------


class ManaReading(Enum):
    """A way to say what mana a card "produces". Only the first is the rules'; the others are practices of card data."""

    OWN = "own abilities"
    """What the card's own abilities and the spell itself add: `card_produced_mana`."""
    WRITTEN = "every ability written on the card"
    """Also what it gives to other objects and what stands in reminder text, such as a Treasure token's ability."""
    WRITTEN_COLORS = "every ability written on the card, any type as any color"
    """The same, with mana of any type (CR 106.1b) taken as of the five colors, without colorless."""


def written_mana(card: Card, *, any_type_as_colors: bool = False) -> ManaTypes | None:
    """What the abilities written anywhere on the card add, whoever has them, reminder text included.

    No rule of the game: it is there to name a difference. None: a face's rules text isn't known or can't be read.
    """
    types = NO_MANA
    for face in card.faces:
        if face.rules_text is None:
            return None
        for addition in find_written(face):
            if addition.types is None:
                return None
            types |= addition.types - COLORLESS_MANA if any_type_as_colors and addition.any_type else addition.types
    return types


def reading_of(card: Card, types: ManaTypes) -> ManaReading | None:
    """The first reading of the card that gives exactly these types of mana; None if none does."""
    if card_produced_mana(card).value == types:
        return ManaReading.OWN
    if written_mana(card) == types:
        return ManaReading.WRITTEN
    if written_mana(card, any_type_as_colors=True) == types:
        return ManaReading.WRITTEN_COLORS
    return None
