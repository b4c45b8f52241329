"""Colors of cards and faces: CR 202.2, 204, 604.3, 702.114, 709.4b, 710.1c, 712.8a, 715.4, 111.3."""

from __future__ import annotations

import pytest

from indexer.rules.card import Arrangement, Card, ObjectKind
from indexer.rules.card_colors import card_colors, defining_ability, face_colors, may_have_indicator
from indexer.rules.derivation import Decision, Trace, Undecidable
from tests.support.cards import card, face

A = Arrangement

CARDS = [
    ("202.2-cost", card(face("{3}{R}")), "R", "202.2", ["R"]),
    ("202.2b-colorless", card(face("{4}{C}")), "", "202.2b", [""]),
    ("202.2e-indicator", card(face("", indicator="B")), "B", "202.2e", ["B"]),
    ("202.2e-indicator-adds-to-cost", card(face("{G}", indicator="U")), "UG", "202.2e", ["UG"]),
    ("709.4b-split", card(face("{R}"), face("{3}{G}"), arrangement=A.SPLIT), "RG", "709.4b", ["R", "G"]),
    ("710.1c-flip", card(face("{1}{G}"), face(""), arrangement=A.FLIP), "G", "202.2", ["G", "G"]),
    ("712.8a-front", card(face("{U}"), face("", indicator="R"), arrangement=A.TRANSFORMING), "U", "202.2", ["U", "R"]),
    ("712.8a-modal", card(face("{1}{W}"), face("{2}{G}{W}"), arrangement=A.MODAL), "W", "202.2", ["W", "WG"]),
    ("715.4-adventurer", card(face("{1}{W}"), face("{2}{R}"), arrangement=A.ADVENTURER), "W", "202.2", ["W", "R"]),
    ("720.4-omen", card(face("{3}{R}"), face("{1}{U}"), arrangement=A.OMEN), "R", "202.2", ["R", "U"]),
    ("722.4-preparation", card(face("{U}"), face("{4}{R}"), arrangement=A.PREPARATION), "U", "202.2", ["U", "R"]),
    ("702.114a-devoid", card(face("{2}{R}", "Devoid (This card has no color.)")), "", "702.114a", [""]),
    ("604.3-all-colors", card(face("{4}", "Card is all colors.")), "WUBRG", "604.3", ["WUBRG"]),
]


@pytest.mark.parametrize(("subject", "colors", "rule", "faces"), [r[1:] for r in CARDS], ids=[r[0] for r in CARDS])
def test_colors(subject: Card, colors: str, rule: str, faces: list[str]) -> None:
    derived = card_colors(subject)
    assert (str(derived.value), derived.rule, derived.decision) == (colors, rule, Decision.DERIVED)
    assert [str(face_colors(subject, i).value) for i in range(len(subject.faces))] == faces


ABILITIES = [
    ("by-name", "Fallaji Wayfarer", "Fallaji Wayfarer is all colors.", "WUBRG"),
    ("by-short-name", "Kestia, the Cultivator", "Kestia is blue and red.", "UR"),
    ("by-first-words", "Mothra of the Cocoon", "Mothra is green.", "G"),
    ("this-card", "Any", "This card is colorless.", ""),
    ("this-spell", "Any", "This spell is white, blue, and black.", "WUB"),
    ("this-creature", "Any", "This creature is every color.", "WUBRG"),
    ("rebalanced-name", "A-Ghostfire", "Ghostfire is colorless.", ""),
    ("after-a-flavor-word", "Any", "Bright Soul — This creature is white.", "W"),
    ("with-more-behind-it", "Ghostfire", "Ghostfire is colorless. 3 damage to any target.", ""),
    ("reminder-beside-it", "Any", "This creature is red. (Even in your hand.)", "R"),
    ("devoid-without-reminder", "Any", "Devoid", ""),
    ("devoid-in-a-list", "Any", "Flying, devoid, trample", ""),
    ("second-line", "Any", "Flying\nThis creature is blue.", "U"),
]


@pytest.mark.parametrize(
    ("name", "text", "colors"), [r[1:] for r in ABILITIES], ids=[f"604.3-{r[0]}" for r in ABILITIES]
)
def test_defining_abilities_in_all_wordings(name: str, text: str, colors: str) -> None:
    ability = defining_ability(face("{1}{G}", text, name=name))
    assert ability is not None
    assert str(ability.colors) == colors


