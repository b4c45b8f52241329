"""The pool of `tests.support.search_cards` in both databases, as fixtures. Nothing may write to it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.sample_pool import fill_pool
from tests.support.search_cards import search_records
from tests.support.servers import fresh_database


@pytest.fixture(scope="session")
def sqlite_pool_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the pool as an SQLite file."""
    url = f"sqlite:///{tmp_path_factory.mktemp('pool')}/cards.db"
    fill_pool(url, search_records()).dispose()
    return url


@pytest.fixture(scope="session")
def postgresql_pool_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of the same pool on a PostgreSQL server."""
    with fresh_database(request.getfixturevalue("postgresql_server")) as url:
        fill_pool(url, search_records()).dispose()
        yield url


@pytest.fixture(scope="session", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def pool_url(request: pytest.FixtureRequest) -> str:
    """The address of the pool, on SQLite and on PostgreSQL."""
    url: str = request.getfixturevalue(f"{request.param}_pool_url")
    return url
