"""The morning digest: what changed between runs, told once, published and computed apart."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json

import pytest
from sqlalchemy import Connection

from indexer.errors import StorageError
from indexer.reports.change_formats import (
    change_lines,
    change_words,
    head_line,
    sections,
    write_changes,
    write_changes_csv,
    write_changes_json,
    write_changes_page,
)
from indexer.reports.changes import load_changes
from indexer.reports.text_diff import Mark, diff_text, marked_text, shorten
from tests.support.report_pool import add_card, add_change, add_mismatch, add_run

NOW = dt.datetime(2026, 10, 6, tzinfo=dt.UTC)


@pytest.fixture
def pool(connection: Connection) -> Connection:
    """Four runs and a history in which most things happen."""
    for day, outcome in enumerate(("stored", "stored", "failed", "stored"), 1):
        add_run(connection, day, outcome=outcome, cards_total=100 + day, engine_version=str(day // 4 + 1))
    text = add_card(connection, "Text Card", edhrec_rank=5)
    add_change(
        connection,
        4,
        text,
        "oracle_text",
        "When it enters the battlefield, draw a card.",
        "When it enters, draw a card.",
    )
    add_change(connection, 4, text, "published_color_identity", "W", "WU")
    add_change(connection, 4, text, "color_identity", "W", "WU")
    twin = add_card(connection, "Twin // Back", faces=("Twin", "Back"))
    add_change(connection, 4, twin, "faces.1.power", "2", "3")
    add_change(connection, 4, twin, "mana_values.1.transformed", "2", "3")
    flips = add_card(connection, "Flips")
    add_change(connection, 2, flips, "type_line", "Creature", "Artifact Creature")
    add_change(connection, 4, flips, "type_line", "Artifact Creature", "Creature")
    new = add_card(connection, "New Card")
    add_change(connection, 4, new, "added", None, "New Card")
    gone = add_card(connection, "Gone Card", removed_run_id=4)
    add_change(connection, 4, gone, "removed", "Gone Card", None)
    back = add_card(connection, "Back Card")
    add_change(connection, 2, back, "removed", "Back Card", None)
    add_change(connection, 4, back, "restored", None, "Back Card")
    for number in range(5):
        card = add_card(connection, f"Rotated {number}", edhrec_rank=number + 10)
        add_change(connection, 4, card, "legalities.standard", "legal", "not_legal")
        add_change(connection, 4, card, "set_code", "abc", "xyz")
    add_mismatch(connection, text, first_seen_run_id=4)
    add_mismatch(connection, twin, status="resolved", resolved_run_id=4)
    add_mismatch(connection, flips, first_seen_run_id=4, status="resolved", resolved_run_id=4)
    return connection


def test_the_last_run_in_one_line(pool: Connection) -> None:
    digest = load_changes(pool)
    assert (digest.since_run_id, digest.until_run_id, digest.is_first) == (2, 4, False)
    assert digest.summary() == (
        "1 new card, 1 card removed, 1 card back, 1 identity changed, 1 mana value changed, 1 text changed, "
        "1 type line changed, 1 card's stats changed, 5 cards' legality changed, 5 cards shown by another printing, "
        "1 new mismatch, 1 mismatch gone"
    )
    assert digest.versions == ["engine version 1 -> 2"]


def test_what_changed_and_changed_back_is_no_change(pool: Connection) -> None:
    digest = load_changes(pool, since=1)
    assert "type_line" not in {change.field for change in digest.published}
    assert digest.restored == []
    assert [card.name for card in digest.added] == ["New Card"]


def test_published_and_computed_are_told_apart(pool: Connection) -> None:
    digest = load_changes(pool)
    assert [(change.card.name, change.label) for change in digest.computed] == [
        ("Text Card", "color identity"),
        ("Twin // Back", "mana value transformed"),
    ]
    labels = [change.label for change in digest.published]
    assert labels[:4] == ["published color identity", "rules text", "type line", "power of Back"]
    assert labels[4] == "legality in standard"


def test_a_change_of_many_cards_is_told_once(pool: Connection) -> None:
    lines = change_lines(load_changes(pool).published)
    assert (lines[-1].named, len(lines[-1].cards)) == ("Rotated 0; Rotated 1; Rotated 2; and 2 more", 5)
    assert change_words(lines[-1]) == "legal -> not legal"
    assert not any(line.column == "set_code" for line in lines)
    assert change_words(lines[1]) == "When it enters[- the battlefield-], draw a card."


def test_a_face_that_is_gone_is_told_once(connection: Connection) -> None:
    add_run(connection, 1)
    add_run(connection, 2)
    card = add_card(connection, "Front")
    add_change(connection, 2, card, "faces.1", "Back", None)
    add_change(connection, 2, card, "faces.1.mana_cost", "{U}", None)
    assert [(change.label, change.old) for change in load_changes(connection).published] == [("face", "Back")]


def test_the_run_that_filled_the_pool(connection: Connection) -> None:
    with pytest.raises(StorageError, match="no sync has filled"):
        load_changes(connection)
    add_run(connection, cards_total=38634)
    digest = load_changes(connection)
    assert head_line(digest) == "Run 1 of 2026-10-01: the pool was filled with 38,634 cards"
    assert sections(digest) == []
    stream = io.StringIO()
    write_changes_page(digest, stream, now=NOW, limit=50)
    assert "the next run has something to compare with" in stream.getvalue()


def test_a_quiet_run(connection: Connection) -> None:
    add_run(connection, 1)
    add_run(connection, 2)
    assert head_line(load_changes(connection)) == "Run 2 of 2026-10-02, compared with run 1: nothing changed"


def test_table(pool: Connection) -> None:
    stream = io.StringIO()
    write_changes(load_changes(pool), "table", stream, 2)
    text = stream.getvalue()
    assert text.startswith("Run 4 of 2026-10-04, compared with run 2: 1 new card")
    order = [
        "New mismatches (1)",
        "Mismatches gone (1)",
        "New cards (1)",
        "Back (1)",
        "Removed (1)",
        "Published values",
    ]
    assert sorted(order, key=text.index) == order
    assert "Text Card  published color identity  W -> WU" in text
    assert "… and 3 more (--limit)" in text
    assert "Values by the rules (2)" in text


def test_markdown_escapes(connection: Connection) -> None:
    add_run(connection, 1)
    add_run(connection, 2)
    card = add_card(connection, "A|B <i>", scryfall_uri=None)
    add_change(connection, 2, card, "mana_cost", "{W}", "*{U}*")
    stream = io.StringIO()
    write_changes(load_changes(connection), "markdown", stream, None)
    assert "| A\\|B &lt;i&gt; | mana cost | {W} -> \\*{U}\\* |" in stream.getvalue().replace("-&gt;", "->")


def test_json_and_csv_hold_everything(pool: Connection) -> None:
    digest = load_changes(pool)
    stream = io.StringIO()
    write_changes_json(digest, stream, now=NOW)
    document = json.loads(stream.getvalue())
    assert (document["format"], document["version"], document["since_run_id"]) == ("card-indexer/changes", 1, 2)
    assert document["counts"]["legality"] == 5
    assert len(document["published"]) == 14
    assert document["new_mismatches"][0]["card"] == "Text Card"
    assert [card["card"] for card in document["removed"]] == ["Gone Card"]
    table = io.StringIO(newline="")
    write_changes_csv(digest, table)
    rows = list(csv.DictReader(io.StringIO(table.getvalue(), newline="")))
    assert len(rows) == 14 + 2 + 3
    assert {row["kind"] for row in rows} == {"card", "published", "computed"}


def test_page_marks_words_and_escapes_text(connection: Connection) -> None:
    add_run(connection, 1)
    add_run(connection, 2)
    card = add_card(connection, "<script>alert(1)</script>", scryfall_uri="javascript:alert(1)")
    add_change(connection, 2, card, "oracle_text", "Add {G}. <b>", "Add {R}. <b>")
    add_change(connection, 2, card, "published_colors", "", "R")
    stream = io.StringIO()
    write_changes_page(load_changes(connection), stream, now=NOW, limit=50)
    page = stream.getvalue()
    assert page.count("<script>") == 1
    assert "javascript:" not in page
    assert '<del><span class="p g" role="img" aria-label="green">G</span></del><ins>' in page
    assert 'colorless → <span class="ps"' in page
    assert "&lt;b&gt;" in page


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a b c", "a b c", "a b c"),
        ("", "new text", "{+new text+}"),
        ("{W}{U}: Tap it.", "{W}{B}: Tap it.", "{W}[-{U}-]{+{B}+}: Tap it."),
        ("Haste\nFlying", "Haste\nReach", "Haste\n[-Flying-]{+Reach+}"),
        ("put it on top", "put them on top", "put [-it-]{+them+} on top"),
        ("one, two, three", "four, five, three", "[-one, two-]{+four, five+}, three"),
    ],
)
def test_words_that_went_and_came(old: str, new: str, expected: str) -> None:
    pieces = diff_text(old, new)
    assert marked_text(pieces) == expected
    assert "".join(piece.text for piece in pieces if piece.mark is not Mark.NEW) == old
    assert "".join(piece.text for piece in pieces if piece.mark is not Mark.GONE) == new


def test_long_texts_are_shown_around_their_changes() -> None:
    old = " ".join(f"w{number}" for number in range(40))
    short = marked_text(shorten(diff_text(old, old.replace("w20", "x")), 2))
    assert short == "… w18 w19 [-w20-]{+x+} w21 w22 …"
