"""CR 107.4 and the symbols beside it: each one, its kind, colors and value."""

from __future__ import annotations

from fractions import Fraction

import pytest

from indexer.errors import InvalidManaSymbol
from indexer.rules.symbols import SYMBOLS, SymbolKind, parse_symbol

PAIRS = ("W/U", "W/B", "U/B", "U/R", "B/R", "B/G", "R/G", "R/W", "G/W", "G/U")

TABLE = [
    *[(f"{{{c}}}", SymbolKind.COLORED, c, 1, "107.4a") for c in "WUBRG"],
    *[(f"{{{n}}}", SymbolKind.GENERIC, "", n, "107.4b") for n in (1, 2, 9, 10, 20, 100, 1_000_000)],
    ("{0}", SymbolKind.GENERIC, "", 0, "107.4d"),
    ("{C}", SymbolKind.COLORLESS, "", 1, "107.4c"),
    ("{S}", SymbolKind.SNOW, "", 1, "107.4h"),
    ("{X}", SymbolKind.VARIABLE, "", 0, "107.3"),
    ("{Y}", SymbolKind.VARIABLE, "", 0, "107.3p"),
    ("{Z}", SymbolKind.VARIABLE, "", 0, "107.3p"),
    *[(f"{{{pair}}}", SymbolKind.HYBRID, pair.replace("/", ""), 1, "107.4e") for pair in PAIRS],
    *[(f"{{2/{c}}}", SymbolKind.MONOCOLORED_HYBRID, c, 2, "107.4e") for c in "WUBRG"],
    *[(f"{{C/{c}}}", SymbolKind.COLORLESS_HYBRID, c, 1, "107.4e") for c in "WUBRG"],
    *[(f"{{{c}/P}}", SymbolKind.PHYREXIAN, c, 1, "107.4f") for c in "WUBRG"],
    *[(f"{{{pair}/P}}", SymbolKind.HYBRID_PHYREXIAN, pair.replace("/", ""), 1, "107.4f") for pair in PAIRS],
    ("{½}", SymbolKind.HALF, "", Fraction(1, 2), "100.7"),
    *[(f"{{H{c}}}", SymbolKind.HALF, c, Fraction(1, 2), "100.7") for c in "WUBRG"],
    ("{C/P}", SymbolKind.COLORLESS_PHYREXIAN, "", 1, "100.7"),
    ("{L}", SymbolKind.LEGENDARY, "", 1, "100.7"),
    ("{D}", SymbolKind.LAND_DROP, "", 0, "100.7"),
    ("{∞}", SymbolKind.INFINITE, "", None, "100.7"),
    ("{T}", SymbolKind.NOT_MANA, "", None, "107.5"),
    ("{Q}", SymbolKind.NOT_MANA, "", None, "107.6"),
    ("{PW}", SymbolKind.NOT_MANA, "", None, "107.11"),
    ("{CHAOS}", SymbolKind.NOT_MANA, "", None, "107.12"),
    ("{E}", SymbolKind.NOT_MANA, "", None, "107.14"),
    ("{TK}", SymbolKind.NOT_MANA, "", None, "107.17"),
    ("{P}", SymbolKind.NOT_MANA, "", None, "107.18"),
    ("{H}", SymbolKind.NOT_MANA, "", None, "107.4g"),
    ("{A}", SymbolKind.NOT_MANA, "", None, "100.7"),
]


@pytest.mark.parametrize(
    ("text", "kind", "colors", "value", "rule"), TABLE, ids=[f"{row[4]}-{row[0]}" for row in TABLE]
)
def test_symbol(text: str, kind: SymbolKind, colors: str, value: object, rule: str) -> None:
    symbol = parse_symbol(text)
    assert (symbol.kind, set(symbol.colors), symbol.mana_value, symbol.rule) == (kind, set(colors), value, rule)
    assert str(symbol) == text


def test_100_7_symbols_of_cards_that_the_rules_leave_out() -> None:
    funny = {symbol.text for symbol in SYMBOLS.values() if symbol.funny}
    assert funny == {"{½}", "{∞}", *(f"{{H{c}}}" for c in "WUBRG"), "{C/P}", "{L}", "{D}", "{A}", "{Y}", "{Z}"}


def test_the_table_above_leaves_none_out() -> None:
    tested = {row[0][1:-1] for row in TABLE}
    swapped = {"/".join(reversed(pair.split("/"))) for pair in PAIRS}
    untested = set(SYMBOLS) - tested - swapped - {f"{pair}/P" for pair in swapped}
    assert untested == set()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "W",
        "{w}",
        "{W",
        "W}",
        "{ W}",
        "{W/W}",
        "{2/2}",
        "{3/W}",
        "{P/W}",
        "{01}",
        "{-1}",
        "{1.5}",
        "{٣}",
        "{FOO}",
    ],
)
def test_anything_else_is_refused_with_its_text(text: str) -> None:
    with pytest.raises(InvalidManaSymbol) as caught:
        parse_symbol(text)
    assert caught.value.source == text
    assert repr(text) in str(caught.value)


def test_a_pair_reads_the_same_in_either_order() -> None:
    assert parse_symbol("{U/W}").colors == parse_symbol("{W/U}").colors
    assert str(parse_symbol("{U/W}")) == "{U/W}"
