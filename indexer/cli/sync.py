"""`indexer sync`: the nightly job."""

from __future__ import annotations

import atexit
import gc
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from indexer.cli import common_options
from indexer.cli.streams import one_line
from indexer.config import Settings
from indexer.errors import ConfigError
from indexer.gates import GATES

if TYPE_CHECKING:
    from indexer.sync import Progress, SyncOptions

_STAGES = {"download": "Downloading", "cards": "Computing and storing"}


INTERRUPTED = 128 + signal.SIGINT
TERMINATED = 128 + signal.SIGTERM


class Terminated(KeyboardInterrupt):
    """SIGTERM came: stop as cleanly as for Ctrl-C."""


def _gate_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for gate in reversed(GATES):
        command = click.option(gate.option, f"allow_{gate.name}", is_flag=True, help=gate.help)(command)
    return command


@click.command(short_help="Fetch the card pool if it is newer, recompute, store, compare.")
@click.option(
    "--from-file",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="Read this file (.jsonl, .json array, each plain or .gz; - is standard input) instead of the service's.",
)
@click.option("--force", is_flag=True, help="Compute every record anew, even if nothing is new.")
@click.option("--dry-run", is_flag=True, help="Do everything, then take it back: nothing on disk changes.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object about the run, also if it fails.")
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="HOST",
    envvar="INDEXER_ALLOWED_HOSTS",
    help="A further host that downloads may come from, such as a mirror's [INDEXER_ALLOWED_HOSTS, by spaces].",
)
@click.option(
    "--keep-downloads",
    type=click.IntRange(min=1),
    default=2,
    show_default=True,
    metavar="N",
    help="So many downloaded files stay, the newest ones.",
)
@_gate_options
@common_options
def sync(
    settings: Settings,
    from_file: Path | None,
    force: bool,
    dry_run: bool,
    as_json: bool,
    hosts: tuple[str, ...],
    keep_downloads: int,
    **gates: bool,
) -> int:
    """Bring the pool to the newest export: fetch it if it is newer, recompute every value, store, compare.

    Readers see the old pool until the new one is complete. Whatever goes wrong, the old one stays. New data that looks
    wrong as a whole is refused (exit status 3); the message names the option that lets it through.
    """
    from indexer.sync import SyncOptions

    options = SyncOptions(
        from_file=from_file,
        force=force,
        dry_run=dry_run,
        allowed=frozenset(gate.name for gate in GATES if gates[f"allow_{gate.name}"]),
        accepted_file=_accepted_file(settings),
        allowed_hosts=frozenset(hosts),
        keep_downloads=keep_downloads,
    )
    with _no_search_for_cycles(), _progress(settings) as progress:
        return _sync(settings, options, as_json, progress)


def _sync(settings: Settings, options: SyncOptions, as_json: bool, progress: Progress) -> int:
    from indexer.sync import Sync

    run = Sync(settings, options, progress=progress)
    try:
        with _clean_stop():
            run.run()
    except KeyboardInterrupt as error:
        outcome = "the new pool is stored" if run.committed else "nothing was changed"
        click.echo(f"indexer: interrupted, {outcome}", err=True)
        return TERMINATED if isinstance(error, Terminated) else INTERRUPTED
    finally:
        if as_json:
            click.echo(json.dumps(run.summary.as_json(), ensure_ascii=False))
    if not as_json and not settings.quiet:
        for line in run.summary.lines():
            click.echo(one_line(line))
    return 0


def _accepted_file(settings: Settings) -> Path:
    from indexer.acceptances import DEFAULT_ACCEPTED_NAME, ENV_ACCEPTED

    named = os.environ.get(ENV_ACCEPTED)
    if named and not Path(named).exists():
        # The usual place may be empty. Passing over a name that somebody gave would open what they have accepted again.
        raise ConfigError(f"no acceptance file {named!r}: correct or remove {ENV_ACCEPTED}")
    return Path(named or settings.data_dir / DEFAULT_ACCEPTED_NAME)


@contextmanager
def _no_search_for_cycles() -> Iterator[None]:
    """Switch the cyclic garbage collector off, and spare it its last look when the interpreter ends.

    A run makes hardly any cycles, but a million rows and, by its imports, a hundred thousand objects that stay:
    looking through those takes a sixth of the time of a night without changes.
    """
    atexit.register(gc.freeze)
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@contextmanager
def _clean_stop() -> Iterator[None]:
    """Let SIGTERM end the run the way Ctrl-C does: rolled back, locks let go of, workers gone."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise Terminated

    try:
        before = signal.signal(signal.SIGTERM, stop)
    except ValueError:  # not in the main thread: somebody else looks after signals
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _progress(settings: Settings) -> Iterator[Progress]:
    """Bars on standard error, if that is a terminal."""
    if settings.quiet or not sys.stderr.isatty():
        yield lambda _stage, _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TaskID, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    tasks: dict[str, TaskID] = {}
    with Bars(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bars:

        def show(stage: str, done: int, total: int | None) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(_STAGES.get(stage, stage), total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield show
