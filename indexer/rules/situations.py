"""What an object is worth in a game: on the stack, with a chosen X, one half, transformed, copied, face down, …

CR 202.3a-202.3g with 107.3, 707.2, 708.2, 709.3-709.5, 710.1c, 712.8, 715.3, 718.3, 720.3, 722.3c, 730.2a.
Additional and alternative costs never count (CR 202.4), so none of them is an input here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from indexer.errors import ImpossibleSituation, InvalidManaCost
from indexer.rules.card import Arrangement, Card, Face, ObjectKind
from indexer.rules.derivation import Derived, Trace, Undecidable
from indexer.rules.faces import arrangement_rule, mana_cost_of_face
from indexer.rules.mana_cost import ManaCost, parse_mana_cost
from indexer.rules.mana_value import card_mana_value, face_mana_value, value_of_cost
from indexer.rules.rules_text import without_reminder_text
from indexer.rules.symbols import Number
from indexer.rules.type_line import parse_type_line


class Zone(Enum):
    """Where the object is, as far as its mana value cares."""

    STACK = "stack"
    BATTLEFIELD = "battlefield"
    ELSEWHERE = "elsewhere"
    """Hand, library, graveyard, exile, command zone, outside the game: a card is then just a card."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What is true of the object. The default is a card outside the stack and the battlefield."""

    zone: Zone = Zone.ELSEWHERE
    face: int | None = None
    """The half, inset or face that is used; None: the usual one."""
    x: Number = 0
    """The number chosen for X (and Y, Z); counts on the stack alone (CR 202.3e)."""
    copy: bool = False
    """Whether the object is a copy of the object described. A token that copies a double-faced permanent has both of
    its faces (CR 707.8a): it is then what it copies, and no copy in this sense."""
    fused: bool = False
    transformed: bool = False
    """Whether the back face is up, transformed or converted."""
    flipped: bool = False
    melded: bool = False
    prototyped: bool = False
    face_down: bool = False
    unlocked: frozenset[int] | None = None
    """For a Room on the battlefield: the halves that are unlocked; None: not told."""


class NamedValue(NamedTuple):
    """A mana value in a situation that has a name."""

    face_index: int
    situation: str
    mana_value: Number
    rule: str


def mana_value_in(card: Card, situation: Situation, trace: Trace | None = None) -> Derived[Number]:
    """The mana value of an object in a situation.

    Raises:
        ImpossibleSituation: the object can't be in it: fusing a card without fuse, a Room's doors on the stack, ….
    """
    check_situation(card, situation)
    try:
        if situation.face_down:
            _note(trace, "708.2a", "a face-down object has no mana cost", card.name)
            return Derived(0, "708.2")
        if card.arrangement is Arrangement.MELDED:
            return _melded(card, situation, trace)
        if situation.transformed:
            return _transformed(card, situation, trace)
        if situation.prototyped:
            return _prototyped(card, situation, trace)
        if card.arrangement is Arrangement.SPLIT and situation.zone is not Zone.ELSEWHERE:
            return _split(card, situation, trace)
        return _usual(card, situation, trace)
    except Undecidable as reason:
        return reason.derived()


def merged_mana_value(components: Sequence[Card], trace: Trace | None = None) -> Derived[Number]:
    """The mana value of a merged permanent: that of its topmost component, the first one given (CR 730.2a)."""
    _note(trace, "730.2a", "a merged permanent has its topmost component's characteristics", components[0].name)
    value = mana_value_in(components[0], Situation(zone=Zone.BATTLEFIELD), trace)
    return value._replace(rule="730.2a")


def named_values(card: Card, as_card: Derived[Number]) -> list[NamedValue]:
    """Every situation with a value of its own that the card can be in, X as 0; undecided ones are left out.

    `as_card` is the value of `card_mana_value`, which the caller has already. An ordinary spell or permanent has the
    value `card` too (on the stack plus the number chosen for each X).
    """
    values: list[NamedValue] = []
    value, rule = as_card.value, as_card.rule
    if value is None:
        return values
    arrangement = card.arrangement
    if arrangement is Arrangement.MELDED:
        return [NamedValue(0, "melded", value, "202.3c"), NamedValue(0, "copy_of_melded", 0, "202.3c")]
    values.append(NamedValue(0, "card", value, rule))
    if card.kind is ObjectKind.CARD:
        values.append(NamedValue(0, "face_down", 0, "708.2"))
    if arrangement not in (Arrangement.SPLIT, Arrangement.TRANSFORMING):
        values.append(NamedValue(0, "copy", value, "707.2"))
    if arrangement is Arrangement.SINGLE:
        return values
    for name, face, situation in _named_situations(card):
        derived = mana_value_in(card, situation)
        if derived.value is not None:
            values.append(NamedValue(face, name, derived.value, derived.rule))
    return values


