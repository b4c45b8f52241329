"""What adding each mana symbol gives (CR 106.5, 106.8-106.11)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from indexer.errors import InvalidManaSymbol
from indexer.rules.symbol_mana import mana_added, mana_of_symbol, rule_of_row, types_of_row
from indexer.rules.symbols import SYMBOLS, Number


@pytest.mark.parametrize(
    ("symbols", "outcomes"),
    [
        pytest.param("", ({},), id="106.3-nothing"),
        pytest.param("{G}", ({"G": 1},), id="106.3-colored"),
        pytest.param("{C}{C}", ({"C": 2},), id="106.3-colorless"),
        pytest.param("{R}{G}{R}", ({"R": 2, "G": 1},), id="106.3-row"),
        pytest.param("{G/W}", ({"G": 1}, {"W": 1}), id="106.8-hybrid-choice"),
        pytest.param("{U/B}{U/B}", ({"U": 2}, {"U": 1, "B": 1}, {"B": 2}), id="106.8-equal-outcomes-once"),
        pytest.param("{2/W}", ({"C": 2}, {"W": 1}), id="106.8-monocolored-hybrid"),
        pytest.param("{C/W}", ({"C": 1}, {"W": 1}), id="106.8-colorless-hybrid"),
        pytest.param("{W/P}", ({"W": 1},), id="106.9-phyrexian"),
        pytest.param("{R/G/P}", ({"R": 1}, {"G": 1}), id="106.8-hybrid-phyrexian"),
        pytest.param("{H}", ({"W": 1}, {"U": 1}, {"B": 1}, {"R": 1}, {"G": 1}), id="107.4g-any-phyrexian"),
        pytest.param("{3}", ({"C": 3},), id="106.10-generic"),
        pytest.param("{0}", ({},), id="106.10-zero"),
        pytest.param("{1000000}", ({"C": 1000000},), id="106.10-million"),
        pytest.param("{2}{C}", ({"C": 3},), id="106.10-joins-colorless"),
        pytest.param("{S}{S}", ({"C": 2},), id="106.11-snow"),
        pytest.param("{T}", ({},), id="106.5-undefined-type"),
        pytest.param("{T}{G}", ({"G": 1},), id="106.5-beside-mana"),
        pytest.param("{HR}", ({"R": Fraction(1, 2)},), id="100.7-half"),
        pytest.param("{HR}{HR}", ({"R": 1},), id="100.7-two-halves"),
        pytest.param("{½}", ({"C": Fraction(1, 2)},), id="100.7-half-generic"),
    ],
)
def test_mana_added(symbols: str, outcomes: tuple[dict[str, Number], ...]) -> None:
    assert mana_added(symbols) == outcomes


def test_a_variable_amount_is_given() -> None:
    assert mana_added("{X}{X}{G}", x=3) == ({"C": 6, "G": 1},)
    assert mana_added("{X}", x=0) == ({},)
    assert mana_added("{X}", x=-2) == ({},)


@pytest.mark.parametrize(
    ("symbols", "x", "span"),
    [
        ("{G}{foo}", None, (3, 8)),
        ("{G} and {W}", None, (3, 11)),
        ("G", None, (0, 1)),
        ("{g}", None, (0, 3)),
        ("{G}{X}", None, (3, 6)),
        ("{∞}", 4, (0, 3)),
    ],
)
def test_what_has_no_amount_raises(symbols: str, x: int | None, span: tuple[int, int]) -> None:
    with pytest.raises(InvalidManaSymbol) as caught:
        mana_added(symbols, x=x)
    assert (caught.value.source, caught.value.span) == (symbols, span)
    assert repr(symbols) in str(caught.value)


def test_every_known_symbol_says_what_it_adds() -> None:
    for token in (*SYMBOLS, "0", "7", "100"):
        found = mana_of_symbol(token)
        assert found is not None, token
        assert (not found.choices) == (found.rule == "106.5" or token == "0"), token
    assert mana_of_symbol("foo") is None


def test_a_choice_of_colors_is_that_of_the_symbol() -> None:
    for token, symbol in SYMBOLS.items():
        found = mana_of_symbol(token)
        assert found is not None
        if token != "H":
            assert {letter for letter, _ in found.choices} - {"C"} == set(symbol.colors), token


def test_a_row_has_the_types_of_all_its_symbols() -> None:
    assert str(types_of_row("{G/W}{2/U}{S}")) == "WUGC"
    assert types_of_row("{G}{foo}") is None
    assert (rule_of_row("{G}{C}"), rule_of_row("{G}{S}{B/P}")) == ("106.3", "106.11")
