"""The colors of an object in a game: the half, face, inset or prototype that is used (CR 105.2, 708.2a, 718.3b, …)."""

from __future__ import annotations

from collections.abc import Sequence

from indexer.rules.card import Arrangement, Card
from indexer.rules.card_colors import card_colors, face_colors
from indexer.rules.colors import COLORLESS, ColorSet
from indexer.rules.derivation import Derived, Trace, Undecidable
from indexer.rules.situations import Situation, Zone, check_situation, prototype_cost


def colors_in(card: Card, situation: Situation, trace: Trace | None = None) -> Derived[ColorSet]:
    """The colors of an object in a situation. A copy has those of what it copies (CR 707.2a).

    Raises:
        ImpossibleSituation: the object can't be in it.
    """
    check_situation(card, situation)
    if situation.face_down:
        if trace is not None:
            trace.add("708.2a", "a face-down object has no mana cost and so no color", card.name, "situation")
        return Derived(COLORLESS, "708.2")
    if situation.prototyped:
        return _prototyped(card, trace)
    if card.arrangement is Arrangement.SPLIT and situation.zone is not Zone.ELSEWHERE:
        if situation.fused:
            meaning = "a fused split spell has both halves' characteristics"
            return _of_halves(card, range(len(card.faces)), "702.102b", meaning, trace)
        if situation.unlocked is not None:
            meaning = "a locked half's mana cost doesn't exist"
            return _of_halves(card, sorted(situation.unlocked), "709.5", meaning, trace)
        return face_colors(card, situation.face or 0, trace)
    if situation.transformed:
        return face_colors(card, situation.face or 1, trace)
    if situation.flipped:
        return face_colors(card, 1, trace)
    if situation.face:
        return face_colors(card, situation.face, trace)
    return card_colors(card, trace)


def _of_halves(card: Card, indexes: Sequence[int], rule: str, meaning: str, trace: Trace | None) -> Derived[ColorSet]:
    colors = COLORLESS
    for index in indexes:
        half = face_colors(card, index, trace)
        if half.value is None:
            return half
        colors |= half.value
    if trace is not None:
        trace.add(rule, meaning, str(colors) or "colorless", "situation")
    return Derived(colors, rule)


def _prototyped(card: Card, trace: Trace | None) -> Derived[ColorSet]:
    try:
        cost = prototype_cost(card.faces[0])
        if cost is None:
            raise Undecidable("718.3b", f"{card.name!r} has no prototype ability that can be read")
    except Undecidable as reason:
        return reason.derived()
    if trace is not None:
        trace.add("718.3b", "a prototyped object has the colors of its alternative mana cost", str(cost), "situation")
    return Derived(cost.colors, "718.3b")
