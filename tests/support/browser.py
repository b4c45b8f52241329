"""A real browser, the same for all tests of a process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.support.requirements import program

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


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium: the one that `INDEXER_CHROMIUM` names, or one that is installed."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    executable = os.environ.get("INDEXER_CHROMIUM") or program(*BROWSERS)
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=executable, args=list(QUIET_BROWSER))
        yield browser
        browser.close()
