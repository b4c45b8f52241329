"""`type`, `keyword`, `layout`: what stands on the type line, what abilities a card has, how its faces share it."""

from __future__ import annotations

from string import capwords

from sqlalchemy import and_, func, not_, or_, select

from indexer.search.keywords import TEXTS, Context, Keyword, Lookup
from indexer.search.sql import Condition, contains
from indexer.search.syntax import Term, ValueKind
from indexer.search.terms_text import found, pattern_of
from indexer.storage.models import Card, FaceType
from indexer.storage.models import Keyword as CardKeyword

TYPES_OF_EXTRAS = frozenset(
    {"plane", "phenomenon", "scheme", "vanguard", "dungeon", "token", "emblem", "card", "stickers", "attraction"}
)
"""Words of a type line that only objects outside a deck have. Who asks for one wants to see them."""
LAYOUTS_OF_EXTRAS = frozenset(
    {"planar", "scheme", "vanguard", "token", "double_faced_token", "emblem", "art_series", "front_card"}
)


def type_line(term: Term, context: Context) -> Condition:
    """A word of a type line, or part of one. A whole word that is a type is found as a word: `god` isn't in Demigod."""
    if term.value.kind is ValueKind.REGEX:
        return found(pattern_of(term), Card.type_line)
    wanted = term.value.text.strip().replace("’", "'")
    if not wanted:
        term.bad_value("the type to look for is empty")
    if wanted.lower() in TYPES_OF_EXTRAS:
        context.wants_extras = True
    name = capwords(capwords(wanted), "-")
    is_type = select(FaceType.oracle_id).where(FaceType.name == name)
    return or_(Card.oracle_id.in_(is_type), and_(not_(is_type.exists()), contains(Card.type_line, wanted)))


def keyword_ability(term: Term, context: Context) -> Condition:
    """A keyword ability, keyword action or ability word that Scryfall lists for the card."""
    wanted = term.value.text.strip().lower()
    context.lookups.append(Lookup(func.lower(CardKeyword.keyword), wanted, "keyword ability", term.value.span))
    having = select(CardKeyword.oracle_id).where(func.lower(CardKeyword.keyword) == wanted)
    return Card.oracle_id.in_(having)


def layout(term: Term, context: Context) -> Condition:
    """How the faces share the card, in Scryfall's words: `saga`, `modal_dfc`."""
    wanted = term.value.text.strip().lower()
    context.lookups.append(Lookup(Card.layout, wanted, "layout", term.value.span))
    if wanted in LAYOUTS_OF_EXTRAS:
        context.wants_extras = True
    return Card.layout == wanted


KEYWORDS = (
    Keyword("type", type_line, "words of its type line", ("t",), values=TEXTS),
    Keyword("keyword", keyword_ability, "a keyword ability it has", ("kw",)),
    Keyword("layout", layout, "how its faces share it"),
)
