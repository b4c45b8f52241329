"""A whole mana cost (CR 202.1). No cost is not `{0}` (CR 107.4d, 202.1b)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from indexer.errors import InvalidManaCost, InvalidManaSymbol
from indexer.rules.colors import COLORLESS, ColorSet
from indexer.rules.symbols import ManaSymbol, Number, SymbolKind, parse_symbol

_TOKEN = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True, slots=True)
class ManaCost:
    """A row of mana symbols; the empty row is "no mana cost". It prints back to what it was parsed from."""

    symbols: tuple[ManaSymbol, ...]
    colors: ColorSet
    """All colors of all symbols (CR 202.2, 202.2c, 202.2d)."""
    mana_value: Number | None
    """The sum over the symbols with X, Y and Z as 0 (CR 202.3); None if a symbol in it has no number."""
    value_rule: str
    """The most particular rule that the mana value rests on: 202.3 or a letter of it."""
    color_rule: str
    """The most particular rule that the colors rest on: 202.2 or a letter of it."""

    def __str__(self) -> str:
        return "".join(symbol.text for symbol in self.symbols)

    def __bool__(self) -> bool:
        """Whether there is a mana cost at all; `{0}` is one."""
        return bool(self.symbols)

    def __add__(self, other: ManaCost) -> ManaCost:
        """The combined cost of two halves (CR 709.4b) or two melded fronts (CR 202.3c)."""
        return mana_cost_of(self.symbols + other.symbols)

    @property
    def variables(self) -> int:
        """How many X, Y or Z symbols the cost has."""
        return sum(symbol.kind is SymbolKind.VARIABLE for symbol in self.symbols)

    def value_with_x(self, x: Number) -> Number | None:
        """The mana value with this number for each X (and Y and Z, CR 107.3p), as on the stack (CR 202.3e)."""
        return None if self.mana_value is None else self.mana_value + self.variables * x


def mana_cost_of(symbols: tuple[ManaSymbol, ...]) -> ManaCost:
    """The cost made of these symbols, in this order."""
    colors = COLORLESS
    value: Number | None = 0
    for symbol in symbols:
        colors |= symbol.colors
        value = None if value is None or symbol.mana_value is None else value + symbol.mana_value
    return ManaCost(symbols, colors, value, _value_rule(symbols), _color_rule(symbols, colors))


def _value_rule(symbols: tuple[ManaSymbol, ...]) -> str:
    if not symbols:
        return "202.3a"
    rules = {symbol.value_rule for symbol in symbols}
    return next((rule for rule in ("100.7", "202.3g", "202.3f", "202.3e") if rule in rules), "202.3")


def _color_rule(symbols: tuple[ManaSymbol, ...], colors: ColorSet) -> str:
    if not colors:
        return "202.2b"
    if any(symbol.colors and symbol.kind not in (SymbolKind.COLORED, SymbolKind.HALF) for symbol in symbols):
        return "202.2d"
    return "202.2c" if len(colors) > 1 else "202.2"


NO_MANA_COST = mana_cost_of(())


@lru_cache(maxsize=8192)
def parse_mana_cost(text: str) -> ManaCost:
    """The cost that `text` is: symbols in braces with nothing between; `""` is no mana cost.

    >>> parse_mana_cost("{2/W}{X}{G/P}").mana_value, bool(parse_mana_cost("")), bool(parse_mana_cost("{0}"))
    (3, False, True)

    Raises:
        InvalidManaCost: text outside braces, an unclosed brace, an unknown symbol or one that is not for mana costs.
    """
    symbols = []
    place = 0
    for match in _TOKEN.finditer(text):
        if match.start() != place:
            break
        try:
            symbol = parse_symbol(match.group())
        except InvalidManaSymbol as error:
            raise InvalidManaCost(
                f"unknown symbol {match.group()} in the mana cost {text!r}", source=text, span=match.span()
            ) from error
        if not symbol.is_mana:
            raise InvalidManaCost(
                f"{symbol} can't stand in a mana cost (CR {symbol.rule}): {text!r}", source=text, span=match.span()
            )
        symbols.append(symbol)
        place = match.end()
    if place != len(text):
        raise InvalidManaCost(
            f"the mana cost {text!r} is not a row of symbols in braces from character {place + 1} on",
            source=text,
            span=(place, len(text)),
        )
    return mana_cost_of(tuple(symbols))


def format_mana_cost(cost: ManaCost) -> str:
    """The text of a cost; `""` for no mana cost."""
    return str(cost)
