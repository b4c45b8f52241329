"""A compiled search run on a connection, within a time, with a word for values that nothing in the pool has."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Row, select, text
from sqlalchemy.exc import DBAPIError

from indexer.errors import QueryError, SearchSyntaxError
from indexer.search.compile import CompiledSearch
from indexer.search.keywords import Lookup, suggestion
from indexer.search.sqlite_functions import register
from indexer.storage.models import Card

SECONDS = 30.0
"""How long a search may take. Ordinary ones take milliseconds; a regular expression can take as long as it likes."""
_STEPS_BETWEEN_LOOKS = 2_000


def run_search(connection: Connection, search: CompiledSearch, *, seconds: float = SECONDS) -> Sequence[Row[Any]]:
    """The rows of a search, in its order.

    Raises:
        SearchSyntaxError: the expression names a set, format, layout or keyword ability that no card of the pool has.
        QueryError: it takes too long.
    """
    check_lookups(connection, search)
    try:
        with _time_limit(connection, seconds):
            return connection.execute(search.statement).all()
    except DBAPIError as error:
        raise QueryError(f"the search {search.source!r:.200} {_reason(error, seconds)}") from error


_REGISTERED = "indexer_search_functions"


def check_lookups(connection: Connection, search: CompiledSearch) -> None:
    """Refuse a name that nothing in the pool bears: a slip of the pen would look like "no such card".

    Raises:
        SearchSyntaxError: with the nearest name that the pool has.
    """
    for lookup in search.lookups:
        if connection.scalar(select(lookup.column).where(lookup.column == lookup.value).limit(1)) is not None:
            continue
        if connection.scalar(select(Card.search_id).limit(1)) is None:
            return  # An empty pool has no names at all.
        raise SearchSyntaxError(_unknown(connection, lookup), source=search.source, span=lookup.span)


def _unknown(connection: Connection, lookup: Lookup) -> str:
    known = [name for name in connection.scalars(select(lookup.column).distinct()) if name]
    return f"no card of the pool has the {lookup.what} {lookup.value!r}" + suggestion(lookup.value, known)


@contextmanager
def _time_limit(connection: Connection, seconds: float) -> Iterator[None]:
    driver: Any = connection.connection.driver_connection
    if not isinstance(driver, sqlite3.Connection):
        # Compiling a search to machine code takes longer than running it.
        settings = "SELECT set_config('statement_timeout', :limit, true), set_config('jit', 'off', true)"
        connection.execute(text(settings), {"limit": str(int(seconds * 1000))})
        yield
        return
    if not connection.info.get(_REGISTERED):
        # Once a connection: SQLite refuses a function's replacement while the full-text index is being read.
        register(driver)
        connection.info[_REGISTERED] = True
    deadline = time.monotonic() + seconds
    driver.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS_BETWEEN_LOOKS)
    try:
        yield
    finally:
        driver.set_progress_handler(None, 0)


def _reason(error: DBAPIError, seconds: float) -> str:
    said = " ".join(str(error.orig).split())
    if "user-defined function" in said:
        return "has a regular expression that takes too long"
    if said == "interrupted" or "statement timeout" in said:
        return f"takes longer than {seconds:g} s"
    return f"failed: {said}"
