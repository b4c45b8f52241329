"""The schema: both ways to it lead to the same, upgrades keep every row, failures and strangers change nothing."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, inspect, text

from indexer.errors import SchemaOutOfDate, StorageError
from indexer.storage import migrate
from indexer.storage.engine import open_engine
from indexer.storage.fulltext import is_part_of_index
from indexer.storage.migrate import (
    HEAD,
    alembic_config,
    check_schema,
    create_schema,
    current_revision,
    upgrade_schema,
)
from indexer.storage.models import Base
from tests.support.pools import fill_pool, raw_card
from tests.support.runs import dump, is_sound

FIRST = "0001"
CARDS = [
    raw_card("Bear", "{1}{G}", colors=["G"], color_identity=["G"]),
    raw_card("Rock", "{2}", "Artifact", "{T}: Add {C}."),
]


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """An empty database of each kind."""
    if request.param == "sqlite":
        engine = open_engine(f"sqlite:///{tmp_path / 'cards.db'}")
    else:
        engine = open_engine(request.getfixturevalue("postgresql_url"))
    yield engine
    engine.dispose()


def run_revisions(connection: Connection, target: str) -> None:
    config = alembic_config()
    config.attributes["connection"] = connection
    if target == "base" or target < (current_revision(connection) or ""):
        command.downgrade(config, target)
    else:
        command.upgrade(config, target)
    connection.commit()


def schema_of(connection: Connection) -> dict[str, object]:
    """Everything that the database says of its own schema."""
    if connection.dialect.name == "sqlite":
        rows = connection.execute(text("SELECT type, name, tbl_name, sql FROM sqlite_master")).all()
        # Both ways order the constraints of a table in their own manner; the columns' order counts.
        found: dict[str, object] = {f"{row.type} {row.name}": sorted(_parts(row.sql or "")) for row in rows}
        for table in inspect(connection).get_table_names():
            found[f"columns {table}"] = [column["name"] for column in inspect(connection).get_columns(table)]
        return found
    inspector = inspect(connection)
    found = {}
    for table in sorted(inspector.get_table_names()):
        found[table] = (
            {column["name"]: (str(column["type"]), column["nullable"]) for column in inspector.get_columns(table)},
            sorted(map(repr, inspector.get_indexes(table))),
            sorted(map(repr, inspector.get_foreign_keys(table))),
            repr(inspector.get_pk_constraint(table)),
            sorted(map(repr, inspector.get_check_constraints(table))),
            sorted(map(repr, inspector.get_unique_constraints(table))),
        )
    return found


def _parts(sql: str) -> list[str]:
    """A statement without line breaks, cut at its commas; how a table ends is a part of its own."""
    one_line = " ".join(sql.replace("(", "( ").split())
    return [part.strip() for part in re.split(r", |(\) WITHOUT ROWID)$|\)$", one_line) if part]


def at_revision(engine: Engine, revision: str) -> None:
    """Make an empty database what a program of that revision would have made of it."""
    with engine.connect() as connection:
        run_revisions(connection, revision)


def test_the_newest_revision_is_the_one_that_the_program_names() -> None:
    assert ScriptDirectory.from_config(alembic_config()).get_heads() == [HEAD]


def test_all_revisions_give_what_one_step_gives(engine: Engine) -> None:
    with engine.connect() as connection:
        run_revisions(connection, "head")
        migrated = schema_of(connection)
        run_revisions(connection, "base")
        connection.execute(text("DROP TABLE alembic_version"))
        create_schema(connection)
        created = schema_of(connection)
    assert migrated.keys() == created.keys()
    for name in created:
        if not name.startswith("view "):  # tests/storage/test_views.py compares these word by word
            assert migrated[name] == created[name], name


def test_the_revisions_give_what_the_mapped_classes_say(engine: Engine) -> None:
    def without_index(name: str | None, _kind: str, _parents: object) -> bool:
        return not is_part_of_index(name)

    with engine.connect() as connection:
        run_revisions(connection, "head")
        context = MigrationContext.configure(connection, opts={"include_name": without_index, "compare_type": True})
        assert compare_metadata(context, Base.metadata) == []


def test_going_down_leaves_nothing(engine: Engine) -> None:
    with engine.connect() as connection:
        run_revisions(connection, "head")
        run_revisions(connection, "base")
        assert inspect(connection).get_table_names() == ["alembic_version"]
        assert inspect(connection).get_view_names() == []


def test_an_upgrade_keeps_every_row(engine: Engine) -> None:
    at_revision(engine, FIRST)
    fill_pool(engine, CARDS)
    with engine.connect() as connection:
        before = dump(connection)
        connection.rollback()
        assert upgrade_schema(connection)
        assert current_revision(connection) == HEAD
        after = dump(connection)
        for table, rows in before.items():
            assert [{column: row[column] for column in rows[0]} for row in after[table]] == rows if rows else True
        connection.rollback()
        assert not upgrade_schema(connection)


def test_a_filled_database_is_copied_before_its_upgrade(tmp_path: Path) -> None:
    database = tmp_path / "cards.db"
    engine = open_engine(f"sqlite:///{database}")
    at_revision(engine, FIRST)
    with engine.connect() as connection:
        upgrade_schema(connection)
    assert not list(tmp_path.glob("*.before-*")), "an empty one is not worth a copy"
    with engine.connect() as connection:
        run_revisions(connection, FIRST)
    fill_pool(engine, CARDS)
    with engine.connect() as connection:
        rows = dump(connection)
        connection.rollback()
        upgrade_schema(connection)
    copy = tmp_path / f"cards.db.before-{HEAD}"
    assert [path.name for path in tmp_path.glob("*before*")] == [copy.name]
    with open_engine(f"sqlite:///{copy}").connect() as connection:
        assert current_revision(connection) == FIRST
        assert dump(connection) == rows
    assert is_sound(copy) == []


def test_a_failed_upgrade_takes_everything_back(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    at_revision(engine, FIRST)
    fill_pool(engine, CARDS)
    with engine.connect() as connection:
        before, rows = schema_of(connection), dump(connection)

    original = command.upgrade

    def fails_at_the_end(config: object, revision: str) -> None:
        original(config, revision)  # type: ignore[arg-type]
        raise RuntimeError("the last step\nfailed")

    monkeypatch.setattr(command, "upgrade", fails_at_the_end)
    with engine.connect() as connection, pytest.raises(StorageError, match="nothing was changed: the last step failed"):
        upgrade_schema(connection)
    with engine.connect() as connection:
        assert current_revision(connection) == FIRST
        assert schema_of(connection) == before
        assert dump(connection) == rows


def test_foreign_keys_are_enforced_again_after_an_upgrade(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'cards.db'}")
    at_revision(engine, FIRST)
    with engine.connect() as connection:
        upgrade_schema(connection)
        assert connection.scalar(text("PRAGMA foreign_keys")) == 1


def test_a_newer_database_is_refused(engine: Engine) -> None:
    with engine.begin() as connection:
        create_schema(connection)
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with engine.connect() as connection:
        for use in (upgrade_schema, check_schema):
            with pytest.raises(SchemaOutOfDate, match=r"'9999'.*written by a newer version") as caught:
                use(connection)
            assert "\n" not in str(caught.value)
            connection.rollback()


def test_readers_of_an_older_database_are_told_to_sync(engine: Engine) -> None:
    at_revision(engine, FIRST)
    with engine.connect() as connection:
        with pytest.raises(SchemaOutOfDate, match="run 'indexer sync' once, which upgrades it"):
            check_schema(connection)
        connection.rollback()
        with pytest.raises(SchemaOutOfDate, match="run 'indexer sync' once"):
            upgrade_schema(connection, may_change=False)


def test_an_empty_database_holds_no_pool_yet(engine: Engine) -> None:
    with engine.connect() as connection:
        assert current_revision(connection) is None
        with pytest.raises(StorageError, match="holds no card pool yet: run 'indexer sync' first"):
            check_schema(connection)


def test_another_programs_tables_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "others.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE cards (bank TEXT)")
        other.commit()
    engine = open_engine(f"sqlite:///{path}")
    with pytest.raises(StorageError, match="has a table 'cards' of another program"), engine.begin() as connection:
        create_schema(connection)
    with engine.connect() as connection:
        assert inspect(connection).get_table_names() == ["cards"]


def test_an_installation_without_revisions_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrate, "__file__", str(tmp_path / "indexer" / "storage" / "migrate.py"))
    with pytest.raises(StorageError, match="install the program again"):
        migrate.migrations_dir()


def test_revision_files_import_nothing_of_the_project() -> None:
    for path in (migrate.migrations_dir() / "versions").glob("*.py"):
        assert "indexer" not in path.read_text(encoding="utf-8"), path
