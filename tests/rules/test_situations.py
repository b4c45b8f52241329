"""CR 202.3 in a game: the stack, X, halves, back faces, copies, insets, prototypes, face down, merged."""

from __future__ import annotations

from fractions import Fraction

import pytest

from indexer.errors import ImpossibleSituation
from indexer.rules.card import Arrangement, Card, ObjectKind
from indexer.rules.derivation import Decision, Trace
from indexer.rules.mana_value import card_mana_value
from indexer.rules.situation_colors import colors_in
from indexer.rules.situations import Situation, Zone, mana_value_in, merged_mana_value, named_values
from tests.support.cards import card, face

A = Arrangement
STACK, FIELD = Zone.STACK, Zone.BATTLEFIELD

HUNTMASTER = card(face("{2}{R}{G}"), face("", indicator="RG"), arrangement=A.TRANSFORMING)
FUSE = card(face("{R}", "x\nFuse (Both.)"), face("{3}{G}", "y\nFuse (Both.)"), arrangement=A.SPLIT)
NO_FUSE = card(face("{X}{G}"), face("{X}{R}{R}"), arrangement=A.SPLIT)
ROOM = card(face("{3}{B}", types="Enchantment — Room"), face("{B}", types="Enchantment — Room"), arrangement=A.SPLIT)
MELDED = card(face(""), arrangement=A.MELDED, fronts=(face("{5}{W}{W}"), face("{2}{W}{W}")))
MODAL = card(face("{1}{B}"), face("{X}{B}{R}"), arrangement=A.MODAL)
FLIP = card(face("{1}{G}"), face(""), arrangement=A.FLIP)
ADVENTURER = card(face("{5}{W}{W}"), face("{X}{W}"), arrangement=A.ADVENTURER)
OMEN = card(face("{3}{R}"), face("{1}{U}"), arrangement=A.OMEN)
PREPARATION = card(face("{1}{U}"), face("{4}{U}"), arrangement=A.PREPARATION)
PROTOTYPE = card(face("{7}", "Prototype {2}{R} — 3/2 (Or so.)\nHaste"), arrangement=A.PROTOTYPE)
X_FLIP = card(face("{X}{G}"), face(""), arrangement=A.FLIP)
X_FRONT = card(face("{X}{R}"), face("", indicator="R"), arrangement=A.TRANSFORMING)
REVERSIBLE = card(face("{2}"), face("{3}"), arrangement=A.REVERSIBLE)
X_SPELL = card(face("{X}{X}{U}{R}"))

