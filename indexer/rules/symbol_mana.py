"""What adding a mana symbol gives, alone and in a row.

CR 106.8-106.11: a hybrid symbol is a choice, a Phyrexian one its color, a generic one that much colorless mana, a snow
one colorless. CR 106.5: what is none of the six types of mana (106.1b) adds nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from indexer.errors import InvalidManaSymbol
from indexer.rules.colors import COLOR_LETTERS, MANA_LETTERS, NO_MANA, ManaTypes
from indexer.rules.symbols import ManaSymbol, Number, SymbolKind, parse_symbol


class SymbolYield(NamedTuple):
    """What adding one mana symbol gives."""

    rule: str
    """The rule that says so."""
    choices: tuple[tuple[str, Number | None], ...]
    """Each a type of mana and how much of it; the player picks one. None: no fixed amount (X, infinity)."""


_RULES = {
    SymbolKind.COLORED: "106.3",
    SymbolKind.COLORLESS: "106.3",
    SymbolKind.GENERIC: "106.10",
    SymbolKind.VARIABLE: "106.10",
    SymbolKind.HYBRID: "106.8",
    SymbolKind.MONOCOLORED_HYBRID: "106.8",
    SymbolKind.COLORLESS_HYBRID: "106.8",
    SymbolKind.HYBRID_PHYREXIAN: "106.8",
    SymbolKind.PHYREXIAN: "106.9",
    SymbolKind.COLORLESS_PHYREXIAN: "106.9",
    SymbolKind.SNOW: "106.11",
    SymbolKind.HALF: "106.3",
    SymbolKind.INFINITE: "106.10",
    SymbolKind.LEGENDARY: "106.5",
    SymbolKind.LAND_DROP: "106.5",
    SymbolKind.NOT_MANA: "106.5",
}


def _half_yield(half: str) -> tuple[str, Number]:
    """What one half of a symbol adds: mana of its letter, or colorless mana in the amount of its number."""
    return ("C", int(half)) if half.isdigit() else (half, 1)


def _yield_of(symbol: ManaSymbol) -> SymbolYield:
    token, kind, rule = symbol.text[1:-1], symbol.kind, _RULES[symbol.kind]
    if token == "H":  # any Phyrexian symbol (CR 107.4g)
        return SymbolYield("106.9", tuple((color, 1) for color in COLOR_LETTERS))
    if rule == "106.5":
        return SymbolYield(rule, ())
    if kind in (SymbolKind.VARIABLE, SymbolKind.INFINITE):
        return SymbolYield(rule, (("C", None),))
    if kind is SymbolKind.SNOW:
        return SymbolYield(rule, (("C", 1),))
    if kind is SymbolKind.HALF:
        return SymbolYield(rule, ((str(symbol.colors) or "C", Fraction(1, 2)),))
    halves = [_half_yield(half) for half in token.split("/") if half != "P"]
    return SymbolYield(rule, tuple(half for half in halves if half[1]))


@lru_cache(maxsize=256)
def mana_of_symbol(symbol: str) -> SymbolYield | None:
    """What adding this symbol gives, the symbol without its braces; None for a symbol that isn't known.

    CR 106.8: hybrid, the player chooses a half, and a number in it is that much colorless mana. CR 106.9: Phyrexian,
    its color. CR 106.10: generic, that much colorless. CR 106.11: snow, colorless. CR 106.5: what is no type of mana
    (`T`) gives nothing: no choices.

    >>> mana_of_symbol("2/W").choices, mana_of_symbol("S").choices, mana_of_symbol("?")
    ((('C', 2), ('W', 1)), (('C', 1),), None)
    """
    try:
        return _yield_of(parse_symbol(f"{{{symbol}}}"))
    except InvalidManaSymbol:
        return None


_SYMBOL = re.compile(r"\{([^{}\s]+)\}")
_INFINITE = "\N{INFINITY}"


def mana_added(symbols: str, *, x: int | None = None) -> tuple[Mapping[str, Number], ...]:
    """What an effect that adds this row of symbols can give, as every different outcome: type of mana -> amount.

    One outcome where nothing is chosen; an outcome without mana is an empty mapping. `x` is the amount that a variable
    symbol stands for; less than 0 is 0 (CR 107.1b).

    >>> mana_added("{C}{C}"), mana_added("{G/W}"), mana_added("{0}")
    (({'C': 2},), ({'G': 1}, {'W': 1}), ({},))

    Raises:
        InvalidManaSymbol: text that isn't a row of known symbols, a variable symbol without `x`, or infinity.
    """
    outcomes: list[dict[str, Number]] = [{}]
    at = 0
    while at < len(symbols):
        match = _SYMBOL.match(symbols, at)
        found = mana_of_symbol(match[1]) if match else None
        if match is None or found is None:
            span = match.span() if match else (at, len(symbols))
            message = f"{symbols[slice(*span)]!r} in {symbols!r} is no mana symbol; write each in braces, as in '{{G}}'"
            raise InvalidManaSymbol(message, source=symbols, span=span)
        choices: list[tuple[str, Number]] = []
        for letter, amount in found.choices:
            if amount is None and (x is None or match[1] == _INFINITE):
                fix = "it has no amount" if match[1] == _INFINITE else "give x, the amount it stands for"
                message = f"{match[0]!r} in {symbols!r} is no fixed amount of mana: {fix}"
                raise InvalidManaSymbol(message, source=symbols, span=match.span())
            choices.append((letter, max(x or 0, 0) if amount is None else amount))
        if choices:
            outcomes = _each_with_each(outcomes, choices)
        at = match.end()
    return tuple(outcomes)


def _each_with_each(outcomes: list[dict[str, Number]], choices: list[tuple[str, Number]]) -> list[dict[str, Number]]:
    grown: dict[tuple[Number, ...], dict[str, Number]] = {}  # equal outcomes once, or they double with each symbol
    for outcome in outcomes:
        for letter, amount in choices:
            sums = dict(outcome)
            if amount:
                sums[letter] = sums.get(letter, 0) + amount
            grown.setdefault(tuple(sums.get(kind, 0) for kind in MANA_LETTERS), sums)
    return list(grown.values())


def types_of_row(row: str) -> ManaTypes | None:
    """Every type that a row of symbols in braces may give; None if one of them isn't known."""
    types = NO_MANA
    for symbol in _SYMBOL.findall(row):
        found = mana_of_symbol(symbol)
        if found is None:
            return None
        for letter, _ in found.choices:
            types |= ManaTypes.from_letters(letter)
    return types


def rule_of_row(row: str) -> str:
    """The rule about the first symbol of a row that isn't simply mana of its own type."""
    for symbol in _SYMBOL.findall(row):
        found = mana_of_symbol(symbol)
        if found is not None and found.rule != "106.3":
            return found.rule
    return "106.3"
