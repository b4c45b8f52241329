"""One frozen value with every setting, built once at the edge from options and environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

DEFAULT_API_URL = "https://api.scryfall.com"
DEFAULT_DATA_DIR = Path("data")
DEFAULT_DATABASE_NAME = "cards.db"

ENV_DATABASE_URL = "INDEXER_DATABASE_URL"
ENV_API_URL = "INDEXER_API_URL"
ENV_DATA_DIR = "INDEXER_DATA_DIR"
ENV_LOG_FORMAT = "INDEXER_LOG_FORMAT"


@dataclass(frozen=True, slots=True)
class Settings:
    """Where the pool, the downloads and the service are."""

    database_url: str
    api_url: str
    data_dir: Path
    quiet: bool = False
    verbose: bool = False

    @classmethod
    def from_environment(
        cls,
        environ: Mapping[str, str] = os.environ,
        *,
        database_url: str | None = None,
        api_url: str | None = None,
        data_dir: str | Path | None = None,
        quiet: bool = False,
        verbose: bool = False,
    ) -> Settings:
        """The settings of a command: an option wins over the environment, the environment over the default.

        An empty environment variable counts as unset. The default database lies in the data directory.
        """
        directory = Path(data_dir or environ.get(ENV_DATA_DIR) or DEFAULT_DATA_DIR)
        return cls(
            database_url=database_url
            or environ.get(ENV_DATABASE_URL)
            or f"sqlite:///{(directory / DEFAULT_DATABASE_NAME).as_posix()}",
            api_url=(api_url or environ.get(ENV_API_URL) or DEFAULT_API_URL).rstrip("/"),
            data_dir=directory,
            quiet=quiet,
            verbose=verbose,
        )
