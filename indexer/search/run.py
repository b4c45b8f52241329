"""A compiled search run on a connection, within a time, with a word for values that nothing in the pool has."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, CursorResult, select
from sqlalchemy.exc import DBAPIError

from indexer.errors import QueryError, SearchSyntaxError
from indexer.search.compile import CompiledSearch
from indexer.search.keywords import Lookup, suggestion
from indexer.search.sqlite_functions import register
from indexer.storage.models import Card

SECONDS = 30.0
"""How long a search may take. Ordinary ones take milliseconds; a regular expression can be written that never ends."""


def run_search(connection: Connection, search: CompiledSearch) -> CursorResult[Any]:
    """The rows of a search, in its order.

    Raises:
        SearchSyntaxError: the expression names a set, format, layout or keyword ability that no card of the pool has.
        QueryError: it takes too long.
    """
    if connection.dialect.name == "sqlite":
        driver_connection = connection.connection.driver_connection
        assert driver_connection is not None
        register(driver_connection)
    check_lookups(connection, search)
    try:
        return connection.execute(search.statement)
    except DBAPIError as error:
        raise QueryError(f"the search {search.source!r:.200} failed: {error.orig}") from error


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