class _Inset(NamedTuple):
    name: str
    rule: str
    copy_rule: str
    otherwise: str
    """The rule that keeps the inset out of every other place."""
    meaning: str


_INSETS = {
    Arrangement.ADVENTURER: _Inset(
        "adventure", "715.3b", "715.3c", "715.4", "cast as an Adventure, only the inset's characteristics exist"
    ),
    Arrangement.OMEN: _Inset(
        "omen", "720.3b", "720.3c", "720.4", "cast as an Omen, only the inset's characteristics exist"
    ),
    Arrangement.PREPARATION: _Inset(
        "prepare_spell", "722.3c", "722.3c", "722.4", "the copy has only the prepare spell's characteristics"
    ),
}


def _named_situations(card: Card) -> list[tuple[str, int, Situation]]:
    arrangement = card.arrangement
    others = range(1, len(card.faces))
    if arrangement is Arrangement.SPLIT:
        named = [("half_on_stack", i, Situation(Zone.STACK, face=i)) for i in range(len(card.faces))]
        if has_fuse(card):
            named.append(("fused", 0, Situation(Zone.STACK, fused=True)))
        if is_room(card):
            both = frozenset(range(len(card.faces)))
            named.extend(("door_unlocked", i, Situation(Zone.BATTLEFIELD, unlocked=frozenset({i}))) for i in both)
            named.append(("both_doors_unlocked", 0, Situation(Zone.BATTLEFIELD, unlocked=both)))
            named.append(("no_door_unlocked", 0, Situation(Zone.BATTLEFIELD, unlocked=frozenset())))
        return named
    if arrangement is Arrangement.TRANSFORMING:
        back_up = Situation(Zone.BATTLEFIELD, transformed=True)
        copied = Situation(Zone.BATTLEFIELD, transformed=True, copy=True)
        front = ("copy", 0, Situation(Zone.BATTLEFIELD, copy=True))
        return [front] + [
            entry for i in others for entry in (("back_face_up", i, back_up), ("copy_of_back_face", i, copied))
        ]
    if arrangement is Arrangement.MODAL:
        return [("face_up", i, Situation(Zone.STACK, face=i)) for i in range(len(card.faces))]
    if arrangement is Arrangement.FLIP:
        return [("flipped", i, Situation(Zone.BATTLEFIELD, flipped=True)) for i in others]
    if arrangement in _INSETS:
        name = _INSETS[arrangement].name
        return [
            entry
            for i in others
            for entry in (
                (name, i, Situation(Zone.STACK, face=i)),
                (f"copy_of_{name}", i, Situation(Zone.STACK, face=i, copy=True)),
            )
        ]
    if arrangement is Arrangement.PROTOTYPE and prototype_cost(card.faces[0]) is not None:
        prototyped = Situation(Zone.BATTLEFIELD, prototyped=True)
        copied = Situation(Zone.BATTLEFIELD, prototyped=True, copy=True)
        return [("prototyped", 0, prototyped), ("copy_of_prototyped", 0, copied)]
    return []


def has_fuse(card: Card) -> bool:
    """Whether a split card has the fuse ability (CR 702.102a), on whichever half it is printed."""
    lines = (line for face in card.faces for line in without_reminder_text(face.rules_text or "").splitlines())
    return any(line.strip().lower() == "fuse" for line in lines)


def is_room(card: Card) -> bool:
    """Whether a split card is a permanent card with one shared type line (CR 709.5)."""
    return card.arrangement is Arrangement.SPLIT and all(
        "Room" in parse_type_line(face.type_line).subtypes for face in card.faces
    )


_PROTOTYPE = re.compile(r"^Prototype ((?:\{[^{}\n]+\})+)", re.MULTILINE)


def prototype_cost(face: Face) -> ManaCost | None:
    """The second mana cost that a prototype ability gives (CR 718.2, 702.160a); None without such an ability."""
    match = _PROTOTYPE.search(face.rules_text or "")
    if match is None:
        return None
    try:
        return parse_mana_cost(match[1])
    except InvalidManaCost as error:
        raise Undecidable("718.2", str(error)) from error


def _melded(card: Card, situation: Situation, trace: Trace | None) -> Derived[Number]:
    if situation.copy:
        _note(trace, "202.3c", "a copy of a melded permanent is worth 0", card.name)
        return Derived(0, "202.3c")
    if situation.x:
        _note(trace, "107.3m", "for a permanent the value of X is 0 again", str(situation.x))
    return card_mana_value(card, trace)


