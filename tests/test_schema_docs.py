"""docs/schema.md tells the truth: every table, view and column, and the answers of the worked queries."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, text

from indexer.config import Settings
from indexer.storage.engine import open_engine
from indexer.storage.models import Base
from indexer.storage.views import VIEWS, view_table
from indexer.sync import Sync, SyncOptions
from tests.support.servers import fresh_database
from tools import schema_docs
from tools.schema_docs import METADATA, PAGE, SAMPLE, sync_sample
from tools.worked_queries import WorkedQuery, worked_queries

QUERIES = worked_queries()
every_query = pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.name)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    engine = open_engine(sync_sample(tmp_path_factory.mktemp("schema")))
    yield engine
    engine.dispose()


def test_the_page_and_the_metadata_are_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    assert schema_docs.main([]) == 0, capsys.readouterr().err


def test_a_stale_page_is_noticed_and_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page, metadata = tmp_path / "schema.md", tmp_path / "metadata.json"
    page.write_text(PAGE.read_text(encoding="utf-8").replace("Kitchen Finks", "Kitchen Sink"), encoding="utf-8")
    metadata.write_text(METADATA.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(schema_docs, "ROOT", tmp_path)
    monkeypatch.setattr(schema_docs, "PAGE", page)
    monkeypatch.setattr(schema_docs, "METADATA", metadata)
    assert schema_docs.main([]) == 1
    assert capsys.readouterr().err.startswith("stale: schema.md;")
    assert schema_docs.main(["--write"]) == 0
    assert page.read_bytes() == PAGE.read_bytes()


def sections() -> dict[str, str]:
    """The page's parts of the third level by their headings."""
    parts = re.split(r"^### (.*)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def columns_named(section: str) -> list[str]:
    """The columns that a section tells of: rows of its table, and names that are said to be as elsewhere."""
    rows = re.findall(r"^\| (?:\*\*)?(\w+)(?:\*\*)? \| (?!type)", section, re.MULTILINE)
    for listed in re.findall(r"^As in \[\w+\]\(#\w+\): (.*)\.$", section, re.MULTILINE):
        rows += re.findall(r"`(\w+)`", listed)
    return rows


def test_no_table_or_view_is_missing_or_extra() -> None:
    named = {heading for heading in sections() if not heading[0].isdigit()}
    assert named == set(Base.metadata.tables) | set(VIEWS)


@pytest.mark.parametrize("name", sorted(Base.metadata.tables))
def test_no_column_of_a_table_is_missing_or_extra(name: str) -> None:
    assert columns_named(sections()[name]) == [column.name for column in Base.metadata.tables[name].columns]


@pytest.mark.parametrize("name", VIEWS)
def test_no_column_of_a_view_is_missing_or_extra(name: str) -> None:
    assert sorted(columns_named(sections()[name])) == sorted(view_table(name).columns.keys())


def test_there_are_twenty_questions_of_three_kinds_of_people() -> None:
    assert len(QUERIES) == 20
    assert {query.audience for query in QUERIES} == {"deck builder", "judge", "analyst"}
    assert len({query.name for query in QUERIES}) == 20


@every_query
def test_every_question_has_an_answer_worth_showing(sample: Engine, query: WorkedQuery) -> None:
    with sample.connect() as connection:
        rows = connection.execute(text(query.sql), dict(query.parameters)).all()
    assert 1 <= len(rows) <= 12


def test_the_shown_mistakes_are_those_of_the_sample() -> None:
    answer = next(section for heading, section in sections().items() if "contradict" in heading)
    listed = re.findall(
        r"^\| ([^|]+) \| ?\d? \| (\w+) \|", (SAMPLE.parent / "SOURCE.md").read_text("utf-8"), re.MULTILINE
    )
    assert len(listed) == 10
    for name, field in listed:
        assert re.search(rf"^{re.escape(name)} .*\b{field}\b", answer, re.MULTILINE), name


@pytest.fixture(scope="module")
def postgresql_pool(postgresql_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    with fresh_database(postgresql_server) as url:
        settings = Settings(url, "http://127.0.0.1:9", tmp_path_factory.mktemp("schema"))
        Sync(settings, SyncOptions(from_file=SAMPLE, workers=0)).run()
        engine = open_engine(url)
        with engine.connect() as connection:
            yield connection
        engine.dispose()


class TestPostgresql:
    @pytest.mark.postgresql
    @pytest.mark.parametrize("query", [q for q in QUERIES if "postgresql" in q.databases], ids=lambda q: q.name)
    def test_every_question_has_the_same_answer(
        self, postgresql_pool: Connection, sample: Engine, query: WorkedQuery
    ) -> None:
        answer = [tuple(row) for row in postgresql_pool.execute(text(query.sql), dict(query.parameters))]
        with sample.connect() as connection:
            expected = [tuple(row) for row in connection.execute(text(query.sql), dict(query.parameters))]
        assert [[_number(value) for value in row] for row in answer] == [
            [_number(value) for value in row] for row in expected
        ]

    @pytest.mark.postgresql
    def test_the_full_text_condition_of_the_page_works_there(self, postgresql_pool: Connection) -> None:
        assert "search_vector @@ websearch_to_tsquery('simple', :words)" in PAGE.read_text(encoding="utf-8")
        found = postgresql_pool.execute(
            text("SELECT name FROM cards WHERE search_vector @@ websearch_to_tsquery('simple', :words)"),
            {"words": '"first strike" angel'},
        )
        assert sorted(found.scalars()) == ["Brisela, Voice of Nightmares", "Gisela, the Broken Blade"]


def _number(value: Any) -> Any:
    """PostgreSQL gives exact decimals where SQLite gives floats."""
    return float(value) if hasattr(value, "as_tuple") else value


STATISTICS = [
    ("cards", "ix_cards_color_identity_mask", "42408 201"),
    ("cards", "ix_cards_colors_mask", "42750 401"),
    ("cards", "ix_cards_edhrec_rank", "42044 3"),
    ("cards", "ix_cards_layout", "33448 31"),
    ("cards", "ix_cards_mana_value", "47136 201"),
    ("cards", "ix_cards_name", "17028 2"),
    ("cards", "ix_cards_produced_mana_mask", "39732 134"),
    ("cards", "ix_cards_set_code", "46512 62"),
    ("cards", "sqlite_autoindex_cards_1", "31125 1"),
    ("cards", "sqlite_autoindex_cards_2", "42130 1"),
    ("mismatches", "ix_mismatches_oracle_id", "61 1"),
    ("mismatches", "ix_mismatches_status_field", "61 61 16"),
]
"""What a sync of 38,634 cards leaves for SQLite's planner: it estimates from a part of each index."""


@pytest.fixture(scope="module")
def big_pool(sample: Engine) -> Iterator[sqlite3.Connection]:
    """The sample pool, for which plans are made as for a full one."""
    with closing(sqlite3.connect(":memory:")) as connection:
        with sample.connect() as source:
            driver = source.connection.driver_connection
            assert isinstance(driver, sqlite3.Connection)
            driver.backup(connection)
        connection.execute("DELETE FROM sqlite_stat1")
        connection.executemany("INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (?, ?, ?)", STATISTICS)
        connection.commit()
        connection.execute("ANALYZE sqlite_master")  # Reads them again.
        yield connection


def whole_tables(connection: sqlite3.Connection, query: WorkedQuery) -> list[str]:
    """The steps of the plan that read a whole table of cards, or make an index for one question only."""
    steps = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {query.sql}", dict(query.parameters))]
    # Runs and mismatches are few by nature. An index that covers the question is read instead of the table.
    short = {"mismatches", "sync_runs"}
    tables = {*Base.metadata.tables, *re.findall(r"\bAS (\w+)", query.sql)} - short
    return [
        step
        for step in steps
        if "AUTOMATIC" in step
        or ((scan := re.fullmatch(r"SCAN (\w+)( USING INDEX \w+)?", step)) is not None and scan[1] in tables)
    ]


class TestPlans:
    """The database answers the questions with its indexes and not by looking at everything."""

    @every_query
    def test_only_what_says_so_reads_a_whole_table(self, big_pool: sqlite3.Connection, query: WorkedQuery) -> None:
        assert bool(whole_tables(big_pool, query)) == bool(query.reads_all)

    def test_a_missing_index_would_be_noticed(self, big_pool: sqlite3.Connection) -> None:
        indexes = "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
        with closing(sqlite3.connect(":memory:")) as bare:
            big_pool.backup(bare)
            for (name,) in bare.execute(indexes).fetchall():
                bare.execute(f"DROP INDEX {name}")
            noticed = {query.name for query in QUERIES if not query.reads_all and whole_tables(bare, query)}
        assert noticed >= {"one_card", "within_colors", "mana_early", "what_leads_to", "no_mana_cost"}


class TestMetadata:
    def test_it_names_no_column_or_table_that_is_not_there(self, sample: Engine) -> None:
        (database,) = json.loads(METADATA.read_text(encoding="utf-8"))["databases"].values()
        with sample.connect() as connection:
            for name, table in database["tables"].items():
                there = set(connection.execute(text(f"SELECT * FROM {name} LIMIT 0")).keys())
                columns = {*table.get("columns", {}), *table.get("units", {}), *table.get("facets", [])}
                columns |= {table[key] for key in ("sort", "sort_desc", "label_column", "fts_pk") if key in table}
                assert columns <= there, name

    def test_it_gives_credit(self) -> None:
        metadata = json.loads(METADATA.read_text(encoding="utf-8"))
        assert metadata["source_url"] == "https://scryfall.com"
        for words in ("Scryfall", "Wizards of the Coast", "nor endorsed"):
            assert words in metadata["description"]
