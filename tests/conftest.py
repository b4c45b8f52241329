"""Fixtures that every test may use."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.browser import browser
from tests.support.search_pool import pool_url, postgresql_pool_url, sqlite_pool_url
from tests.support.servers import postgresql_server, postgresql_url

__all__ = [
    "browser",
    "pool_url",
    "postgresql_pool_url",
    "postgresql_server",
    "postgresql_url",
    "shared_dir",
    "sqlite_pool_url",
]

PROJECT_ROOT = Path(__file__).resolve().parent.parent

# No test is timed: on a busy machine any example may take long. CI tries the same examples each time, so that what is
# red there is red because of the change; everywhere else the examples are new ones.
settings.register_profile("project", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("project")


def pytest_make_parametrize_id(val: object) -> str | None:
    """Packed bytes name a test by their number: they hold the time, and each process must collect the same ids."""
    return f"{len(val)}-bytes" if isinstance(val, bytes) and not val.isascii() else None


@pytest.fixture(autouse=True)
def _untouched_log() -> None:
    """The command line sets up the package's log for its process; each test finds it as in a fresh one."""
    logger = logging.getLogger("indexer")
    logger.handlers.clear()
    logger.setLevel(logging.NOTSET)
    logger.propagate = True


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder of shared reference data (corpus, cases, rules); the test is skipped where it is absent."""
    path = Path(os.environ.get("INDEXER_SHARED") or PROJECT_ROOT.parent / "shared")
    if not (path / "corpus").is_dir():
        pytest.skip(f"no shared reference data at {path} (set INDEXER_SHARED)")
    return path
