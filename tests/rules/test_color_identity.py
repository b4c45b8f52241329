"""CR 903.4 with its letters: which colors, and where each comes from."""

from __future__ import annotations

import pytest

from indexer.rules.card import Arrangement, Card, ObjectKind
from indexer.rules.color_identity import color_identity
from indexer.rules.derivation import Decision, Trace
from tests.support.cards import card, face

A = Arrangement
COST, TEXT, INDICATOR = "mana_cost", "rules_text", "color_indicator"
ABILITY, LAND = "defining_ability", "basic_land_type"

TABLE: list[tuple[str, Card, str, list[tuple[int, str, str]]]] = [
    ("903.4-cost", card(face("{2}{R}")), "R", [(0, "R", COST)]),
    ("903.4-text", card(face("{5}", "{2}{W}{U}: Draw.")), "WU", [(0, "WU", TEXT)]),
    ("903.4-hybrid-in-text", card(face("{2}{R}", "Pay {W/B}{W/B}.")), "WBR", [(0, "R", COST), (0, "WB", TEXT)]),
    ("903.4-indicator", card(face("", indicator="BR")), "BR", [(0, "BR", INDICATOR)]),
    ("903.4-quoted-ability", card(face("{5}", 'A token with "Add {R} or {G}."')), "RG", [(0, "RG", TEXT)]),
    ("903.4-level-line", card(face("{W}", "LEVEL 2-4\n{U}: Draw.")), "WU", [(0, "W", COST), (0, "U", TEXT)]),
    ("903.4-chapter", card(face("{W}", "I, II — Add {B}.")), "WB", [(0, "W", COST), (0, "B", TEXT)]),
    ("903.4-station", card(face("{1}", "STATION 8+\n{G}: Draw.")), "G", [(0, "G", TEXT)]),
    ("903.4-overload", card(face("{B}{B}", "Overload {2}{W}{W} (Each.)")), "WB", [(0, "B", COST), (0, "W", TEXT)]),
    ("903.4c-extort", card(face("{B}", "Extort (You may pay {W/B}.)")), "B", [(0, "B", COST)]),
    ("903.4c-nested", card(face("{1}", "X (a (b {R}) {G})")), "", []),
    ("903.4c-unclosed", card(face("{1}", "X (a {R}\n{G}: Draw.")), "G", [(0, "G", TEXT)]),
    ("903.4d-back-face", card(face("{2}{U}"), face("", indicator="R"), arrangement=A.TRANSFORMING), "UR",
        [(0, "U", COST), (1, "R", INDICATOR)]),
    ("903.4d-back-text", card(face("{W}"), face("", "{B}: x"), arrangement=A.MODAL), "WB",
        [(0, "W", COST), (1, "B", TEXT)]),
    ("903.4e-adventure", card(face("{1}{W}"), face("{2}{R}"), arrangement=A.ADVENTURER), "WR",
        [(0, "W", COST), (1, "R", COST)]),
    ("903.4e-flip", card(face("{1}{G}"), face("", "{B}: x"), arrangement=A.FLIP), "BG",
        [(0, "G", COST), (1, "B", TEXT)]),
    ("709.4c-split", card(face("{R}"), face("{3}{G}"), arrangement=A.SPLIT), "RG", [(0, "R", COST), (1, "G", COST)]),
    ("604.3-defining-ability", card(face("{4}", "Card is all colors.")), "WUBRG", [(0, "WUBRG", ABILITY)]),
    ("702.114a-devoid-keeps-identity", card(face("{2}{R}", "Devoid")), "R", [(0, "R", COST)]),
    ("604.3-colorless-keeps-identity", card(face("{2}{R}", "Card is colorless.")), "R", [(0, "R", COST)]),
    ("101.1-own-exception",
        card(face("{2}{G}", "Card is all colors. This ability doesn't affect its color identity.")), "G",
        [(0, "G", COST)]),
    ("305.6-basic-land", card(face("", "({T}: Add {W}.)", "Basic Land — Plains")), "W", [(0, "W", LAND)]),
    ("305.6-two-types", card(face("", "", "Land — Swamp Forest")), "BG", [(0, "BG", LAND)]),
    ("305.6-type-and-text", card(face("", "({T}: Add {G}.)\n{T}: Add {W}.", "Land — Forest")), "WG",
        [(0, "W", TEXT), (0, "G", LAND)]),
    ("305.6-every-land-is-a-swamp", card(face("", "Each land is a Swamp.", "Legendary Land")), "", []),
    ("305.6-land-types-in-text", card(face("", "Search for a Forest card.", "Land")), "", []),
    ("305.6-not-a-land", card(face("{1}", "", "Creature — Forest")), "", []),
    ("107.4g-no-color-of-its-own", card(face("{4}", "Spells with {H} cost {E}{T}{Q} less.")), "", []),
    ("718.4-prototype-cost-is-text", card(face("{7}", "Prototype {2}{R} — 3/2"), arrangement=A.PROTOTYPE), "R",
        [(0, "R", TEXT)]),
    ("712.4b-meld-part", card(face("{3}", "Unearth {3}{R}{R}"), arrangement=A.MELD_PART), "R", [(0, "R", TEXT)]),
    ("903.4a-melded", card(face(""), arrangement=A.MELDED, fronts=(face("{W}"), face("{1}", "{U}: x"))), "WU",
        [(0, "W", COST), (0, "U", TEXT)]),
    ("903.4-plane", card(face("", "Add {G}.", "Plane — X"), kind=ObjectKind.NONTRADITIONAL), "G", [(0, "G", TEXT)]),
]  # fmt: skip


