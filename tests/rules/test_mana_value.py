"""CR 202.3 for cards and faces of every arrangement, outside the game."""

from __future__ import annotations

from fractions import Fraction

import pytest

from indexer.rules.card import Arrangement, Card
from indexer.rules.derivation import Decision, Trace
from indexer.rules.mana_value import card_mana_value, face_mana_value, format_number
from tests.support.cards import card, face

A = Arrangement

TABLE = [
    ("202.3-single", card(face("{3}{U}{U}")), 5, "202.3", [5]),
    ("202.3a-land", card(face("", types="Land")), 0, "202.3a", [0]),
    ("202.3-un-half", card(face("{HW}")), Fraction(1, 2), "100.7", [Fraction(1, 2)]),
    ("202.3b-transforming", card(face("{2}{R}{G}"), face(""), arrangement=A.TRANSFORMING), 4, "712.8a", [4, 4]),
    ("712.8f-modal", card(face("{1}{B}"), face("{5}{B}{R}"), arrangement=A.MODAL), 2, "712.8a", [2, 7]),
    ("712.8f-modal-lands", card(face(""), face(""), arrangement=A.MODAL), 0, "712.8a", [0, 0]),
    ("709.4b-split", card(face("{R}"), face("{3}{G}"), arrangement=A.SPLIT), 5, "202.3d", [1, 4]),
    (
        "709.4b-five-parts",
        card(*[face(c) for c in ("{X}{W}", "{2}{R}", "{2}{U}", "{3}{B}", "{1}{G}")], arrangement=A.SPLIT),
        13,
        "202.3d",
        [1, 3, 3, 4, 2],
    ),
    ("710.1c-flip", card(face("{1}{G}"), face(""), arrangement=A.FLIP), 2, "710.2", [2, 2]),
    ("715.4-adventurer", card(face("{5}{W}{W}"), face("{3}{W}{W}"), arrangement=A.ADVENTURER), 7, "715.4", [7, 5]),
    ("720.4-omen", card(face("{3}{R}"), face("{1}{U}"), arrangement=A.OMEN), 4, "720.4", [4, 2]),
    ("722.4-preparation", card(face("{1}{U}"), face("{4}{U}"), arrangement=A.PREPARATION), 2, "722.4", [2, 5]),
    ("718.4-prototype", card(face("{7}", "Prototype {2}{R} — 3/2"), arrangement=A.PROTOTYPE), 7, "718.4", [7]),
    ("712.4b-meld-part", card(face("{5}"), arrangement=A.MELD_PART), 5, "712.4b", [5]),
    (
        "202.3c-melded",
        card(face(""), arrangement=A.MELDED, fronts=(face("{5}{W}{W}"), face("{2}{W}{W}"))),
        11,
        "202.3c",
        [11],
    ),
    ("202.3-reversible", card(face("{2}"), face("{2}"), arrangement=A.REVERSIBLE), 2, "202.3", [2, 2]),
]


@pytest.mark.parametrize(
    ("subject", "value", "rule", "faces"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
def test_mana_value(subject: Card, value: object, rule: str, faces: list[object]) -> None:
    derived = card_mana_value(subject)
    assert (derived.value, derived.rule, derived.decision) == (value, rule, Decision.DERIVED)
    assert [face_mana_value(subject, i).value for i in range(len(subject.faces))] == faces


UNDECIDED = [
    ("no-cost-field", card(face(None)), "202.1", True, "no mana cost field"),
    ("unknown-symbol", card(face("{2}{FOO}")), "107.4", False, "{FOO}"),
    ("symbol-without-number", card(face("{∞}")), "202.3", False, "{∞}"),
    ("unknown-arrangement", card(face("{1}"), arrangement=A.UNKNOWN), "109.3", False, "not known"),
    ("one-front-missing", card(face(""), arrangement=A.MELDED, fronts=(face("{1}"),)), "202.3c", True, "two front"),
    ("half-without-cost", card(face("{R}"), face(None), arrangement=A.SPLIT), "202.1", True, "no mana cost field"),
]


@pytest.mark.parametrize(
    ("subject", "rule", "missing", "words"), [row[1:] for row in UNDECIDED], ids=[row[0] for row in UNDECIDED]
)
def test_what_the_record_does_not_say_is_undecided(subject: Card, rule: str, missing: bool, words: str) -> None:
    derived = card_mana_value(subject)
    assert (derived.value, derived.rule, derived.decision, derived.missing) == (
        None,
        rule,
        Decision.UNDECIDED,
        missing,
    )
    assert words in derived.reason


def test_the_steps_name_each_symbol_and_rule() -> None:
    trace = Trace()
    card_mana_value(card(face("{X}{2/W}{G/P}{1}")), trace)
    assert [(step.rule, step.basis) for step in trace.steps] == [
        ("202.3e", "{X}"),
        ("202.3f", "{2/W}"),
        ("202.3g", "{G/P}"),
        ("202.3", "{1}"),
        ("202.3", "{X}{2/W}{G/P}{1}"),
    ]
    assert all(step.place == "mana cost" and step.meaning for step in trace.steps)


def test_a_number_prints_short() -> None:
    assert [format_number(n) for n in (0, 16, Fraction(1, 2), Fraction(7, 2), 1_000_000)] == [
        "0",
        "16",
        "0.5",
        "3.5",
        "1000000",
    ]
