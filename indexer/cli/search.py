"""`indexer search`: cards by Scryfall's search language."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, cast

import click

from indexer.cli import common_options
from indexer.config import Settings
from indexer.errors import SearchSyntaxError

if TYPE_CHECKING:
    from sqlalchemy import Row

    from indexer.reports.tabular import TabularFormat
    from indexer.search.compile import CompiledSearch

TABLE_COLUMNS = ("name", "mana_cost", "mana_value", "type_line", "stats", "color_identity", "set_code")
"""For people; `stats` is power and toughness, loyalty or defense."""
DATA_COLUMNS = (
    "oracle_id", "name", "layout", "object_kind", "mana_cost", "mana_value", "colors", "color_identity",
    "produced_mana", "type_line", "oracle_text", "power", "toughness", "loyalty", "defense", "set_code",
    "collector_number", "rarity", "released_at", "edhrec_rank", "reserved", "scryfall_uri",
)  # fmt: skip
"""For programs: columns of `cards`."""
SQL_COLUMNS = ("oracle_id", "name", "mana_cost", "mana_value", "type_line", "color_identity")


@click.command()
@click.argument("expression", metavar="EXPR")
@click.option("--format", "fmt", type=click.Choice(["table", "json", "csv"]), default="table", show_default=True)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most N cards.")
@click.option(
    "--sql", is_flag=True, help="Print the SQL of the search instead, with its values; 'indexer query' runs it."
)
@click.option("--as-of", metavar="RUN|DATE", help="The pool as it was after that run, or at the end of that day.")
@common_options
def search(settings: Settings, expression: str, fmt: str, limit: int | None, sql: bool, as_of: str | None) -> None:
    """Find the cards that EXPR describes in Scryfall's search language, such as 'id<=wu t:creature pow>=4'.

    Put EXPR in quotes, so that the shell leaves it alone; one that begins with - goes after --. Results are sorted by
    name unless EXPR has order:. What Scryfall has and the pool lacks (prices, artists ...) is refused, never left out
    in silence. docs/search.md lists everything.
    """
    if sql and as_of is not None:
        raise click.UsageError("--sql is of the pool as it is: it doesn't go with --as-of")

    from indexer.search.compile import compile_search
    from indexer.storage.models import Card

    columns = [getattr(Card, name) for name in (SQL_COLUMNS if sql else DATA_COLUMNS)]
    try:
        compiled = compile_search(expression, columns=columns, limit=limit)
        if sql:
            click.echo(_sql_text(compiled, settings.database_url))
            return
        rows = _rows(settings, compiled, as_of)
    except SearchSyntaxError as error:
        raise _with_place(error) from error
    _write(rows, fmt)
    if not rows and not settings.quiet:
        click.echo("indexer: no card matches", err=True)


def _rows(settings: Settings, compiled: CompiledSearch, as_of: str | None) -> list[Row[Any]]:
    from indexer.cli.reading import open_pool, seen_as_of
    from indexer.search.run import run_search
    from indexer.storage.fulltext import FTS_TABLE

    # To make the index of that time takes a second, and most searches do without.
    full_text = as_of is not None and FTS_TABLE in _sql_text(compiled, settings.database_url)
    with open_pool(settings) as connection, seen_as_of(connection, as_of, full_text=full_text):
        return list(run_search(connection, compiled))


def _write(rows: list[Row[Any]], fmt: str) -> None:
    from indexer.reports.tabular import Link, write_rows

    if fmt == "table":
        shown = [
            (
                Link(r.name, r.scryfall_uri),
                r.mana_cost,
                r.mana_value,
                r.type_line,
                _stats(r),
                r.color_identity,
                r.set_code,
            )
            for r in rows
        ]
        write_rows(TABLE_COLUMNS, shown, "table", sys.stdout)
    else:
        write_rows(DATA_COLUMNS, rows, cast("TabularFormat", fmt), sys.stdout)


def _stats(row: Row[Any]) -> str:
    if row.power is not None or row.toughness is not None:
        return f"{row.power or ''}/{row.toughness or ''}"
    return row.loyalty or row.defense or ""


def _with_place(error: SearchSyntaxError) -> SearchSyntaxError:
    start, end = error.span
    part = error.source[start:end]
    place = f" (character {start + 1}: {part:.60})" if part else ""
    return SearchSyntaxError(f"{error}{place}", source=error.source, span=error.span)


def _sql_text(compiled: CompiledSearch, database_url: str) -> str:
    """The statement as the database of that address reads it, its values written out."""
    from sqlalchemy.dialects import postgresql, sqlite

    from indexer.storage.engine import parse_url

    # With named parameters the percent signs of LIKE stay single.
    kinds = {"postgresql": postgresql, "sqlite": sqlite}
    dialect = kinds[parse_url(database_url).get_backend_name()].dialect(paramstyle="named")
    return str(compiled.statement.compile(dialect=dialect, compile_kwargs={"literal_binds": True}))
