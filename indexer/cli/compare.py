"""`indexer compare`: a third opinion on each mismatch."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from indexer.cli import common_options
from indexer.cli.report import FORMAT_OF_ENDING
from indexer.config import Settings

if TYPE_CHECKING:
    from indexer.reports.tabular import TabularFormat
    from indexer.reports.three_way import ThreeWayResult, ThreeWayRow

FORMATS = ("table", "json", "csv", "markdown")
COLUMNS = ("card", "face", "field", "scryfall", "mtgjson", "ours", "alone", "category", "oracle_id")


@click.command(short_help="Hold the values against MTGJSON's: who stands alone?")
@click.option(
    "--mtgjson",
    required=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="MTGJSON's AtomicCards or AllPrintings, plain or packed with gzip, xz or bzip2.",
)
@click.option(
    "--alone",
    multiple=True,
    type=click.Choice(("scryfall", "ours", "mtgjson", "all", "unknown")),
    help="Only what this one has differently from the other two (all: no two agree). May be given several times.",
)
@click.option("--mismatches", "only_mismatches", is_flag=True, help="Only values that the report lists as mismatches.")
@click.option(
    "--format", "fmt", type=click.Choice(FORMATS), help="[default: by the ending of --output, otherwise table]"
)
@click.option(
    "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write to this file, which appears when whole."
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most N rows.")
@common_options
def compare(
    settings: Settings,
    mtgjson: Path,
    alone: tuple[str, ...],
    only_mismatches: bool,
    fmt: str | None,
    output: Path | None,
    limit: int | None,
) -> None:
    """Hold Scryfall's values and ours against MTGJSON's, and tell for each difference whose value stands alone.

    The open mismatches come first, in the order of the report; then what MTGJSON alone has differently. Two against one
    tell whose mistake it probably is, but MTGJSON takes much of its data from Scryfall.
    """
    from indexer.cli.reading import open_pool
    from indexer.reports.mtgjson import MtgjsonFile
    from indexer.reports.output import open_output
    from indexer.reports.tabular import write_rows
    from indexer.reports.three_way import compare_three_ways

    fmt = fmt or (FORMAT_OF_ENDING.get(output.suffix.lower()) if output else None) or "table"
    if fmt not in FORMATS:
        raise click.UsageError(f"compare writes {', '.join(FORMATS)}, not {fmt}")
    file = MtgjsonFile(mtgjson)
    with open_pool(settings) as connection:
        result = compare_three_ways(connection, file.cards())
    rows = [row for row in result.rows if (not alone or row.alone in alone) and (row.category or not only_mismatches)]
    with open_output(output, sys.stdout) as stream:
        columns = COLUMNS if fmt in ("json", "csv") else COLUMNS[:-1]
        cells = ([_cell(row, column, fmt) for column in columns] for row in rows[:limit])
        title = summary(result) if fmt in ("table", "markdown") else None
        write_rows(columns, cells, cast("TabularFormat", fmt), stream, title=title)
    if file.skipped and not settings.quiet:
        entries = f"{file.skipped:,} {'entry' if file.skipped == 1 else 'entries'}"
        click.echo(f"indexer: {entries} of {str(mtgjson)!r} could not be read", err=True)


def summary(result: ThreeWayResult) -> str:
    """`12 of 98,000 values of 38,000 cards differ: Scryfall alone 3, …`."""
    counts = Counter(row.alone.value for row in result.rows)
    words = {"scryfall": "Scryfall alone", "ours": "we alone", "mtgjson": "MTGJSON alone", "all": "all three differ"}
    told = [f"{word} {counts[name]:,}" for name, word in words.items() if counts[name]]
    differing = sum(counts[name] for name in words)
    line = f"{differing:,} of {result.values_compared:,} values of {result.cards_compared:,} cards differ"
    line += f": {', '.join(told)}" if told else ""
    return line + (f"; MTGJSON tells nothing of {counts['unknown']:,} mismatches" if counts["unknown"] else "")


def _cell(row: ThreeWayRow, column: str, fmt: str) -> object:
    from indexer.reports.tabular import Link
    from indexer.reports.values import FIELD_NAMES, shown_value

    value = getattr(row, column)
    if fmt in ("json", "csv"):
        return value
    if column == "card":
        return Link(row.card, row.scryfall_uri)
    if column == "field":
        return FIELD_NAMES[row.field]
    if column in ("scryfall", "ours"):
        return shown_value(row.field, value)
    if column == "mtgjson":
        return "not told" if value is None else shown_value(row.field, value)
    return value
