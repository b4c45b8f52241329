"""Properties of produced mana: reminder text, the order of abilities, more abilities, more faces, a trace."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from indexer.rules.card import Arrangement, Card, Face, ObjectKind
from indexer.rules.colors import MANA_LETTERS
from indexer.rules.derivation import Trace
from indexer.rules.produced_mana import card_produced_mana, face_produced_mana, written_mana
from indexer.rules.symbol_mana import mana_added, types_of_row
from indexer.rules.symbols import SYMBOLS, Number

symbols = st.sampled_from(
    [f"{{{token}}}" for token in SYMBOLS if token not in ("X", "Y", "Z", "∞")] + ["{0}", "{2}", "{15}"]
)
rows = st.lists(symbols, max_size=5).map("".join)
what = st.one_of(
    rows.filter(bool),
    st.lists(rows.filter(bool), min_size=2, max_size=4).map(lambda each: ", ".join(each[:-1]) + f", or {each[-1]}"),
    st.sampled_from(
        [
            "one mana of any color",
            "two mana in any combination of {R} and/or {G}",
            "one mana of any type that land produced",
            "that much {B}",
            "a lore counter to it",
            "mana in no known way",
            "{unknown}",
        ]
    ),
)
abilities = st.one_of(
    what.map(lambda words: f"{{T}}: Add {words}."),
    what.map(lambda words: f"Whenever a player draws a card, that player adds {words}."),
    what.map(lambda words: f'Creatures you control have "{{T}}: Add {words}."'),
    what.map(lambda words: f'Target creature gains "{{T}}: Add {words}."'),
    what.map(lambda words: f'White creatures you control have "{{T}}: Add {words}."'),
    what.map(lambda words: f"Create a token. (It has the ability to add {words}.)"),
    st.sampled_from(["Firebending 2", "Draw a card.", "Flying, haste", "Each land is a Swamp.", ""]),
)
texts = st.lists(abilities, max_size=4).map("\n".join)
type_lines = st.sampled_from(["Artifact", "Creature — Elf", "Land", "Land — Forest Plains", "Instant", "Stickers"])
faces = st.builds(Face, st.just("Test Subject"), st.just(""), type_lines, texts)
notes = st.text(st.characters(exclude_characters="()\n"), max_size=40) | what.map(lambda words: f"Add {words}.")


def card(*members: Face) -> Card:
    return Card("Test", Arrangement.TRANSFORMING, ObjectKind.CARD, members)


def with_text(face: Face, text: str) -> Face:
    return Face(face.name, face.mana_cost, face.type_line, text)


@given(faces, notes, st.integers(0, 4))
def test_reminder_text_never_changes_anything(face: Face, note: str, place: int) -> None:
    lines = (face.rules_text or "").split("\n")
    place %= len(lines)
    lines[place] += f" ({note})"
    assert face_produced_mana(with_text(face, "\n".join(lines))) == face_produced_mana(face)


@given(
    type_lines, st.lists(abilities, max_size=4).flatmap(lambda each: st.tuples(st.just(each), st.permutations(each)))
)
def test_the_order_of_abilities_does_not_matter(type_line: str, orders: tuple[list[str], list[str]]) -> None:
    found, again = (face_produced_mana(Face("Test", "", type_line, "\n".join(order))) for order in orders)
    assert (found.value, found.decision) == (again.value, again.decision)


@given(faces, abilities)
def test_another_ability_takes_nothing_away(face: Face, ability: str) -> None:
    fewer, more = face_produced_mana(face), face_produced_mana(with_text(face, f"{face.rules_text}\n{ability}"))
    if fewer.value is not None and more.value is not None:
        assert fewer.value.issubset(more.value)


@given(faces, faces)
def test_a_card_is_the_union_of_its_faces(front: Face, back: Face) -> None:
    whole, one, other = card_produced_mana(card(front, back)), face_produced_mana(front), face_produced_mana(back)
    if one.value is None or other.value is None:
        assert whole.value is None
        assert whole.reason in (one.reason, other.reason)
    else:
        assert whole.value == one.value | other.value
    assert card_produced_mana(card(back, front)).value == whole.value


@given(faces)
def test_own_mana_is_written_and_a_trace_changes_nothing(face: Face) -> None:
    found, trace = face_produced_mana(face), Trace()
    assert face_produced_mana(face, trace) == found
    written = written_mana(card(face))
    if found.value is not None and written is not None and "is a Swamp" not in (face.rules_text or ""):
        assert found.value.issubset(written)
    assert trace.steps


@given(rows, rows)
def test_rows_add_up(first: str, second: str) -> None:
    sums = set()
    for one in mana_added(first):
        for other in mana_added(second):
            total: Counter[str] = Counter()
            for part in (one, other):
                for letter, amount in part.items():
                    total[letter] += amount  # type: ignore[assignment]  # halves are exact too
            sums.add(frozenset(total.items()))
    assert {frozenset(outcome.items()) for outcome in mana_added(first + second)} == sums


@given(rows)
def test_a_row_adds_mana_of_its_types_only(row: str) -> None:
    outcomes = mana_added(row)
    letters = {letter for outcome in outcomes for letter in outcome}
    assert letters == set(types_of_row(row) or ())
    assert letters <= set(MANA_LETTERS)
    amounts: list[Number] = [amount for outcome in outcomes for amount in outcome.values()]
    assert all(amount > 0 and isinstance(amount, int | Fraction) for amount in amounts)
