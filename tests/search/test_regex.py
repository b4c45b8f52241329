"""Regular expressions: the language, its bounds, and the literal that saves most of the work."""

from __future__ import annotations

import sqlite3
import time

import pytest
import regex

from indexer.search.regex import FLAGS, MAX_LENGTH, InvalidPattern, compile_pattern
from indexer.search.sqlite_functions import register


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("draw", "DRAW a card", True),
        ("^haste$", "Flying\nHaste\nReach", True),
        ("flying.haste", "Flying\nHaste", False),
        ("flying[^x]haste", "Flying\nHaste", False),
        (r"flying\shaste", "Flying\nHaste", True),
        (r"\btap\b", "untap", False),
        ("{T}: Add", "{T}: Add {G}.", True),
        ("^{2}", "{2}: Draw", True),
        ("a{2}", "aa", True),
        (r"\{2\}", "{2}", True),
        (r"pay \sm", "Pay {2/W}.", True),
        (r"pay \sc", "Pay {2}.", False),
        (r"pay \sc", "Pay {G/P}.", True),
        (r"\smr", "{G}{G}", True),
        (r"\smr", "{G}{U}", False),
        (r"\smh", "{G/U}", True),
        (r"\smh", "{G/P}", False),
        (r"\smp", "{G/U/P}", True),
        (r"\ss", "{CHAOS}", True),
        (r"a \spt", "a 2/X token", True),
        (r"\spp", "+1/+1", True),
        (r"\smm", "-X/-X", True),
        ("(?!un)tap", "tap", True),
        ("(?<!un)tap", "untap", False),
        ("(?:a|b)+?c", "abac", True),
        ("[[:digit:]]+", "abc 12", True),
        (r"\+1\/\+1", "+1/+1", True),
    ],
)
def test_finds(pattern: str, text: str, found: bool) -> None:
    compiled = compile_pattern(pattern)
    assert bool(regex.search(compiled.sqlite, text, FLAGS)) is found
    assert not found or compiled.literal.lower() in text.lower()


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        (r"(a)\1", "backreference"),
        ("(?i)a", "option or a named group"),
        ("(?P<x>a)", "option or a named group"),
        ("(a", "never closed"),
        ("a)", "closes nothing"),
        ("[a", "bracket"),
        ("a\\", "backslash"),
        ("*a", "repeats nothing"),
        ("a**", "repeats nothing"),
        ("a++", "repeats nothing"),
        ("(?=a)*", "repeats nothing"),
        (r"\b+", "repeats nothing"),
        ("^*", "repeats nothing"),
        (r"\q", "means nothing"),
        (r"\p{L}", "means nothing"),
        ("a{256}", "out of bounds"),
        ("a{3,2}", "out of bounds"),
        ("(?:(?:a{100}){100}){100}", "multiply"),
        ("[z-a]", "can't be read"),
        ("x" * (MAX_LENGTH + 1), "more than"),
    ],
)
def test_refuses(pattern: str, message: str) -> None:
    with pytest.raises(InvalidPattern, match=message):
        compile_pattern(pattern)


@pytest.mark.parametrize(
    ("pattern", "literal"),
    [
        ("draw two", "draw"),
        ("draws? two", "draw"),
        ("draws? three", "three"),
        ("draw|discard", ""),
        ("(draw|discard) cards", "cards"),
        ("ab+c", "ab"),
        ("ab*c", "a"),
        ("a{0,2}bc", "bc"),
        (r"\{T\}:", "{T}:"),
        ("{T}: Add", "{T}:"),
        (".*", ""),
        ("~ enters", "enters"),
        (r"\bword\b", "word"),
    ],
)
def test_knows_a_piece_that_every_match_has(pattern: str, literal: str) -> None:
    assert compile_pattern(pattern).literal == literal


@pytest.mark.parametrize("pattern", ["(x+x+)+y", "(?:a+){2,10}b"])
def test_gives_up_on_a_hostile_expression(pattern: str) -> None:
    connection = sqlite3.connect(":memory:")
    register(connection)
    started = time.monotonic()
    with pytest.raises(sqlite3.OperationalError):
        connection.execute("SELECT ? REGEXP ?", ("x" * 500 + "a" * 500, compile_pattern(pattern).sqlite)).fetchone()
    assert time.monotonic() - started < 10
