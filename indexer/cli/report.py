"""`indexer report`: the published values that the rules contradict."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, cast

import click

from indexer.cli import common_options
from indexer.config import Settings

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from indexer.reports.mismatch_formats import StepsFor
    from indexer.reports.mismatches import MismatchFilter
    from indexer.reports.tabular import TabularFormat

FORMATS = ("table", "json", "csv", "markdown", "html")
FORMAT_OF_ENDING = {".json": "json", ".csv": "csv", ".md": "markdown", ".html": "html", ".htm": "html"}


@click.command(short_help="List the published values that the rules contradict.")
@click.option(
    "--format", "fmt", type=click.Choice(FORMATS), help="[default: by the ending of --output, otherwise table]"
)
@click.option(
    "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write to this file, which appears when whole."
)
@click.option(
    "--status",
    type=click.Choice(("open", "resolved", "accepted", "all")),
    help="[default: open; all with --between]",
)
@click.option(
    "--field",
    "fields",
    multiple=True,
    type=click.Choice(("mana_value", "colors", "color_identity", "produced_mana")),
    help="Only this field. May be given several times.",
)
@click.option(
    "--category",
    "categories",
    multiple=True,
    type=click.Choice(("published_error", "policy", "undecided")),
    help="Only this category. May be given several times.",
)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(("card", "token", "nontraditional", "other")),
    help="Only objects of this kind. May be given several times.",
)
@click.option("--new", is_flag=True, help="Only those that appeared, or came back, with the newest data.")
@click.option(
    "--since", metavar="RUN|DATE", help="Only those that appeared, came back or ended after that run or since that day."
)
@click.option("--between", nargs=2, metavar="RUN RUN", help="What changed from one run (or day) to another.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most N, those that matter most.")
@click.option("--ready", is_flag=True, help="One ready-to-send correction per card (as text, or --format markdown).")
@click.option(
    "--fail-on-new",
    is_flag=True,
    help="Exit with 1 if there is a new open published error of these fields and kinds.",
)
@common_options
def report(
    settings: Settings,
    fmt: str | None,
    output: Path | None,
    status: str | None,
    fields: tuple[str, ...],
    categories: tuple[str, ...],
    kinds: tuple[str, ...],
    new: bool,
    since: str | None,
    between: tuple[str, str] | None,
    limit: int | None,
    ready: bool,
    fail_on_new: bool,
) -> int:
    """List the published values that the rules contradict, those that matter most first.

    Open mismatches come before accepted and resolved ones, errors before known policies, playable cards before other
    objects, cards of many formats and much-played cards before others. An undecided value is one that the rules don't
    give from the record; it is shown, and never counts as new.
    """
    fmt = fmt or (FORMAT_OF_ENDING.get(output.suffix.lower()) if output else None) or "table"
    if ready and fmt not in ("table", "markdown"):
        raise click.UsageError(f"--ready writes text or Markdown, not {fmt}")

    from indexer.cli.reading import open_pool
    from indexer.reports.mismatches import MismatchFilter, load_mismatches, new_alarms
    from indexer.reports.output import open_output
    from indexer.reports.runs import run_as_of, run_since

    scope = MismatchFilter(fields=frozenset(fields), categories=frozenset(categories), kinds=frozenset(kinds))
    status = status or ("all" if between else "open")
    with open_pool(settings) as connection:
        wanted = replace(
            scope,
            statuses=frozenset() if status == "all" else frozenset({status}),
            new=new,
            since=None if since is None else run_since(connection, since),
            between=between and (run_as_of(connection, between[0]).run_id, run_as_of(connection, between[1]).run_id),
            limit=limit,
        )
        with open_output(output, sys.stdout) as stream:
            _write(connection, wanted, fmt, stream, ready=ready)
        if not fail_on_new:
            return 0
        alarms = new_alarms(load_mismatches(connection, scope))
    if alarms and not settings.quiet:
        count = f"{len(alarms)} new published error{'' if len(alarms) == 1 else 's'}"
        click.echo(f"indexer: {count} with the newest data (--fail-on-new)", err=True)
    return 1 if alarms else 0


def _write(connection: Connection, wanted: MismatchFilter, fmt: str, stream: TextIO, *, ready: bool) -> None:
    import datetime as dt

    from indexer.errors import StorageError
    from indexer.reports.mismatch_formats import load_pool_facts, write_mismatch_json, write_mismatch_rows
    from indexer.reports.mismatches import MismatchFilter, load_mismatches

    facts = load_pool_facts(connection)
    if facts is None:
        raise StorageError("no sync has filled the card pool yet: run 'indexer sync' first")
    rows = load_mismatches(connection, wanted)
    now = dt.datetime.now(dt.UTC)
    steps_for = _derivations(connection)
    if ready:
        from indexer.reports.ready import write_corrections

        write_corrections(rows, facts, "markdown" if fmt == "markdown" else "text", stream, steps_for=steps_for)
    elif fmt == "html":
        from indexer.reports.page import write_page

        filtered = replace(wanted, statuses=frozenset()) != MismatchFilter(statuses=frozenset())
        write_page(connection, rows, facts, stream, now=now, filtered=filtered, steps_for=steps_for)
    elif fmt == "json":
        write_mismatch_json(rows, facts, wanted, stream, now=now, steps_for=steps_for)
    else:
        write_mismatch_rows(rows, facts, cast("TabularFormat", fmt), stream)


def _derivations(connection: Connection) -> StepsFor:
    """Gives the steps that lead to a value of a stored card, from its characteristics as they are stored."""
    from functools import lru_cache

    from indexer.compare.mismatches import explain_steps
    from indexer.explain import load_card_by_id
    from indexer.reports.mismatch_formats import Derivation
    from indexer.rules.card import Card
    from indexer.rules.evaluate import steps_of

    @lru_cache(maxsize=64)
    def card_of(oracle_id: str) -> Card:
        return load_card_by_id(connection, oracle_id).card

    def steps_for(oracle_id: str, field: str, face_index: int | None) -> Derivation:
        steps = steps_of(card_of(oracle_id), field, face_index)
        return Derivation(steps, explain_steps(steps))

    return steps_for
