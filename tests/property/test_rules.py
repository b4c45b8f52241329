"""Properties of the rules engine that hold for every cost, text and card."""

from __future__ import annotations

import string

from hypothesis import assume, given
from hypothesis import strategies as st

from indexer.rules.card import Arrangement, Card, Face, ObjectKind
from indexer.rules.card_colors import card_colors, face_colors
from indexer.rules.color_identity import color_identity
from indexer.rules.colors import COLOR_LETTERS, ColorSet
from indexer.rules.derivation import Decision
from indexer.rules.evaluate import FIELDS, evaluate, steps_of
from indexer.rules.mana_cost import format_mana_cost, parse_mana_cost
from indexer.rules.mana_value import card_mana_value, face_mana_value
from indexer.rules.rules_text import without_reminder_text
from indexer.rules.situations import Situation, Zone, mana_value_in, named_values
from indexer.rules.symbols import SYMBOLS, parse_symbol

cost_symbols = st.sampled_from(
    [s.text for s in SYMBOLS.values() if s.is_mana and s.mana_value is not None]
) | st.integers(0, 1_000_000).map(lambda n: f"{{{n}}}")
any_symbols = st.sampled_from([s.text for s in SYMBOLS.values()])
costs = st.lists(cost_symbols, max_size=8).map("".join)
plain_words = st.text(string.ascii_letters + " ,.'’—-\n", max_size=40)
texts = st.lists(plain_words | any_symbols, max_size=10).map("".join)
indicators = st.none() | st.sets(st.sampled_from(COLOR_LETTERS), min_size=1).map(ColorSet.from_letters)
type_lines = st.sampled_from(
    [
        "Creature — Human",
        "Instant",
        "Land",
        "Land — Forest",
        "Basic Land — Plains",
        "Artifact",
        "Enchantment — Saga",
        "",
    ]
)
faces = st.builds(
    Face,
    name=st.sampled_from(["Alpha", "Beta, the Second", "Gamma of Delta"]),
    mana_cost=costs,
    type_line=type_lines,
    rules_text=texts,
    color_indicator=indicators,
)


@st.composite
def cards(draw: st.DrawFn, arrangements: tuple[Arrangement, ...] = tuple(Arrangement)) -> Card:
    arrangement = draw(st.sampled_from(arrangements))
    single = arrangement in (Arrangement.SINGLE, Arrangement.PROTOTYPE, Arrangement.MELD_PART, Arrangement.MELDED)
    count = 1 if single else draw(st.integers(2, 5))
    drawn = tuple(draw(st.lists(faces, min_size=count, max_size=count)))
    fronts = tuple(draw(st.lists(faces, max_size=2))) if arrangement is Arrangement.MELDED else ()
    return Card(" // ".join(f.name for f in drawn), arrangement, draw(st.sampled_from(ObjectKind)), drawn, fronts)


KNOWN = tuple(a for a in Arrangement if a not in (Arrangement.UNKNOWN, Arrangement.MELDED))


@given(costs)
def test_printing_a_parsed_cost_gives_the_text_back(text: str) -> None:
    cost = parse_mana_cost(text)
    assert format_mana_cost(cost) == text
    assert parse_mana_cost(format_mana_cost(cost)) == cost


@given(costs, costs)
def test_joined_costs_add_and_their_colors_unite(first: str, second: str) -> None:
    a, b, both = parse_mana_cost(first), parse_mana_cost(second), parse_mana_cost(first + second)
    assert a.mana_value is not None
    assert b.mana_value is not None
    assert both.mana_value == a.mana_value + b.mana_value
    assert both.colors == a.colors | b.colors
    assert a + b == both


@given(st.permutations(["{2}", "{W/U}", "{X}", "{G/P}", "{C}"]))
def test_the_order_of_symbols_changes_no_value(symbols: list[str]) -> None:
    cost = parse_mana_cost("".join(symbols))
    assert (cost.mana_value, str(cost.colors)) == (5, "WUG")


@given(st.text(max_size=12))
def test_a_cost_is_read_whole_or_refused(text: str) -> None:
    try:
        assert str(parse_mana_cost(text)) == text
    except ValueError as error:
        assert repr(text) in str(error)  # noqa: PT017  # the refusal is one of the two right outcomes


