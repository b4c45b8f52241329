"""A search expression compiled to one SELECT over `cards`."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from sqlalchemy import Select, and_, or_, select

from indexer.errors import SearchSyntaxError
from indexer.search import (
    terms_colors,
    terms_flags,
    terms_legality,
    terms_mana,
    terms_numbers,
    terms_own,
    terms_printing,
    terms_text,
    terms_types,
)
from indexer.search.keywords import Context, Keyword, Lookup, check_form, suggestion
from indexer.search.ordering import DIRECTIONS, MISSING_ORDERS, ORDERS_BY_NAME, ordering
from indexer.search.sql import Condition, negated
from indexer.search.syntax import And, ExactName, Node, Not, Or, Span, Term, Words, iter_leaves, parse_expression
from indexer.search.terms_flags import in_a_deck
from indexer.storage.models import Card

KEYWORDS: tuple[Keyword, ...] = (
    *terms_colors.KEYWORDS,
    *terms_mana.KEYWORDS,
    *terms_numbers.KEYWORDS,
    *terms_types.KEYWORDS,
    *terms_text.KEYWORDS,
    *terms_legality.KEYWORDS,
    *terms_flags.KEYWORDS,
    *terms_printing.KEYWORDS,
    *terms_own.KEYWORDS,
)
KEYWORDS_BY_NAME: dict[str, Keyword] = {name: k for k in KEYWORDS for name in (k.name, *k.aliases)}

DISPLAY_KEYWORDS: dict[str, str] = {
    "order": "order", "sort": "order", "direction": "direction", "dir": "direction", "include": "include",
    "unique": "unique",
}  # fmt: skip
"""Names of the keywords that say how to show the results -> their first name."""

MISSING: dict[str, str] = {
    **dict.fromkeys(("usd", "eur", "tix", "cheapest"), "prices"),
    **dict.fromkeys(("artist", "a", "artists", "illustrations"), "artists"),
    **dict.fromkeys(("art", "arttag", "atag", "function", "otag", "oracletag"), "Tagger tags"),
    **dict.fromkeys(("flavor", "ft"), "flavor text"),
    **dict.fromkeys(("watermark", "wm"), "watermarks"),
    **dict.fromkeys(("border", "frame", "stamp"), "frames and borders"),
    **dict.fromkeys(("lang", "language"), "printings in other languages"),
    **dict.fromkeys(("game",), "the games a printing is in"),
    **dict.fromkeys(("in", "prints", "sets", "paperprints", "papersets", "new"), "all printings of a card"),
    **dict.fromkeys(("block", "b", "group", "g"), "blocks of sets"),
    **dict.fromkeys(("cube",), "cube lists"),
    **dict.fromkeys(("prefer", "display"), "several printings or pictures to choose from"),
}
"""Keywords that Scryfall has and the pool can't answer -> what the pool doesn't hold."""

MAX_LIMIT = 2**63 - 1
"""The largest number that either database takes for a count of rows."""

_EMPTY_TERM = re.compile(r"([A-Za-z_]+)(?:[:=<>]|!=)+")


@dataclass(frozen=True, slots=True)
class CompiledSearch:
    """An expression ready to run."""

    statement: Select[Any]
    source: str
    lookups: tuple[Lookup, ...]
    """What the expression takes for granted: sets, formats, keywords that it names."""


def build_search(
    text: str,
    *,
    columns: Sequence[Any] = (Card.oracle_id, Card.name),
    limit: int | None = None,
    today: dt.date | None = None,
) -> Select[Any]:
    """The SELECT for a search expression, on either database; nothing is run.

    Cards that left the export are not in it, nor are tokens and other extras unless the expression asks for them.
    SQLite needs the functions of `sqlite_functions.register` on the connection. `today` is what `date>=now` means; None
    is the day in UTC.

    Raises:
        SearchSyntaxError: not well-formed, an unknown keyword, a value the keyword doesn't take, or a field that the
            pool doesn't have.
    """
    return compile_search(text, columns=columns, limit=limit, today=today).statement


def compile_search(
    text: str,
    *,
    columns: Sequence[Any] = (Card.oracle_id, Card.name),
    limit: int | None = None,
    today: dt.date | None = None,
) -> CompiledSearch:
    """The same with what it takes for granted, so that a misspelt set or format can be told from an empty result."""
    tree = parse_expression(text)
    context = Context(source=text, today=today or dt.datetime.now(dt.UTC).date())
    condition, display = _split(tree, text)
    where = [] if condition is None else [_compile(condition, context)]
    if "extras" not in display.included and not context.wants_extras:
        where.append(in_a_deck())
    if "removed" not in display.included:
        where.append(Card.removed_run_id.is_(None))
    order = ORDERS_BY_NAME[display.order]
    if limit is not None:
        limit = min(limit, MAX_LIMIT)
    statement = select(*columns).where(*where).order_by(*ordering(order, descending=display.descending)).limit(limit)
    return CompiledSearch(statement, text, tuple(context.lookups))


@dataclass(slots=True)
class _Display:
    order: str = "name"
    descending: bool | None = None
    included: frozenset[str] = frozenset()


def _split(tree: Node, source: str) -> tuple[Node | None, _Display]:
    """What to search for (None: everything), and what the expression says about how to show the results.

    The latter holds for the whole result, in whichever group of terms it stands.
    """
    display = _Display()
    condition = _without_display(tree, display, set())
    if condition is None and not display.included:
        raise SearchSyntaxError("the expression names nothing to search for", source=source, span=(0, len(source)))
    return condition, display


def _without_display(node: Node, display: _Display, seen: set[str]) -> Node | None:
    match node:
        case Term(keyword=keyword) if keyword in DISPLAY_KEYWORDS:
            _set_display(node, DISPLAY_KEYWORDS[keyword], display, seen)
            return None
        case And(parts):
            kept = [part for part in (_without_display(part, display, seen) for part in parts) if part is not None]
            return And(tuple(kept)) if len(kept) > 1 else kept[0] if kept else None
        case Or(parts):
            return Or(tuple(_with_condition(part, display, seen) for part in parts))
        case Not(part):
            return Not(_with_condition(part, display, seen))
    return node


def _with_condition(node: Node, display: _Display, seen: set[str]) -> Node:
    condition = _without_display(node, display, seen)
    if condition is None:
        term = next(leaf for leaf in iter_leaves(node) if isinstance(leaf, Term))
        _fail(f"{term.keyword!r} says how to show the results: 'or' and '-' can't go with it", term.source, term.span)
    return condition


def _set_display(term: Term, keyword: str, display: _Display, seen: set[str]) -> None:
    if term.operator not in (":", "="):
        _fail(f"{term.keyword!r} takes {term.keyword}:VALUE", term.source, term.span)
    value = term.value.text.strip().lower()
    if keyword != "include" and keyword in seen:
        _fail(f"{keyword!r} stands twice in the expression", term.source, term.span)
    seen.add(keyword)
    match keyword:
        case "order":
            if value in MISSING_ORDERS:
                term.bad_value(f"can't sort by {value}: the pool doesn't hold {MISSING_ORDERS[value]}")
            if value not in ORDERS_BY_NAME:
                term.bad_value(f"can't sort by {value!r}" + suggestion(value, list(ORDERS_BY_NAME)))
            display.order = value
        case "direction":
            if value not in DIRECTIONS:
                term.bad_value(f"{value!r} is no direction: asc or desc")
            display.descending = DIRECTIONS[value]
        case "include":
            if value not in ("extras", "removed"):
                term.bad_value(f"{value!r} can't be included: only extras and removed")
            display.included |= {value}
        case "unique":
            if value not in ("cards", "card"):
                term.bad_value(f"unique:{value} needs all printings of a card; the pool holds one of each")


def _compile(node: Node, context: Context) -> Condition:
    match node:
        case And(parts):
            return and_(*(_compile(part, context) for part in parts))
        case Or(parts):
            return or_(*(_compile(part, context) for part in parts))
        case Not(part):
            # Who wants no tokens does not ask for them.
            wanted = context.wants_extras
            condition = negated(_compile(part, context))
            context.wants_extras = wanted
            return condition
        case Words(value):
            _check_word(value.text, value.span, context)
            return terms_text.loose_words(node)
        case ExactName():
            return terms_text.exact_name(node)
    return _compile_term(node, context)


def _compile_term(term: Term, context: Context) -> Condition:
    keyword = KEYWORDS_BY_NAME.get(term.keyword)
    if keyword is None:
        _refuse_keyword(term)
    check_form(keyword, term)
    return keyword.compile(term, context)


def _refuse_keyword(term: Term) -> NoReturn:
    if term.keyword in MISSING:
        message = f"{term.keyword!r} can't be searched for: the pool doesn't hold {MISSING[term.keyword]}"
    else:
        known = [*KEYWORDS_BY_NAME, *DISPLAY_KEYWORDS]
        message = f"there is no keyword {term.keyword!r}" + suggestion(term.keyword, known)
    _fail(message, term.source, term.span)


def _check_word(text: str, span: Span, context: Context) -> None:
    match = _EMPTY_TERM.fullmatch(text)
    if match and match[1].lower() in {*KEYWORDS_BY_NAME, *DISPLAY_KEYWORDS, *MISSING}:
        _fail(f"{text!r} needs a value right after it, without a blank", context.source, span)


def _fail(message: str, source: str, span: Span) -> NoReturn:
    raise SearchSyntaxError(message, source=source, span=span)
