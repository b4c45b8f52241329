"""Foreign keys that are off while a new PostgreSQL pool is filled are all back after, as they were, and checked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, inspect, text
from sqlalchemy.exc import IntegrityError

from indexer.storage.engine import open_engine
from indexer.storage.migrate import create_schema
from indexer.storage.models import Base
from indexer.storage.references import references_checked_at_the_end
from tests.support.runs import sync_records
from tests.support.sample_pool import sample_records

ORPHAN = text("INSERT INTO keywords (oracle_id, keyword) VALUES ('nobody', 'Flying')")


@pytest.fixture
def engine(postgresql_url: str) -> Iterator[Engine]:
    engine = open_engine(postgresql_url)
    yield engine
    engine.dispose()


def foreign_keys(connection: Connection) -> dict[str, object]:
    inspector = inspect(connection)
    return {
        table: sorted(inspector.get_foreign_keys(table), key=lambda key: str(key["name"]))
        for table in Base.metadata.tables
    }


@pytest.mark.postgresql
def test_they_are_off_within_and_back_as_they_were_after(engine: Engine) -> None:
    with engine.begin() as connection:
        create_schema(connection)
        before = foreign_keys(connection)
        with references_checked_at_the_end(connection):
            assert not any(foreign_keys(connection).values())
        assert foreign_keys(connection) == before
    declared = {name: len(table.foreign_key_constraints) for name, table in Base.metadata.tables.items()}
    assert {name: len(keys) for name, keys in before.items() if isinstance(keys, list)} == declared


@pytest.mark.postgresql
def test_a_reference_that_leads_nowhere_is_refused_at_the_end(engine: Engine) -> None:
    with engine.connect() as connection:
        create_schema(connection)
        checking = references_checked_at_the_end(connection)
        checking.__enter__()
        connection.execute(ORPHAN)
        with pytest.raises(IntegrityError, match="fk_keywords_oracle_id_cards"):
            checking.__exit__(None, None, None)


@pytest.mark.postgresql
def test_keys_of_another_programs_tables_stay(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE banks (id INTEGER PRIMARY KEY, owner INTEGER REFERENCES banks)"))
        create_schema(connection)
        with references_checked_at_the_end(connection):
            assert len(inspect(connection).get_foreign_keys("banks")) == 1


def test_on_sqlite_they_stay_on() -> None:
    with open_engine("sqlite://").connect() as connection:
        create_schema(connection)
        with references_checked_at_the_end(connection), pytest.raises(IntegrityError):
            connection.execute(ORPHAN)


@pytest.mark.postgresql
def test_a_first_sync_leaves_them_and_tells_the_planner_of_the_tables(
    engine: Engine, postgresql_url: str, tmp_path: Path
) -> None:
    sync_records(tmp_path, sample_records(), database_url=postgresql_url)
    with engine.connect() as connection:
        assert any(foreign_keys(connection).values())
        with pytest.raises(IntegrityError), connection.begin_nested():
            connection.execute(ORPHAN)
        known = set(connection.scalars(text("SELECT tablename FROM pg_stats WHERE schemaname = 'public'")))
    assert {"cards", "card_faces", "face_types", "legalities", "mana_values"} <= known
