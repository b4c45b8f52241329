"""What the pool holds, in the order of the oracle ids, for comparing it with a file; and what of it needs a remark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select, text

from indexer.storage.models import Card, FaceSymbol, UndecidedValue

_ROWS_AT_ONCE = 2000


class CardState(NamedTuple):
    """A card that is in the export as far as the pool knows."""

    oracle_id: str
    record_hash: bytes | None
    search_id: int
    layout: str


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
    return connection.scalar(select(func.count()).select_from(Card).where(Card.removed_run_id.is_(None))) or 0


def layouts(connection: Connection) -> Sequence[str]:
    """Every layout that a card has."""
    return connection.scalars(select(Card.layout).distinct().order_by(Card.layout)).all()


def symbols(connection: Connection) -> Sequence[str]:
    """Every symbol that stands in a cost or text."""
    return connection.scalars(select(FaceSymbol.symbol).distinct().order_by(FaceSymbol.symbol)).all()


def undecided_by_field(connection: Connection) -> dict[str, int]:
    """How many values the rules leave undecided, by field, for cards that are in the export."""
    rows = connection.execute(
        select(UndecidedValue.field, func.count())
        .join(Card, Card.oracle_id == UndecidedValue.oracle_id)
        .where(Card.removed_run_id.is_(None))
        .group_by(UndecidedValue.field)
    )
    return dict(rows.all())


def vanished_fields(connection: Connection, run_id: int) -> dict[str, int]:
    """Fields that this run took away from cards and that no card has any more; with the number of those cards."""
    lost = connection.execute(
        text(
            "SELECT field, count(*) FROM card_changes WHERE run_id = :run AND old IS NOT NULL AND new IS NULL "
            "AND field <> 'removed' GROUP BY field"
        ),
        {"run": run_id},
    )
    columns = Card.__table__.columns
    vanished: dict[str, int] = {}
    for field, count in lost:
        if field in columns:
            remaining = (
                select(Card.oracle_id).where(columns[field].is_not(None), Card.removed_run_id.is_(None)).limit(1)
            )
            if connection.scalar(remaining) is None:
                vanished[field] = count
    return vanished
