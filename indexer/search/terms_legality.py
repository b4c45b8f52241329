"""`format`, `banned`, `restricted`: a card's status in a format."""

from __future__ import annotations

from sqlalchemy import select

from indexer.search.keywords import Compiler, Context, Keyword, Lookup
from indexer.search.sql import Condition
from indexer.search.syntax import Term
from indexer.storage.models import Card, Legality

FORMAT_ALIASES = {
    "edh": "commander",
    "duelcommander": "duel",
    "paupercommander": "paupercommander",
    "pdh": "paupercommander",
}
"""Other names of formats -> Scryfall's."""


def with_status(format_name: str, *statuses: str) -> Condition:
    """Whether the card has one of these statuses in the format."""
    legality = (
        select(Legality.status)
        .where(Legality.oracle_id == Card.oracle_id, Legality.format == format_name, Legality.status.in_(statuses))
        .correlate(Card)
    )
    return legality.exists()


def _compiler(*statuses: str) -> Compiler:
    def compile_status(term: Term, context: Context) -> Condition:
        name = term.value.text.strip().lower().replace(" ", "")
        name = FORMAT_ALIASES.get(name, name)
        context.lookups.append(Lookup(Legality.format, name, "format", term.value.span))
        return with_status(name, *statuses)

    return compile_status


KEYWORDS = (
    Keyword("format", _compiler("legal", "restricted"), "a format it is legal in", ("f", "legal")),
    Keyword("banned", _compiler("banned"), "a format it is banned in"),
    Keyword("restricted", _compiler("restricted"), "a format it is restricted in"),
)
