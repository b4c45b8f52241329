"""Colors in a game: CR 105.2 with 202.3's situations, each row one that changes which costs exist."""

from __future__ import annotations

import pytest

from indexer.rules.card import Arrangement, Card
from indexer.rules.derivation import Trace
from indexer.rules.situation_colors import colors_in
from indexer.rules.situations import Situation, Zone
from tests.support.cards import card, face

A = Arrangement
FUSE = card(face("{R}", "Fuse"), face("{3}{G}", "Fuse"), arrangement=A.SPLIT)
ROOM = card(face("{3}{B}", types="Enchantment — Room"), face("{U}", types="Enchantment — Room"), arrangement=A.SPLIT)
TRANSFORMING = card(face("{U}"), face("", indicator="R"), arrangement=A.TRANSFORMING)
STACK, FIELD = Zone.STACK, Zone.BATTLEFIELD

TABLE = [
    ("709.4b-as-a-card", FUSE, Situation(), "RG", "709.4b"),
    ("709.3b-one-half", FUSE, Situation(STACK, face=1), "G", "202.2"),
    ("702.102b-fused", FUSE, Situation(STACK, fused=True), "RG", "702.102b"),
    ("709.5-one-door", ROOM, Situation(FIELD, unlocked=frozenset({1})), "U", "709.5"),
    ("709.5-no-door", ROOM, Situation(FIELD, unlocked=frozenset()), "", "709.5"),
    ("712.8e-back-face", TRANSFORMING, Situation(FIELD, transformed=True), "R", "202.2e"),
    ("707.2a-copy-of-the-back-face", TRANSFORMING, Situation(FIELD, transformed=True, copy=True), "R", "202.2e"),
    ("708.2a-face-down", TRANSFORMING, Situation(FIELD, face_down=True), "", "708.2"),
    (
        "718.3b-prototyped",
        card(face("{7}", "Prototype {2}{R} — 3/2"), arrangement=A.PROTOTYPE),
        Situation(STACK, prototyped=True),
        "R",
        "718.3b",
    ),
    (
        "715.3b-adventure",
        card(face("{W}"), face("{2}{R}"), arrangement=A.ADVENTURER),
        Situation(STACK, face=1),
        "R",
        "202.2",
    ),
]


@pytest.mark.parametrize(
    ("subject", "situation", "colors", "rule"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
def test_colors_in_a_situation(subject: Card, situation: Situation, colors: str, rule: str) -> None:
    trace = Trace()
    derived = colors_in(subject, situation, trace)
    assert (str(derived.value), derived.rule) == (colors, rule)
    assert trace.steps
    assert colors_in(subject, situation) == derived


def test_a_fused_spell_is_not_told_as_a_card_outside_the_stack() -> None:
    trace = Trace()
    colors_in(FUSE, Situation(STACK, fused=True), trace)
    assert [step.rule for step in trace.steps] == ["202.2", "202.2", "702.102b"]
