"""The pool of `tests.support.search_cards` in both databases."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import Connection

from indexer.search.compile import compile_search
from indexer.search.run import run_search
from indexer.storage.models import Card
from tests.support.sample_pool import fill_pool
from tests.support.search_cards import search_records
from tests.support.servers import fresh_database

Find = Callable[[str], list[str]]


@pytest.fixture(scope="session")
def sqlite_pool_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the pool as an SQLite file. Nothing may write to it."""
    url = f"sqlite:///{tmp_path_factory.mktemp('search')}/cards.db"
    fill_pool(url, search_records()).dispose()
    return url


@pytest.fixture(scope="session")
def postgresql_pool_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of the same pool on a PostgreSQL server."""
    with fresh_database(request.getfixturevalue("postgresql_server")) as url:
        fill_pool(url, search_records()).dispose()
        yield url


@pytest.fixture(scope="session", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def pool_connection(request: pytest.FixtureRequest) -> Iterator[Connection]:
    """A connection to the pool, on SQLite and on PostgreSQL."""
    from indexer.storage.engine import open_engine

    engine = open_engine(request.getfixturevalue(f"{request.param}_pool_url"))
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
