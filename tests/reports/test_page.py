"""The page as text: self-contained, escaped, true to the data."""

from __future__ import annotations

import datetime as dt
import io
import re
from html.parser import HTMLParser

import pytest
from sqlalchemy import Connection

from indexer.reports.mana_markup import mana_text
from indexer.reports.mismatch_formats import Derivation, load_pool_facts
from indexer.reports.mismatches import MismatchFilter, load_mismatches
from indexer.reports.page import open_line, write_page
from indexer.reports.page_data import (
    Bar,
    OpenCount,
    load_agreement,
    load_color_identities,
    load_mana_curve,
    load_open_over_time,
)
from indexer.rules.derivation import Step
from tests.support.report_pool import add_card, add_mismatch, add_run, fill_pool

NOW = dt.datetime(2026, 10, 12, 6, 0, tzinfo=dt.UTC)


def page_of(connection: Connection, wanted: MismatchFilter | None = None, **options: object) -> str:
    facts = load_pool_facts(connection)
    assert facts is not None
    stream = io.StringIO()
    write_page(connection, load_mismatches(connection, wanted), facts, stream, now=NOW, **options)  # type: ignore[arg-type]
    return stream.getvalue()


class Outline(HTMLParser):
    """What a page loads and runs, and its ids."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_nothing_is_loaded_from_elsewhere_and_nothing_runs_but_the_page_s_own(connection: Connection) -> None:
    fill_pool(connection, 20)
    outline = Outline()
    outline.feed(page_of(connection))
    for tag, attributes in outline.tags:
        assert tag not in {"img", "iframe", "object", "embed", "base"}
        assert "src" not in attributes
        assert "style" not in attributes, f"an inline style in <{tag}> is against the page's own policy"
        assert not any(name.startswith("on") for name in attributes)
        if tag == "link":
            assert attributes["href"] == "data:,"
    ids = [attributes["id"] for _, attributes in outline.tags if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_text_of_the_data_is_never_markup(connection: Connection) -> None:
    add_run(connection)
    hostile = "</script><script>alert(1)</script>\"'{U}"
    card = add_card(
        connection, hostile, oracle_text=hostile, type_line=hostile, scryfall_uri="javascript:alert(1)", layout=hostile
    )
    add_mismatch(connection, card, explanation=hostile, rule=hostile, status_reason=hostile)
    page = page_of(connection, steps_for=lambda *_: Derivation([Step(hostile, hostile, hostile, hostile)]))
    assert page.count("<script>") == 2
    assert "alert(1)</script>" not in page
    assert "javascript:" not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") > 8


def test_control_characters_of_a_card_are_shown_as_escapes(connection: Connection) -> None:
    add_run(connection)
    hostile = "Bolt\u202e\x1b[2J"
    add_mismatch(connection, add_card(connection, hostile, oracle_text=f"a\n{hostile}"))
    page = page_of(connection)
    assert "Correction: Bolt\\u202e\\x1b[2J" in page
    assert not {"\u202e", "\x1b"} & set(page)


def test_a_row_says_what_is_published_and_what_the_rules_give(connection: Connection) -> None:
    add_run(connection)
    card = add_card(
        connection, "Twin // Other", faces=("Twin", "Other"), legal_in=("modern", "legacy"), edhrec_rank=1234
    )
    add_mismatch(connection, card, face_index=1, field="colors", published="WR", computed="WU", rule="202.2")
    page = page_of(
        connection, steps_for=lambda *_: Derivation([Step("202.2b", "the cost's colors", "{W}{U}", "mana cost")])
    )
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.split("</thead>")[1].split("</tbody>")[0]))
    assert "Twin // Other new Other" in text
    assert "colors W R → W U + U − R published error 202.2 2026-10-01 1" in text
    assert "202.2b the cost&#39;s colors (mana cost: W U )" in text
    assert "legal in 2 formats; EDHREC rank 1,234; first seen in run 1" in text
    assert 'aria-label="white, red"' in page


def test_an_empty_table_claims_no_more_than_it_knows(connection: Connection) -> None:
    fill_pool(connection, 0)
    assert "No mismatches: every published value" in page_of(connection)
    assert "of the kind this report was asked for" in page_of(connection, filtered=True)


def test_agreement_counts_what_is_published_and_derived(connection: Connection) -> None:
    add_run(connection)
    names = ("right", "wrong", "accepted", "resolved", "undecided")
    cards = {name: add_card(connection, name) for name in names}
    add_card(connection, "given", colors_decision="given", published_color_identity=None)
    add_card(connection, "gone", removed_run_id=1)
    add_card(connection, "saga", layout="saga", published_colors=None)
    add_mismatch(connection, cards["wrong"], field="colors")
    add_mismatch(connection, cards["accepted"], field="colors", status="accepted")
    add_mismatch(connection, cards["resolved"], field="colors", status="resolved", resolved_run_id=1)
    add_mismatch(connection, cards["undecided"], field="colors", category="undecided", computed=None)
    fields, layouts = load_agreement(connection)
    assert {item.name: item[1:] for item in fields} == {
        "mana_value": (7, 0),
        "colors": (5, 2),
        "color_identity": (6, 0),
        "produced_mana": (0, 0),
    }
    assert [tuple(item) for item in layouts] == [("normal", 16, 2), ("saga", 2, 0)]
    assert fields[1].rate == "60.00%"
    assert layouts[0].per_thousand == 125


def test_a_value_published_on_a_face_is_compared(connection: Connection) -> None:
    from sqlalchemy import update

    from indexer.storage.models import CardFace

    add_run(connection)
    add_card(connection, "two // faces", faces=("two", "faces"), published_colors=None)
    assert load_agreement(connection)[0][1].compared == 0
    connection.execute(update(CardFace).where(CardFace.face_index == 1).values(published_colors="U"))
    assert load_agreement(connection)[0][1].compared == 1


def test_the_curve_and_the_identities_are_of_cards_that_are_there(connection: Connection) -> None:
    add_run(connection)
    for number, value in enumerate((0.0, 0.5, 9.0, 10.0, 1_000_000.0)):
        add_card(connection, f"n{number}", mana_value=value, color_identity=("", "W", "WU", "WUBRG", "WUBR")[number])
    add_card(connection, "land", mana_value=0.0, type_line="Land — Test", color_identity="G")
    add_card(connection, "token", object_kind="token")
    add_card(connection, "gone", removed_run_id=1)
    curve = {bar.label: bar.number for bar in load_mana_curve(connection)}
    assert (curve["0"], curve["9"], curve["10+"], sum(curve.values())) == (2, 1, 2, 5)
    counts = {bar.label: bar.number for bar in load_color_identities(connection)}
    assert counts == {
        **dict.fromkeys(("colorless", "white", "green", "two colors", "four colors", "five colors"), 1),
        **dict.fromkeys(("blue", "black", "red", "three colors"), 0),
    }
    assert load_color_identities(connection)[1] == Bar("white", 1, "w")


def test_the_line_of_open_mismatches(connection: Connection) -> None:
    for day, outcome in enumerate(("stored", "failed", "stored", "up_to_date", "stored"), 1):
        add_run(connection, day, outcome=outcome, mismatches_open=day * 10)
    line = open_line(load_open_over_time(connection))
    assert [(point.x, point.y) for point in line.points] == [(40, 101.6), (196, 56.8), (352, 12)]
    assert [tick.number for tick in line.ticks] == [0, 10, 20, 30, 40, 50]
    assert (line.top, line.first and line.first.run_id, line.last and line.last.run_id) == (50, 1, 5)
    assert open_line([]).points == []
    assert open_line([OpenCount(1, NOW, 0)]).ticks[-1].number == 1


@pytest.mark.parametrize(
    ("symbol", "kind", "label"),
    [
        ("{W}", "p w", "white"),
        ("{12}", "p", "12"),
        ("{W/U}", "p hy aw bu wide", "white or blue"),
        ("{2/R}", "p hy ac br wide", "2 or red"),
        ("{G/P}", "p g wide", "green or 2 life"),
        ("{W/U/P}", "p hy aw bu wide", "white or blue or 2 life"),
        ("{C/W}", "p hy ac bw wide", "colorless or white"),
        ("{T}", "p", "tap"),
        ("{CHAOS}", "p wide", "CHAOS"),
    ],
)
def test_symbols_are_drawn_and_named(symbol: str, kind: str, label: str) -> None:
    assert mana_text(symbol) == f'<span class="{kind}" role="img" aria-label="{label}">{symbol[1:-1]}</span>'


@pytest.mark.parametrize("text", ["{", "{}", "{a b}", "{toolongtobeasymbol}", "<i>"])
def test_what_is_no_symbol_stays_text(text: str) -> None:
    assert "<" not in mana_text(text)
