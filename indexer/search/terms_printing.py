"""`set`, `number`, `settype`, `rarity`, `date`, `year`: the one printing of each card that the pool holds."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

from sqlalchemy import ColumnElement, Date, SQLColumnExpression, and_, case, func, literal, or_, select
from sqlalchemy.orm import aliased

from indexer.search.comparisons import COMPARE
from indexer.search.keywords import COMPARISONS, Context, Keyword, Lookup, suggestion
from indexer.search.sql import Condition, leading_number
from indexer.search.syntax import Term
from indexer.storage.models import Card

RARITIES = ("common", "uncommon", "rare", "special", "mythic", "bonus")
"""From the most frequent to the rarest, as Scryfall orders them."""
_RARITY_LETTERS = {"c": "common", "u": "uncommon", "r": "rare", "s": "special", "m": "mythic", "b": "bonus"}
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")


def card_set(term: Term, context: Context) -> Condition:
    """The set of the printing, by its code or its whole name. A set named shows its tokens and other extras too."""
    wanted = term.value.text.strip().lower()
    context.wants_extras = True
    if " " in wanted:
        context.lookups.append(Lookup(func.lower(Card.set_name), wanted, "set", term.value.span))
        return func.lower(Card.set_name) == wanted
    context.lookups.append(Lookup(Card.set_code, wanted, "set", term.value.span))
    return Card.set_code == wanted


def set_type(term: Term, context: Context) -> Condition:
    """The kind of set: `core`, `expansion`, `masters`."""
    wanted = term.value.text.strip().lower().replace(" ", "_")
    context.wants_extras = True
    context.lookups.append(Lookup(Card.set_type, wanted, "type of set", term.value.span))
    return Card.set_type == wanted


def collector_number(term: Term, _: Context) -> Condition:
    """The collector number: as it is printed with `:` and `=`, by the number it begins with otherwise."""
    wanted = term.value.text.strip().lower()
    if term.operator in (":", "="):
        return func.lower(Card.collector_number) == wanted
    if not (wanted.isascii() and wanted.isdigit() and len(wanted) < 10):
        term.bad_value(f"collector numbers are compared with whole numbers, not with {term.value.text!r}")
    return COMPARE[term.operator](leading_number(Card.collector_number), int(wanted))  # type: ignore[no-any-return]


def rarity_rank() -> ColumnElement[int | None]:
    """The place of a card's rarity in `RARITIES`; NULL if it has another one or none."""
    return case(dict(zip(RARITIES, range(len(RARITIES)), strict=True)), value=Card.rarity)


def rarity(term: Term, _: Context) -> Condition:
    """The rarity of the printing, by name or first letter; `special` stands between rare and mythic."""
    text = term.value.text.strip().lower()
    wanted = _RARITY_LETTERS.get(text, text)
    if wanted not in RARITIES:
        term.bad_value(f"{term.value.text!r} is no rarity ({', '.join(RARITIES)})" + suggestion(text, RARITIES))
    if term.operator in (":", "="):
        return Card.rarity == wanted
    return COMPARE[term.operator](rarity_rank(), RARITIES.index(wanted))  # type: ignore[no-any-return]


def date(term: Term, context: Context) -> Condition:
    """The day the printing was released: a day, a month, a year, `now`, or a set's code for that set's first day."""
    text = term.value.text.strip().lower()
    if not text[:1].isdigit() and text not in ("now", "today"):
        return _date_of_set(term, context, text)
    first, last = days_of(term, context.today)
    return within(Card.released_at, term.operator, first, last)


def year(term: Term, context: Context) -> Condition:
    """The year the printing was released."""
    if not re.fullmatch(r"\d{4}|now", term.value.text.strip().lower()):
        term.bad_value(f"{term.value.text!r} is no year of four digits")
    first, last = days_of(term, context.today)
    if term.value.text.strip().lower() == "now":
        first, last = dt.date(first.year, 1, 1), dt.date(first.year, 12, 31)
    return within(Card.released_at, term.operator, first, last)


def _date_of_set(term: Term, context: Context, code: str) -> Condition:
    if not re.fullmatch(r"[a-z0-9_]{2,8}", code):
        term.bad_value(f"{term.value.text!r} is no date (YYYY, YYYY-MM or YYYY-MM-DD), nor the code of a set")
    context.lookups.append(Lookup(Card.set_code, code, "set", term.value.span))
    other = aliased(Card)
    released = select(func.min(other.released_at)).where(other.set_code == code).scalar_subquery()
    return COMPARE[term.operator](Card.released_at, released)  # type: ignore[no-any-return]


def days_of(term: Term, today: dt.date) -> tuple[dt.date, dt.date]:
    """The first and the last day that the value means. Raises `SearchSyntaxError` if it means none."""
    text = term.value.text.strip().lower()
    if text in ("now", "today"):
        return today, today
    match = _DATE.fullmatch(text)
    if match is None:
        term.bad_value(f"{term.value.text!r} is no date: write YYYY, YYYY-MM or YYYY-MM-DD")
    year_number, month, day = (int(part) if part else None for part in match.groups())
    assert year_number is not None
    try:
        first = dt.date(year_number, month or 1, day or 1)
    except ValueError:
        term.bad_value(f"there is no day {term.value.text!r}")
    if day:
        return first, first
    if month:
        return first, (first.replace(day=28) + dt.timedelta(days=4)).replace(day=1) - dt.timedelta(days=1)
    return first, dt.date(year_number, 12, 31)


def within(column: SQLColumnExpression[Any], operator: str, first: dt.date, last: dt.date) -> Condition:
    """Compare a day with a span of days: before it, in it, after it."""
    start, end = literal(first, Date()), literal(last, Date())
    match operator:
        case "<":
            return column < start
        case "<=":
            return column <= end
        case ">":
            return column > end
        case ">=":
            return column >= start
        case "!=":
            return or_(column < start, column > end)
    return and_(column >= start, column <= end)


KEYWORDS = (
    Keyword("set", card_set, "the set of its printing", ("s", "e", "edition")),
    Keyword("settype", set_type, "the kind of that set", ("st", "set_type")),
    Keyword("number", collector_number, "its collector number", ("cn",), COMPARISONS),
    Keyword("rarity", rarity, "its rarity", ("r",), COMPARISONS),
    Keyword("date", date, "the day it was released", (), COMPARISONS),
    Keyword("year", year, "the year it was released", (), COMPARISONS),
)
