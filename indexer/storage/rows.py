"""Rows in and out of the database by the driver's own fastest way, within the caller's transaction.

A sync moves more than a million rows. SQLAlchemy builds the statement of each table once; the rows go straight to the
driver: `executemany` of tuples on SQLite, COPY on PostgreSQL.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from indexer.batches import LEGALITIES, Row
from indexer.records import Legalities


class Rows(Protocol):
    """Reading and writing whole rows of tables with an `oracle_id`."""

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
        """Add rows. None of their keys may be there."""

    def insert_legalities(self, cards: Sequence[tuple[str, Legalities]]) -> None:
        """Add the rows of `legalities` for these oracle ids."""

    def forget(self) -> None:
        """Be told that a savepoint was gone back to."""

    def select(self, table: str, columns: Sequence[str], oracle_ids: Sequence[str]) -> Iterator[Row]:
        """The rows of these cards. A date comes as ISO text."""

    def update(self, table: str, columns: Sequence[str], key: Sequence[str], rows: Sequence[Row]) -> None:
        """Set `columns`; each row holds their values and then those of `key`."""

    def delete(self, table: str, key: Sequence[str], rows: Iterable[Row]) -> None:
        """Remove the rows with these values of `key`."""


def rows_of(connection: Connection) -> Rows:
    """The way for this connection's database. Its transaction must have begun."""
    driver: Any = connection.connection.driver_connection
    if isinstance(driver, sqlite3.Connection):
        return SqliteRows(driver)
    return PostgresqlRows(driver)


class SqliteRows:
    """SQLite: one prepared statement for many tuples."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._legality_sets: dict[Legalities, int] = {}

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
        if rows:
            marks = ", ".join("?" * len(columns))
            self._connection.executemany(f"INSERT INTO {table} ({_names(columns)}) VALUES ({marks})", rows)

    def insert_legalities(self, cards: Sequence[tuple[str, Legalities]]) -> None:
        # One statement a card, which copies its set from a table of the few sets that there are: half the time of one
        # statement a row, and these are most of all rows.
        if not cards:
            return  # the driver compiles a statement for no rows too, and the table of sets may not be there yet
        numbers: dict[int, int] = {}
        for _, legalities in cards:
            if id(legalities) not in numbers:  # the cards of a batch share their sets; comparing them takes longer
                numbers[id(legalities)] = self._legality_set(legalities)
        self._connection.executemany(
            "INSERT INTO legalities (oracle_id, format, status) "
            "SELECT ?, format, status FROM temp.legality_sets WHERE number = ? ORDER BY format",
            [(oracle_id, numbers[id(legalities)]) for oracle_id, legalities in cards],
        )

    def forget(self) -> None:
        self._legality_sets.clear()

    def _legality_set(self, legalities: Legalities) -> int:
        """The number of a set in the table of sets, where it is now."""
        sets = self._legality_sets
        if not sets:
            self._connection.execute("DROP TABLE IF EXISTS temp.legality_sets")
            self._connection.execute(
                "CREATE TEMP TABLE legality_sets (number INTEGER, format TEXT, status TEXT, "
                "PRIMARY KEY (number, format)) WITHOUT ROWID"
            )
        number = sets.get(legalities)
        if number is None:
            number = sets[legalities] = len(sets) + 1
            rows = [(number, *each) for each in legalities]
            self._connection.executemany("INSERT INTO temp.legality_sets VALUES (?, ?, ?)", rows)
        return number

    def select(self, table: str, columns: Sequence[str], oracle_ids: Sequence[str]) -> Iterator[Row]:
        # As one parameter: the number of parameters is limited, and the statement stays the same for every batch.
        statement = f"SELECT {_names(columns)} FROM {table} WHERE oracle_id IN (SELECT value FROM json_each(?))"
        yield from self._connection.execute(statement, (json.dumps(oracle_ids),))

    def update(self, table: str, columns: Sequence[str], key: Sequence[str], rows: Sequence[Row]) -> None:
        if rows:
            self._connection.executemany(_update(table, columns, key, "?"), rows)

    def delete(self, table: str, key: Sequence[str], rows: Iterable[Row]) -> None:
        self._connection.executemany(_delete(table, key, "?"), rows)


class PostgresqlRows:
    """PostgreSQL: COPY for new rows, pipelined statements for the few others."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
        if not rows:
            return
        with self._connection.cursor() as cursor, cursor.copy(f"COPY {table} ({_names(columns)}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)

    def insert_legalities(self, cards: Sequence[tuple[str, Legalities]]) -> None:
        self.insert(LEGALITIES.name, LEGALITIES.columns, legality_rows(cards))

    def forget(self) -> None:
        pass

    def select(self, table: str, columns: Sequence[str], oracle_ids: Sequence[str]) -> Iterator[Row]:
        names = ", ".join(f"{column}::text" if column == "released_at" else f'"{column}"' for column in columns)
        with self._connection.cursor() as cursor:
            cursor.execute(f"SELECT {names} FROM {table} WHERE oracle_id = ANY(%s)", (list(oracle_ids),))
            yield from cursor

    def update(self, table: str, columns: Sequence[str], key: Sequence[str], rows: Sequence[Row]) -> None:
        if rows:
            with self._connection.cursor() as cursor:
                cursor.executemany(_update(table, columns, key, "%s"), rows)

    def delete(self, table: str, key: Sequence[str], rows: Iterable[Row]) -> None:
        with self._connection.cursor() as cursor:
            cursor.executemany(_delete(table, key, "%s"), list(rows))


def is_about_rows(error: Exception) -> bool:
    """Whether the database would not have these rows, as opposed to having no room or no patience for any.

    PostgreSQL also refuses what passes its limits: names too long for an index, texts too long to be searched.
    """
    if isinstance(error, DBAPIError) and isinstance(error.orig, Exception):
        error = error.orig
    if isinstance(error, (OverflowError, UnicodeError, sqlite3.IntegrityError, sqlite3.DataError)):
        return True
    if isinstance(error, (sqlite3.InterfaceError, sqlite3.ProgrammingError)):
        return "binding" in str(error)
    state = getattr(error, "sqlstate", None)
    return isinstance(state, str) and state[:2] in ("22", "23", "54")


def legality_rows(cards: Sequence[tuple[str, Legalities]]) -> list[Row]:
    """The rows of `legalities` for these oracle ids."""
    return [(oracle_id, *each) for oracle_id, legalities in cards for each in legalities]


def _names(columns: Sequence[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)


def _update(table: str, columns: Sequence[str], key: Sequence[str], mark: str) -> str:
    values = ", ".join(f'"{column}" = {mark}' for column in columns)
    return f"UPDATE {table} SET {values} WHERE {_where(key, mark)}"


def _delete(table: str, key: Sequence[str], mark: str) -> str:
    return f"DELETE FROM {table} WHERE {_where(key, mark)}"


def _where(key: Sequence[str], mark: str) -> str:
    return " AND ".join(f'"{column}" = {mark}' for column in key)
