"""The full-text index as a first sieve for phrases.

A search for text finds parts of words, an index finds words and their beginnings. Where a phrase has words that are
certain to be whole, or the beginning of one, every text with the phrase has them side by side, so that the index names
all texts that may have it; the search then looks for the phrase itself in those few.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from sqlalchemy import Text, literal
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler

from indexer.search.sql import Condition, Question
from indexer.storage.fulltext import FTS_TABLE, VECTOR_COLUMN

_WORD = re.compile(r"[A-Za-z0-9]+")
_PLAIN_WORD = re.compile(r"[A-Za-z]+")
_RARE_LENGTH = 5
"""A phrase of shorter words only (`a card`) is in so many texts that reading all of them takes no longer."""


class Sieve(NamedTuple):
    """The query for each database's index."""

    sqlite: str
    postgresql: str


def sieve_for(phrase: str) -> Sieve | None:
    """Queries that find every text with the phrase and few others; None if the phrase gives no such query.

    >>> sieve_for("enters the battlefield tapp")
    Sieve(sqlite='oracle_text : "the battlefield tapp" *', postgresql='the <-> battlefield <-> tapp:*')
    >>> sieve_for("flying") is None
    True
    """
    if not phrase.isascii():
        return None
    # The first word may be the end of a longer one unless something stands before it; so may the last be a beginning.
    words = [match for match in _WORD.finditer(phrase) if match.start() > 0]
    if not any(len(word.group()) >= _RARE_LENGTH for word in words):
        return None
    ends_open = words[-1].end() == len(phrase)
    sqlite = f'oracle_text : "{" ".join(word.group() for word in words)}"' + (" *" if ends_open else "")
    return Sieve(sqlite, _postgresql_query(phrase, words))


def _postgresql_query(phrase: str, words: list[re.Match[str]]) -> str:
    """Its parser takes `+1/+1` or `and/or` for one token: only plain words with a blank on either side are certain."""
    longest: list[str] = []
    run: list[str] = []
    place = -1
    for word in words:
        plain = _PLAIN_WORD.fullmatch(word.group()) and phrase[word.start() - 1] == " "
        follows = phrase[place : word.start()] == " "
        closed = phrase[word.end() : word.end() + 1]
        if not plain or closed not in ("", " "):
            run = []
            continue
        run = [*run, word.group()] if follows else [word.group()]
        place = word.end()
        if len(run) >= len(longest):
            longest = [*run[:-1], run[-1] + ("" if closed else ":*")]
    return " <-> ".join(longest).lower()


class _InIndex(Question):
    """Whether the full-text index finds the row of `cards` for a query."""

    name = "in_full_text_index"
    inherit_cache = True


@compiles(_InIndex, "sqlite")
def _in_index_sqlite(element: _InIndex, compiler: SQLCompiler, **kw: Any) -> str:
    query = compiler.process(next(iter(element.clauses)), **kw)
    return f"(cards.search_id IN (SELECT rowid FROM {FTS_TABLE} WHERE {FTS_TABLE} MATCH {query}))"


@compiles(_InIndex)
def _in_index_default(element: _InIndex, compiler: SQLCompiler, **kw: Any) -> str:
    query = compiler.process(list(element.clauses)[1], **kw)
    return f"(cards.{VECTOR_COLUMN} @@ to_tsquery('simple', {query}))"


def may_have(phrase: str) -> list[Condition]:
    """A condition on `cards` that every card with the phrase in its rules text meets; none if there is no cheap one."""
    sieve = sieve_for(phrase)
    if sieve is None:
        return []
    return [_InIndex(literal(sieve.sqlite, Text()), literal(sieve.postgresql, Text()))]
