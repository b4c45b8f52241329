"""`indexer export`: the pool as Parquet files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from indexer.cli import common_options
from indexer.config import Settings

if TYPE_CHECKING:
    from indexer.reports.tabular import TabularFormat


@click.command(short_help="Write the pool as Parquet files, one for each table.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--table", "tables", metavar="NAME", multiple=True, help="Only this table, or a view. May be given several times."
)
@click.option(
    "--format",
    "fmt",
    type=click.Choice(("table", "json", "csv")),
    default="table",
    show_default=True,
    help="How to list what was written.",
)
@common_options
def export(settings: Settings, folder: Path, tables: tuple[str, ...], fmt: str) -> int:
    """Write one Parquet file for each table into DIR, all of the same state of the pool.

    Files of an earlier export there are replaced when all new ones are whole. Columns are typed, those of few values
    dictionary-coded, and each carries its description. Needs the extra [parquet].
    """
    from indexer.cli.reading import open_pool
    from indexer.reports.export import export_parquet
    from indexer.reports.tabular import write_rows
    from indexer.storage.migrate import check_schema

    with open_pool(settings) as connection, _progress(quiet=settings.quiet) as progress:
        check_schema(connection)
        files = export_parquet(connection, folder, tables, progress=progress)
    rows = [(str(file.path), file.rows, file.size) for file in files]
    write_rows(("file", "rows", "bytes"), rows, cast("TabularFormat", fmt), sys.stdout)
    return 0


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[str, int], None]]:
    """What is being written, on a terminal only."""
    if quiet or not sys.stderr.isatty():
        yield lambda _name, _rows: None
        return
    from rich.console import Console

    with Console(stderr=True).status("Writing") as status:
        yield lambda name, rows: status.update(f"Writing {name}: {rows:,} rows")
