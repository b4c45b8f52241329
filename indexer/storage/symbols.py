"""The table of symbols: brought to what one reading of the published list gave, in the caller's transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection, delete, insert, select, update

from indexer.records import CardSymbolRow
from indexer.storage.models import CardSymbol

ALARMING = ("differs", "undecided")
"""Statuses that somebody should look at."""


@dataclass(slots=True)
class SymbolChanges:
    """What a run did to the table."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    alarms: list[CardSymbolRow] = field(default_factory=list)
    """Rows with an alarming status that were not in the table just so: what is new to tell."""


def load_symbols(connection: Connection) -> list[CardSymbolRow]:
    """The rows of the table, by symbol; empty if no run could read the list yet."""
    columns = (getattr(CardSymbol, name) for name in CardSymbolRow._fields)
    return [CardSymbolRow(*row) for row in connection.execute(select(*columns).order_by(CardSymbol.symbol))]


def store_symbols(connection: Connection, rows: Iterable[CardSymbolRow], run_id: int) -> SymbolChanges:
    """Make the table hold these rows and no others. Only what differs is written."""
    known = {row.symbol: row for row in load_symbols(connection)}
    wanted = {row.symbol: row for row in rows}
    changes = SymbolChanges()
    new: list[dict[str, object]] = []
    for symbol, row in wanted.items():
        if row == known.get(symbol):
            continue
        if row.status in ALARMING:
            changes.alarms.append(row)
        if symbol in known:
            changes.changed += 1
            values = {**row._asdict(), "last_changed_run_id": run_id}
            connection.execute(update(CardSymbol).where(CardSymbol.symbol == symbol).values(values))
        else:
            changes.added += 1
            new.append({**row._asdict(), "first_seen_run_id": run_id, "last_changed_run_id": run_id})
    if new:
        connection.execute(insert(CardSymbol), new)
    gone = [symbol for symbol in known if symbol not in wanted]
    for some in _in_parts(gone):
        connection.execute(delete(CardSymbol).where(CardSymbol.symbol.in_(some)))
    changes.removed = len(gone)
    return changes


def _in_parts(symbols: Sequence[str], size: int = 500) -> Iterable[Sequence[str]]:
    return (symbols[start : start + size] for start in range(0, len(symbols), size))
