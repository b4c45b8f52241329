"""A query on PostgreSQL, held to reading by a read-only transaction.

The statement goes through the extended protocol, which takes one statement only, so that nothing can end the
transaction it runs in. A read-only transaction can still call functions with effects outside tables; those that
PostgreSQL itself does not call free of effects (stable or immutable) are refused by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine

from indexer.errors import QueryError, StorageError
from indexer.query.result import QueryResult, Row
from indexer.query.statement import Statement

HARMLESS_VOLATILE = ("random", "clock_timestamp", "timeofday", "gen_random_uuid", "setseed")
"""Functions that give another value each time but do nothing else."""


@contextmanager
def postgresql_query(
    engine: Engine, statement: Statement, parameters: Mapping[str, object], *, seconds: float
) -> Iterator[QueryResult]:
    """The result of a statement, row by row as the server sends it.

    Raises:
        QueryError: the server refuses it or fails, or it takes too long; while rows are read, too.
        StorageError: the server can't be reached.
    """
    try:
        pooled = engine.raw_connection()
    except Exception as error:
        raise StorageError(f"can't reach the database: {_one_line(error)}") from error
    try:
        connection: Any = pooled.driver_connection
        connection.read_only = True
        with _query_errors(statement, seconds), connection.cursor() as cursor:
            _refuse_effects(cursor, statement)
            for setting, value in (
                ("statement_timeout", str(max(1, int(seconds * 1000)))),
                ("standard_conforming_strings", "on"),  # What `statement.py` takes for a string is one.
            ):
                cursor.execute("SELECT set_config(%s, %s, true)", (setting, value))
            query = _with_placeholders(statement)
            # The columns are known with the first row, so that it is asked for here.
            stream = cursor.stream(query, dict(parameters))
            first = next(stream, None)
            if first is None:
                # A stream without rows tells nothing about columns; a result does.
                cursor.execute(query, dict(parameters), prepare=True)
            columns = tuple(column.name for column in cursor.description or ())
            yield QueryResult(columns, _rows(first, stream, statement, seconds))
    finally:
        # The stream may be half read: the connection is of no more use.
        pooled.invalidate()


def _rows(first: Row | None, stream: Iterator[Row], statement: Statement, seconds: float) -> Iterator[Row]:
    with _query_errors(statement, seconds):
        if first is not None:
            yield first
            yield from stream


def _refuse_effects(cursor: Any, statement: Statement) -> None:
    if any(token.text.lower() == "u" and _unicode_follows(statement, token.start) for token in statement.tokens):
        raise QueryError("names and strings with Unicode escapes (U&) are not allowed in a query")
    cursor.execute(
        "SELECT DISTINCT proname FROM pg_proc WHERE provolatile = 'v' AND proname = ANY(%s) AND proname <> ALL(%s) "
        "ORDER BY proname",
        (sorted(statement.called), list(HARMLESS_VOLATILE)),
    )
    if refused := [name for (name,) in cursor.fetchall()]:
        raise QueryError(f"only reading is allowed: the function {refused[0]!r} may not be called")


def _unicode_follows(statement: Statement, start: int) -> bool:
    return statement.sql[start + 1 : start + 2] == "&" and statement.sql[start + 2 : start + 3] in ("'", '"')


def _with_placeholders(statement: Statement) -> str:
    """The statement with `%(name)s` for `:name`, as the driver wants it."""
    return "".join(
        f"%({token.text[1:]})s" if token.kind == "parameter" else token.text.replace("%", "%%")
        for token in statement.tokens
    )


@contextmanager
def _query_errors(statement: Statement, seconds: float) -> Iterator[None]:
    import psycopg

    try:
        yield
    except psycopg.Error as error:
        raise QueryError(_explain(error, statement, seconds)) from error


def _explain(error: Any, statement: Statement, seconds: float) -> str:
    if error.sqlstate == "57014":
        return f"the query took longer than {seconds:g} s (--timeout): make it narrower, or allow it more"
    if error.sqlstate == "25006":
        return f"only reading is allowed: {error.diag.message_primary}"
    text = _one_line(error.diag.message_primary or error)
    position = error.diag.statement_position
    return f"{text} ({statement.place(int(position) - 1)})" if position else text


def _one_line(error: object) -> str:
    return " ".join(str(error).split())
