"""A search expression as a tree: `parse_expression` reads it, `format_expression` prints it back.

The grammar is in `grammar.lark`. Nothing here knows which keywords exist or what they mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, NoReturn

from indexer.errors import SearchSyntaxError

if TYPE_CHECKING:
    from lark import Lark, Token

MAX_LENGTH = 4000
MAX_TERMS = 200
"""SQLite takes expressions up to a depth of 1000; a term may need a few levels."""
MAX_DEPTH = 40

Span = tuple[int, int]
"""Start and end of a part of the expression, in characters."""

_MANY_MINUS = re.compile(rf"(?<!\S)-{{{MAX_DEPTH + 1},}}")
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'"})


class ValueKind(Enum):
    """How a value is written."""

    WORD = "word"
    QUOTED = "quoted text"
    REGEX = "regular expression"


@dataclass(frozen=True, slots=True)
class Value:
    """The right side of a term."""

    kind: ValueKind
    text: str
    """Without quotes or slashes."""
    span: Span = field(compare=False)

    def __str__(self) -> str:
        match self.kind:
            case ValueKind.QUOTED:
                return '"' + self.text.replace('"', '\\"') + '"'
            case ValueKind.REGEX:
                return f"/{self.text}/"
        return self.text


@dataclass(frozen=True, slots=True)
class Term:
    """A keyword compared with a value: `c:red`, `pow>=tou`, `o:"draw a card"`."""

    keyword: str
    """As written, in lower case."""
    operator: str
    """`:`, `=`, `!=`, `<`, `<=`, `>` or `>=`."""
    value: Value
    source: str = field(compare=False, repr=False)
    span: Span = field(compare=False)

    def __str__(self) -> str:
        return f"{self.keyword}{self.operator}{self.value}"

    def bad_value(self, message: str) -> NoReturn:
        """Refuse the value. Raises `SearchSyntaxError` always."""
        raise SearchSyntaxError(message, source=self.source, span=self.value.span)


@dataclass(frozen=True, slots=True)
class Words:
    """A word or quoted words without a keyword: part of a name."""

    value: Value

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True, slots=True)
class ExactName:
    """`!fire`, `!"lightning bolt"`: the whole name of a card or of a face."""

    value: Value

    def __str__(self) -> str:
        return f"!{self.value}"


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite of one term or group."""

    part: Node

    def __str__(self) -> str:
        return f"-{_grouped(self.part)}"


@dataclass(frozen=True, slots=True)
class And:
    """All parts must hold."""

    parts: tuple[Node, ...]

    def __str__(self) -> str:
        return " ".join(_grouped(part) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Or:
    """One part must hold."""

    parts: tuple[Node, ...]

    def __str__(self) -> str:
        return " or ".join(_grouped(part) for part in self.parts)


Node = Term | Words | ExactName | Not | And | Or


def _grouped(part: Node) -> str:
    return f"({part})" if isinstance(part, And | Or) else str(part)


def format_expression(node: Node) -> str:
    """The tree as an expression that parses to the same tree.

    >>> format_expression(parse_expression('T:goblin  AND (-c:r or "bolt")'))
    't:goblin (-c:r or "bolt")'
    """
    return str(node)


def parse_expression(text: str) -> Node:
    """The tree of an expression. Curly quotes count as straight ones.

    Raises:
        SearchSyntaxError: nothing to search for, an unclosed quote or parenthesis, a dangling `or`, far too much.
    """
    from lark.exceptions import UnexpectedInput

    source = text.translate(_QUOTES)
    if not source.strip():
        raise SearchSyntaxError("the expression is empty: name something to search for", source=text, span=(0, 0))
    if len(source) > MAX_LENGTH:
        raise SearchSyntaxError(
            f"the expression has {len(source)} characters, more than {MAX_LENGTH}",
            source=text,
            span=(MAX_LENGTH, len(source)),
        )
    _check_depth(source, text)
    try:
        tree = _parser().parse(source)
    except UnexpectedInput as error:
        _raise_for(error, source, text)
    node = _node(tree.children[0], text)
    terms = sum(1 for _ in iter_leaves(node))
    if terms > MAX_TERMS:
        raise SearchSyntaxError(
            f"the expression has {terms} terms, more than {MAX_TERMS}", source=text, span=(0, len(text))
        )
    return node


def iter_leaves(node: Node) -> Iterator[Term | Words | ExactName]:
    """The terms of a tree, from left to right."""
    match node:
        case Not(part):
            yield from iter_leaves(part)
        case And(parts) | Or(parts):
            for part in parts:
                yield from iter_leaves(part)
        case _:
            yield node


@cache
def _parser() -> Lark:
    from lark import Lark

    grammar = resources.files(__package__).joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer="contextual", maybe_placeholders=False)


