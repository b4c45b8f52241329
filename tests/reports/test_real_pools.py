"""The reports over pools that the program itself has made: the sample cards, synced, and a pool on PostgreSQL."""

from __future__ import annotations

import datetime as dt
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from indexer.cli import cli
from indexer.reports.change_formats import write_changes
from indexer.reports.changes import load_changes
from indexer.reports.mismatch_formats import load_pool_facts
from indexer.reports.mismatches import MismatchFilter, load_mismatches
from indexer.reports.mtgjson import OtherCard
from indexer.reports.page import write_page
from indexer.reports.three_way import compare_three_ways
from indexer.storage.engine import open_engine
from indexer.storage.models import Base
from tests.conftest import PROJECT_ROOT
from tests.support.report_pool import add_change, fill_pool, memory_engine, oracle_id_of
from tests.support.runs import sync_records

NOW = dt.datetime(2026, 10, 12, tzinfo=dt.UTC)


@pytest.fixture(scope="module")
def sample_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A pool of the sample cards, with their ten deliberate mistakes."""
    folder = tmp_path_factory.mktemp("sample")
    lines = (PROJECT_ROOT / "data" / "sample-cards.jsonl").read_text(encoding="utf-8").splitlines()
    sync_records(folder, map(json.loads, lines))
    return f"sqlite:///{folder / 'cards.db'}"


def report(url: str, *arguments: str) -> str:
    result = CliRunner().invoke(cli, ["report", "--database-url", url, *arguments], standalone_mode=False)
    assert result.exception is None
    return result.output


def test_every_decided_mismatch_comes_with_its_steps(sample_url: str) -> None:
    rows = json.loads(report(sample_url, "--format", "json"))["mismatches"]
    assert len(rows) == 10
    for row in rows:
        assert row["steps"], row["card"]
        assert any(step["rule"] == row["rule"] for step in row["steps"]), row["card"]


def test_a_correction_tells_the_steps_and_not_the_explanation_too(sample_url: str) -> None:
    text = report(sample_url, "--ready")
    finks = text.split("Correction: Kitchen Finks")[1].split("Correction: ")[0]
    assert "The colors are published as G.\nBy rule 202.2d they are WG." in finks
    assert finks.count("(202.2d)") == 0, "the explanation's form of a step"
    assert finks.count("[202.2d]") > 0, "the message's own form of it"


def test_the_page_draws_the_sample_s_mistakes(sample_url: str, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    assert report(sample_url, "--output", str(path)) == ""
    page = path.read_text(encoding="utf-8")
    assert page.count('class="open"') == 10
    assert page.count('<ol class="steps">') == 10
    assert "Syndic of Tithes" in page


@pytest.mark.postgresql
def test_everything_on_postgresql_is_as_on_sqlite(postgresql_url: str) -> None:
    texts = []
    for engine in (memory_engine(), open_engine(postgresql_url)):
        Base.metadata.create_all(engine)
        with engine.connect() as connection:
            fill_pool(connection, 30)
            add_change(connection, 12, oracle_id_of("Ember Adept"), "oracle_text", "Flying", "Reach")
            stream = io.StringIO()
            rows = load_mismatches(connection, MismatchFilter(statuses=frozenset(), since=1))
            facts = load_pool_facts(connection)
            assert facts is not None
            write_page(connection, rows, facts, stream, now=NOW)
            write_changes(load_changes(connection, since=3), "table", stream, None)
            other = OtherCard(oracle_id_of("Ember Adept"), "Ember Adept", "7", "W", "W", None, ())
            stream.write(repr(compare_three_ways(connection, [other])))
            texts.append(stream.getvalue())
        engine.dispose()
    assert texts[0] == texts[1]
