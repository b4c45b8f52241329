"""CR 202.1-202.4 on costs alone: parsing, the worked examples of 202.3, colors."""

from __future__ import annotations

from fractions import Fraction

import pytest

from indexer.errors import InvalidManaCost
from indexer.rules.mana_cost import NO_MANA_COST, format_mana_cost, parse_mana_cost

VALUES = [
    ("202.3-worked-example", "{3}{U}{U}", 5, "202.3"),
    ("202.3a-no-mana-cost", "", 0, "202.3a"),
    ("107.4d-zero", "{0}", 0, "202.3"),
    ("202.3e-x-is-zero", "{X}{G}{G}", 2, "202.3e"),
    ("202.3e-two-x", "{X}{X}", 0, "202.3e"),
    ("107.3p-x-y-z", "{X}{Y}{Z}{R}{R}", 2, "202.3e"),
    ("202.3f-worked-example-hybrid", "{1}{W/U}{W/U}", 3, "202.3f"),
    ("202.3f-worked-example-largest-part", "{2/B}{2/B}{2/B}", 6, "202.3f"),
    ("202.3f-colorless-hybrid", "{C/W}{C/U}{C/B}{C/R}{C/G}", 5, "202.3f"),
    ("202.3g-worked-example", "{1}{W/P}{W/P}", 3, "202.3g"),
    ("202.3g-hybrid-phyrexian", "{2}{G}{G/U/P}{U}", 5, "202.3g"),
    ("107.4c-colorless", "{2}{C}", 3, "202.3"),
    ("107.4h-snow", "{S}{S}", 2, "202.3"),
    ("100.7-half", "{HW}", Fraction(1, 2), "100.7"),
    ("107.4b-a-million", "{1000000}", 1_000_000, "202.3"),
    ("107.4-braces-are-the-boundary", "{1}{1}", 2, "202.3"),
]


@pytest.mark.parametrize(("text", "value", "rule"), [row[1:] for row in VALUES], ids=[row[0] for row in VALUES])
def test_mana_value_of_a_cost(text: str, value: object, rule: str) -> None:
    cost = parse_mana_cost(text)
    assert cost.mana_value == value
    assert cost.value_rule == rule
    assert format_mana_cost(cost) == text


COLORS = [
    ("202.2-one-color", "{3}{R}", "R", "202.2"),
    ("202.2b-no-colored-symbol", "{7}{C}{S}{X}", "", "202.2b"),
    ("202.2b-no-cost", "", "", "202.2b"),
    ("202.2c-two-colors", "{G}{U}", "UG", "202.2c"),
    ("202.2d-hybrid-is-both", "{2}{R/G}", "RG", "202.2d"),
    ("202.2d-phyrexian-is-its-color", "{4}{R/P}", "R", "202.2d"),
    ("202.2-half-a-colored-symbol", "{HW}", "W", "202.2"),
    ("107.4e-monocolored-hybrid", "{2/W}{2/U}{2/B}{2/R}{2/G}", "WUBRG", "202.2d"),
    ("107.4f-hybrid-phyrexian-is-both", "{G/W/P}", "WG", "202.2d"),
]


@pytest.mark.parametrize(("text", "colors", "rule"), [row[1:] for row in COLORS], ids=[row[0] for row in COLORS])
def test_colors_of_a_cost(text: str, colors: str, rule: str) -> None:
    cost = parse_mana_cost(text)
    assert str(cost.colors) == colors
    assert cost.color_rule == rule


@pytest.mark.parametrize(
    ("text", "x", "value"),
    [
        ("{X}{U}{R}", 2, 4),
        ("{X}{X}{G}", 3, 7),
        ("{X}{Y}{Z}{R}{R}", 2, 8),
        ("{2}{G}", 5, 3),
        ("{X}", Fraction(1, 2), Fraction(1, 2)),
    ],
)
def test_202_3e_a_chosen_x_counts_for_each_symbol(text: str, x: int | Fraction, value: int | Fraction) -> None:
    assert parse_mana_cost(text).value_with_x(x) == value


def test_no_cost_is_not_zero() -> None:
    assert not parse_mana_cost("")
    assert parse_mana_cost("{0}")
    assert parse_mana_cost("") == NO_MANA_COST != parse_mana_cost("{0}")


def test_709_4b_halves_combine() -> None:
    both = parse_mana_cost("{R}") + parse_mana_cost("{3}{G}")
    assert (str(both), both.mana_value, str(both.colors)) == ("{R}{3}{G}", 5, "RG")


def test_a_symbol_without_a_number_leaves_the_value_open() -> None:
    assert parse_mana_cost("{∞}{R}").mana_value is None
    assert parse_mana_cost("{∞}{X}").value_with_x(2) is None


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("3R", (0, 2)),
        ("{3}R", (3, 4)),
        ("{3} {R}", (3, 7)),
        ("{3}{R", (3, 5)),
        ("{R}{FOO}", (3, 8)),
        ("{T}", (0, 3)),
        ("{1}{R} // {W}", (6, 13)),
    ],
)
def test_what_is_no_cost_is_refused_with_the_place(text: str, span: tuple[int, int]) -> None:
    with pytest.raises(InvalidManaCost) as caught:
        parse_mana_cost(text)
    assert caught.value.span == span
    assert caught.value.source == text