@given(st.text(alphabet="{}WUBRGCXP/0123456789½∞H ", max_size=8))
def test_a_symbol_prints_back_or_is_refused(text: str) -> None:
    try:
        assert str(parse_symbol(text)) == text
    except ValueError:
        assert text not in {s.text for s in SYMBOLS.values()}


@given(cards())
def test_a_mana_value_is_never_negative_and_is_there_or_explained(card: Card) -> None:
    values = evaluate(card)
    for derived in (values.mana_value, *(face.mana_value for face in values.faces)):
        if derived.value is None:
            assert derived.decision is Decision.UNDECIDED
            assert derived.reason
        else:
            assert derived.value >= 0
            assert derived.rule


@given(cards())
def test_explaining_computes_the_same_values(card: Card) -> None:
    values = evaluate(card)
    for field in FIELDS:
        steps = steps_of(card, field)
        assert all(step.rule and step.meaning for step in steps)
        if getattr(values, field).value is not None:
            assert steps


@given(cards(KNOWN))
def test_colors_lie_within_the_color_identity(card: Card) -> None:
    assume(card.kind is not ObjectKind.TOKEN)
    identity = color_identity(card).colors.value
    colors = [card_colors(card).value, *(face_colors(card, i).value for i in range(len(card.faces)))]
    assume(identity is not None)
    assert identity is not None
    assert all(part is None or part.issubset(identity) for part in colors)


@given(cards(KNOWN))
def test_the_sources_are_the_identity(card: Card) -> None:
    identity = color_identity(card)
    union = ColorSet.from_letters(letter for source in identity.sources for letter in source.colors)
    if identity.colors.value is not None:
        assert union == identity.colors.value
    assert all(source.colors for source in identity.sources)


@given(faces, texts, st.integers(0, 3))
def test_reminder_text_never_changes_a_value(face: Face, reminder: str, depth: int) -> None:
    wrapped = "(" * (depth + 1) + reminder.replace("(", "").replace(")", "") + ")" * (depth + 1)
    longer = Face(
        face.name,
        face.mana_cost,
        face.type_line,
        f"{face.rules_text} {wrapped}",
        face.color_indicator,
        face.given_colors,
    )
    plain, more = (Card("x", Arrangement.SINGLE, ObjectKind.CARD, (f,)) for f in (face, longer))
    assert color_identity(plain) == color_identity(more)
    assert card_colors(plain) == card_colors(more)
    assert card_mana_value(plain) == card_mana_value(more)


@given(texts)
def test_taking_reminder_text_out_twice_is_taking_it_out_once(text: str) -> None:
    once = without_reminder_text(text)
    assert without_reminder_text(once) == once
    assert "(" not in once


@given(st.lists(faces, min_size=2, max_size=5))
def test_the_order_of_halves_changes_nothing_of_a_split_card(halves: list[Face]) -> None:
    shuffled = list(reversed(halves))
    one, other = (Card("x", Arrangement.SPLIT, ObjectKind.CARD, tuple(h)) for h in (halves, shuffled))
    assert card_mana_value(one) == card_mana_value(other)
    assert card_colors(one).value == card_colors(other).value
    assert color_identity(one).colors.value == color_identity(other).colors.value
    total = sum(face_mana_value(one, i).value or 0 for i in range(len(halves)))
    assert card_mana_value(one).value == total


@given(costs, st.integers(0, 20))
def test_x_counts_on_the_stack_alone(text: str, x: int) -> None:
    card = Card("x", Arrangement.SINGLE, ObjectKind.CARD, (Face("x", text, "Sorcery", ""),))
    base = card_mana_value(card).value
    assert base is not None
    assert mana_value_in(card, Situation(Zone.ELSEWHERE, x=x)).value == base
    assert mana_value_in(card, Situation(Zone.STACK, x=x)).value == base + x * parse_mana_cost(text).variables


@given(cards())
def test_named_situations_are_distinct_and_never_negative(card: Card) -> None:
    values = named_values(card, card_mana_value(card))
    assert len({(value.situation, value.face_index) for value in values}) == len(values)
    assert all(value.mana_value >= 0 and value.rule for value in values)
