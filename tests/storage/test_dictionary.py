"""The data dictionary describes what is there: every column, every NULL, every value, and nothing else."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Column, Connection, select

from indexer.compare.mismatches import Category
from indexer.config import Settings
from indexer.rules.card import ObjectKind
from indexer.rules.derivation import Decision
from indexer.storage.dictionary import ColumnEntry, Relation, relations
from indexer.storage.engine import open_engine
from indexer.storage.models import Base
from indexer.storage.runs import Outcome
from indexer.storage.views import VIEWS, view_table
from indexer.sync import Sync, SyncOptions
from tests.support.sample_pool import SAMPLE

every_relation = pytest.mark.parametrize("relation", relations().values(), ids=lambda relation: relation.name)


@pytest.fixture(scope="module")
def raw() -> dict[str, Any]:
    return tomllib.loads(files("indexer.storage").joinpath("dictionary.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """The sample cards, synced."""
    folder: Path = tmp_path_factory.mktemp("dictionary")
    url = f"sqlite:///{folder / 'cards.db'}"
    Sync(Settings(url, "http://127.0.0.1:9", folder), SyncOptions(from_file=SAMPLE, workers=0)).run()
    engine = open_engine(url)
    with engine.connect() as connection:
        yield connection
    engine.dispose()


def test_every_table_and_view_is_described_and_no_other(raw: dict[str, Any]) -> None:
    assert set(raw["tables"]) == set(Base.metadata.tables)
    assert set(raw["views"]) == set(VIEWS)
    assert list(relations()) == [*raw["tables"], *VIEWS]


@pytest.mark.parametrize("name", sorted(Base.metadata.tables))
def test_every_column_of_a_table_is_described_and_no_other(raw: dict[str, Any], name: str) -> None:
    assert set(raw["tables"][name]["columns"]) == {column.name for column in Base.metadata.tables[name].columns}


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_describes_only_columns_it_has(raw: dict[str, Any], name: str) -> None:
    assert set(raw["views"][name].get("columns", {})) <= set(view_table(name).columns.keys())
    assert [column.name for column in relations()[name].columns] == list(view_table(name).columns.keys())


def source_columns(relation: Relation) -> Iterator[tuple[ColumnEntry, Column[Any]]]:
    """Each column that is or repeats one of a table, with that one."""
    chosen = VIEWS[relation.name]().selected_columns if relation.is_view else relation.source.columns
    for entry, column in zip(relation.columns, chosen, strict=True):
        origin = next(iter(column.base_columns))
        if isinstance(origin, Column):
            yield entry, origin


@every_relation
def test_null_is_explained_exactly_where_it_can_be(relation: Relation) -> None:
    for entry, column in source_columns(relation):
        joined_from_outside = relation.name in ("commanders", "open_mismatches") and entry.name in (
            "commander_status",
            "face",
        )
        assert bool(entry.null) == (bool(column.nullable) or joined_from_outside), f"{relation.name}.{entry.name}"


@every_relation
def test_what_stands_in_the_pool_is_what_is_described(pool: Connection, relation: Relation) -> None:
    for entry in relation.columns:
        column = relation.source.columns[entry.name]
        found = set(pool.scalars(select(column).distinct()))
        assert entry.null or None not in found, f"{entry.name} is NULL somewhere"
        assert entry.empty or "" not in found, f"{entry.name} is empty somewhere"
        if entry.values and not entry.open:
            assert found - {None} <= set(entry.values), entry.name


@every_relation
def test_the_words_are_one_line(relation: Relation) -> None:
    assert re.fullmatch(r"[A-Z].*[.?]", relation.meaning)
    for entry in relation.columns:
        assert re.fullmatch(r"[A-Z`].*[.?…]", entry.meaning), entry.name
        for words in (entry.null, entry.empty, entry.unit, *entry.values.values()):
            assert words is None or re.fullmatch(r".*[^.\s]", words), entry.name


@pytest.mark.parametrize(
    ("table", "column", "values"),
    [
        ("cards", "object_kind", ObjectKind),
        ("cards", "colors_decision", Decision),
        ("mismatches", "category", Category),
        ("sync_runs", "outcome", Outcome),
    ],
)
def test_closed_sets_are_those_of_the_code(table: str, column: str, values: Any) -> None:
    (entry,) = [entry for entry in relations()[table].columns if entry.name == column]
    assert list(entry.values) == [value.value for value in values]


def test_sets_that_the_database_checks_are_described() -> None:
    for table in ("mismatches", "symbols"):
        checks = {
            str(constraint.name): set(re.findall(r"'(\w+)'", str(constraint.sqltext)))
            for constraint in Base.metadata.tables[table].constraints
            if hasattr(constraint, "sqltext")
        }
        assert checks
        for entry in relations()[table].columns:
            if (name := f"ck_{table}_{entry.name}") in checks:
                assert set(entry.values) == checks.pop(name)
        assert not checks
