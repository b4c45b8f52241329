"""`mismatch` and `changed`: what only this pool knows."""

from __future__ import annotations

import datetime as dt

from sqlalchemy import and_, or_, select

from indexer.search.keywords import COMPARISONS, Context, Keyword, suggestion
from indexer.search.sql import Condition
from indexer.search.syntax import Term
from indexer.search.terms_printing import days_of
from indexer.storage.models import Card, CardChange, Mismatch, SyncRun

MISMATCH_FIELDS = {
    "mana_value": "mana_value",
    "mv": "mana_value",
    "cmc": "mana_value",
    "colors": "colors",
    "color": "colors",
    "c": "colors",
    "color_identity": "color_identity",
    "identity": "color_identity",
    "id": "color_identity",
    "ci": "color_identity",
    "produced_mana": "produced_mana",
    "produces": "produced_mana",
}
"""Names of the compared fields -> the field."""
MISMATCH_CATEGORIES = ("published_error", "policy", "undecided")


def mismatch(term: Term, context: Context) -> Condition:
    """An open mismatch: of a field, of a category, or `any`. Objects outside a deck are shown too."""
    context.wants_extras = True
    text = term.value.text.strip().lower()
    open_ones = select(Mismatch.oracle_id).where(Mismatch.status == "open")
    if text in MISMATCH_FIELDS:
        open_ones = open_ones.where(Mismatch.field == MISMATCH_FIELDS[text])
    elif text in MISMATCH_CATEGORIES:
        open_ones = open_ones.where(Mismatch.category == text)
    elif text != "any":
        known = ["any", *MISMATCH_FIELDS, *MISMATCH_CATEGORIES]
        term.bad_value(
            f"{term.value.text!r} is no field or category of mismatches, nor 'any'" + suggestion(text, known)
        )
    return Card.oracle_id.in_(open_ones)


def changed(term: Term, context: Context) -> Condition:
    """A sync of that time brought the card or changed something of it. Days are days in UTC."""
    first, last = days_of(term, context.today)
    start = dt.datetime.combine(first, dt.time(), dt.UTC)
    end = dt.datetime.combine(last, dt.time(), dt.UTC) + dt.timedelta(days=1)
    started = SyncRun.started_at
    match term.operator:
        case ">":
            inside = started >= end
        case ">=":
            inside = started >= start
        case "<":
            inside = started < start
        case "<=":
            inside = started < end
        case "!=":
            inside = or_(started < start, started >= end)
        case _:
            inside = and_(started >= start, started < end)
    runs = select(SyncRun.id).where(inside)
    changes = select(CardChange.oracle_id).where(CardChange.run_id.in_(runs))
    return or_(Card.first_seen_run_id.in_(runs), Card.oracle_id.in_(changes))


KEYWORDS = (
    Keyword("mismatch", mismatch, "an open mismatch it has"),
    Keyword("changed", changed, "the day a sync brought or changed it", (), COMPARISONS),
)