def _transformed(card: Card, situation: Situation, trace: Trace | None) -> Derived[Number]:
    index = situation.face or 1
    if card.arrangement is Arrangement.MODAL:
        _note(trace, "712.8f", "a modal double-faced object has the characteristics of the face that is up", card.name)
        return _of_face(card, index, situation, trace, "712.8f")
    if situation.copy:
        _note(trace, "202.3b", "a copy of a nonmodal back face is worth 0", card.faces[index].name)
        return Derived(0, "202.3b")
    rule = "712.8c" if situation.zone is Zone.STACK else "712.8e"
    _note(trace, rule, "the back face is up, but the front face's mana cost gives the value", card.faces[index].name)
    return _of_cost(card, card.faces[0], situation, trace, "202.3b")


def _prototyped(card: Card, situation: Situation, trace: Trace | None) -> Derived[Number]:
    face = card.faces[0]
    cost = prototype_cost(face)
    if cost is None:
        raise Undecidable("718.3b", f"{face.name!r} has no prototype ability that can be read")
    rule = "718.3b"
    if situation.copy:
        rule = "718.3c" if situation.zone is Zone.STACK else "718.3d"
        _note(trace, rule, "a copy of a prototyped object has its alternative mana cost", face.name)
    _note(trace, "718.3b", "cast prototyped, it has only its alternative mana cost", str(cost))
    return Derived(value_of_cost(cost, face, "prototype cost", trace, _x(situation)), rule)


def _split(card: Card, situation: Situation, trace: Trace | None) -> Derived[Number]:
    if situation.zone is Zone.BATTLEFIELD:
        return _sum_of_halves(card, sorted(situation.unlocked or ()), situation, trace, "709.5")
    if situation.fused:
        _note(trace, "702.102b", "a fused split spell has both halves' characteristics", card.name)
        return _sum_of_halves(card, range(len(card.faces)), situation, trace, "202.3d")
    index = situation.face or 0
    _note(trace, "709.3b", "on the stack only the half that was cast exists", card.faces[index].name)
    return _of_face(card, index, situation, trace, "202.3d")


def _sum_of_halves(
    card: Card, indexes: Sequence[int], situation: Situation, trace: Trace | None, rule: str
) -> Derived[Number]:
    if rule == "709.5":
        meaning = "a locked half's mana cost doesn't exist; unlocked: "
        _note(trace, rule, meaning + (", ".join(card.faces[i].name for i in indexes) or "none"), card.name)
    total: Number = 0
    for index in indexes:
        face = card.faces[index]
        total += value_of_cost(mana_cost_of_face(face), face, f"mana cost of {face.name}", trace, _x(situation))
    return Derived(total, rule)


def _usual(card: Card, situation: Situation, trace: Trace | None) -> Derived[Number]:
    arrangement_rule(card)
    index, arrangement = situation.face or 0, card.arrangement
    if situation.copy:
        _note(trace, "707.2", "a copy has the mana cost of what it copies", card.name)
    if situation.zone is Zone.ELSEWHERE:
        if situation.x:
            _note(trace, "107.3g", "X is 0 for a card that is not on the stack", str(situation.x))
        return face_mana_value(card, index, trace) if index else card_mana_value(card, trace)
    if arrangement is Arrangement.FLIP:
        rule, meaning = "710.2", "unflipped, a flip card has only its normal characteristics"
        if situation.flipped:
            rule, meaning = "710.1c", "flipping doesn't change the mana cost"
        _note(trace, rule, meaning, card.faces[0].name)
        return _of_face(card, 0, situation, trace, rule)
    if arrangement is Arrangement.MODAL:
        _note(trace, "712.8f", "the face that is up has its own characteristics", card.faces[index].name)
        return _of_face(card, index, situation, trace, "712.8f")
    if arrangement is Arrangement.TRANSFORMING:
        if index:
            return _transformed(card, situation, trace)
        rule = "712.8c" if situation.zone is Zone.STACK else "712.8d"
        _note(trace, rule, "with its front face up, only that face's characteristics count", card.faces[0].name)
        return _of_face(card, 0, situation, trace, rule)
    if index and arrangement in _INSETS:
        inset = _INSETS[arrangement]
        rule = inset.copy_rule if situation.copy else inset.rule
        _note(trace, rule, inset.meaning, card.faces[index].name)
        return _of_face(card, index, situation, trace, rule)
    if index or situation.x:
        return _of_face(card, index, situation, trace, None)
    return card_mana_value(card, trace)


