"""`mana` and `devotion`: the symbols of a mana cost (CR 202.1), compared as what they are and how often they stand."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Integer, SQLColumnExpression, and_, case, literal, not_, or_

from indexer.errors import InvalidManaSymbol
from indexer.rules.colors import COLOR_LETTERS
from indexer.rules.symbols import SYMBOLS, ManaSymbol, SymbolKind, parse_symbol
from indexer.search.comparisons import COMPARE
from indexer.search.faces import any_face
from indexer.search.keywords import COMPARISONS, Context, Keyword
from indexer.search.sql import Condition, contains, generic_mana, length_of_all
from indexer.search.syntax import Term

_TOKEN = re.compile(r"\{([^{}]*)\}|(\d+)|([A-Za-z½∞])")
_EITHER_ORDER = (SymbolKind.HYBRID, SymbolKind.HYBRID_PHYREXIAN)
_TWO_HALVES = (SymbolKind.COLORED, SymbolKind.PHYREXIAN, SymbolKind.HYBRID, SymbolKind.HYBRID_PHYREXIAN)
PERMANENT_TYPES = ("Creature", "Artifact", "Enchantment", "Land", "Planeswalker", "Battle")
"""CR 110.4. The most frequent first: the first that is found decides."""


@dataclass(frozen=True, slots=True)
class CostPattern:
    """A wanted cost: so much generic mana, and the other symbols with their numbers."""

    generic: int
    symbols: tuple[tuple[ManaSymbol, int], ...]
    has_number: bool
    """Whether a numerical symbol was written; `{0}` is one, and is a cost of its own (CR 107.4d)."""


def mana(term: Term, _: Context) -> Condition:
    """A face's mana cost against symbols: `:` and `>=` contain them all, `=` is them, `<=` has no others.

    Generic mana counts by its amount: `{5}` contains `2`. A face without a mana cost (CR 202.1b) never matches.
    """
    wanted = _cost_pattern(term)
    return any_face(lambda face: _compare_cost(face.mana_cost, term.operator, wanted))


def devotion(term: Term, _: Context) -> Condition:
    """What a permanent adds to the devotion to one color or two (CR 700.5): symbols that are one of these colors."""
    symbols = _symbols(term)
    colors = {symbol.colors for symbol in symbols}
    if len(colors) != 1 or any(symbol.kind not in _TWO_HALVES for symbol in symbols):
        term.bad_value(
            f"devotion is counted in one kind of colored or hybrid symbols, such as {{u}}{{u}} or {{u/b}}{{u/b}}, "
            f"not {term.value.text!r}"
        )
    letters = str(colors.pop())
    compare = COMPARE[">=" if term.operator == ":" else term.operator]

    def enough(face: Any) -> Condition:
        permanent = or_(*(contains(face.type_line, name) for name in PERMANENT_TYPES))
        has_cost = or_(*(contains(face.mana_cost, letter) for letter in letters))
        some = and_(has_cost, permanent) if term.operator in (":", ">=", ">", "=") else permanent
        return and_(some, compare(_symbols_of_colors(face.mana_cost, letters), len(symbols)))

    return any_face(enough)


def _symbols_of_colors(cost: SQLColumnExpression[Any], letters: str) -> ColumnElement[int]:
    count = length_of_all(cost, letters[0])
    if len(letters) == 2:
        first, second = letters[0], letters[1]
        # A hybrid symbol of both colors has been counted with each of them.
        both = length_of_all(cost, f"{first}/{second}") + length_of_all(cost, f"{second}/{first}")
        count = count + length_of_all(cost, second) - both // 3
    return count


def _symbols(term: Term) -> list[ManaSymbol]:
    """The symbols of the value, in braces or not: `2WW`, `{2}{W}{W}`, `{w/u}`. Raises `SearchSyntaxError`."""
    text = term.value.text
    symbols = []
    place = 0
    for match in _TOKEN.finditer(text):
        if match.start() != place:
            break
        token = next(group for group in match.groups() if group is not None).upper()
        place = match.end()
        try:
            symbol = parse_symbol(f"{{{token}}}")
        except InvalidManaSymbol:
            term.bad_value(f"{match.group()!r} is no mana symbol")
        if not symbol.is_mana:
            term.bad_value(f"{symbol} never stands in a mana cost (CR {symbol.rule})")
        symbols.append(symbol)
    if place != len(text) or not symbols:
        term.bad_value(f"{text!r} is no row of mana symbols, such as 2WW or {{2/G}}{{U}}")
    return symbols


def _cost_pattern(term: Term) -> CostPattern:
    symbols = _symbols(term)
    numbers = [symbol for symbol in symbols if symbol.kind is SymbolKind.GENERIC]
    others = Counter(symbol for symbol in symbols if symbol.kind is not SymbolKind.GENERIC)
    generic = sum(int(symbol.mana_value or 0) for symbol in numbers)
    if generic > 10**9:
        term.bad_value(f"no cost has {generic} generic mana")
    return CostPattern(generic, tuple(others.items()), bool(numbers))


def _spellings(symbol: ManaSymbol) -> list[str]:
    """The symbol as a cost may spell it: a hybrid symbol in either order."""
    if symbol.kind not in _EITHER_ORDER:
        return [symbol.text]
    return [s.text for s in SYMBOLS.values() if s.kind is symbol.kind and s.colors == symbol.colors]


def _count_of(cost: SQLColumnExpression[Any], symbol: ManaSymbol) -> ColumnElement[int]:
    """How many characters of the cost the symbol takes, all occurrences together."""
    first, *rest = (length_of_all(cost, text) for text in _spellings(symbol))
    return sum(rest, first)


def _compare_cost(cost: SQLColumnExpression[Any], operator: str, wanted: CostPattern) -> Condition:
    has_all = and_(
        *(or_(*(contains(cost, text) for text in _spellings(symbol))) for symbol, _ in wanted.symbols),
        *(_count_of(cost, symbol) >= len(symbol.text) * count for symbol, count in wanted.symbols if count > 1),
        *([generic_mana(cost) >= wanted.generic] if wanted.generic else []),
        *([contains(cost, "{0}")] if wanted.has_number and not wanted.generic else []),
        contains(cost, "{"),
    )
    number = case((or_(generic_mana(cost) > 0, contains(cost, "{0}")), 1), else_=0)
    listed = sum(
        (_count_of(cost, symbol) // len(symbol.text) for symbol, _ in wanted.symbols), start=literal(0, Integer())
    )
    strange = set(COLOR_LETTERS).difference(*(symbol.text for symbol, _ in wanted.symbols))
    has_no_other = and_(
        contains(cost, "{"),
        # A letter is found faster than symbols are counted.
        *(not_(contains(cost, letter)) for letter in sorted(strange)),
        generic_mana(cost) <= wanted.generic,
        *(_count_of(cost, symbol) <= len(symbol.text) * count for symbol, count in wanted.symbols),
        length_of_all(cost, "{") - number == listed,
    )
    match operator:
        case ":" | ">=":
            return has_all
        case "=":
            return and_(has_all, has_no_other)
        case "!=":
            return and_(contains(cost, "{"), ~and_(has_all, has_no_other))
        case ">":
            return and_(has_all, ~has_no_other)
        case "<=":
            return has_no_other
    return and_(has_no_other, ~has_all)


KEYWORDS = (
    Keyword("mana", mana, "symbols of its mana cost", ("m",), COMPARISONS),
    Keyword("devotion", devotion, "symbols it adds to a devotion", (), COMPARISONS),
)
