"""Rules that show in the steps and reasons of a derivation: each is named where it is put to use."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from indexer.rules.card import Arrangement, Card, ObjectKind
from indexer.rules.card_colors import card_colors
from indexer.rules.color_identity import color_identity
from indexer.rules.derivation import Decision, Trace
from indexer.rules.meld import FRONTS_OF, MELD_PAIRS
from indexer.rules.situation_colors import colors_in
from indexer.rules.situations import Situation, Zone, mana_value_in
from tests.support.cards import card, face

A = Arrangement
STACK, FIELD = Zone.STACK, Zone.BATTLEFIELD
TRANSFORMING = card(face("{2}{R}{G}"), face("", indicator="RG"), arrangement=A.TRANSFORMING)
FUSE = card(face("{R}", "x\nFuse (Both.)"), face("{3}{G}", "y\nFuse (Both.)"), arrangement=A.SPLIT)
PROTOTYPE = card(face("{7}", "Prototype {2}{R} — 3/2\nHaste"), arrangement=A.PROTOTYPE)
MELDED = card(face("", indicator="W"), arrangement=A.MELDED, fronts=(face("{5}{W}{W}"), face("{2}{W}{W}")))
TOKEN = card(face("", types="Token Creature", given="R"), kind=ObjectKind.TOKEN)
FOREST = card(face("", "({T}: Add {G}.)", "Basic Land — Forest"))


def value_in(subject: Card, situation: Situation) -> Callable[[Trace], object]:
    return lambda trace: mana_value_in(subject, situation, trace)


STEPS: list[tuple[str, Callable[[Trace], object]]] = [
    ("107.3g-x-in-a-hand", value_in(card(face("{X}{R}")), Situation(x=3))),
    ("107.3m-x-of-a-permanent", value_in(card(face("{X}{R}")), Situation(FIELD, x=3))),
    ("108.2b-a-token-is-no-card", lambda trace: color_identity(TOKEN, trace)),
    ("702.102b-fused", value_in(FUSE, Situation(STACK, fused=True))),
    ("707.2-copy", value_in(card(face("{R}")), Situation(FIELD, copy=True))),
    ("708.2a-no-mana-cost-face-down", value_in(card(face("{R}")), Situation(FIELD, face_down=True))),
    ("708.2a-no-color-face-down", lambda trace: colors_in(card(face("{R}")), Situation(FIELD, face_down=True), trace)),
    ("709.3b-one-half", value_in(FUSE, Situation(STACK, face=1))),
    ("712.8c-cast-with-the-back-up", value_in(TRANSFORMING, Situation(STACK, transformed=True))),
    ("712.8e-back-up", value_in(TRANSFORMING, Situation(FIELD, transformed=True))),
    ("712.8g-combined-back-face", lambda trace: card_colors(MELDED, trace)),
    ("718.3c-copy-of-the-spell", value_in(PROTOTYPE, Situation(STACK, prototyped=True, copy=True))),
    ("718.3d-copy-of-the-permanent", value_in(PROTOTYPE, Situation(FIELD, prototyped=True, copy=True))),
    ("903.5d-basic-land-type", lambda trace: color_identity(FOREST, trace)),
]


@pytest.mark.parametrize(
    ("rule", "derive"), [(row[0].partition("-")[0], row[1]) for row in STEPS], ids=[row[0] for row in STEPS]
)
def test_a_step_names_the_rule(rule: str, derive: Callable[[Trace], object]) -> None:
    trace = Trace()
    derive(trace)
    step = next(step for step in trace.steps if step.rule == rule)
    assert step.meaning


def test_105_2_an_emblems_stated_colors_are_given() -> None:
    derived = card_colors(card(face("", types="Emblem — Elf", given="G"), kind=ObjectKind.OTHER))
    assert (str(derived.value), derived.rule, derived.decision) == ("G", "105.2", Decision.GIVEN)


def test_718_2_a_second_cost_that_can_not_be_read_is_undecided() -> None:
    unreadable = card(face("{7}", "Prototype {2}{FOO} — 3/2"), arrangement=A.PROTOTYPE)
    for derived in (
        mana_value_in(unreadable, Situation(FIELD, prototyped=True)),
        colors_in(unreadable, Situation(FIELD, prototyped=True)),
    ):
        assert (derived.value, derived.rule) == (None, "718.2")
        assert "{FOO}" in derived.reason


RESULTS = [
    ("712.5a-chittering-host", "Midnight Scavengers", "Chittering Host"),
    ("712.5b-hanweir", "Hanweir Battlements", "Hanweir, the Writhing Township"),
    ("712.5c-brisela", "Gisela, the Broken Blade", "Brisela, Voice of Nightmares"),
    ("712.5d-mishra", "Phyrexian Dragon Engine", "Mishra, Lost to Phyrexia"),
    ("712.5e-urza", "Urza, Lord Protector", "Urza, Planeswalker"),
    ("712.5f-titania", "Argoth, Sanctum of Nature", "Titania, Gaea Incarnate"),
    ("712.5g-ragnarok", "Vanille, Cheerful l'Cie", "Ragnarok, Divine Deliverance"),
]


@pytest.mark.parametrize(("part", "result"), [row[1:] for row in RESULTS], ids=[row[0] for row in RESULTS])
def test_meld_pairs(part: str, result: str) -> None:
    assert part in FRONTS_OF[result]


@pytest.mark.corpus
def test_the_meld_pairs_are_those_of_the_rules(shared_dir: Path) -> None:
    text = (shared_dir / "rules" / "comprehensive-rules-2026-02-27.txt").read_text(encoding="utf-8-sig")
    lines = dict(re.findall(r"^(712\.5[a-z]) (.*?)\s*$", text, re.MULTILINE))
    assert list(lines) == [pair.rule for pair in MELD_PAIRS]
    for pair in MELD_PAIRS:
        words = lines[pair.rule].replace("’", "'")
        assert all(name in words for name in (pair.first, pair.second, pair.result)), pair
