"""Runs of the sync over small files, and a look at everything that they leave in the database."""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, inspect, text

from indexer.config import Settings
from indexer.storage.engine import open_engine
from indexer.storage.fulltext import is_part_of_index
from indexer.summary import SyncSummary
from indexer.sync import Sync, SyncOptions

CHANGING_TABLES = {"sync_runs", "alembic_version"}
CHANGING_COLUMNS = {"last_seen_run_id", "search_vector"}


def jsonl(records: Iterable[dict[str, Any]]) -> bytes:
    """Records as a bulk file, one a line, without blanks as the service writes them."""
    lines = (json.dumps(record, ensure_ascii=False, separators=(",", ":")) for record in records)
    return b"".join(line.encode() + b"\n" for line in lines)


def write_records(path: Path, records: Iterable[dict[str, Any]]) -> Path:
    """A bulk file of these records, gzipped if its name says so."""
    content = jsonl(records)
    path.write_bytes(gzip.compress(content, 1) if path.suffix == ".gz" else content)
    return path


def settings_in(folder: Path, *, api_url: str = "http://127.0.0.1:9", database_url: str | None = None) -> Settings:
    """Settings with everything in one folder."""
    return Settings(database_url or f"sqlite:///{folder / 'cards.db'}", api_url, folder)


def sync_records(
    folder: Path, records: Iterable[dict[str, Any]], *, database_url: str | None = None, **options: Any
) -> SyncSummary:
    """Sync a file of these records into the database of the folder."""
    path = write_records(folder / "cards.jsonl", records)
    options = {"workers": 0, "from_file": path, **options}
    return Sync(settings_in(folder, database_url=database_url), SyncOptions(**options)).run()


@contextmanager
def connected(folder: Path, database_url: str | None = None) -> Iterator[Connection]:
    """A connection to the database of the folder."""
    engine = open_engine(database_url or f"sqlite:///{folder / 'cards.db'}")
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


def dump(connection: Connection) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table that a run need not change, without `last_seen_run_id`, which every run moves on."""
    rows: dict[str, list[dict[str, Any]]] = {}
    for name in inspect(connection).get_table_names():
        if name not in CHANGING_TABLES and not is_part_of_index(name):
            found = connection.execute(text(f"SELECT * FROM {name}")).mappings()
            rows[name] = sorted(
                ({column: value for column, value in row.items() if column not in CHANGING_COLUMNS} for row in found),
                key=repr,
            )
    return rows


def is_sound(database: Path) -> list[str]:
    """What is wrong with an SQLite file; nothing if it is whole and no reference leads nowhere."""
    with closing(sqlite3.connect(database)) as connection:
        problems = [str(row[0]) for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
        problems += [f"broken reference: {row}" for row in connection.execute("PRAGMA foreign_key_check")]
        if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'cards_fts'").fetchone():
            try:
                connection.execute("INSERT INTO cards_fts(cards_fts, rank) VALUES ('integrity-check', 1)")
            except sqlite3.DatabaseError as error:
                problems.append(f"full-text index: {error}")
            connection.rollback()
    return problems
