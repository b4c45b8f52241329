"""The command line: arguments in, text and exit status out.

Each command lives in a module of this package and is imported only when it is called, so that `indexer --help` and a
sync with nothing to do start fast.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import click

from indexer import __version__
from indexer.cli.streams import complain, drop_output, prepare_streams
from indexer.config import DEFAULT_API_URL, ENV_API_URL, ENV_DATA_DIR, ENV_DATABASE_URL, ENV_LOG_FORMAT, Settings
from indexer.errors import IndexerError

F = TypeVar("F", bound=Callable[..., Any])


class LazyCommand(NamedTuple):
    """Where a command is, and its one-line help (kept here so that the list of commands imports none of them)."""

    module: str
    attribute: str
    help: str


COMMANDS: dict[str, LazyCommand] = {
    "sync": LazyCommand("indexer.cli.sync", "sync", "Fetch the card pool if it is newer, recompute, store, compare."),
    "report": LazyCommand("indexer.cli.report", "report", "List the published values that the rules contradict."),
    "explain": LazyCommand("indexer.cli.explain", "explain", "Derive a card's values step by step, with rule numbers."),
    "search": LazyCommand("indexer.cli.search", "search", "Find cards with Scryfall's search language."),
    "query": LazyCommand("indexer.cli.query", "query", "Answer SQL that only reads."),
    "changes": LazyCommand("indexer.cli.changes", "changes", "Tell what changed between syncs, field by field."),
    "export": LazyCommand("indexer.cli.export", "export", "Write the pool as Parquet files, one for each table."),
    "serve": LazyCommand("indexer.cli.serve", "serve", "Look at the pool in a browser, with Datasette."),
    "compare": LazyCommand("indexer.cli.compare", "compare", "Hold the values against MTGJSON's: who stands alone?"),
    "status": LazyCommand("indexer.cli.status", "status", "Show the last runs, the age of the data and counts."),
}


class ReaderGoneError(Exception):
    """Whoever read standard output (head, less) has gone. No OSError, which click would turn into a failure."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except BrokenPipeError as error:
            raise ReaderGoneError from error

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise ReaderGoneError from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        lazy = COMMANDS.get(cmd_name)
        if lazy is None:
            return None
        command = getattr(importlib.import_module(lazy.module), lazy.attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, lazy.help) for name, lazy in COMMANDS.items()])


def common_options(command: F) -> F:
    """The options that every command takes. The command receives them as one `settings: Settings` argument."""
    from functools import wraps

    @click.option(
        "--database-url",
        metavar="URL",
        help=f"Where the pool is [{ENV_DATABASE_URL}; default sqlite:///data/cards.db].",
    )
    @click.option("--api-url", metavar="URL", help=f"The card service [{ENV_API_URL}; default {DEFAULT_API_URL}].")
    @click.option(
        "--data-dir", metavar="DIR", help=f"Downloads and the default database [{ENV_DATA_DIR}; default data]."
    )
    @click.option("--quiet", "-q", is_flag=True, help="Say nothing but results and errors.")
    @click.option("--verbose", "-v", is_flag=True, help="Log every step to standard error.")
    @click.option(
        "--log-format",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        envvar=ENV_LOG_FORMAT,
        help=f"How the log on standard error is written; json: one object a line [{ENV_LOG_FORMAT}].",
    )
    @wraps(command)
    def wrapper(
        *args: Any,
        database_url: str | None,
        api_url: str | None,
        data_dir: str | None,
        quiet: bool,
        verbose: bool,
        log_format: str,
        **kwargs: Any,
    ) -> Any:
        settings = Settings.from_environment(
            os.environ, database_url=database_url, api_url=api_url, data_dir=data_dir, quiet=quiet, verbose=verbose
        )
        configure_logging(quiet=quiet, verbose=verbose, as_json=log_format == "json")
        return command(*args, settings=settings, **kwargs)

    return wrapper  # type: ignore[return-value]  # click reads the options off the wrapper


def configure_logging(*, quiet: bool, verbose: bool, as_json: bool = False) -> None:
    """Send the package's log to standard error: warnings by default, everything when verbose, errors when quiet."""
    import logging

    from indexer.cli.log import JsonFormatter, TextFormatter

    level = logging.DEBUG if verbose else logging.ERROR if quiet else logging.WARNING
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if as_json else TextFormatter())
    logger = logging.getLogger("indexer")
    logger.handlers[:] = [handler]
    logger.setLevel(level)
    logger.propagate = False
    # Interrupted while it closes a connection, SQLAlchemy logs that before it passes the interruption on, and a logger
    # without a handler writes to standard error.
    logging.getLogger("sqlalchemy").addHandler(logging.NullHandler())


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="indexer")
def cli() -> None:
    """Index Scryfall's cards, recompute their values from the Comprehensive Rules, and report every mismatch.

    Results go to standard output, everything else to standard error. Exit status: 0 done, 1 error, 2 usage,
    3 a gate refused the new data and the old is kept, 4 the source can't be had, 5 another sync runs.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its status. Every expected failure is one line on standard error."""
    prepare_streams()
    try:
        status = cli.main(args=arguments, prog_name="indexer", standalone_mode=False)
        sys.stdout.flush()
    except IndexerError as error:
        complain(str(error))
        sys.exit(error.exit_status)
    except click.UsageError as error:
        hint = f" (see '{error.ctx.command_path} --help')" if error.ctx else ""
        complain(f"{error.format_message()}{hint}")
        sys.exit(2)
    except click.ClickException as error:
        complain(error.format_message())
        sys.exit(error.exit_code)
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        complain("interrupted, nothing was changed")
        sys.exit(130)
    except (ReaderGoneError, BrokenPipeError):
        # Nobody wants the rest: that is no failure.
        drop_output()
        sys.exit(0)
    except OSError as error:
        # A full disk, a name too long for the file system: the machine's doing, and nothing a traceback explains.
        place = "write" if error.filename is None else f"use {error.filename!r}"
        complain(f"can't {place}: {error.strerror or error}")
        drop_output()
        sys.exit(1)
    except UnicodeError as error:
        # Bytes on the command line or standard input that no text has: Python hands them on as they are.
        given = error.object if isinstance(error, UnicodeEncodeError | UnicodeDecodeError) else str(error)
        complain(f"not valid UTF-8 text: {given!r}")
        sys.exit(2)
    sys.exit(status if isinstance(status, int) else 0)
