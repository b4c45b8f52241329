"""The schema: made, checked and upgraded. `sync` does this by itself; commands that read only check.

The version of a database is one row, so that finding it current costs one query; Alembic is imported only if it isn't.
A new database is made from the mapped classes in one step and stamped; a test holds both ways to the same schema.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, inspect, text

from indexer.errors import SchemaOutOfDate, StorageError
from indexer.storage.engine import display_url, for_writing, sqlite_file

if TYPE_CHECKING:
    from alembic.config import Config

HEAD = "0003"
"""The newest revision in `migrations/versions`, which this program works with."""

_VERSION_TABLE = "alembic_version"


def migrations_dir() -> Path:
    """The folder of the revisions: within the installed package, or beside it in a checkout.

    Raises:
        StorageError: the installation lacks it.
    """
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "migrations", package.parent / "migrations"):
        if (folder / "env.py").is_file():
            return folder
    raise StorageError(f"the folder of schema migrations is missing beside {str(package)!r}: install the program again")


def current_revision(connection: Connection) -> str | None:
    """The revision that the database is at; None if it holds no pool yet."""
    if not inspect(connection).has_table(_VERSION_TABLE):
        return None
    revision: str | None = connection.scalar(text(f"SELECT version_num FROM {_VERSION_TABLE}"))
    return revision


def check_schema(connection: Connection) -> None:
    """Make sure that a reader's queries fit the database.

    Raises:
        SchemaOutOfDate: it is older or newer than this program.
        StorageError: it holds no pool yet.
    """
    revision = current_revision(connection)
    if revision is None:
        raise StorageError(
            f"the database {display_url(connection.engine.url)!r} holds no card pool yet: run 'indexer sync' first"
        )
    if revision != HEAD:
        raise _out_of_date(connection.engine, revision)


def upgrade_schema(connection: Connection, *, may_change: bool = True) -> bool:
    """Bring an older database to `HEAD`, in one transaction; tells whether there was anything to do.

    A filled SQLite database is copied to `<file>.before-<revision>` first. No transaction may be open.

    Raises:
        SchemaOutOfDate: the database is newer than this program, or older and `may_change` is off.
        StorageError: a migration failed and was rolled back.
    """
    engine = connection.engine
    revision = current_revision(connection)
    connection.rollback()
    if revision == HEAD:
        return False
    if revision is None or not may_change or not _is_known(revision):
        raise _out_of_date(engine, revision)
    _back_up(engine, connection)
    _upgrade(connection, revision)
    return True


def create_schema(connection: Connection) -> None:
    """Make every table and view of an empty database, as the revisions would, and stamp it with `HEAD`.

    It happens in the caller's transaction.

    Raises:
        StorageError: there are other tables of the same names.
    """
    from indexer.storage.fulltext import full_text_statements
    from indexer.storage.models import Base
    from indexer.storage.views import view_statements

    present = set(inspect(connection).get_table_names())
    if foreign := sorted(present.intersection(Base.metadata.tables)):
        raise StorageError(
            f"the database {display_url(connection.engine.url)!r} has a table {foreign[0]!r} of another program"
        )
    Base.metadata.create_all(connection, checkfirst=False)
    for statement in full_text_statements(connection.dialect.name):
        connection.exec_driver_sql(statement)
    for statement in view_statements(connection.dialect.name):
        connection.execute(text(statement))
    connection.execute(
        text(
            f"CREATE TABLE {_VERSION_TABLE} (version_num VARCHAR(32) NOT NULL, "
            f"CONSTRAINT {_VERSION_TABLE}_pkc PRIMARY KEY (version_num))"
        )
    )
    connection.execute(text(f"INSERT INTO {_VERSION_TABLE} (version_num) VALUES (:head)"), {"head": HEAD})


def alembic_config() -> Config:
    """Alembic's configuration for the revisions that come with the program."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(migrations_dir()).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def _is_known(revision: str) -> bool:
    from alembic.script import ScriptDirectory
    from alembic.util import CommandError

    try:
        return ScriptDirectory.from_config(alembic_config()).get_revision(revision) is not None
    except CommandError:
        return False


def _out_of_date(engine: Engine, revision: str | None) -> SchemaOutOfDate:
    shown = display_url(engine.url)
    if revision is None or _is_known(revision):
        return SchemaOutOfDate(
            f"the database {shown!r} is at schema revision {revision!r}, this program needs {HEAD!r}: "
            "run 'indexer sync' once, which upgrades it"
        )
    return SchemaOutOfDate(
        f"the database {shown!r} is at schema revision {revision!r}, which this program (at {HEAD!r}) doesn't know: "
        "it was written by a newer version; install that one"
    )


def _upgrade(connection: Connection, revision: str) -> None:
    from alembic import command

    config = alembic_config()
    config.attributes["connection"] = connection
    sqlite = connection.dialect.name == "sqlite"
    # Batch mode drops and rebuilds tables: with enforcement on, a cascade would delete the child rows. The pragma has
    # no effect within a transaction.
    _enforce_foreign_keys(connection, not sqlite)
    try:
        with for_writing(connection).begin():
            command.upgrade(config, HEAD)
            if sqlite and (broken := connection.exec_driver_sql("PRAGMA foreign_key_check").first()):
                raise StorageError(f"the schema migration broke a reference in table {broken[0]!r}")
    except Exception as error:
        raise StorageError(
            f"the upgrade of {display_url(connection.engine.url)!r} from schema revision {revision!r} to {HEAD!r} "
            f"failed, nothing was changed: {' '.join(str(error).split())}"
        ) from error
    finally:
        _enforce_foreign_keys(connection, True)


def _enforce_foreign_keys(connection: Connection, on: bool) -> None:
    driver = connection.connection.driver_connection
    if isinstance(driver, sqlite3.Connection):
        driver.execute(f"PRAGMA foreign_keys = {int(on)}")


def _back_up(engine: Engine, connection: Connection) -> None:
    """Copy a filled SQLite database aside. An earlier copy for the same revision is replaced."""
    file = sqlite_file(engine.url)
    if file is None:
        return
    with connection.begin():
        if not connection.scalar(text("SELECT EXISTS (SELECT 1 FROM cards)")):
            return
    target = file.with_name(f"{file.name}.before-{HEAD}")
    partial = target.with_name(f"{target.name}.partial")
    partial.unlink(missing_ok=True)
    source = connection.connection.driver_connection
    assert isinstance(source, sqlite3.Connection)
    with closing(sqlite3.connect(partial)) as copy:
        source.backup(copy)
    partial.replace(target)
