"""A filled pool, and a real browser where one is installed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import Connection

from tests.support.report_pool import memory_engine

if TYPE_CHECKING:
    from playwright.sync_api import Browser

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
QUIET_BROWSER = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture
def connection() -> Iterator[Connection]:
    """A connection to an empty pool in memory."""
    engine = memory_engine()
    with engine.connect() as connection:
        yield connection
    engine.dispose()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium; tests that want it are skipped where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    executable = os.environ.get("INDEXER_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if executable is None:
        pytest.skip("no Chromium is installed (set INDEXER_CHROMIUM to its path)")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=executable, args=list(QUIET_BROWSER))
        yield browser
        browser.close()
