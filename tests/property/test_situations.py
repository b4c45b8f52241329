"""Whatever situation is asked for: refused by both questions alike, or answered, with and without steps the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from indexer.errors import ImpossibleSituation
from indexer.rules import (
    Arrangement,
    Card,
    ColorSet,
    Decision,
    Derived,
    Face,
    ObjectKind,
    Situation,
    Trace,
    Zone,
    card_mana_value,
    colors_in,
    mana_value_in,
)

faces = st.builds(
    Face,
    name=st.sampled_from(["Alpha", "Beta"]),
    mana_cost=st.sampled_from(["", "{0}", "{X}{G}", "{2/W}{U}", "{X}{X}{R/P}", "{FOO}"]) | st.none(),
    type_line=st.sampled_from(["Creature", "Enchantment — Room", "Sorcery — Omen", "Land"]),
    rules_text=st.sampled_from(["", "Fuse", "Devoid", "Prototype {2}{R} — 3/2", "Prototype {FOO} — 3/2"]),
    color_indicator=st.none() | st.just(ColorSet.from_letters("RG")),
)
situations = st.builds(
    Situation,
    zone=st.sampled_from(Zone),
    face=st.none() | st.integers(-1, 3),
    x=st.integers(-1, 4),
    copy=st.booleans(),
    fused=st.booleans(),
    transformed=st.booleans(),
    flipped=st.booleans(),
    melded=st.booleans(),
    prototyped=st.booleans(),
    face_down=st.booleans(),
    unlocked=st.none() | st.frozensets(st.integers(0, 2), max_size=2),
)


@st.composite
def cards(draw: st.DrawFn) -> Card:
    arrangement = draw(st.sampled_from(Arrangement))
    single = arrangement in (Arrangement.SINGLE, Arrangement.PROTOTYPE, Arrangement.MELD_PART, Arrangement.MELDED)
    drawn = tuple(draw(st.lists(faces, min_size=1 if single else 2, max_size=1 if single else 3)))
    fronts = tuple(draw(st.lists(faces, max_size=2))) if arrangement is Arrangement.MELDED else ()
    return Card(" // ".join(face.name for face in drawn), arrangement, ObjectKind.CARD, drawn, fronts)


def answer(question: Callable[[Card, Situation], Derived[Any]], card: Card, situation: Situation) -> Derived[Any] | str:
    """What a question gives, or the words with which it refuses."""
    try:
        return question(card, situation)
    except ImpossibleSituation as refusal:
        return str(refusal)


@given(cards(), situations)
def test_a_situation_is_refused_by_both_questions_or_answered_by_both(card: Card, situation: Situation) -> None:
    value, colors = answer(mana_value_in, card, situation), answer(colors_in, card, situation)
    if isinstance(value, str) or isinstance(colors, str):
        assert value == colors != ""
        return
    for derived in (value, colors):
        assert derived.rule
        assert (derived.value is None) == (derived.decision is Decision.UNDECIDED) == bool(derived.reason)
    assert value.value is None or value.value >= 0


@given(cards(), situations)
def test_steps_change_nothing_and_name_the_rule(card: Card, situation: Situation) -> None:
    trace, other = Trace(), Trace()
    try:
        plain = mana_value_in(card, situation)
    except ImpossibleSituation:
        return
    assert mana_value_in(card, situation, trace) == plain
    assert colors_in(card, situation, other) == colors_in(card, situation)
    if plain.value is not None:
        assert trace.steps


@given(cards(), situations)
def test_x_counts_on_the_stack_alone(card: Card, situation: Situation) -> None:
    try:
        value = mana_value_in(card, situation).value
        without = mana_value_in(card, replace(situation, x=0)).value
    except ImpossibleSituation:
        return
    if value is None or without is None:
        assert value == without
    elif situation.zone is Zone.STACK and not situation.face_down:
        assert (value - without) in {situation.x * variables for variables in range(7)}
    else:
        assert value == without


@given(cards(), st.integers(0, 4))
def test_as_a_card_it_is_worth_what_the_card_is(card: Card, x: int) -> None:
    assert mana_value_in(card, Situation(x=x)) == card_mana_value(card)
