"""CR 207.2a reminder text, quotations, symbols in a text; CR 205 type lines."""

from __future__ import annotations

import pytest

from indexer.rules.rules_text import has_broken_brace, symbol_tokens, without_quotations, without_reminder_text
from indexer.rules.type_line import parse_type_line


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Flying", "Flying"),
        ("Extort (Pay {W/B}.)", "Extort "),
        ("({T}: Add {G}.)", ""),
        ("A (one (two) three) b", "A  b"),
        ("A (one) b (two) c", "A  b  c"),
        ("A (never closed {R}\n{G}: below", "A \n{G}: below"),
        ("A (open {R}\nB (closed {U}) c {G}", "A \nB  c {G}"),
        ("A (two\nlines {R})\nB", "A \nB"),
        ("smile :) {R}", "smile :) {R}"),
        ("", ""),
    ],
)
def test_207_2a_reminder_text_is_what_stands_in_parentheses(text: str, rest: str) -> None:
    assert without_reminder_text(text) == rest


def test_quotations_are_emptied() -> None:
    assert without_quotations('It has "{T}: Add {C}." and “flying”.') == 'It has "" and "".'


def test_symbols_in_order_and_broken_braces() -> None:
    assert symbol_tokens("{2}{W/P}, {T}: x {foo}") == ["2", "W/P", "T", "foo"]
    assert not has_broken_brace("{2}, {T}: x")
    assert has_broken_brace("{2, {T}: x")
    assert has_broken_brace("{2")


@pytest.mark.parametrize(
    ("text", "supertypes", "types", "subtypes"),
    [
        ("Creature — Human Wizard", (), ("Creature",), ("Human", "Wizard")),
        ("Legendary Snow Artifact", ("Legendary", "Snow"), ("Artifact",), ()),
        ("Land Creature — Forest Dryad", (), ("Land", "Creature"), ("Forest", "Dryad")),
        ("Legendary Creature — Time Lord Doctor", ("Legendary",), ("Creature",), ("Time Lord", "Doctor")),
        ("Plane — Bolas’s Meditation Realm", (), ("Plane",), ("Bolas’s Meditation Realm",)),
        ("Token Creature — Goblin", ("Token",), ("Creature",), ("Goblin",)),
        ("", (), (), ()),
    ],
    ids=["205.3m", "205.4a", "205.2b", "205.3b-time-lord", "205.3b-plane", "token", "none"],
)
def test_205_type_line(
    text: str, supertypes: tuple[str, ...], types: tuple[str, ...], subtypes: tuple[str, ...]
) -> None:
    line = parse_type_line(text)
    assert (line.supertypes, line.types, line.subtypes) == (supertypes, types, subtypes)
