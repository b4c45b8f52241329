"""Datasette on one database file, beside the nightly sync.

The file is opened read-only but not as immutable, so that each page shows the pool of the last sync; the write-ahead
log keeps readers and the sync from waiting for each other.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

from indexer.errors import ConfigError

SETTINGS: dict[str, Any] = {
    # Datasette's limits are for strangers on a public server. This one is the user's own, and counting all mana curves
    # takes a second or two.
    "sql_time_limit_ms": 3000,
    "facet_time_limit_ms": 1000,
    "default_page_size": 50,
    # It would try every column of every table it shows; the metadata name those that are worth it.
    "suggest_facets": False,
    # What was true before a sync should not be shown after it.
    "default_cache_ttl": 0,
}


def metadata_for(file: Path) -> dict[str, Any]:
    """The shipped metadata, for a database of this file's name. Datasette names databases after their files."""
    metadata: dict[str, Any] = json.loads(files("indexer.serve").joinpath("metadata.json").read_text(encoding="utf-8"))
    (database,) = metadata["databases"].values()
    return metadata | {"databases": {file.stem: database}}


def application(file: Path) -> Any:
    """Datasette as an ASGI application.

    Raises:
        ConfigError: Datasette is not installed.
    """
    try:
        from datasette.app import Datasette  # type: ignore[import-untyped]
    except ImportError as error:
        raise ConfigError("Datasette is not installed: pip install 'card-indexer[serve]'") from error
    static = Path(__file__).resolve().parent / "static"
    metadata = metadata_for(file) | {"extra_css_urls": ["/pool/pool.css"]}
    return Datasette([str(file)], metadata=metadata, settings=SETTINGS, static_mounts=[("pool", str(static))]).app()


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens on the address; port 0 takes a free one.

    Raises:
        ConfigError: the address can't be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
        # From now on callers wait instead of being refused while Datasette is being loaded.
        bound.listen()
    except (OSError, OverflowError, TypeError) as error:  # TypeError: no text that a host's name can be
        bound.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(
            f"can't listen on {host!r}, port {port}: {reason}; choose another --host or --port"
        ) from error
    return bound


def serve(file: Path, bound: socket.socket, ready: Callable[[str], None], *, verbose: bool = False) -> None:
    """Serve the database until the process is told to stop. `ready` gets the address to open in a browser.

    Raises:
        ConfigError: Datasette is not installed.
    """
    app = application(file)
    import uvicorn

    host, port = bound.getsockname()[:2]
    ready(f"http://{f'[{host}]' if ':' in host else host}:{port}/{file.stem}")
    config = uvicorn.Config(app, log_level="info" if verbose else "warning", lifespan="on", workers=1)
    uvicorn.Server(config).run(sockets=[bound])