NOT_DEFINING = [
    ("condition-before", "As long as you control a Swamp, this creature is black."),
    ("condition-behind", "This creature is black as long as you control a Swamp."),
    ("if", "If it is your turn, this creature is red."),
    ("becomes", "This creature becomes blue."),
    ("chosen-color", "This creature is the chosen color."),
    ("something-else", "Target creature is black."),
    ("enchanted", "Enchanted creature is black."),
    ("all-cards", "All permanents are colorless."),
    ("activated", "{T}: This creature is black until end of turn."),
    ("activated-second-sentence", "{T}: Untap it. This creature is black."),
    ("quoted", 'Creatures you control have "This creature is blue."'),
    ("quoted-second-sentence", 'A token with "Flying. This creature is blue."'),
    ("in-reminder-text", "Shade (This creature is black.)"),
    ("others-have-devoid", "Slivers you control have devoid and annihilator 1."),
    ("devoid-in-a-sentence", "The same is true for changeling, devoid, fear, and flying."),
    ("under-a-level-bar", "LEVEL 2-4\nThis creature is all colors."),
    ("under-a-class-level", "{2}{G}: Level 2\nThis Class is all colors."),
    ("threshold", "Threshold — As long as seven cards are there, this creature is white."),
]


@pytest.mark.parametrize("text", [r[1] for r in NOT_DEFINING], ids=[f"604.3a-{r[0]}" for r in NOT_DEFINING])
def test_abilities_that_only_look_like_one(text: str) -> None:
    assert defining_ability(face("{1}{G}", text)) is None


def test_two_abilities_that_contradict_each_other_are_undecided() -> None:
    subject = card(face("{G}", "Devoid\nThis creature is blue."))
    with pytest.raises(Undecidable):
        defining_ability(subject.faces[0])
    assert card_colors(subject).decision is Decision.UNDECIDED


def test_an_ability_may_add_to_the_other_colors() -> None:
    assert str(card_colors(card(face("{G}", "This creature is blue in addition to its other colors."))).value) == "UG"


@pytest.mark.parametrize(
    ("kind", "given", "colors", "decision"),
    [
        (ObjectKind.TOKEN, "R", "R", Decision.GIVEN),
        (ObjectKind.OTHER, "", "", Decision.GIVEN),
        (ObjectKind.TOKEN, None, "None", Decision.UNDECIDED),
    ],
    ids=["111.3-token", "114.3-emblem", "111.3-token-that-says-nothing"],
)
def test_given_colors(kind: ObjectKind, given: str | None, colors: str, decision: Decision) -> None:
    derived = card_colors(card(face("", types="Token Creature", given=given), kind=kind))
    assert (str(derived.value), derived.decision) == (colors, decision)


def test_a_vanguard_has_given_colors_only_if_they_are_stated() -> None:
    stated = card(face("", types="Vanguard", given="G"), kind=ObjectKind.NONTRADITIONAL)
    silent = card(face("", types="Vanguard"), kind=ObjectKind.NONTRADITIONAL)
    assert card_colors(stated).decision is Decision.GIVEN
    assert card_colors(silent) == (0, "202.2b", Decision.DERIVED, "", False)


def test_a_plane_is_colorless_by_its_missing_cost() -> None:
    plane = card(face("", types="Plane — Kamigawa", given="G"), kind=ObjectKind.NONTRADITIONAL)
    assert card_colors(plane).decision is Decision.DERIVED


def test_202_1b_a_land_with_its_insets_mana_cost_contradicts_itself() -> None:
    twice = card(face("{4}{U}{U}", types="Land — Town"), face("{4}{U}{U}"), arrangement=A.ADVENTURER)
    once = card(face("", types="Land — Town"), face("{4}{U}{U}"), arrangement=A.ADVENTURER)
    derived = card_colors(twice)
    assert (derived.decision, derived.rule, derived.missing) == (Decision.UNDECIDED, "202.1b", True)
    assert str(card_colors(once).value) == ""


def test_a_land_with_a_cost_of_its_own_has_the_costs_colors() -> None:
    assert str(card_colors(card(face("{2}{G}", types="Land"))).value) == "G"


@pytest.mark.parametrize(
    ("cost", "types", "may"),
    [
        ("", "Creature", True),
        ("{0}", "Instant", True),
        ("", "Land", False),
        ("{1}", "Artifact", False),
        ("{X}", "A", False),
        ("", "Land Creature — Forest Dryad", True),
        ("{NEW}", "Creature", False),
        ("no cost", "Creature", False),
    ],
)
def test_204_1_where_an_indicator_may_be_printed(cost: str, types: str, may: bool) -> None:
    assert may_have_indicator(face(cost, types=types)) is may
    assert not may_have_indicator(face(cost, types=types, indicator="R"))


def test_the_steps_tell_what_overrides_what() -> None:
    trace = Trace()
    card_colors(card(face("{2}{R}", "Devoid", indicator="G")), trace)
    assert [step.rule for step in trace.steps] == ["202.2", "202.2e", "702.114a"]
    assert "overrides" in trace.steps[-1].meaning
