"""`indexer status`: for people and for monitoring."""

from __future__ import annotations

import datetime as dt
import json
import re

import click

from indexer.cli import common_options
from indexer.cli.streams import one_line
from indexer.config import Settings

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


class Span(click.ParamType[dt.timedelta]):
    """A span of time: `36h`, `90m`, `2d`."""

    name = "SPAN"

    def convert(
        self, value: str | dt.timedelta, param: click.Parameter | None, ctx: click.Context | None
    ) -> dt.timedelta:
        """The span, or a usage error."""
        if isinstance(value, dt.timedelta):
            return value
        match = re.fullmatch(r"(\d{1,6})\s*([smhd])", value.strip().lower(), re.ASCII)
        if match is None:
            self.fail(f"{value!r} is no span of time: write 36h, 90m or 2d", param, ctx)
        return dt.timedelta(seconds=int(match[1]) * _UNITS[match[2]])


@click.command(short_help="Show the last runs, the age of the data and counts.")
@click.option("--format", "fmt", type=click.Choice(("text", "json")), default="text", show_default=True)
@click.option("--check", is_flag=True, help="Exit with 1 if the data is too old or the last run did not end well.")
@click.option("--max-age", type=Span(), default="36h", show_default=True, help="For --check.")
@click.option("--runs", type=click.IntRange(1, 1000), default=5, show_default=True, help="How many runs to show.")
@common_options
def status(settings: Settings, fmt: str, check: bool, max_age: dt.timedelta, runs: int) -> int:
    """Show the last runs, the age of the data, what the pool holds, and the schema's revision.

    With --check, for monitoring: the exit status is 1 if the data is older than --max-age, if no run has ended well for
    that long, if the last run was refused or failed, or if there is no pool.
    """
    from indexer.cli.reading import open_pool
    from indexer.reports.status import load_status, status_json, status_lines

    with open_pool(settings) as connection:
        facts = load_status(connection, now=dt.datetime.now(dt.UTC), runs=runs)
    problems = facts.problems(max_age) if check else None
    if fmt == "json":
        click.echo(json.dumps(status_json(facts, problems), ensure_ascii=False))
    else:
        for line in status_lines(facts, problems):
            click.echo(one_line(line))
    return 1 if problems else 0
