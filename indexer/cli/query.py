"""`indexer query`: SQL that only reads."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

import click

from indexer.cli import common_options
from indexer.config import Settings

if TYPE_CHECKING:
    from indexer.reports.tabular import TabularFormat

MAX_TABLE_ROWS = 10_000
"""A table must be held in memory to know how wide it is; JSON and CSV are written row by row."""


@click.command()
@click.argument("sql", metavar="SQL")
@click.option("--format", "fmt", type=click.Choice(["table", "json", "csv"]), default="table", show_default=True)
@click.option(
    "-p",
    "--param",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    help="A value for :NAME in SQL: a number if it is written as one, otherwise text. May be given several times.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.001, max=86400),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="How long the database may work on it.",
)
@common_options
def query(settings: Settings, sql: str, fmt: str, parameters: tuple[str, ...], timeout: float) -> None:
    """Answer one SQL statement that reads. SQL of - is read from standard input.

    Whatever would write, attach, load or change settings is refused by the database itself. docs/schema.md describes
    the tables.
    """
    from indexer.query import parse_parameter, run_query
    from indexer.reports.tabular import write_rows

    text = sys.stdin.read() if sql == "-" else sql
    given = dict(parse_parameter(parameter) for parameter in parameters)
    with run_query(settings.database_url, text, given, seconds=timeout) as result:
        if fmt == "table":
            _write_table(result.columns, result.rows)
        else:
            write_rows(result.columns, result.rows, cast("TabularFormat", fmt), sys.stdout)


def _write_table(columns: tuple[str, ...], rows: Iterator[tuple[Any, ...]]) -> None:
    from indexer.reports.tabular import write_rows

    write_rows(columns, islice(rows, MAX_TABLE_ROWS), "table", sys.stdout)
    if next(rows, None) is not None:
        click.echo(
            f"indexer: only the first {MAX_TABLE_ROWS} rows are shown; --format csv or json gives all of them", err=True
        )