def _node(tree: Any, source: str) -> Node:
    children = tree.children
    match str(tree.data):
        case "either":
            return Or(tuple(_node(child, source) for child in children))
        case "both":
            return And(tuple(_node(child, source) for child in children))
        case "negation":
            return Not(_node(children[1], source))
        case "group":
            return _node(children[1], source)
        case "exact":
            return ExactName(_value(children[1]))
        case "words":
            return Words(_value(children[0]))
    keyword, operator, value = children
    return Term(str(keyword).lower(), str(operator), _value(value), source, (keyword.start_pos, value.end_pos))


def _value(token: Token) -> Value:
    assert token.start_pos is not None
    assert token.end_pos is not None
    span = (token.start_pos, token.end_pos)
    match token.type:
        case "QUOTED":
            text = str(token)[1:-1]
            return Value(ValueKind.QUOTED, text.replace('\\"', '"') if token[0] == '"' else text, span)
        case "REGEX":
            return Value(ValueKind.REGEX, str(token)[1:-1], span)
    return Value(ValueKind.WORD, str(token), span)


def _check_depth(source: str, text: str) -> None:
    if runs := _MANY_MINUS.search(source):
        raise SearchSyntaxError(f"minus signs nest deeper than {MAX_DEPTH}", source=text, span=runs.span())
    depth = 0
    for place, character in enumerate(source):
        depth += (character == "(") - (character == ")")
        if depth > MAX_DEPTH:
            raise SearchSyntaxError(f"parentheses nest deeper than {MAX_DEPTH}", source=text, span=(place, place + 1))


def _raise_for(error: Any, source: str, text: str) -> NoReturn:
    """The parser's complaint in the words of the search language."""
    place = error.pos_in_stream
    token = getattr(error, "token", None)
    if place is None or (token is not None and token.type == "$END"):
        place = len(source)
    rest = source[place:]
    open_quote = _open_quote(source)
    open_group = _open_group(source)

    def fail(message: str, start: int, end: int) -> NoReturn:
        raise SearchSyntaxError(message, source=text, span=(start, end)) from error

    if open_quote is not None and place >= open_quote:
        fail(f"the quote opened at character {open_quote + 1} is never closed", open_quote, len(source))
    if rest[:1] == ")":
        before = source[:place].rstrip()
        if before.endswith("("):
            fail("there is nothing between the parentheses", len(before) - 1, place + 1)
        if _depth(source[:place]) == 0:
            fail("this parenthesis closes nothing", place, place + 1)
    if not rest.strip() and open_group is not None:
        fail(f"the parenthesis opened at character {open_group + 1} is never closed", open_group, len(source))
    last = source[:place].split()[-1:] or [""]
    if rest[:2].lower() == "or" or rest[:3].lower() == "and" or last[0].lower() in ("or", "and"):
        fail('"or" and "and" need a term on both sides (put them in quotes to search for the word)', place, len(source))
    if rest[:1] in "-!" and rest:
        fail(f"{rest[0]!r} needs a term right after it", place, place + 1)
    word = (rest.split() or [""])[0]
    if '"' in word[:-1] or (word[1:] and place and not source[place - 1].isspace()):
        fail("a quote begins or ends within a word: part them with a blank", place, place + len(word))
    fail(f"can't read {word!r} here" if word else "the expression ends too early", place, place + max(len(word), 0))


def _outside_quotes(source: str) -> Iterator[tuple[int, str]]:
    """The characters outside double quotes, and every quote that opens."""
    quoted = False
    for place, character in enumerate(source):
        if character == '"' and not (quoted and source[place - 1] == "\\"):
            quoted = not quoted
            if quoted:
                yield place, character
        elif not quoted:
            yield place, character


def _open_quote(source: str) -> int | None:
    opened = [place for place, character in _outside_quotes(source) if character == '"']
    unescaped = source.replace('\\"', "  ").count('"')
    return opened[-1] if opened and unescaped % 2 else None


def _open_group(source: str) -> int | None:
    stack: list[int] = []
    for place, character in _outside_quotes(source):
        if character == "(":
            stack.append(place)
        elif character == ")" and stack:
            stack.pop()
    return stack[-1] if stack else None


def _depth(source: str) -> int:
    marks = [character for _, character in _outside_quotes(source)]
    return max(marks.count("(") - marks.count(")"), 0)
