"""A connection to the pool of `tests.support.search_cards`, and searches in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import Connection

from indexer.search.compile import compile_search
from indexer.search.run import run_search
from indexer.storage.engine import open_engine
from indexer.storage.models import Card

Find = Callable[[str], list[str]]


@pytest.fixture(scope="session")
def pool_connection(pool_url: str) -> Iterator[Connection]:
    """A connection to the pool, on SQLite and on PostgreSQL."""
    engine = open_engine(pool_url)
    with engine.connect() as connection:
        yield connection
    engine.dispose()


@pytest.fixture(scope="session")
def find(pool_connection: Connection) -> Find:
    """The names that an expression finds, in its order."""

    def names(expression: str) -> list[str]:
        search = compile_search(expression, columns=[Card.name])
        return [row.name for row in run_search(pool_connection, search)]

    return names
