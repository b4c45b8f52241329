"""The PostgreSQL fixtures: what a test that asks for a database gets, and what is left behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import NullPool, create_engine, text

from tests.support import requirements, servers

pytestmark = pytest.mark.postgresql


def query(url: str, statement: str) -> list[object]:
    """The first column of the answer."""
    with create_engine(url, poolclass=NullPool).begin() as connection:
        result = connection.execute(text(statement))
        return list(result.scalars()) if result.returns_rows else []


def test_a_test_gets_an_empty_database_of_its_own(postgresql_url: str) -> None:
    assert query(postgresql_url, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == [0]
    assert str(query(postgresql_url, "SELECT current_database()")[0]).startswith("indexer_test_")


def test_two_databases_share_nothing(postgresql_server: str, postgresql_url: str) -> None:
    query(postgresql_url, "CREATE TABLE cards (name text)")
    with servers.fresh_database(postgresql_server) as other:
        assert other != postgresql_url
        assert query(other, "SELECT count(*) FROM pg_tables WHERE tablename = 'cards'") == [0]


def test_the_database_is_dropped_even_with_a_connection_left_open(postgresql_server: str) -> None:
    with servers.fresh_database(postgresql_server) as url:
        name = query(url, "SELECT current_database()")[0]
        left_open = create_engine(url).connect()
        left_open.execute(text("SELECT 1"))
    assert query(postgresql_server, f"SELECT count(*) FROM pg_database WHERE datname = '{name}'") == [0]
    left_open.invalidate()
    left_open.close()


def test_a_server_goes_with_its_folder_and_answers_loopback_only() -> None:
    programs = servers.find_server_programs()
    if programs is None:
        requirements.missing("no PostgreSQL server is installed")
    with servers.running_server(programs) as url:
        assert query(url, "SHOW listen_addresses") == ["127.0.0.1"]
        folder = Path(str(query(url, "SHOW data_directory")[0])).parent
        assert folder.exists()
    assert not folder.exists()


def test_a_server_that_does_not_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    programs = servers.find_server_programs()
    if programs is None:
        requirements.missing("no PostgreSQL server is installed")
    monkeypatch.setitem(servers.SERVER_SETTINGS, "max_connections", "many")
    with (
        pytest.raises(servers.ServerFailed, match=r"(?s)pg_ctl ended with status .*max_connections"),
        servers.running_server(programs),
    ):
        pass
