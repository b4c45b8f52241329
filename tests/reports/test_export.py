"""Parquet files hold what the tables hold, typed, whole or not at all."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from sqlalchemy import Connection, Engine, select, text

from indexer.errors import ConfigError, ExportError
from indexer.reports.export import export_parquet
from indexer.storage.dictionary import relations
from indexer.storage.engine import open_engine
from indexer.storage.models import Base
from tests.support.pools import fill_pool, raw_card
from tests.support.sample_pool import sample_records
from tests.support.servers import fresh_database

TABLES = [name for name, relation in relations().items() if not relation.is_view]


def filled(engine: Engine) -> Engine:
    """The sample cards and a changed one, so that every kind of value is there: dates, NULL, halves, removed cards."""
    bear = raw_card("Bear", "{1}{G}", colors=["G"], color_identity=["G"], edhrec_rank=7, reserved=False)
    fill_pool(engine, [*sample_records(), bear, raw_card("Gone", "{G}")], day=1)
    fill_pool(engine, [*sample_records(), bear | {"mana_cost": "{2}{G}"}], day=2)
    return engine


@pytest.fixture(scope="module")
def sqlite_pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    engine = filled(open_engine(f"sqlite:///{tmp_path_factory.mktemp('export')}/cards.db"))
    yield engine
    engine.dispose()


@pytest.fixture(scope="module")
def postgresql_pool(postgresql_server: str) -> Iterator[Engine]:
    with fresh_database(postgresql_server) as url:
        engine = filled(open_engine(url))
        yield engine
        engine.dispose()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def either(request: pytest.FixtureRequest) -> Iterator[Connection]:
    """The pool on each kind of database."""
    with request.getfixturevalue(f"{request.param}_pool").connect() as connection:
        yield connection


@pytest.fixture
def pool(sqlite_pool: Engine) -> Iterator[Connection]:
    with sqlite_pool.connect() as connection:
        yield connection


def in_duckdb(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    with duckdb.connect() as database:
        database.execute("SET TimeZone = 'UTC'")
        return database.execute(sql.replace("@", f"{folder}/")).fetchall()


def in_sql(connection: Connection, name: str) -> list[tuple[Any, ...]]:
    source = relations()[name].source
    order = Base.metadata.tables[name].primary_key.columns if name in TABLES else source.columns
    return [tuple(row) for row in connection.execute(select(source).order_by(*order))]


def in_order(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return sorted(rows, key=lambda row: [str(value) for value in row])


def test_duckdb_reads_in_every_file_what_is_in_the_table(either: Connection, tmp_path: Path) -> None:
    export_parquet(either, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(f"{name}.parquet" for name in TABLES)
    for name in TABLES:
        assert in_duckdb(tmp_path, f"FROM '@{name}.parquet'") == in_sql(either, name), name


def test_views_are_written_when_they_are_named(either: Connection, tmp_path: Path) -> None:
    names = ["card_overview", "devotion", "open_mismatches", "mana_curve"]
    files = export_parquet(either, tmp_path, names)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(f"{name}.parquet" for name in names)
    for file in files:
        read = in_duckdb(tmp_path, f"FROM '@{file.path.name}'")
        assert len(read) == file.rows > 0
        assert in_order(read) == in_order(in_sql(either, file.path.stem))


def test_the_answer_tells_rows_and_sizes(pool: Connection, tmp_path: Path) -> None:
    told: dict[str, int] = {}
    files = export_parquet(pool, tmp_path / "deep" / "er", progress=told.__setitem__)
    assert [file.path.stem for file in files] == TABLES
    assert {file.path.stem: file.rows for file in files if file.rows} == told
    for file in files:
        assert file.size == file.path.stat().st_size
        assert file.rows == pq.read_metadata(file.path).num_rows


def test_columns_have_types(pool: Connection, tmp_path: Path) -> None:
    export_parquet(pool, tmp_path)
    types = {name: kind for name, kind, *_ in in_duckdb(tmp_path, "DESCRIBE FROM '@cards.parquet'")}
    assert types["released_at"] == "DATE"
    assert types["mana_value"] == "DOUBLE"
    assert types["reserved"] == "BOOLEAN"
    assert types["colors_mask"] == "INTEGER"
    assert types["record_hash"] == "BLOB"
    assert types["name"] == types["colors"] == "VARCHAR"
    runs = {name: kind for name, kind, *_ in in_duckdb(tmp_path, "DESCRIBE FROM '@sync_runs.parquet'")}
    assert runs["started_at"] == "TIMESTAMP WITH TIME ZONE"
    assert runs["size"] == "BIGINT"


def test_sets_are_dictionary_coded(pool: Connection, tmp_path: Path) -> None:
    export_parquet(pool, tmp_path)
    coded = {
        (name, field.name)
        for name in TABLES
        for field in pq.read_schema(tmp_path / f"{name}.parquet")
        if pa.types.is_dictionary(field.type)
    }
    assert coded >= {
        ("cards", "colors"),
        ("cards", "color_identity"),
        ("cards", "layout"),
        ("cards", "object_kind"),
        ("cards", "rarity"),
        ("legalities", "format"),
        ("legalities", "status"),
        ("mismatches", "status"),
        ("face_types", "kind"),
        ("mana_values", "situation"),
    }
    assert not coded & {("cards", "oracle_id"), ("cards", "name"), ("cards", "oracle_text")}


def test_null_and_empty_stay_apart(pool: Connection, tmp_path: Path) -> None:
    export_parquet(pool, tmp_path, ["cards"])
    counted = "SELECT count(*) FILTER (colors = ''), count(*) FILTER (edhrec_rank IS NULL) FROM '@cards.parquet'"
    expected = "SELECT sum(colors = ''), sum(edhrec_rank IS NULL) FROM cards"
    assert in_duckdb(tmp_path, counted) == [tuple(row) for row in pool.execute(text(expected))]


def test_masks_answer_as_in_sql(pool: Connection, tmp_path: Path) -> None:
    export_parquet(pool, tmp_path, ["cards"])
    for condition in ("& ~17 = 0", "= 17", "& 17 = 17", "& 17 <> 0", "& 17 = 0"):
        asked = "SELECT count(*) FROM {} WHERE color_identity_mask " + condition
        assert in_duckdb(tmp_path, asked.format("'@cards.parquet'")) == [
            tuple(row) for row in pool.execute(text(asked.format("cards")))
        ]


def test_files_and_columns_tell_what_they_are(pool: Connection, tmp_path: Path) -> None:
    export_parquet(pool, tmp_path, ["cards", "sync_runs"])
    schema = pq.read_schema(tmp_path / "cards.parquet")
    told = {key.decode(): value.decode() for key, value in schema.metadata.items()}
    assert told["table"] == "cards"
    assert told["run_id"] == "2"
    assert told["rules_edition"] == "2026-02-27"
    assert told["updated_at"] == "2026-11-02T02:00:00+00:00"
    assert "Scryfall" in told["credit"]
    assert "Wizards of the Coast" in told["credit"]
    column = {key.decode(): value.decode() for key, value in schema.field("object_kind").metadata.items()}
    assert column["description"] == "What kind of object the record is."
    assert set(json.loads(column["values"])) == {"card", "token", "nontraditional", "other"}
    size = pq.read_schema(tmp_path / "sync_runs.parquet").field("size").metadata
    assert (size[b"unit"], size[b"null"]) == (b"bytes", b"not known")


def test_small_batches_give_the_same_rows_in_more_groups(pool: Connection, tmp_path: Path) -> None:
    export_parquet(pool, tmp_path / "whole")
    export_parquet(pool, tmp_path / "parts", fetched_at_once=7, group_rows=20)
    for name in TABLES:
        whole, parts = (pq.ParquetFile(tmp_path / each / f"{name}.parquet") for each in ("whole", "parts"))
        assert whole.read().to_pylist() == parts.read().to_pylist()
        # 7, 14, 21 rows: the third batch completes a group.
        assert parts.num_row_groups == -(-parts.metadata.num_rows // 21)


def test_the_same_pool_gives_the_same_bytes(pool: Connection, tmp_path: Path) -> None:
    for each in ("once", "twice"):
        export_parquet(pool, tmp_path / each)
    for name in TABLES:
        assert (tmp_path / "once" / f"{name}.parquet").read_bytes() == (
            tmp_path / "twice" / f"{name}.parquet"
        ).read_bytes()


def test_what_goes_wrong_leaves_the_earlier_files(pool: Connection, tmp_path: Path) -> None:
    for name in TABLES:
        (tmp_path / f"{name}.parquet").write_text("earlier")
    seen: list[str] = []

    def fail_at_the_third_file(name: str, _rows: int) -> None:
        seen.append(name)
        if len(set(seen)) == 3:
            raise OSError(28, "No space left on device")

    with pytest.raises(ExportError, match=r"^can't write to '.*': No space left on device$"):
        export_parquet(pool, tmp_path, progress=fail_at_the_third_file)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        f"{name}.parquet": "earlier" for name in TABLES
    }


def test_a_folder_that_is_none_is_one_clear_line(pool: Connection, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(ExportError, match=r"^can't write to '.*/taken': File exists$"):
        export_parquet(pool, tmp_path / "taken")


def test_an_unknown_table_is_one_clear_line(pool: Connection, tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"^there is no table or view 'crads'; there are cards, card_faces, .*devotion"
    ):
        export_parquet(pool, tmp_path / "new", ["cards", "crads"])
    assert not (tmp_path / "new").exists()


def test_without_pyarrow_the_line_names_the_extra(
    pool: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.delitem(sys.modules, "indexer.reports.arrow", raising=False)
    with pytest.raises(ConfigError, match=r"^Parquet files need pyarrow: pip install 'card-indexer\[parquet\]'$"):
        export_parquet(pool, tmp_path / "new")
    assert not (tmp_path / "new").exists()
