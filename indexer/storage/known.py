"""What the pool holds, for comparing it with a file and for a run's summary.

Written in SQL that both databases know, without the mapped classes: see `runs`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, text

from indexer.batches import CARD_COLUMNS

_ROWS_AT_ONCE = 2000


class CardState(NamedTuple):
    """A card that is in the export as far as the pool knows."""

    oracle_id: str
    record_hash: bytes | None
    search_id: int
    layout: str


def first_rejection(connection: Connection, run_id: int) -> str:
    """Why the run rejected the first record that it did, and on which line; empty if it rejected none."""
    row = connection.execute(
        text(
            "SELECT line_number, reason FROM rejected_records WHERE run_id = :run_id ORDER BY line_number, nth LIMIT 1"
        ),
        {"run_id": run_id},
    ).first()
    return f"line {row.line_number}: {row.reason:.200}" if row else ""


def iter_card_states(connection: Connection) -> Iterator[CardState]:
    """Every card that is not marked as removed, in the order of the oracle ids' characters."""
    # PostgreSQL would otherwise order by the rules of a language, and send everything at once.
    order = ' COLLATE "C"' if connection.dialect.name == "postgresql" else ""
    statement = (
        "SELECT oracle_id, record_hash, search_id, layout FROM cards "
        f"WHERE removed_run_id IS NULL ORDER BY oracle_id{order}"
    )
    driver: Any = connection.connection.driver_connection
    if connection.dialect.name == "sqlite":
        yield from map(CardState._make, driver.execute(statement))
        return
    with driver.cursor(name="card_states") as cursor:
        cursor.itersize = _ROWS_AT_ONCE
        cursor.execute(statement)
        yield from map(CardState._make, cursor)


def card_count(connection: Connection) -> int:
    """How many cards are in the export as far as the pool knows."""
    return _number(connection, "SELECT count(*) FROM cards WHERE removed_run_id IS NULL")


def layouts(connection: Connection) -> Sequence[str]:
    """Every layout that a card has."""
    return connection.scalars(text("SELECT DISTINCT layout FROM cards ORDER BY layout")).all()


def symbols(connection: Connection) -> Sequence[str]:
    """Every symbol that stands in a cost or text."""
    return connection.scalars(text("SELECT DISTINCT symbol FROM face_symbols ORDER BY symbol")).all()


def open_by_field(connection: Connection, *, errors_only: bool = False) -> dict[str, int]:
    """How many mismatches are open, by field. A field without any is left out.

    `errors_only` counts those of the category `published_error` alone: a practice or what can't be read is no alarm.
    """
    category = "AND category = 'published_error' " if errors_only else ""
    return _by_field(
        connection, f"SELECT field, count(*) FROM mismatches WHERE status = 'open' {category}GROUP BY field"
    )


def any_accepted(connection: Connection) -> bool:
    """Whether somebody has accepted a mismatch that is still there."""
    return bool(_number(connection, "SELECT count(*) FROM mismatches WHERE status = 'accepted'"))


def undecided_by_field(connection: Connection) -> dict[str, int]:
    """How many values the rules leave undecided, by field, for cards that are in the export."""
    return _by_field(
        connection,
        "SELECT field, count(*) FROM undecided_values JOIN cards USING (oracle_id) "
        "WHERE removed_run_id IS NULL GROUP BY field",
    )


def vanished_fields(connection: Connection, run_id: int) -> dict[str, int]:
    """Fields that this run took away from cards and that no card has any more; with the number of those cards."""
    lost = connection.execute(
        text(
            "SELECT field, count(*) FROM card_changes WHERE run_id = :run AND old IS NOT NULL AND new IS NULL "
            "AND field <> 'removed' GROUP BY field"
        ),
        {"run": run_id},
    ).all()
    vanished: dict[str, int] = {}
    for field, count in lost:
        if field in CARD_COLUMNS:
            one_left = f"SELECT 1 FROM cards WHERE {field} IS NOT NULL AND removed_run_id IS NULL LIMIT 1"
            if not _number(connection, one_left):
                vanished[field] = count
    return vanished


def _number(connection: Connection, statement: str) -> int:
    return connection.scalar(text(statement)) or 0


def _by_field(connection: Connection, statement: str) -> dict[str, int]:
    return {field: count for field, count in connection.execute(text(statement))}  # noqa: C416  # rows are no pairs
