"""`indexer serve`: the pool in a browser."""

from __future__ import annotations

import webbrowser

import click

from indexer.cli import common_options
from indexer.config import Settings


@click.command(short_help="Look at the pool in a browser, with Datasette.")
@click.option("--host", metavar="HOST", default="127.0.0.1", show_default=True, help="Listen on this address.")
@click.option(
    "--port",
    metavar="N",
    type=click.IntRange(0, 65535),
    default=8001,
    show_default=True,
    help="And port; 0: a free one.",
)
@click.option("--open", "open_browser", is_flag=True, help="Open it in the web browser.")
@common_options
def serve(settings: Settings, host: str, port: int, open_browser: bool) -> int:
    """Show the pool in a browser: tables with filters and facets, full-text search, SQL, and ready-made questions.

    Nothing can be changed there. A sync may run meanwhile: the next page shows the new pool. Only this machine can
    reach it, unless another --host is given. SQLite only.
    """
    from indexer.cli.reading import open_pool
    from indexer.errors import ConfigError
    from indexer.serve.browse import listen
    from indexer.serve.browse import serve as serve_file
    from indexer.storage.engine import parse_url, sqlite_file
    from indexer.storage.migrate import check_schema

    file = sqlite_file(parse_url(settings.database_url))
    if file is None:
        raise ConfigError(
            "Datasette shows SQLite files only: sync into one beside the database, "
            "as in 'indexer sync --database-url sqlite:///data/cards.db'"
        )
    with open_pool(settings) as connection:
        check_schema(connection)

    def ready(address: str) -> None:
        if not settings.quiet:
            click.echo(f"Serving {str(file)!r} at {address} until Ctrl-C", err=True)
        if open_browser:
            webbrowser.open(address)

    with listen(host, port) as bound:
        try:
            serve_file(file, bound, ready, verbose=settings.verbose)
        except KeyboardInterrupt:
            # The server has shut down by then; this is how one stops it.
            return 0
    return 0
