"""Which mismatches a report shows, in which order, and in which words."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Connection

from indexer.errors import ConfigError
from indexer.reports.mismatch_formats import (
    CSV_COLUMNS,
    JSON_FORMAT,
    Derivation,
    PoolFacts,
    load_pool_facts,
    write_mismatch_json,
    write_mismatch_rows,
)
from indexer.reports.mismatches import MismatchFilter, load_mismatches, new_alarms
from indexer.reports.ready import ReadyFormat, write_corrections
from indexer.reports.runs import run_as_of, run_since
from indexer.rules.derivation import Step
from tests.support.report_pool import add_card, add_mismatch, add_run

EVERY = MismatchFilter(statuses=frozenset())
NOW = dt.datetime(2026, 10, 6, tzinfo=dt.UTC)


@pytest.fixture
def pool(connection: Connection) -> Connection:
    """Five runs, and a mismatch of every kind of life."""
    for day, outcome in enumerate(("stored", "failed", "stored", "stored", "up_to_date"), 1):
        add_run(connection, day, outcome=outcome)
    card = add_card(connection, "Old Twin // Back", faces=("Old Twin", "Back"), legal_in=("modern", "legacy"))
    add_mismatch(connection, card, face_index=1, field="colors", published="WR", computed="WU", rule="202.2")
    add_mismatch(connection, card, published="2", computed="4", first_seen_run_id=4)
    token = add_card(connection, "A Token", object_kind="token", edhrec_rank=1)
    add_mismatch(connection, token, field="color_identity", published="", computed="G", category="policy")
    played = add_card(connection, "Played", legal_in=("modern",), edhrec_rank=5)
    add_mismatch(connection, played, status="resolved", resolved_run_id=4)
    add_mismatch(connection, played, field="colors", published="U", computed="", status="accepted", status_reason="why")
    add_mismatch(
        connection,
        played,
        field="produced_mana",
        published="C",
        computed=None,
        category="undecided",
        first_seen_run_id=4,
    )
    back = add_card(connection, "Back Again", legal_in=("modern",), edhrec_rank=9)
    add_mismatch(connection, back, reopened_run_id=4)
    rare = add_card(connection, "Rarely Played", legal_in=("modern",))
    add_mismatch(connection, rare, first_seen_run_id=3)
    return connection


def labels(connection: Connection, **wanted: Any) -> list[str]:
    return [f"{row.label} {row.field}" for row in load_mismatches(connection, MismatchFilter(**wanted))]


def test_what_matters_most_comes_first(pool: Connection) -> None:
    assert labels(pool, statuses=frozenset()) == [
        "Old Twin // Back mana_value",
        "Old Twin // Back (Back) colors",
        "Back Again mana_value",
        "Rarely Played mana_value",
        "A Token color_identity",
        "Played produced_mana",
        "Played colors",
        "Played mana_value",
    ]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({"statuses": frozenset({"resolved"})}, ["Played mana_value"]),
        ({"statuses": frozenset({"accepted"})}, ["Played colors"]),
        ({"categories": frozenset({"policy"})}, ["A Token color_identity"]),
        ({"kinds": frozenset({"token"})}, ["A Token color_identity"]),
        ({"fields": frozenset({"colors"})}, ["Old Twin // Back (Back) colors"]),
        ({"limit": 1}, ["Old Twin // Back mana_value"]),
        ({"new": True}, ["Old Twin // Back mana_value", "Back Again mana_value", "Played produced_mana"]),
        (
            {"since": 2},
            [
                "Old Twin // Back mana_value",
                "Back Again mana_value",
                "Rarely Played mana_value",
                "Played produced_mana",
            ],
        ),
        ({"since": 3, "statuses": frozenset({"resolved"})}, ["Played mana_value"]),
        ({"between": (2, 3), "statuses": frozenset()}, ["Rarely Played mana_value"]),
        ({"between": (1, 1), "statuses": frozenset()}, []),
        ({"since": 4, "statuses": frozenset()}, []),
    ],
)
def test_filters(pool: Connection, wanted: dict[str, Any], expected: list[str]) -> None:
    assert labels(pool, **wanted) == expected


def test_only_a_published_error_is_an_alarm(pool: Connection) -> None:
    rows = load_mismatches(pool, EVERY)
    new = replace(rows[0], new=True)
    categories = ("published_error", "policy", "undecided")
    assert [row.category for row in new_alarms(replace(new, category=name) for name in categories)] == [
        "published_error"
    ]
    assert [row.card for row in new_alarms(rows)] == ["Old Twin // Back", "Back Again"]
    assert [row.card for row in rows if row.new] == ["Old Twin // Back", "Back Again", "Played"]


def test_runs_open_counts_runs_that_brought_data(pool: Connection) -> None:
    runs = {(row.card, row.field): row.runs_open for row in load_mismatches(pool, EVERY)}
    assert runs["Old Twin // Back", "colors"] == 3
    assert runs["Old Twin // Back", "mana_value"] == 1
    assert runs["Played", "mana_value"] == 2
    assert runs["Rarely Played", "mana_value"] == 2


def test_a_mismatch_reopened_after_the_newest_data_is_new(pool: Connection) -> None:
    card = add_card(pool, "Expired")
    add_mismatch(pool, card, reopened_run_id=5, status_reason="ended")
    assert "Expired mana_value" in labels(pool, new=True)


def test_points_in_time(pool: Connection) -> None:
    moments = ("3", "2026-10-03", "2026-10-03T05:00", "2026-10-02", "2020-01-01")
    assert [run_since(pool, text) for text in moments] == [3, 1, 3, 1, 0]
    moments = ("3", "2026-10-03", "2026-10-02", "2026-10-03T03:00Z", "2030-01-01")
    assert [run_as_of(pool, text).run_id for text in moments] == [3, 3, 1, 1, 4]
    with pytest.raises(ConfigError, match="the history begins with run 1 of 2026-10-01"):
        run_as_of(pool, "2026-09-30")
    for text in ("yesterday", "", "3.5", "²"):
        with pytest.raises(ConfigError, match="neither a run's number nor a date"):
            run_since(pool, text)
    with pytest.raises(ConfigError, match="no run '6'; the last one is 5"):
        run_since(pool, "6")


def facts_of(connection: Connection) -> PoolFacts:
    facts = load_pool_facts(connection)
    assert facts is not None
    return facts


def test_an_empty_pool_has_no_facts(connection: Connection) -> None:
    assert load_pool_facts(connection) is None
    add_run(connection, outcome="failed")
    assert load_pool_facts(connection) is None
    with pytest.raises(ConfigError, match="the history has no run yet: run 'indexer sync'"):
        run_as_of(connection, "2020-01-01")


def test_table(pool: Connection) -> None:
    stream = io.StringIO()
    write_mismatch_rows(load_mismatches(pool), facts_of(pool), "table", stream)
    lines = stream.getvalue().splitlines()
    assert lines[0] == "6 mismatches (4 published errors, 1 policy, 1 undecided) in 5 objects, run 4 of 2026-10-04"
    assert lines[1].split("  ")[0] == "card"
    assert "status" not in lines[1]
    assert (
        lines[4].split()
        == ("Old Twin // Back (Back) colors WR WU +U -R published error 202.2 2026-10-01 3 {1} and {U} make 2.").split()
    )


def test_table_shows_the_status_and_its_reason_where_they_differ(pool: Connection) -> None:
    stream = io.StringIO()
    write_mismatch_rows(load_mismatches(pool, EVERY), facts_of(pool), "table", stream)
    assert "accepted  2026-10-01" in stream.getvalue()
    assert "[why]" in stream.getvalue()


def test_nothing_to_report(connection: Connection) -> None:
    add_run(connection)
    stream = io.StringIO()
    write_mismatch_rows([], facts_of(connection), "table", stream)
    assert stream.getvalue() == "No mismatches in 0 objects, run 1 of 2026-10-01\n"


def test_csv_has_one_column_a_key_and_no_formula(pool: Connection) -> None:
    stream = io.StringIO(newline="")
    write_mismatch_rows(load_mismatches(pool), facts_of(pool), "csv", stream)
    rows = list(csv.DictReader(io.StringIO(stream.getvalue(), newline="")))
    assert tuple(rows[0]) == CSV_COLUMNS
    assert (rows[1]["published"], rows[1]["computed"], rows[1]["add"], rows[1]["remove"]) == ("WR", "WU", "U", "R")
    assert (rows[0]["published"], rows[0]["computed"], rows[0]["add"]) == ("2", "4", "")
    assert not any(cell.startswith(("=", "+", "-", "@", "'")) for row in rows for cell in row.values())


def test_markdown_links_the_card(pool: Connection) -> None:
    stream = io.StringIO()
    write_mismatch_rows(load_mismatches(pool, MismatchFilter(limit=1)), facts_of(pool), "markdown", stream)
    assert "| [Old Twin // Back](https://scryfall.example.test/card/1) | mana value | 2 | 4 | +2 |" in stream.getvalue()


def test_json_document(pool: Connection) -> None:
    stream = io.StringIO()
    wanted = MismatchFilter(fields=frozenset({"colors"}))
    rows = load_mismatches(pool, wanted)
    steps = [Step("202.2", "colors of the cost", "{W}{U}", "mana cost")]
    write_mismatch_json(rows, facts_of(pool), wanted, stream, now=NOW, steps_for=lambda *_: Derivation(steps))
    document = json.loads(stream.getvalue())
    assert (document["format"], document["version"]) == (JSON_FORMAT, 1)
    assert document["pool"]["run_id"] == 4
    assert document["filter"]["field"] == ["colors"]
    assert document["filter"]["status"] == ["open"]
    assert document["counts"] == {
        "total": 1,
        "new_alarms": 0,
        "by_status": {"open": 1},
        "by_category": {"published_error": 1},
        "by_field": {"colors": 1},
    }
    (row,) = document["mismatches"]
    assert row["difference"] == "+U -R"
    assert row["steps"] == [steps[0]._asdict()]
    assert row["first_seen_at"] == "2026-10-01T04:00:00+00:00"
    empty = io.StringIO()
    write_mismatch_json([], facts_of(pool), wanted, empty, now=NOW)
    assert json.loads(empty.getvalue())["mismatches"] == []


@pytest.mark.parametrize("fmt", ["text", "markdown"])
def test_corrections_are_one_a_card(pool: Connection, fmt: ReadyFormat) -> None:
    stream = io.StringIO()
    steps = [Step("202.3", "the total of the cost", "{1}{U}", "mana cost")]
    rows = load_mismatches(pool)
    count = write_corrections(rows, facts_of(pool), fmt, stream, steps_for=lambda *_: Derivation(steps))
    text = stream.getvalue()
    assert count == text.count("Correction: ") == 4
    first = text.split("---")[0]
    assert "https://scryfall.example.test/card/1" in first
    assert "mana value" in first
    assert "colors of the face Back are published as" in first
    assert "Played" not in text.replace("Rarely Played", ""), "an undecided value is no correction"
    if fmt == "text":
        assert "The mana value is published as 2.\nBy rule 202.3 it is 4.\n{1} and {U} make 2." in first
        assert "  - {1}{U} (mana cost): the total of the cost [202.3]" in first
    else:
        assert "published as **WR**" in first
        assert "- {1}{U} (mana cost): the total of the cost [202.3]" in first


def test_a_correction_is_harmless_to_a_terminal(connection: Connection) -> None:
    add_run(connection)
    add_mismatch(connection, add_card(connection, "Bolt\x1b[2J\u202e"), explanation="a\nb\x07", rule="\x9b1")
    stream = io.StringIO()
    write_corrections(load_mismatches(connection), facts_of(connection), "text", stream)
    assert all(line.isprintable() for line in stream.getvalue().splitlines())
