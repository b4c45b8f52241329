"""Which faces' characteristics a card has outside the game and in every zone but the stack and the battlefield.

CR 709.4 (split), 710.2 (flip), 712.8a (double-faced), 712.8g (melded), 715.4 (adventurer), 718.4 (prototype),
720.4 (omen), 722.4 (preparation).
"""

from __future__ import annotations

from typing import NamedTuple

from indexer.errors import InvalidManaCost
from indexer.rules.card import Arrangement, Card, Face
from indexer.rules.derivation import Trace, Undecidable
from indexer.rules.mana_cost import NO_MANA_COST, ManaCost, parse_mana_cost
from indexer.rules.type_line import parse_type_line


class ArrangementRule(NamedTuple):
    """How an arrangement decides about a card outside the game."""

    rule: str
    meaning: str
    """In short own words; empty where a card is just its one face."""
    every_face: bool = False
    """Whether all faces combine; else the first alone counts."""


OUTSIDE_PLAY: dict[Arrangement, ArrangementRule] = {
    Arrangement.SINGLE: ArrangementRule("202.3", ""),
    Arrangement.REVERSIBLE: ArrangementRule("202.3", "each side is the whole card, so one of them is read"),
    Arrangement.SPLIT: ArrangementRule("709.4b", "outside the stack the halves' costs are combined", every_face=True),
    Arrangement.FLIP: ArrangementRule("710.2", "unflipped, a flip card has only its normal characteristics"),
    Arrangement.TRANSFORMING: ArrangementRule("712.8a", "outside play only the front face counts"),
    Arrangement.MODAL: ArrangementRule("712.8a", "outside play only the front face counts"),
    Arrangement.MELD_PART: ArrangementRule("712.4b", "unmelded, a meld card is its front face alone"),
    Arrangement.MELDED: ArrangementRule("712.8g", "a melded permanent has the combined back face's characteristics"),
    Arrangement.ADVENTURER: ArrangementRule("715.4", "when not cast as an Adventure it is its normal characteristics"),
    Arrangement.OMEN: ArrangementRule("720.4", "when not cast as an Omen it is its normal characteristics"),
    Arrangement.PREPARATION: ArrangementRule("722.4", "in every zone it is its normal characteristics"),
    Arrangement.PROTOTYPE: ArrangementRule("718.4", "when not cast prototyped it is its normal characteristics"),
}
"""Every arrangement the engine knows. `Arrangement.UNKNOWN` is not in it."""


def arrangement_rule(card: Card) -> ArrangementRule:
    """The rule for this card's arrangement; `Undecidable` for one that the engine doesn't know."""
    rule = OUTSIDE_PLAY.get(card.arrangement)
    if rule is None:
        raise Undecidable("109.3", f"how the faces of {card.name!r} share a card is not known")
    return rule


def place_of(card: Card, face: Face, where: str) -> str:
    """Where something stands, with the face's name if the card has several: `mana cost of Fire`."""
    return where if len(card.faces) == 1 else f"{where} of {face.name}"


def mana_cost_of_face(face: Face) -> ManaCost:
    """The parsed mana cost of a face; `Undecidable` if the source lacks it or it can't be read."""
    text = face.mana_cost
    if text is None:
        raise Undecidable("202.1", f"the record has no mana cost field for {face.name!r}", missing=True)
    if not text:
        return NO_MANA_COST
    try:
        return parse_mana_cost(text)
    except InvalidManaCost as error:
        raise Undecidable("107.4", str(error)) from error


def has_cost_of_inset(card: Card, face: Face) -> bool:
    """Whether a land bears its inset spell's mana cost on its own face, which CR 202.1b rules out."""
    return (
        card.arrangement in (Arrangement.ADVENTURER, Arrangement.OMEN, Arrangement.PREPARATION)
        and face is card.faces[0]
        and parse_type_line(face.type_line).types == ("Land",)
        and any(face.mana_cost == inset.mana_cost for inset in card.faces[1:])
    )


def trace_outside_play(card: Card, rule: ArrangementRule, trace: Trace | None) -> None:
    """Note why these faces count, where the card has more than one way to be read."""
    if trace is not None and rule.meaning:
        trace.add(rule.rule, rule.meaning, card.name if len(card.faces) == 1 else card.faces[0].name, "card")
