"""One symbol in braces: its kind, its colors, what it adds to a mana value.

CR 107.4 lists the mana symbols; CR 107.5-107.18 the other symbols of costs and texts. A few symbols are printed only on
cards that the rules leave out (CR 100.7); they stand in a table of their own, marked `funny`, with the meaning those
cards give them. Any other token is unknown and raises.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import lru_cache

from indexer.errors import InvalidManaSymbol
from indexer.rules.colors import COLOR_LETTERS, COLORLESS, ColorSet

Number = int | Fraction
"""An exact mana value. The rules use integers (CR 107.1); a few funny cards use halves."""


class SymbolKind(Enum):
    """What a symbol stands for."""

    COLORED = "colored"
    COLORLESS = "colorless"
    GENERIC = "generic"
    VARIABLE = "variable"
    HYBRID = "hybrid"
    MONOCOLORED_HYBRID = "monocolored hybrid"
    COLORLESS_HYBRID = "colorless hybrid"
    PHYREXIAN = "phyrexian"
    HYBRID_PHYREXIAN = "hybrid phyrexian"
    COLORLESS_PHYREXIAN = "colorless phyrexian"
    SNOW = "snow"
    LEGENDARY = "legendary"
    HALF = "half"
    INFINITE = "infinite"
    LAND_DROP = "land drop"
    NOT_MANA = "not mana"


@dataclass(frozen=True, slots=True)
class ManaSymbol:
    """One symbol. It prints back to the text it was parsed from, braces included."""

    text: str
    kind: SymbolKind
    colors: ColorSet
    """The colors the symbol is (CR 107.4a, e, f); empty for a symbol without one."""
    mana_value: Number | None
    """What it adds to a mana value, with X as 0; None for a symbol that is no part of a mana cost or has no number."""
    rule: str
    """The rule that says what the symbol is."""
    funny: bool = False
    """True for a symbol that only cards outside the rules have (CR 100.7)."""

    def __str__(self) -> str:
        return self.text

    @property
    def is_mana(self) -> bool:
        """Whether the symbol can stand in a mana cost."""
        return self.kind is not SymbolKind.NOT_MANA

    @property
    def value_rule(self) -> str:
        """The rule that says what the symbol adds to a mana value."""
        return _VALUE_RULES.get(self.kind, "202.3")


_VALUE_RULES = {
    SymbolKind.VARIABLE: "202.3e",
    SymbolKind.HYBRID: "202.3f",
    SymbolKind.MONOCOLORED_HYBRID: "202.3f",
    SymbolKind.COLORLESS_HYBRID: "202.3f",
    SymbolKind.PHYREXIAN: "202.3g",
    SymbolKind.HYBRID_PHYREXIAN: "202.3g",
    SymbolKind.COLORLESS_PHYREXIAN: "202.3g",
    SymbolKind.HALF: "100.7",
    SymbolKind.INFINITE: "100.7",
    SymbolKind.LEGENDARY: "100.7",
    SymbolKind.LAND_DROP: "100.7",
}

_PAIRS = ("WU", "WB", "UB", "UR", "BR", "BG", "RG", "RW", "GW", "GU")
"""The ten color pairs in the order in which CR 107.4 prints them."""

_NOT_MANA = {
    "T": "107.5",
    "Q": "107.6",
    "PW": "107.11",
    "CHAOS": "107.12",
    "E": "107.14",
    "TK": "107.17",
    "P": "107.18",
    # {H} in a text means any Phyrexian mana symbol; it has no color of its own and stands in no cost.
    "H": "107.4g",
}

_FUNNY: dict[str, tuple[SymbolKind, str, Number | None]] = {
    "½": (SymbolKind.HALF, "", Fraction(1, 2)),
    **{f"H{c}": (SymbolKind.HALF, c, Fraction(1, 2)) for c in COLOR_LETTERS},
    "∞": (SymbolKind.INFINITE, "", None),
    # One colorless mana or 2 life (a playtest card); counted as 202.3g counts every Phyrexian symbol.
    "C/P": (SymbolKind.COLORLESS_PHYREXIAN, "", 1),
    # One mana of any type from a legendary source (a playtest card); counted as snow mana is.
    "L": (SymbolKind.LEGENDARY, "", 1),
    # A land drop (a playtest card): part of the cost but no mana.
    "D": (SymbolKind.LAND_DROP, "", 0),
    "A": (SymbolKind.NOT_MANA, "", None),
}


def _table() -> dict[str, ManaSymbol]:
    table: dict[str, ManaSymbol] = {}

    def put(token: str, kind: SymbolKind, colors: str, value: Number | None, rule: str, *, funny: bool = False) -> None:
        table[token] = ManaSymbol(f"{{{token}}}", kind, ColorSet.from_letters(colors), value, rule, funny)

    for color in COLOR_LETTERS:
        put(color, SymbolKind.COLORED, color, 1, "107.4a")
        put(f"2/{color}", SymbolKind.MONOCOLORED_HYBRID, color, 2, "107.4e")
        put(f"C/{color}", SymbolKind.COLORLESS_HYBRID, color, 1, "107.4e")
        put(f"{color}/P", SymbolKind.PHYREXIAN, color, 1, "107.4f")
    for pair in _PAIRS:
        # The rules print each pair in one order; the other order says the same and is read too.
        for halves in (f"{pair[0]}/{pair[1]}", f"{pair[1]}/{pair[0]}"):
            put(halves, SymbolKind.HYBRID, pair, 1, "107.4e")
            put(f"{halves}/P", SymbolKind.HYBRID_PHYREXIAN, pair, 1, "107.4f")
    put("X", SymbolKind.VARIABLE, "", 0, "107.3")
    for token in "YZ":
        # CR 107.3p lets Y do what X does, but CR 107.4 has neither as a symbol: a funny card alone does.
        put(token, SymbolKind.VARIABLE, "", 0, "107.3p", funny=True)
    put("C", SymbolKind.COLORLESS, "", 1, "107.4c")
    put("S", SymbolKind.SNOW, "", 1, "107.4h")
    for token, rule in _NOT_MANA.items():
        put(token, SymbolKind.NOT_MANA, "", None, rule)
    for token, (kind, colors, value) in _FUNNY.items():
        put(token, kind, colors, value, "100.7", funny=True)
    return table


SYMBOLS: dict[str, ManaSymbol] = _table()
"""Every symbol but the numerical ones, by its text without braces."""


@lru_cache(maxsize=4096)
def parse_symbol(text: str) -> ManaSymbol:
    """The symbol that `text` (with braces) is.

    >>> parse_symbol("{2/W}").mana_value, str(parse_symbol("{G/U}").colors)
    (2, 'UG')

    Raises:
        InvalidManaSymbol: anything else, lower case and unlisted pairs included.
    """
    if text[:1] == "{" and text[-1:] == "}":
        token = text[1:-1]
        known = SYMBOLS.get(token)
        if known is not None:
            return known
        if token.isascii() and token.isdigit() and len(token) <= 9 and (token == "0" or token[0] != "0"):
            # CR 107.4: "and so on": the numerical symbols have no end.
            rule = "107.4d" if token == "0" else "107.4b"
            return ManaSymbol(text, SymbolKind.GENERIC, COLORLESS, int(token), rule)
    raise InvalidManaSymbol(f"{text!r} is not a mana symbol of CR 107.4", source=text, span=(0, len(text)))
