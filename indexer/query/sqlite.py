"""A query on SQLite, held to reading by the database itself.

The file is opened read-only; an authorizer allows selecting, reading and known functions, and nothing else, while the
statement is compiled; sizes are limited; a handler that SQLite calls every few thousand steps looks at the clock.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from indexer.errors import QueryError, StorageError
from indexer.query.result import QueryResult, Row
from indexer.query.statement import Statement
from indexer.search.sqlite_functions import register
from indexer.storage.read_only import connect_read_only

MAX_VALUE_BYTES = 16 * 1024 * 1024
"""The longest text or blob that a query may make."""
STEPS_BETWEEN_LOOKS = 2000
"""How many steps of SQLite's machine pass between two looks at the clock: less than a millisecond."""
ROWS_AT_ONCE = 500

FUNCTIONS = frozenset(
    # Core, aggregate and window functions.
    "abs avg changes char coalesce count cume_dist dense_rank first_value format glob group_concat hex ifnull iif "
    "instr lag last_value lead length like likelihood likely lower ltrim max min nth_value ntile nullif octet_length "
    "percent_rank printf quote random rank replace round row_number rtrim sign soundex string_agg substr substring sum "
    "total trim typeof unhex unicode unlikely upper zeroblob concat concat_ws match "
    # Dates, numbers, JSON.
    "current_date current_time current_timestamp date datetime julianday strftime time timediff unixepoch "
    "acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor ln log log10 log2 mod pi pow power "
    "radians sin sinh sqrt tan tanh trunc json json_array json_array_length json_each json_extract json_group_array "
    "json_group_object json_object json_patch json_quote json_remove json_replace json_set json_tree json_type "
    "json_valid -> ->> "
    # Full-text search, and what `indexer search --sql` uses.
    "bm25 highlight snippet fold_name plain_text regexp self_text".split()
)
"""What a query may call. None of them writes, loads code, or reads files."""

SCHEMA_PRAGMAS = frozenset(
    {"table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list"}
    # The full-text index asks for it.
    | {"data_version"}
)
"""Pragmas, also as table-valued functions, that only tell about the schema."""

_ACTIONS = {
    code: name.removeprefix("SQLITE_").replace("_", " ")
    for name, code in vars(sqlite3).items()
    if name.startswith(("SQLITE_CREATE", "SQLITE_DROP", "SQLITE_ALTER"))
    or name
    in {
        "SQLITE_ANALYZE",
        "SQLITE_ATTACH",
        "SQLITE_DELETE",
        "SQLITE_DETACH",
        "SQLITE_INSERT",
        "SQLITE_PRAGMA",
        "SQLITE_REINDEX",
        "SQLITE_SAVEPOINT",
        "SQLITE_TRANSACTION",
        "SQLITE_UPDATE",
    }
}
_READING = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE})


class _Guard:
    """The authorizer. It remembers what it refused, which SQLite's message does not tell."""

    def __init__(self) -> None:
        self.refused: str | None = None

    def __call__(self, action: int, first: str | None, second: str | None, *_: str | None) -> int:
        if action in _READING:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION:
            if (second or "").lower() in FUNCTIONS:
                return sqlite3.SQLITE_OK
            self.refused = f"the function {second!r} may not be called"
        elif action == sqlite3.SQLITE_PRAGMA and (first or "").lower() in SCHEMA_PRAGMAS:
            return sqlite3.SQLITE_OK
        elif first == "sqlite_master":
            # A table-valued function that declares itself; those that may be used have done so before.
            self.refused = "this virtual table may not be read"
        else:
            what = _ACTIONS.get(action, f"action {action}")
            self.refused = f"{what}{f' {first}' if first else ''} is refused"
        return sqlite3.SQLITE_DENY


class _Clock:
    """The time the database may still take. What the reader of the rows takes doesn't count."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._left = seconds
        self._deadline = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        started = time.monotonic()
        self._deadline = started + self._left
        try:
            yield
        finally:
            self._left -= time.monotonic() - started

    def is_over(self) -> bool:
        return time.monotonic() > self._deadline


@contextmanager
def sqlite_query(
    file: Path, statement: Statement, parameters: Mapping[str, object], *, seconds: float
) -> Iterator[QueryResult]:
    """The result of a statement, row by row as it is computed.

    Raises:
        QueryError: SQLite refuses it or fails, or it takes too long; while rows are read, too.
        StorageError: the file can't be opened.
    """
    with closing(_open(file)) as connection:
        register(connection)
        guard, clock = _Guard(), _Clock(seconds)
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        _connect_virtual_tables(connection)
        connection.set_progress_handler(clock.is_over, STEPS_BETWEEN_LOOKS)
        connection.set_authorizer(guard)
        with _query_errors(statement, guard, clock), clock.running():
            cursor = connection.execute(statement.sql, dict(parameters))
        columns = tuple(column[0] for column in cursor.description or ())
        yield QueryResult(columns, _rows(cursor, statement, guard, clock))


def _rows(cursor: sqlite3.Cursor, statement: Statement, guard: _Guard, clock: _Clock) -> Iterator[Row]:
    while True:
        with _query_errors(statement, guard, clock), clock.running():
            rows = cursor.fetchmany(ROWS_AT_ONCE)
        if not rows:
            return
        yield from rows


def _open(file: Path) -> sqlite3.Connection:
    if not file.exists():
        raise StorageError(
            f"no database at {str(file)!r}: run 'indexer sync' first, or name another with --database-url"
        )
    try:
        return connect_read_only(file)
    except sqlite3.Error as error:
        raise StorageError(f"can't read the database {str(file)!r}: {error}") from error


def _connect_virtual_tables(connection: sqlite3.Connection) -> None:
    """Let virtual tables declare themselves: to the authorizer that looks like writing to the schema."""
    made = connection.execute("SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%'").fetchall()
    names = [name for (name,) in made] + [f"pragma_{name}" for name in sorted(SCHEMA_PRAGMAS)]
    for name in [*names, "json_each", "json_tree"]:
        # What isn't there, or can't be read, the query will say if it matters.
        with suppress(sqlite3.Error):
            connection.execute(f'SELECT 1 FROM "{name.replace(chr(34), chr(34) * 2)}" LIMIT 0')


@contextmanager
def _query_errors(statement: Statement, guard: _Guard, clock: _Clock) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, sqlite3.Warning, OverflowError) as error:
        raise QueryError(_explain(error, statement, guard, clock)) from error


def _explain(error: Exception, statement: Statement, guard: _Guard, clock: _Clock) -> str:
    text = " ".join(str(error).split())
    if guard.refused is not None:
        return f"only reading is allowed: {guard.refused}"
    if text == "interrupted":
        return f"the query took longer than {clock.seconds:g} s (--timeout): make it narrower, or allow it more"
    if "user-defined function" in text:
        return "a regular expression in the query can't be read or takes too long"
    if match := re.match(r'near "(.*)": syntax error', text):
        place = statement.place_of(match[1])
        return f"syntax error near {match[1]!r}" + (f" ({place})" if place else "")
    if match := re.match(r"no such (column|table|function): (\S+)", text):
        place = statement.place_of(match[2].rpartition(".")[2])
        return text + (f" ({place})" if place else "")
    return text
