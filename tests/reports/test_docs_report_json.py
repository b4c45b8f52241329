"""`docs/report-json.md` names every key of the documents, and no other."""

from __future__ import annotations

import datetime as dt
import io
import json
import re

from sqlalchemy import Connection

from indexer.reports.change_formats import JSON_FORMAT as CHANGES_FORMAT
from indexer.reports.change_formats import JSON_VERSION as CHANGES_VERSION
from indexer.reports.change_formats import write_changes_json
from indexer.reports.changes import load_changes
from indexer.reports.mismatch_formats import (
    JSON_FORMAT,
    JSON_VERSION,
    Derivation,
    load_pool_facts,
    write_mismatch_json,
)
from indexer.reports.mismatches import MismatchFilter, load_mismatches
from indexer.rules.derivation import Step
from tests.conftest import PROJECT_ROOT
from tests.support.report_pool import fill_pool

NOW = dt.datetime(2026, 10, 12, tzinfo=dt.UTC)


def documented(heading: str) -> list[set[str]]:
    """The keys in the first column of each table under a heading."""
    text = (PROJECT_ROOT / "docs" / "report-json.md").read_text(encoding="utf-8")
    section = text.split(f"## `{heading}`", 1)[1].split("\n## ", 1)[0]
    tables = re.findall(r"(?:^\|.*\n)+", section, re.MULTILINE)
    return [set(re.findall(r"`(\w+)`", " ".join(row.split("|")[1] for row in table.splitlines()))) for table in tables]


def test_the_report(connection: Connection) -> None:
    fill_pool(connection, 20)
    facts = load_pool_facts(connection)
    assert facts is not None
    stream = io.StringIO()
    wanted = MismatchFilter()
    steps = Derivation([Step("202.3", "meaning", "{U}", "mana cost")])
    write_mismatch_json(load_mismatches(connection), facts, wanted, stream, now=NOW, steps_for=lambda *_: steps)
    document = json.loads(stream.getvalue())
    top, row = documented(JSON_FORMAT)
    assert set(document) == top
    assert set(document["mismatches"][0]) == row
    page = (PROJECT_ROOT / "docs" / "report-json.md").read_text(encoding="utf-8")
    assert f"## `{JSON_FORMAT}`, version {JSON_VERSION}\n" in page
    for part in ("pool", "filter", "counts"):
        line = next(line for line in page.splitlines() if line.startswith(f"| `{part}` |"))
        assert set(document[part]) <= set(re.findall(r"`(\w+)`", line)), part


def test_the_changes(connection: Connection) -> None:
    fill_pool(connection, 20)
    stream = io.StringIO()
    write_changes_json(load_changes(connection), stream, now=NOW)
    (top,) = documented(CHANGES_FORMAT)
    assert set(json.loads(stream.getvalue())) == top
    page = (PROJECT_ROOT / "docs" / "report-json.md").read_text(encoding="utf-8")
    assert f"## `{CHANGES_FORMAT}`, version {CHANGES_VERSION}\n" in page
