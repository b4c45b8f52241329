"""`indexer changes`: the morning digest."""

from __future__ import annotations

import datetime as dt
import sys
from pathlib import Path
from typing import Literal, cast

import click

from indexer.cli import common_options
from indexer.cli.report import FORMAT_OF_ENDING, FORMATS
from indexer.config import Settings


@click.command(short_help="Tell what changed between syncs, field by field.")
@click.option(
    "--since",
    metavar="RUN|DATE",
    help="Compare with this run, or with the start of this day [default: the run before].",
)
@click.option("--until", metavar="RUN|DATE", help="Up to this run, or the end of this day [default: the last run].")
@click.option(
    "--format", "fmt", type=click.Choice(FORMATS), help="[default: by the ending of --output, otherwise table]"
)
@click.option(
    "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write to this file, which appears when whole."
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most N lines a part [default: 50].")
@click.option("--all", "everything", is_flag=True, help="Show every line. JSON and CSV always hold everything.")
@common_options
def changes(
    settings: Settings,
    since: str | None,
    until: str | None,
    fmt: str | None,
    output: Path | None,
    limit: int | None,
    everything: bool,
) -> None:
    """Tell what changed between syncs: mismatches and cards that came and went, then field by field.

    What is published and what the rules give are told apart. A field that changed and changed back is left out, and a
    change that many cards share is told once.
    """
    from indexer.cli.reading import open_pool
    from indexer.reports import change_formats
    from indexer.reports.changes import load_changes
    from indexer.reports.output import open_output
    from indexer.reports.runs import run_as_of, run_since

    fmt = fmt or (FORMAT_OF_ENDING.get(output.suffix.lower()) if output else None) or "table"
    lines = None if everything else limit or change_formats.LINES
    now = dt.datetime.now(dt.UTC)
    with open_pool(settings) as connection:
        digest = load_changes(
            connection,
            since=None if since is None else run_since(connection, since),
            until=None if until is None else run_as_of(connection, until).run_id,
        )
        with open_output(output, sys.stdout) as stream:
            if fmt == "json":
                change_formats.write_changes_json(digest, stream, now=now)
            elif fmt == "csv":
                change_formats.write_changes_csv(digest, stream)
            elif fmt == "html":
                change_formats.write_changes_page(digest, stream, now=now, limit=lines)
            else:
                change_formats.write_changes(digest, cast(Literal["table", "markdown"], fmt), stream, lines)
