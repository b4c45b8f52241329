"""`name`, `oracle`, `fulloracle`, bare words and `!exact names`: text in texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import SQLColumnExpression, and_, or_

from indexer.search.faces import any_face
from indexer.search.fulltext import may_have
from indexer.search.keywords import TEXTS, Context, Keyword
from indexer.search.names import fold_name
from indexer.search.regex import InvalidPattern, Pattern, compile_pattern
from indexer.search.sql import Condition, contains, matches, name_contains, name_is, plain_text, self_text
from indexer.search.syntax import ExactName, Term, ValueKind, Words
from indexer.storage.models import Card

_STRAIGHT = str.maketrans("’‘“”", "''\"\"")
"""Oracle texts have straight quotes."""


def name(term: Term, _: Context) -> Condition:
    """Part of the name, or a regular expression found in it."""
    if term.value.kind is ValueKind.REGEX:
        return found(pattern_of(term), Card.name)
    return _name_part(term.value.text)


def loose_words(words: Words) -> Condition:
    """Part of the name, for words without a keyword."""
    return _name_part(words.value.text)


def _name_part(text: str) -> Condition:
    folded = fold_name(text)
    # `//` parts the names of two faces; a few funny names are nothing but signs.
    return name_contains(Card.name, folded) if folded else contains(Card.name, text.strip())


def exact_name(exact: ExactName) -> Condition:
    """The whole name of the card or of one of its faces, without regard to case, accents and punctuation."""
    folded = fold_name(exact.value.text)
    if not folded:
        return Card.name == exact.value.text
    return or_(name_is(Card.name, folded), any_face(lambda face: name_is(face.name, folded)))


def oracle(term: Term, _: Context) -> Condition:
    """Part of the rules text of any face without reminder text; `~` stands for the card itself."""
    return _text_condition(term, plain_text)


def full_oracle(term: Term, _: Context) -> Condition:
    """The same, with reminder text."""
    return _text_condition(term, lambda text: text)


def _text_condition(term: Term, reading: Callable[[Any], SQLColumnExpression[Any]]) -> Condition:
    text = reading(Card.oracle_text)
    if term.value.kind is ValueKind.REGEX:
        pattern = pattern_of(term)
        searched = self_text(text, Card.name) if pattern.mentions_self else text
        return _found(pattern, printed=Card.oracle_text, searched=searched)
    wanted = term.value.text.translate(_STRAIGHT)
    if not wanted.strip():
        term.bad_value("the text to look for is empty")
    # Whatever is to be found in the text as it is read stands in one piece in the printed text, but for `~`.
    fragment = max(wanted.split("~"), key=len)
    likely = [*may_have(fragment), contains(Card.oracle_text, fragment)] if fragment.strip() else []
    searched = self_text(text, Card.name) if "~" in wanted else text
    return and_(*likely, contains(searched, wanted))


def pattern_of(term: Term) -> Pattern:
    """The regular expression of a term. Raises `SearchSyntaxError` with its place."""
    try:
        return compile_pattern(term.value.text)
    except InvalidPattern as error:
        term.bad_value(str(error))


def found(pattern: Pattern, column: SQLColumnExpression[Any]) -> Condition:
    """Whether the pattern is found in the column."""
    return _found(pattern, printed=column, searched=column)


def _found(pattern: Pattern, *, printed: SQLColumnExpression[Any], searched: SQLColumnExpression[Any]) -> Condition:
    # A piece of plain text that every match has is found much faster than the match.
    likely = [contains(printed, pattern.literal)] if pattern.literal else []
    return and_(*likely, matches(searched, pattern.sqlite, pattern.postgresql))


KEYWORDS = (
    Keyword("name", name, "part of its name", values=TEXTS),
    Keyword("oracle", oracle, "its rules text without reminder text", ("o",), values=TEXTS),
    Keyword("fulloracle", full_oracle, "its rules text with reminder text", ("fo",), values=TEXTS),
)
