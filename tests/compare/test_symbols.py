"""Our symbols against the published list: no false alarm on the real one, and every contradiction found."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.compare.symbols import compare_symbols
from indexer.records import CardSymbolRow
from indexer.rules.symbols import SYMBOLS
from tests.support.published_symbols import PUBLISHED_SYMBOLS, published_symbol


def compare_one(token: str, **changed: object) -> CardSymbolRow:
    """The row of one symbol whose entry differs from the real one."""
    return compare_symbols([{**published_symbol(token), **changed}])[0]


def test_the_real_list_agrees_in_everything() -> None:
    rows = compare_symbols(PUBLISHED_SYMBOLS)
    listed = [row for row in rows if row.status != "unlisted"]
    assert [row.symbol for row in listed] == [entry["symbol"] for entry in PUBLISHED_SYMBOLS]
    assert len(listed) == 84
    assert {(row.symbol, row.status, row.explanation) for row in listed if row.status != "agrees"} == set()


def test_what_the_list_lacks_is_told_once_a_symbol() -> None:
    unlisted = [row for row in compare_symbols(PUBLISHED_SYMBOLS) if row.status == "unlisted"]
    assert [row.symbol for row in unlisted] == ["{HU}", "{HB}", "{HG}"]
    assert all(row.published_mana_value is None and row.published_funny is None for row in unlisted)
    without_hybrids = [entry for entry in PUBLISHED_SYMBOLS if entry["symbol"] not in ("{G/W}", "{R/W/P}")]
    unlisted = [row for row in compare_symbols(without_hybrids) if row.status == "unlisted"]
    assert [row.symbol for row in unlisted][:2] == ["{R/W/P}", "{G/W}"]


def test_a_pair_in_the_other_order_is_the_same_symbol() -> None:
    turned = [{**e, "symbol": "{W/G}"} if e["symbol"] == "{G/W}" else e for e in PUBLISHED_SYMBOLS]
    rows = {row.symbol: row.status for row in compare_symbols(turned)}
    assert rows["{W/G}"] == "agrees"
    assert "{G/W}" not in rows


@pytest.mark.parametrize(
    ("token", "changed", "words"),
    [
        ("2/W", {"mana_value": 1.0}, "mana value: published 1, 2 by 202.3f"),
        ("G/P", {"mana_value": 0.0}, "mana value: published 0, 1 by 202.3g"),
        ("X", {"mana_value": 1}, "mana value: published 1, 0 by 202.3e"),
        ("HW", {"mana_value": 1.0}, "mana value: published 1, 0.5 by 100.7"),
        ("7", {"mana_value": 6.5}, "mana value: published 6.5, 7 by 202.3"),
        ("W", {"mana_value": None}, "mana value: published none, 1 by 202.3"),
        ("∞", {"mana_value": 8.0}, "mana value: published 8, none by 100.7"),
        ("T", {"mana_value": 1.0}, "mana value: published 1, none by 202.3"),
        ("W/U", {"colors": ["W"]}, "colors: published W, WU by 107.4e"),
        ("C", {"colors": ["W"]}, "colors: published W, colorless by 107.4c"),
        ("R", {"colors": []}, "colors: published colorless, R by 107.4a"),
        ("T", {"represents_mana": True}, "mana: published yes, no by 107.5"),
        ("S", {"represents_mana": False}, "mana: published no, yes by 107.4h"),
        ("C/W", {"hybrid": False}, "hybrid: published no, yes by 107.4e"),
        ("C", {"hybrid": True}, "hybrid: published yes, no by 107.4c"),
        ("R/G/P", {"phyrexian": False}, "Phyrexian: published no, yes by 107.4f"),
        ("Q", {"appears_in_mana_costs": True}, "in mana costs: published yes, but it can't stand there by 107.6"),
        ("H", {"appears_in_mana_costs": True}, "in mana costs: published yes, but it can't stand there by 107.4g"),
        ("H", {"phyrexian": False}, "Phyrexian: published no, yes by 107.4g"),
        ("B", {"funny": True}, "funny: published yes, no by 107.4a"),
        ("L", {"funny": False}, "funny: published no, yes by 100.7"),
    ],
)
def test_a_contradiction_names_both_sides_and_the_rule(token: str, changed: Mapping[str, object], words: str) -> None:
    row = compare_one(token, **changed)
    assert (row.status, row.explanation) == ("differs", words)


def test_several_contradictions_are_one_row() -> None:
    row = compare_one("W/P", mana_value=2.0, colors=["B", "W"], phyrexian=False)
    assert row.explanation is not None
    assert [part.partition(":")[0] for part in row.explanation.split("; ")] == ["mana value", "colors", "Phyrexian"]
    assert (row.mana_value, row.published_mana_value) == (1.0, 2.0)
    assert (row.colors, row.colors_mask, row.published_colors, row.published_colors_mask) == ("W", 1, "WB", 5)


@pytest.mark.parametrize(
    ("token", "changed"),
    [
        ("W/U", {"colors": ["U", "W"]}),
        ("T", {"mana_value": None}),
        ("17", {"appears_in_mana_costs": True}),
        ("7", {"appears_in_mana_costs": False}),
        ("W/U/P", {"appears_in_mana_costs": True}),
        ("100", {"funny": False}),
        ("7", {"funny": True}),
        ("HW", {"transposable": 17, "svg_uri": None}),
    ],
    ids=[
        "order",
        "no-number",
        "a-card-now-has-it",
        "no-card-has-it",
        "phyrexian",
        "number",
        "number-is-funny",
        "other",
    ],
)
def test_what_no_rule_decides_is_no_contradiction(token: str, changed: Mapping[str, object]) -> None:
    assert compare_one(token, **changed).status == "agrees"


def test_a_field_that_is_not_there_is_not_compared() -> None:
    (row, *_) = compare_symbols([{"symbol": "{W/U}"}])
    assert (row.status, row.english, row.published_mana_value, row.published_hybrid) == ("agrees", None, None, None)


def test_the_older_name_of_the_value_is_read() -> None:
    (row, *_) = compare_symbols([{"symbol": "{2/W}", "cmc": 1.0, "colors": ["W"]}])
    assert (row.status, row.published_mana_value) == ("differs", 1.0)


def test_an_unknown_symbol_is_undecided_and_keeps_what_is_published() -> None:
    (row, *_) = compare_symbols([{**published_symbol("W"), "symbol": "{W/Ω}"}])
    assert (row.status, row.explanation) == ("undecided", "the engine doesn't know this symbol")
    assert (row.kind, row.mana_value, row.colors, row.published_mana_value) == (None, None, None, 1.0)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("mana_value", "1"),
        ("mana_value", True),
        ("mana_value", float("nan")),
        ("mana_value", float("inf")),
        ("mana_value", -1),
        ("mana_value", 10**400),
        ("colors", "W"),
        ("colors", ["WU"]),
        ("colors", ["C"]),
        ("colors", [1]),
        ("colors", {"W": 1}),
        ("hybrid", 1),
        ("funny", "no"),
    ],
)
def test_an_entry_that_can_not_be_read_is_undecided(field: str, value: object) -> None:
    row = compare_one("W", **{field: value})
    assert row.status == "undecided"
    assert row.explanation is not None
    assert row.explanation.startswith(f"the published {field} ")
    assert (row.mana_value, row.published_mana_value) == (1.0, None)


def test_entries_without_a_usable_symbol_and_repeats_are_left_out() -> None:
    entries: list[dict[str, object]] = [{}, {"symbol": 7}, {"symbol": ""}, {"symbol": "{\0}"}, {"symbol": "x" * 1000}]
    twice = [published_symbol("W"), {**published_symbol("W"), "mana_value": 9}]
    rows = compare_symbols([*entries, *twice, {**published_symbol("B"), "english": "a\0b"}])
    assert [(row.symbol, row.status) for row in rows if row.status != "unlisted"] == [
        ("{W}", "agrees"),
        ("{B}", "agrees"),
    ]
    assert rows[1].english is None


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
fields = st.sampled_from(list(published_symbol("W")))
symbols = st.sampled_from([symbol.text for symbol in SYMBOLS.values()]) | st.text(max_size=6)


@given(
    st.lists(st.builds(lambda s, more: {**more, "symbol": s}, symbols, st.dictionaries(fields, anything)), max_size=5)
)
def test_whatever_is_published_gives_rows(entries: list[dict[str, object]]) -> None:
    rows = compare_symbols(entries)
    assert len({row.symbol for row in rows}) == len(rows)
    for row in rows:
        assert row.status in ("agrees", "differs", "undecided", "unlisted")
        assert (row.explanation is None) == (row.status in ("agrees", "unlisted"))
