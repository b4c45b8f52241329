"""Read-only SQL on the pool: one statement, within a time, in truth read-only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from indexer.query.result import QueryResult
from indexer.query.statement import parse_parameter, parse_statement

__all__ = ["SECONDS", "QueryResult", "parse_parameter", "run_query"]

SECONDS = 30.0
"""How long the database may work on a query."""


@contextmanager
def run_query(
    database_url: str, sql: str, parameters: Mapping[str, object] | None = None, *, seconds: float = SECONDS
) -> Iterator[QueryResult]:
    """The result of one SQL statement that reads. Its rows are computed as they are read.

    Parameters are written `:name` in the statement, on either database.

    Raises:
        QueryError: it would do more than read, is not one statement, lacks a parameter, fails, or takes too long. Also
            while the rows are read.
        StorageError: the database can't be opened.
        ConfigError: the address isn't one of a database.
    """
    from indexer.storage.engine import open_engine, parse_url, sqlite_file

    statement = parse_statement(sql)
    given = dict(parameters or {})
    statement.check_parameters(given)
    url = parse_url(database_url)
    file = sqlite_file(url)
    if file is not None:
        from indexer.query.sqlite import sqlite_query

        with sqlite_query(file, statement, given, seconds=seconds) as result:
            yield result
        return
    from indexer.query.postgresql import postgresql_query

    engine = open_engine(database_url)
    try:
        with postgresql_query(engine, statement, given, seconds=seconds) as result:
            yield result
    finally:
        engine.dispose()
