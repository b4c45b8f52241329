"""The text of one SQL statement: its words, its parameters, the functions it calls, and what it must not be.

This is no SQL parser. It knows where strings, quoted names and comments begin and end, so that a word in a text is told
from a word of the language. Whether the statement is right is for the database to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from indexer.errors import QueryError

READING_WORDS = ("SELECT", "WITH", "VALUES", "TABLE", "EXPLAIN")
"""What a statement that reads begins with."""

_TOKENS = re.compile(
    r"""
    (?P<comment>--[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|$))
    | (?P<dollar>\$(?P<tag>(?:[^\W\d]\w*)?)\$.*?(?:\$(?P=tag)\$|$))
    | (?P<escaped>[eE]'(?:\\.|''|[^'\\])*(?:'|$))
    | (?P<string>'(?:''|[^'])*(?:'|$))
    | (?P<name>"(?:""|[^"])*(?:"|$))
    | (?P<cast>::)
    | (?P<parameter>:[A-Za-z_]\w*)
    | (?P<word>[^\W\d][\w$]*)
    | (?P<number>\d[\w.]*)
    | (?P<blank>\s+)
    | (?P<sign>.)
    """,
    re.VERBOSE | re.DOTALL,
)


class Token(NamedTuple):
    """A piece of the statement. `kind` is a group of the expression above."""

    kind: str
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement that reads."""

    sql: str
    tokens: tuple[Token, ...]

    @property
    def parameters(self) -> frozenset[str]:
        """The names of the parameters, written `:name`."""
        return frozenset(token.text[1:] for token in self.tokens if token.kind == "parameter")

    @property
    def called(self) -> frozenset[str]:
        """The names that stand before a parenthesis: functions, among others. Lower case unless quoted."""
        names: set[str] = set()
        solid = [token for token in self.tokens if token.kind not in ("comment", "blank")]
        for token, follower in pairwise(solid):
            if follower.text == "(":
                if token.kind == "word":
                    names.add(token.text.lower())
                elif token.kind == "name":
                    names.add(token.text[1:-1].replace('""', '"'))
        return frozenset(names)

    def check_parameters(self, given: Mapping[str, object]) -> None:
        """Make sure that the values given are those that the statement wants.

        Raises:
            QueryError: one is missing, or one is too many.
        """
        if missing := sorted(self.parameters - given.keys()):
            raise QueryError(f"the parameter :{missing[0]} has no value: give one with -p {missing[0]}=VALUE")
        if extra := sorted(given.keys() - self.parameters):
            raise QueryError(f"the query has no parameter :{extra[0]}")

    def place(self, offset: int) -> str:
        """Where a character is, for people: `line 2, character 5`."""
        before = self.sql[:offset]
        return f"line {before.count(chr(10)) + 1}, character {offset - (before.rfind(chr(10)) + 1) + 1}"

    def place_of(self, text: str) -> str | None:
        """Where a word or sign stands, if it stands in the statement exactly once."""
        places = [token.start for token in self.tokens if token.text == text]
        return self.place(places[0]) if len(places) == 1 else None


def parse_statement(sql: str) -> Statement:
    """The one statement in the text.

    Raises:
        QueryError: there is none, there are several, or it does not begin as one that reads.
    """
    text = sql.strip().rstrip(";").rstrip()
    tokens = tuple(_tokens(text))
    solid = [token for token in tokens if token.kind not in ("comment", "blank")]
    first = next((token for token in solid if token.text != "("), None)
    if first is None:
        raise QueryError("the query is empty: write a SELECT")
    statement = Statement(text, tokens)
    if first.text.upper() not in READING_WORDS:
        raise QueryError(
            f"only reading is allowed: a query begins with {', '.join(READING_WORDS[:-1])} or {READING_WORDS[-1]}, "
            f"not with {first.text[:40]!r}"
        )
    for token in solid:
        if token.text == ";":
            raise QueryError(f"only one statement is allowed; another begins at {statement.place(token.start + 1)}")
        if token.text == "\0":
            raise QueryError("the query has a NUL character")
    return statement


def _tokens(text: str) -> Iterator[Token]:
    for match in _TOKENS.finditer(text):
        # The tag of a dollar quote is a group of its own, and never the last one.
        yield Token("dollar" if match["dollar"] is not None else str(match.lastgroup), match.group(), match.start())


def parse_parameter(text: str) -> tuple[str, int | float | str]:
    """`name=value` as a name and a value: a number if it is written as one, otherwise text.

    >>> parse_parameter("mv=3"), parse_parameter("name=Fire // Ice")
    (('mv', 3), ('name', 'Fire // Ice'))

    Raises:
        QueryError: there is no `=`, or no name before it.
    """
    name, equals, value = text.partition("=")
    if not equals or not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise QueryError(f"not a parameter: {text!r}; write -p name=value")
    if re.fullmatch(r"[+-]?\d{1,18}", value):
        return name, int(value)
    if re.fullmatch(r"[+-]?\d{1,18}\.\d{1,18}", value):
        return name, float(value)
    return name, value
