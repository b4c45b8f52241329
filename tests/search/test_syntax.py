"""The tree of an expression, and the place of what is wrong with one."""

from __future__ import annotations

import pytest

from indexer.errors import SearchSyntaxError
from indexer.search.syntax import (
    MAX_DEPTH,
    MAX_LENGTH,
    MAX_TERMS,
    And,
    ExactName,
    Not,
    Or,
    Term,
    Value,
    ValueKind,
    Words,
    format_expression,
    parse_expression,
)


def word(text: str) -> Value:
    return Value(ValueKind.WORD, text, (0, 0))


def quoted(text: str) -> Value:
    return Value(ValueKind.QUOTED, text, (0, 0))


def term(keyword: str, operator: str, value: str | Value) -> Term:
    return Term(keyword, operator, word(value) if isinstance(value, str) else value, "", (0, 0))


TREES = [
    ("bolt", Words(word("bolt"))),
    ("c:red", term("c", ":", "red")),
    ("COLOR>=Red", term("color", ">=", "Red")),
    ("pow!=2", term("pow", "!=", "2")),
    ('o:"draw a card"', term("o", ":", quoted("draw a card"))),
    ("o:'draw a card'", term("o", ":", quoted("draw a card"))),
    ("o:“draw a card”", term("o", ":", quoted("draw a card"))),
    (r'o:"say \"hi\""', term("o", ":", quoted('say "hi"'))),
    ("o:/a (b|c)/", term("o", ":", Value(ValueKind.REGEX, "a (b|c)", (0, 0)))),
    (r"o:/1\/1/", term("o", ":", Value(ValueKind.REGEX, r"1\/1", (0, 0)))),
    ("m:{2/W}", term("m", ":", "{2/W}")),
    ("name:urza's", term("name", ":", "urza's")),
    ("!fire", ExactName(word("fire"))),
    ('!"fire // ice"', ExactName(quoted("fire // ice"))),
    ("-fire", Not(Words(word("fire")))),
    ("--fire", Not(Not(Words(word("fire"))))),
    ("-!fire", Not(ExactName(word("fire")))),
    ("will-o-the-wisp", Words(word("will-o-the-wisp"))),
    ("a b", And((Words(word("a")), Words(word("b"))))),
    ("a and b", And((Words(word("a")), Words(word("b"))))),
    ("a AND b OR c", Or((And((Words(word("a")), Words(word("b")))), Words(word("c"))))),
    ("a or b or c", Or((Words(word("a")), Words(word("b")), Words(word("c"))))),
    ("(a or b) c", And((Or((Words(word("a")), Words(word("b")))), Words(word("c"))))),
    ("(a)(b)", And((Words(word("a")), Words(word("b"))))),
    ("((a))", Words(word("a"))),
    ("-(a b)", Not(And((Words(word("a")), Words(word("b")))))),
    ("oracle order android", And((Words(word("oracle")), Words(word("order")), Words(word("android"))))),
    ('"or"', Words(quoted("or"))),
]


@pytest.mark.parametrize(("text", "tree"), TREES, ids=[text for text, _ in TREES])
def test_parses_and_prints_back(text: str, tree: object) -> None:
    parsed = parse_expression(text)
    assert parsed == tree
    assert parse_expression(format_expression(parsed)) == parsed


ERRORS = [
    ("", "empty", ""),
    ("   ", "empty", ""),
    ('"bolt', "quote opened at character 1 is never closed", '"bolt'),
    ('t:elf o:"draw', "quote opened at character 9 is never closed", '"draw'),
    ("(t:elf", "parenthesis opened at character 1 is never closed", "(t:elf"),
    ("t:elf (a or (b)", "parenthesis opened at character 7 is never closed", "(a or (b)"),
    ("t:elf)", "closes nothing", ")"),
    ("a () b", "nothing between the parentheses", "()"),
    ("or", '"or" and "and" need a term on both sides', "or"),
    ("a or", '"or" and "and" need a term on both sides', ""),
    ("or b", '"or" and "and" need a term on both sides', "or b"),
    ("a or or b", '"or" and "and" need a term on both sides', "or b"),
    ("(a or) b", '"or" and "and" need a term on both sides', ") b"),
    ("a -", "'-' needs a term", "-"),
    ("a - b", "'-' needs a term", "-"),
    ("!", "'!' needs a term", "!"),
    ('foo"bar"', "a quote begins or ends within a word", 'foo"bar"'),
    ('o:foo"bar"', "a quote begins or ends within a word", 'foo"bar"'),
    ('"foo"bar', "a quote begins or ends within a word", '"foo"bar'),
]


@pytest.mark.parametrize(("text", "message", "part"), ERRORS, ids=[text or "empty" for text, _, _ in ERRORS])
def test_says_what_is_wrong_and_where(text: str, message: str, part: str) -> None:
    with pytest.raises(SearchSyntaxError) as caught:
        parse_expression(text)
    start, end = caught.value.span
    assert message in str(caught.value)
    assert (caught.value.source, text[start:end]) == (text, part)


def test_knows_where_a_value_stands() -> None:
    tree = parse_expression('t:elf "x" o:"draw a"')
    assert isinstance(tree, And)
    last = tree.parts[2]
    assert isinstance(last, Term)
    assert (last.span, last.value.span) == ((10, 20), (12, 20))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x" * (MAX_LENGTH + 1), "characters"),
        (" ".join(["x"] * (MAX_TERMS + 1)), "terms"),
        ("(" * (MAX_DEPTH + 1) + "x" + ")" * (MAX_DEPTH + 1), "nest deeper"),
        ("(" * 100_000, "characters"),
        ("-" * 1000 + "x", "nest deeper"),
    ],
    ids=["length", "terms", "depth", "only parentheses", "only minus"],
)
def test_refuses_what_would_take_too_much(text: str, message: str) -> None:
    with pytest.raises(SearchSyntaxError, match=message):
        parse_expression(text)


def test_takes_as_much_as_it_promises() -> None:
    parse_expression("(" * MAX_DEPTH + "x" + ")" * MAX_DEPTH)
    parse_expression(" ".join(["t:elf"] * MAX_TERMS))