@pytest.mark.parametrize(("subject", "colors", "sources"), [r[1:] for r in TABLE], ids=[r[0] for r in TABLE])
def test_color_identity(subject: Card, colors: str, sources: list[tuple[int, str, str]]) -> None:
    identity = color_identity(subject)
    assert str(identity.colors.value) == colors
    assert identity.colors.decision is Decision.DERIVED
    assert [(s.face_index, str(s.colors), s.source.value) for s in identity.sources] == sources


@pytest.mark.parametrize(
    ("subject", "missing", "words"),
    [
        (card(face("{1}", "Pay {FOO}.")), False, "{FOO}"),
        (card(face("{1}", "Pay {2.")), False, "brace"),
        (card(face("{1}", None)), True, "no rules text field"),
        (card(face(None)), True, "no mana cost field"),
        (card(face("{1}"), arrangement=A.UNKNOWN), False, "not known"),
        (card(face(""), arrangement=A.MELDED), True, "meld"),
    ],
    ids=["unknown-symbol", "broken-brace", "no-text", "no-cost", "unknown-arrangement", "no-fronts"],
)
def test_undecided(subject: Card, missing: bool, words: str) -> None:
    identity = color_identity(subject)
    assert identity.colors.decision is Decision.UNDECIDED
    assert identity.colors.missing is missing
    assert words in identity.colors.reason
    assert identity.sources == ()


def test_an_unknown_symbol_in_reminder_text_does_no_harm() -> None:
    assert str(color_identity(card(face("{G}", "Trample (Or {FOO}.)"))).colors.value) == "G"


def test_a_tokens_identity_is_its_given_colors() -> None:
    identity = color_identity(card(face("", "{R}: x", "Token Artifact", given="G"), kind=ObjectKind.TOKEN))
    assert (str(identity.colors.value), identity.colors.decision) == ("G", Decision.GIVEN)
    assert [source.source.value for source in identity.sources] == ["given"]


def test_the_rule_is_the_one_that_another_face_needs() -> None:
    only_front = card(face("{U}"), face("", indicator="U"), arrangement=A.TRANSFORMING)
    back_adds = card(face("{U}"), face("", indicator="R"), arrangement=A.TRANSFORMING)
    inset_adds = card(face("{W}"), face("{R}"), arrangement=A.ADVENTURER)
    rules = [color_identity(subject).colors.rule for subject in (only_front, back_adds, inset_adds)]
    assert rules == ["903.4", "903.4d", "903.4e"]


def test_the_steps_name_the_reminder_text_that_was_left_out() -> None:
    trace = Trace()
    color_identity(card(face("{B}", "Extort (Pay {W/B}.)")), trace)
    assert [step.rule for step in trace.steps] == ["903.4", "903.4c", "903.4"]
