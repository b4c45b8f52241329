"""Runs the revisions: on the connection that `indexer.storage.migrate` hands over, or on a developer's own database."""

from __future__ import annotations

from logging.config import fileConfig
from typing import Literal

from alembic import context
from sqlalchemy import Connection

from indexer.config import Settings
from indexer.storage.engine import open_engine
from indexer.storage.fulltext import is_part_of_index
from indexer.storage.models import Base
from indexer.storage.types import UtcDateTime


def include_name(name: str | None, _kind: str, _parents: object) -> bool:
    """Leave what the mapped classes don't describe out of the comparison."""
    return not is_part_of_index(name)


def render_item(kind: str, item: object, _context: object) -> str | Literal[False]:
    """Write the project's own column type as what it is in the database: revisions import nothing of the project."""
    return "sa.DateTime(timezone=True)" if kind == "type" and isinstance(item, UtcDateTime) else False


def configure_and_run(connection: Connection) -> None:
    """Run the revisions in the transaction that is open, or in one of their own."""
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        include_name=include_name,
        render_item=render_item,
        render_as_batch=True,
        transactional_ddl=True,
    )
    with context.begin_transaction():
        context.run_migrations()


def run() -> None:
    """Run offline (SQL to standard output), on a connection given from outside, or on the configured database."""
    config = context.config
    if context.is_offline_mode():
        url = config.get_main_option("sqlalchemy.url") or Settings.from_environment().database_url
        context.configure(
            url=url, target_metadata=Base.metadata, literal_binds=True, render_as_batch=True, transactional_ddl=True
        )
        with context.begin_transaction():
            context.run_migrations()
        return
    connection = config.attributes.get("connection")
    if connection is not None:
        configure_and_run(connection)
        return
    if config.config_file_name is not None:
        fileConfig(config.config_file_name, disable_existing_loggers=False)
    engine = open_engine(config.get_main_option("sqlalchemy.url") or Settings.from_environment().database_url)
    with engine.connect() as own:
        # Outside a transaction, where the pragma has an effect: see `indexer.storage.migrate`.
        driver = own.connection.driver_connection
        if driver is not None and engine.dialect.name == "sqlite":
            driver.execute("PRAGMA foreign_keys = OFF")
        configure_and_run(own)
    engine.dispose()


run()
