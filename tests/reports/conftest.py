"""An empty pool."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection

from tests.support.report_pool import memory_engine


@pytest.fixture
def connection() -> Iterator[Connection]:
    """A connection to an empty pool in memory."""
    engine = memory_engine()
    with engine.connect() as connection:
        yield connection
    engine.dispose()