def _of_face(card: Card, index: int, situation: Situation, trace: Trace | None, rule: str | None) -> Derived[Number]:
    return _of_cost(card, card.faces[index], situation, trace, rule)


def _of_cost(card: Card, face: Face, situation: Situation, trace: Trace | None, rule: str | None) -> Derived[Number]:
    cost = mana_cost_of_face(face)
    place = "mana cost" if len(card.faces) == 1 else f"mana cost of {face.name}"
    if situation.x and situation.zone is Zone.BATTLEFIELD:
        _note(trace, "107.3m", "for a permanent the value of X is 0 again", str(situation.x))
    value = value_of_cost(cost, face, place, trace, _x(situation))
    return Derived(value, rule or cost.value_rule)


def _x(situation: Situation) -> Number:
    """CR 202.3e: X counts on the stack alone."""
    return situation.x if situation.zone is Zone.STACK else 0


def _note(trace: Trace | None, rule: str, meaning: str, basis: str) -> None:
    if trace is not None:
        trace.add(rule, meaning, basis, "situation")


def check_situation(card: Card, situation: Situation) -> None:
    """Refuse what can't be, in words that say why.

    Raises:
        ImpossibleSituation: the object can't be in the situation.
    """
    name, arrangement, zone = card.name, card.arrangement, situation.zone
    in_play = zone is not Zone.ELSEWHERE
    impossible = ImpossibleSituation
    if situation.x < 0:
        raise impossible("X is never less than 0 (CR 107.1b)")
    if situation.face is not None and not 0 <= situation.face < len(card.faces):
        raise impossible(f"{name} has {len(card.faces)} face(s), counted from 0; there is no face {situation.face}")
    if situation.face_down and not in_play:
        raise impossible("only an object on the stack or the battlefield is face down (CR 708.2)")
    if arrangement is Arrangement.MELDED and (situation.face_down or zone is Zone.STACK):
        raise impossible(f"{name} is a melded permanent: on the battlefield only (CR 712.4a), face up (CR 712.16)")
    if situation.face and arrangement in _INSETS and zone is Zone.BATTLEFIELD and not situation.face_down:
        spell, rule = card.faces[situation.face].name, _INSETS[arrangement].otherwise
        raise impossible(f"{spell} is a spell, never a permanent (CR {rule}): ask for the stack")
    if situation.fused and not (zone is Zone.STACK and arrangement is Arrangement.SPLIT and has_fuse(card)):
        raise impossible(f"{name} can't be fused: only a split card with fuse, on the stack (CR 702.102)")
    if situation.transformed and arrangement not in (Arrangement.TRANSFORMING, Arrangement.MODAL):
        raise impossible(f"{name} can't have a back face up: it is not a double-faced card (CR 712.9)")
    if situation.transformed and not in_play:
        raise impossible("outside the stack and the battlefield only the front face counts (CR 712.8a)")
    if situation.flipped and not (arrangement is Arrangement.FLIP and zone is Zone.BATTLEFIELD):
        raise impossible(f"{name} can't be flipped: only a flip card on the battlefield (CR 710.2)")
    if situation.melded and arrangement is not Arrangement.MELDED:
        raise impossible(f"{name} is not a melded permanent; ask for the card that it melds into (CR 712.4)")
    if situation.prototyped and not (arrangement is Arrangement.PROTOTYPE and in_play):
        raise impossible(f"{name} can't be prototyped: only a prototype card on the stack or battlefield (CR 718.3)")
    if situation.unlocked is not None:
        if not (is_room(card) and zone is Zone.BATTLEFIELD):
            raise impossible(f"{name} has no doors to unlock: only a Room on the battlefield (CR 709.5)")
        if not situation.unlocked <= set(range(len(card.faces))):
            raise impossible(f"{name} has no such door: {sorted(situation.unlocked)}")
    if arrangement is Arrangement.SPLIT and not situation.face_down:
        _check_halves(card, situation)


def _check_halves(card: Card, situation: Situation) -> None:
    if situation.zone is Zone.STACK and situation.face is None and not situation.fused:
        raise ImpossibleSituation(f"say which half of {card.name} was cast, or that it is fused")
    if situation.zone is Zone.BATTLEFIELD:
        if not is_room(card):
            raise ImpossibleSituation(f"{card.name} is no permanent card: it can't be on the battlefield face up")
        if situation.unlocked is None:
            raise ImpossibleSituation("say which doors of the Room are unlocked (none, one or both)")