TABLE = [
    ("202.3e-x-elsewhere", X_SPELL, Situation(x=3), 2),
    ("202.3e-x-on-the-stack", X_SPELL, Situation(STACK, x=3), 8),
    ("107.3m-x-on-the-battlefield", X_SPELL, Situation(FIELD, x=3), 2),
    ("202.3e-x-half", card(face("{X}{R}")), Situation(STACK, x=Fraction(1, 2)), Fraction(3, 2)),
    ("107.3p-x-y-z", card(face("{X}{Y}{Z}{R}{R}")), Situation(STACK, x=1), 5),
    ("202.3f-x-beside-hybrids", card(face("{X}{2/W}{G/P}")), Situation(STACK, x=3), 6),
    ("202.3b-worked-example-huntmaster", HUNTMASTER, Situation(FIELD), 4),
    ("202.3b-worked-example-transformed", HUNTMASTER, Situation(FIELD, transformed=True), 4),
    ("202.3b-worked-example-clone-of-the-back", HUNTMASTER, Situation(FIELD, transformed=True, copy=True), 0),
    ("712.8c-cast-transformed", HUNTMASTER, Situation(STACK, transformed=True), 4),
    ("707.2-copy-of-the-front", HUNTMASTER, Situation(FIELD, copy=True), 4),
    ("202.3c-melded", MELDED, Situation(FIELD, melded=True), 11),
    ("202.3c-copy-of-melded", MELDED, Situation(FIELD, melded=True, copy=True), 0),
    ("202.3d-left-half", FUSE, Situation(STACK, face=0), 1),
    ("202.3d-right-half", FUSE, Situation(STACK, face=1), 4),
    ("202.3d-fused", FUSE, Situation(STACK, fused=True), 5),
    ("202.3d-outside-the-stack", FUSE, Situation(), 5),
    ("202.3e-half-with-x", NO_FUSE, Situation(STACK, face=1, x=4), 6),
    ("709.5-no-door", ROOM, Situation(FIELD, unlocked=frozenset()), 0),
    ("709.5-left-door", ROOM, Situation(FIELD, unlocked=frozenset({0})), 4),
    ("709.5-both-doors", ROOM, Situation(FIELD, unlocked=frozenset({0, 1})), 5),
    ("202.3c-copy-without-saying-melded", MELDED, Situation(FIELD, copy=True), 0),
    ("107.3m-melded-with-x", MELDED, Situation(FIELD, x=2), 11),
    ("709.3b-room-on-the-stack", ROOM, Situation(STACK, face=1), 1),
    ("712.8f-modal-back", MODAL, Situation(FIELD, face=1), 2),
    ("712.8f-modal-back-with-x", MODAL, Situation(STACK, face=1, x=5), 7),
    ("712.8f-modal-back-up", MODAL, Situation(FIELD, transformed=True), 2),
    ("712.8a-modal-elsewhere", MODAL, Situation(), 2),
    ("710.1c-flipped", FLIP, Situation(FIELD, flipped=True), 2),
    ("710.1c-flipped-with-x", X_FLIP, Situation(FIELD, flipped=True, x=3), 1),
    ("710.2-the-flipped-half-has-no-cost-of-its-own", X_FLIP, Situation(FIELD, face=1, x=3), 1),
    ("710.2-flip-card-cast-with-x", X_FLIP, Situation(STACK, x=3), 4),
    ("712.8c-front-with-x", X_FRONT, Situation(STACK, x=3), 4),
    ("712.8d-front-of-a-permanent-with-x", X_FRONT, Situation(FIELD, x=3), 1),
    ("202.3b-back-up-with-x", X_FRONT, Situation(STACK, transformed=True, x=3), 4),
    ("202.3-the-other-side-of-a-reversible-card", REVERSIBLE, Situation(STACK, face=1), 3),
    ("715.3b-adventure", ADVENTURER, Situation(STACK, face=1, x=2), 3),
    ("715.3c-copied-adventure", ADVENTURER, Situation(STACK, face=1, copy=True), 1),
    ("715.4-not-as-an-adventure", ADVENTURER, Situation(STACK), 7),
    ("720.3b-omen", OMEN, Situation(STACK, face=1), 2),
    ("720.3c-copied-omen", OMEN, Situation(STACK, face=1, copy=True), 2),
    ("722.3c-prepare-spell", PREPARATION, Situation(STACK, face=1, copy=True), 5),
    ("718.3b-prototyped-spell", PROTOTYPE, Situation(STACK, prototyped=True), 3),
    ("718.3b-prototyped-permanent", PROTOTYPE, Situation(FIELD, prototyped=True), 3),
    ("718.3d-copy-of-prototyped", PROTOTYPE, Situation(FIELD, prototyped=True, copy=True), 3),
    ("718.4-cast-normally", PROTOTYPE, Situation(STACK), 7),
    ("708.2-face-down", card(face("{3}{G}")), Situation(FIELD, face_down=True), 0),
    ("708.2-face-down-spell", card(face("{3}{G}")), Situation(STACK, face_down=True), 0),
    ("202.4-additional-costs", card(face("{1}{B}", "Kicker {4}. This costs {2} more.")), Situation(STACK), 2),
    ("202.4-alternative-costs", card(face("{5}{W}", "You may pay {0} rather than the cost.")), Situation(STACK), 6),
]


@pytest.mark.parametrize(("subject", "situation", "value"), [r[1:] for r in TABLE], ids=[r[0] for r in TABLE])
def test_mana_value_in_a_situation(subject: Card, situation: Situation, value: object) -> None:
    trace = Trace()
    derived = mana_value_in(subject, situation, trace)
    assert (derived.value, derived.decision) == (value, Decision.DERIVED)
    assert trace.steps
    assert mana_value_in(subject, situation) == derived


IMPOSSIBLE = [
    ("fuse-without-fuse", NO_FUSE, Situation(STACK, fused=True)),
    ("fuse-off-the-stack", FUSE, Situation(fused=True)),
    ("half-not-told", FUSE, Situation(STACK)),
    ("instant-on-the-battlefield", FUSE, Situation(FIELD)),
    ("doors-of-no-room", FUSE, Situation(FIELD, unlocked=frozenset({0}))),
    ("doors-not-told", ROOM, Situation(FIELD)),
    ("third-door", ROOM, Situation(FIELD, unlocked=frozenset({2}))),
    ("transformed-single", X_SPELL, Situation(FIELD, transformed=True)),
    ("transformed-in-hand", HUNTMASTER, Situation(transformed=True)),
    ("flipped-single", X_SPELL, Situation(FIELD, flipped=True)),
    ("melded-single", X_SPELL, Situation(FIELD, melded=True)),
    ("prototyped-in-hand", PROTOTYPE, Situation(prototyped=True)),
    ("face-down-in-hand", X_SPELL, Situation(face_down=True)),
    ("no-such-face", X_SPELL, Situation(face=1)),
    ("712.4a-melded-on-the-stack", MELDED, Situation(STACK)),
    ("712.16-melded-face-down", MELDED, Situation(FIELD, face_down=True)),
    ("715.4-adventure-as-a-permanent", ADVENTURER, Situation(FIELD, face=1)),
    ("720.4-omen-as-a-permanent", OMEN, Situation(FIELD, face=1)),
    ("722.4-prepare-spell-as-a-permanent", PREPARATION, Situation(FIELD, face=1)),
    ("negative-x", X_SPELL, Situation(STACK, x=-1)),
]


