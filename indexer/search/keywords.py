"""What a keyword of the search language is: its names, the operators and values it takes, and what compiles it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from sqlalchemy import SQLColumnExpression

from indexer.errors import SearchSyntaxError
from indexer.search.sql import Condition
from indexer.search.syntax import Span, Term, ValueKind

EQUALITY = frozenset({":", "="})
COMPARISONS = frozenset({":", "=", "!=", "<", "<=", ">", ">="})
WORDS = frozenset({ValueKind.WORD, ValueKind.QUOTED})
TEXTS = WORDS | {ValueKind.REGEX}


@dataclass(frozen=True, slots=True)
class Lookup:
    """A value of the expression that names something of the pool (a set, a format): worth a word if nothing has it."""

    column: SQLColumnExpression[Any]
    value: str
    what: str
    """What it would be, for the message: `set`, `format`."""
    span: Span


@dataclass(slots=True)
class Context:
    """What a compiler may ask, and where it leaves what the whole search must know."""

    source: str
    """The whole expression."""
    today: dt.date
    """For `date>=now`."""
    wants_extras: bool = False
    """Set by a term that asks for tokens, planes and the like, which a search leaves out otherwise."""
    lookups: list[Lookup] = field(default_factory=list)


Compiler = Callable[[Term, Context], Condition]


@dataclass(frozen=True, slots=True)
class Keyword:
    """One keyword of the language."""

    name: str
    compile: Compiler
    summary: str
    """What it finds, for people."""
    aliases: tuple[str, ...] = ()
    operators: frozenset[str] = EQUALITY
    values: frozenset[ValueKind] = WORDS


def check_form(keyword: Keyword, term: Term) -> None:
    """Refuse an operator or a kind of value that the keyword doesn't take. Raises `SearchSyntaxError`."""
    if term.operator not in keyword.operators:
        taken = " or ".join(f'"{operator}"' for operator in (":", "="))
        raise SearchSyntaxError(
            f"{term.keyword!r} can't be compared with {term.operator!r}, only with {taken}",
            source=term.source,
            span=term.span,
        )
    if term.value.kind not in keyword.values:
        term.bad_value(f"{term.keyword!r} takes no {term.value.kind.value}")


def suggestion(word: str, known: list[str] | tuple[str, ...]) -> str:
    """`; did you mean 'x'?` for the known word nearest to this one; empty if none is near.

    >>> suggestion("colour", ["color", "mana"])
    "; did you mean 'color'?"
    """
    near = get_close_matches(word, known, n=1, cutoff=0.65)
    return f"; did you mean {near[0]!r}?" if near else ""
