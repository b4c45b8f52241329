"""The pool as Parquet files, one for each table, for DuckDB, pandas, Polars and the like.

Everything is read in one transaction of the caller's, so the files are of one state of the pool. They are written
beside their names first, and take them only when all of them are whole.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import Connection, Table, select

from indexer.errors import ConfigError, ExportError
from indexer.storage.dictionary import Relation, relations
from indexer.storage.runs import last_stored

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]

GROUP_ROWS = 122_880
"""Rows of a row group: as many as DuckDB gives a thread at a time."""

GROUP_BYTES = 32 * 1024 * 1024
"""A row group of long texts ends earlier. This is what bounds the memory."""

FETCHED_AT_ONCE = 4096
"""Rows held as Python objects, which take several times the room of a row group's."""


class ExportedFile(NamedTuple):
    """One file that was written."""

    path: Path
    rows: int
    size: int
    """In bytes."""


def export_parquet(
    connection: Connection,
    folder: Path,
    names: Sequence[str] = (),
    *,
    progress: Callable[[str, int], None] = lambda _name, _rows: None,
    fetched_at_once: int = FETCHED_AT_ONCE,
    group_rows: int = GROUP_ROWS,
) -> list[ExportedFile]:
    """Write a file `<name>.parquet` for each table, or for the tables and views named, and tell what was written.

    The folder is made if it isn't there. Files of an earlier export are replaced when all new ones are whole; whatever
    goes wrong before, they stay. Rows come in the order of the table's key (of a view, of all its columns), so that
    the same rows give the same file. `progress` is called with a name and its rows so far.

    Raises:
        ConfigError: a name that is no table or view, or pyarrow is not installed.
        ExportError: the files can't be written there.
    """
    chosen = _choose(names)
    try:
        from indexer.reports.arrow import arrow_schema
    except ImportError as error:
        raise ConfigError("Parquet files need pyarrow: pip install 'card-indexer[parquet]'") from error
    facts = _facts(connection)
    with _writing_to(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".export-", suffix=".partial", dir=folder) as unfinished:
            rows = {}
            for relation in chosen:
                schema = arrow_schema(relation, facts)
                groups = _row_groups(connection, relation, schema, fetched_at_once, group_rows)
                path = Path(unfinished) / f"{relation.name}.parquet"
                rows[relation.name] = _write(path, schema, groups, partial(progress, relation.name))
            for name in rows:
                Path(unfinished, f"{name}.parquet").replace(folder / f"{name}.parquet")
        return [_exported(folder / f"{name}.parquet", count) for name, count in rows.items()]


def _choose(names: Sequence[str]) -> list[Relation]:
    known = relations()
    for name in names:
        if name not in known:
            raise ConfigError(f"there is no table or view {name!r}; there are {', '.join(known)}")
    return [relation for relation in known.values() if (relation.name in names if names else not relation.is_view)]


@contextmanager
def _writing_to(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ExportError(f"can't write to {str(folder)!r}: {error.strerror or error}") from error


def _facts(connection: Connection) -> dict[str, str]:
    """Where the files come from, for each to carry along."""
    facts = {
        "title": "Card indexer",
        "source": "https://scryfall.com",
        "credit": "Card data are provided by Scryfall. Magic: The Gathering, card names, symbols and texts are "
        "property of Wizards of the Coast LLC. Neither produced nor endorsed by Scryfall or Wizards of the Coast.",
    }
    if (run := last_stored(connection)) is not None:
        facts |= {"run_id": str(run.run_id), **run.versions._asdict()}
        if run.source_updated_at is not None:
            facts["updated_at"] = run.source_updated_at.isoformat()
    return facts


def _row_groups(
    connection: Connection, relation: Relation, schema: pa.Schema, fetched_at_once: int, group_rows: int
) -> Iterator[pa.Table]:
    """The rows in groups that are neither too small to be read fast nor too big to be held."""
    import pyarrow as pa

    source = relation.source
    order = source.primary_key.columns if isinstance(source, Table) else source.columns
    result = connection.execution_options(yield_per=fetched_at_once).execute(select(source).order_by(*order))
    held: list[pa.RecordBatch] = []
    rows = size = 0
    for part in result.partitions():
        columns = zip(*part, strict=True)
        arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
        held.append(pa.RecordBatch.from_arrays(arrays, schema=schema))
        rows += len(part)
        size += held[-1].nbytes
        if rows >= group_rows or size >= GROUP_BYTES:
            yield pa.Table.from_batches(held).unify_dictionaries()
            held, rows, size = [], 0, 0
    if held:
        yield pa.Table.from_batches(held).unify_dictionaries()


def _write(path: Path, schema: pa.Schema, groups: Iterable[pa.Table], progress: Callable[[int], None]) -> int:
    """Write the groups and give the number of rows."""
    from pyarrow.parquet import ParquetWriter  # type: ignore[import-untyped]

    rows = 0
    with ParquetWriter(path, schema, compression="zstd") as writer:
        for group in groups:
            writer.write_table(group, row_group_size=group.num_rows)
            rows += group.num_rows
            progress(rows)
    with path.open("rb") as stream:
        os.fsync(stream.fileno())
    return rows


def _exported(path: Path, rows: int) -> ExportedFile:
    return ExportedFile(path, rows, path.stat().st_size)