@pytest.mark.parametrize(("subject", "situation"), [r[1:] for r in IMPOSSIBLE], ids=[r[0] for r in IMPOSSIBLE])
def test_what_can_not_be_is_refused(subject: Card, situation: Situation) -> None:
    for value_in in (mana_value_in, colors_in):
        with pytest.raises(ImpossibleSituation):
            value_in(subject, situation)


RULES = [
    ("712.8f-modal-front", MODAL, Situation(STACK), "712.8f"),
    ("712.8c-front-on-the-stack", HUNTMASTER, Situation(STACK), "712.8c"),
    ("712.8d-front-up", HUNTMASTER, Situation(FIELD), "712.8d"),
    ("712.8a-elsewhere", HUNTMASTER, Situation(), "712.8a"),
    ("710.2-unflipped", FLIP, Situation(FIELD), "710.2"),
    ("710.1c-flipped", FLIP, Situation(FIELD, flipped=True), "710.1c"),
    ("715.3b-adventure", ADVENTURER, Situation(STACK, face=1), "715.3b"),
    ("715.3c-copied-adventure", ADVENTURER, Situation(STACK, face=1, copy=True), "715.3c"),
    ("715.4-otherwise", ADVENTURER, Situation(STACK), "715.4"),
    ("720.3c-copied-omen", OMEN, Situation(STACK, face=1, copy=True), "720.3c"),
    ("202.3c-melded", MELDED, Situation(FIELD), "202.3c"),
]


@pytest.mark.parametrize(("subject", "situation", "rule"), [r[1:] for r in RULES], ids=[r[0] for r in RULES])
def test_the_rule_is_that_of_the_situation(subject: Card, situation: Situation, rule: str) -> None:
    trace = Trace()
    assert mana_value_in(subject, situation, trace).rule == rule
    assert rule in {step.rule for step in trace.steps}


@pytest.mark.parametrize(
    "situation",
    [Situation(), Situation(STACK), Situation(STACK, x=2), Situation(FIELD, face=1), Situation(STACK, face=1)],
)
def test_109_3_faces_that_share_a_card_in_an_unknown_way_are_undecided(situation: Situation) -> None:
    unknown = card(face("{1}"), face("{2}"), arrangement=A.UNKNOWN)
    derived = mana_value_in(unknown, situation)
    assert (derived.value, derived.rule, derived.decision) == (None, "109.3", Decision.UNDECIDED)


def test_730_2a_a_merged_permanent_is_its_topmost_component() -> None:
    top, under = card(face("{1}{U}")), card(face("{6}{G}"))
    assert merged_mana_value([top, under]).value == 2
    assert merged_mana_value([under, top]).value == 7


NAMED = [
    (card(face("{3}{G}")), {("card", 0): 4, ("face_down", 0): 0, ("copy", 0): 4}),
    (
        HUNTMASTER,
        {("card", 0): 4, ("face_down", 0): 0, ("copy", 0): 4, ("back_face_up", 1): 4, ("copy_of_back_face", 1): 0},
    ),
    (MELDED, {("melded", 0): 11, ("copy_of_melded", 0): 0}),
    (FUSE, {("card", 0): 5, ("face_down", 0): 0, ("half_on_stack", 0): 1, ("half_on_stack", 1): 4, ("fused", 0): 5}),
    (
        ROOM,
        {("card", 0): 5, ("face_down", 0): 0, ("half_on_stack", 0): 4, ("half_on_stack", 1): 1}
        | {("door_unlocked", 0): 4, ("door_unlocked", 1): 1, ("both_doors_unlocked", 0): 5, ("no_door_unlocked", 0): 0},
    ),
    (
        ADVENTURER,
        {("card", 0): 7, ("face_down", 0): 0, ("copy", 0): 7, ("adventure", 1): 1, ("copy_of_adventure", 1): 1},
    ),
    (
        PROTOTYPE,
        {("card", 0): 7, ("face_down", 0): 0, ("copy", 0): 7, ("prototyped", 0): 3, ("copy_of_prototyped", 0): 3},
    ),
    (FLIP, {("card", 0): 2, ("face_down", 0): 0, ("copy", 0): 2, ("flipped", 1): 2}),
    (MODAL, {("card", 0): 2, ("face_down", 0): 0, ("copy", 0): 2, ("face_up", 0): 2, ("face_up", 1): 2}),
    (card(face("", types="Token Creature", given="R"), kind=ObjectKind.TOKEN), {("card", 0): 0, ("copy", 0): 0}),
    (card(face(None)), {}),
]


@pytest.mark.parametrize(("subject", "expected"), NAMED, ids=[row[0].arrangement.value for row in NAMED])
def test_every_situation_that_has_a_name(subject: Card, expected: dict[tuple[str, int], int]) -> None:
    values = named_values(subject, card_mana_value(subject))
    assert {(value.situation, value.face_index): value.mana_value for value in values} == expected
    assert len(values) == len(expected)
