"""The data dictionary: what every table, view and column means, as `dictionary.toml` says it, with its types.

`docs/schema.md`, Datasette's metadata and the descriptions in Parquet files are made from it, so that they agree.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any

from sqlalchemy import FromClause, Table

from indexer.storage.models import Base
from indexer.storage.views import VIEWS, view_table


@dataclass(frozen=True, slots=True)
class ColumnEntry:
    """What one column means."""

    name: str
    meaning: str
    unit: str | None = None
    """None: it is no quantity, or a plain count."""
    null: str | None = None
    """What NULL means; None if there is none."""
    empty: str | None = None
    """What the empty text means; None if that never stands there."""
    values: Mapping[str, str] = field(default_factory=dict)
    """The values it is from, each with its meaning; empty if it is not from a set."""
    values_as: str | None = None
    """The column of the same table where the values are told; None: here."""
    open: bool = False
    """Whether other values than these may come, because the source decides."""
    coded: bool = False
    """Whether there are so few distinct values that a column store writes each once."""
    of: str | None = None
    """For a column of a view that is a table's: that table. None: it is described here."""


@dataclass(frozen=True, slots=True)
class Relation:
    """What a table or view is, and its columns in order."""

    name: str
    title: str
    meaning: str
    columns: tuple[ColumnEntry, ...]
    is_view: bool
    source: FromClause
    """What to select from, with typed columns."""


@cache
def relations() -> Mapping[str, Relation]:
    """Every table, then every view, by name.

    Raises:
        KeyError: a table, view or column is not described (a test makes sure that all are).
    """
    data = tomllib.loads(files("indexer.storage").joinpath("dictionary.toml").read_text(encoding="utf-8"))
    tables = {name: _table(name, entry) for name, entry in data["tables"].items()}
    views = {name: _view(name, data["views"][name], tables) for name in VIEWS}
    return tables | views


def _table(name: str, entry: Mapping[str, Any]) -> Relation:
    table: Table = Base.metadata.tables[name]
    described = _columns(entry["columns"])
    columns = tuple(described[column.name] for column in table.columns)
    return Relation(name, entry["title"], entry["meaning"], columns, False, table)


def _view(name: str, entry: Mapping[str, Any], tables: Mapping[str, Relation]) -> Relation:
    view = view_table(name)
    described: dict[str, ColumnEntry] = {}
    for inherited in ("cards", *entry.get("inherits", ())):
        described |= {column.name: replace(column, of=inherited) for column in tables[inherited].columns}
    described |= _columns(entry.get("columns", {}))
    columns = tuple(described[column.name] for column in view.columns)
    return Relation(name, entry["title"], entry["meaning"], columns, True, view)


def _columns(entries: Mapping[str, Any]) -> dict[str, ColumnEntry]:
    columns: dict[str, ColumnEntry] = {}
    for name, entry in entries.items():
        facts = {"meaning": entry} if isinstance(entry, str) else dict(entry)
        if (other := facts.get("values_as")) is not None:
            facts["values"] = entries[other]["values"]
        columns[name] = ColumnEntry(name=name, **facts)
    return columns
