"""A connection on which the pool is as it was after a run.

Temporary views take the names of the tables for as long as the context lasts; both databases look for temporary names
first. A view shows today's rows of all cards that have not changed since, and beside them the rows of the others, wound
back. So whoever asks, a search or an explanation, asks as always. Nothing of it is ever seen by another connection, and
at the end it is rolled back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import NamedTuple

from sqlalchemy import Connection, func, select, text

from indexer.batches import CARD_COLUMNS, CHILD_TABLES, LEGALITIES
from indexer.history.rewind import CardRows, finish_melded, rewind
from indexer.storage.fulltext import FTS_TABLE, full_text_statements
from indexer.storage.models import Card, CardChange, Mismatch
from indexer.storage.rows import Rows, rows_of

_CARDS = "cards"
_OWN_COLUMNS = ("search_id", "record_hash", "first_seen_run_id", "last_changed_run_id", "removed_run_id")
_COLUMNS = {
    _CARDS: (*CARD_COLUMNS, *_OWN_COLUMNS),
    # Undecided values are not told by history and stay as they are.
    **{table.name: table.columns for table in (*CHILD_TABLES, LEGALITIES) if table.name != "undecided_values"},
}
_EVENTS = frozenset({"added", "removed", "restored"})
_CHANGED = "as_of_changed"
_CARDS_AT_ONCE = 1000


class _Past(NamedTuple):
    """What history says of one card."""

    fields: dict[str, str | None]
    """The value, at the time, of each field that has changed since."""
    events: list[str]
    """Its comings and goings since, oldest first."""


@contextmanager
def pool_as_of(connection: Connection, run_id: int, *, full_text: bool = False) -> Iterator[None]:
    """Let this connection see the pool as it was after that run, within the context.

    Cards, faces, legalities, keywords, mana values, symbols, types, sources of identity, mismatches, runs and changes
    are of that time. `full_text` also makes the full-text index of that time, which takes a second on a whole pool;
    without it, nothing may be asked of the index on SQLite. The acceptance of a mismatch is told as it is today.
    """
    with connection.begin_nested() as savepoint:
        try:
            past = _load_past(connection, run_id)
            _make_views(connection, run_id)
            _fill(connection, past)
            if full_text and connection.dialect.name == "sqlite":
                with _full_text_index(connection):
                    yield
            else:
                yield
        finally:
            savepoint.rollback()


def _load_past(connection: Connection, run_id: int) -> dict[str, _Past]:
    past: dict[str, _Past] = defaultdict(lambda: _Past({}, []))
    for oracle_id, field, old in connection.execute(
        select(CardChange.oracle_id, CardChange.field, CardChange.old)
        .where(CardChange.run_id > run_id)
        .order_by(CardChange.run_id)
    ):
        if field in _EVENTS:
            past[oracle_id].events.append(field)
        else:
            past[oracle_id].fields.setdefault(field, old)
    meld = connection.scalars(select(Card.oracle_id).where(Card.layout == "meld")).all()
    if not past.keys().isdisjoint(meld):
        # What a melded card takes from its two cards may have changed without a word in its own history.
        past.update((oracle_id, _Past({}, [])) for oracle_id in meld if oracle_id not in past)
    return past


def _make_views(connection: Connection, run_id: int) -> None:
    sqlite = connection.dialect.name == "sqlite"
    schema = "main" if sqlite else str(connection.scalar(select(func.current_schema())))
    run = int(run_id)
    unchanged = f"oracle_id NOT IN (SELECT oracle_id FROM {_CHANGED})"
    mismatches = f'SELECT {_mismatch_columns(run)} FROM "{schema}".mismatches WHERE first_seen_run_id <= {run}'
    statements = [f"CREATE TEMPORARY TABLE {_CHANGED} (oracle_id TEXT PRIMARY KEY)"]
    for table in _COLUMNS:
        real, past = f'"{schema}".{table}', f"as_of_{table}"
        if sqlite:
            statements.append(f"CREATE TEMPORARY TABLE {past} AS SELECT * FROM {real} WHERE 0")
        else:
            statements.append(f"CREATE TEMPORARY TABLE {past} (LIKE {real} INCLUDING GENERATED)")
        statements += [
            f"CREATE INDEX {'temp.' if sqlite else ''}ix_{past} ON {past} (oracle_id)",
            f"CREATE TEMPORARY VIEW {table} AS SELECT * FROM {real} WHERE {unchanged} UNION ALL SELECT * FROM {past}",
        ]
    statements += [
        f'CREATE TEMPORARY VIEW sync_runs AS SELECT * FROM "{schema}".sync_runs WHERE id <= {run}',
        f'CREATE TEMPORARY VIEW card_changes AS SELECT * FROM "{schema}".card_changes WHERE run_id <= {run}',
        f"CREATE TEMPORARY VIEW mismatches AS {mismatches}",
    ]
    for statement in statements:
        connection.execute(text(statement))


def _mismatch_columns(run: int) -> str:
    """The columns of a mismatch, with what came later taken back."""
    changed = {
        "status": f"CASE WHEN status = 'resolved' AND resolved_run_id > {run} THEN 'open' ELSE status END",
        "last_seen_run_id": f"CASE WHEN last_seen_run_id > {run} THEN {run} ELSE last_seen_run_id END",
        "resolved_run_id": f"CASE WHEN resolved_run_id <= {run} THEN resolved_run_id END",
        "reopened_run_id": f"CASE WHEN reopened_run_id <= {run} THEN reopened_run_id END",
    }
    names = [column.name for column in Mismatch.__table__.columns]
    return ", ".join(f"{changed[name]} AS {name}" if name in changed else name for name in names)


def _fill(connection: Connection, past: Mapping[str, _Past]) -> None:
    """Put the rows of the cards that have changed since, as they were, beside those that have not."""
    rows = rows_of(connection)
    last_changed = _last_runs(connection)
    last_removed = _last_runs(connection, "removed")
    for some in _batches(connection, past):
        then: list[CardRows] = []
        for oracle_id, now in _load_rows(rows, some).items():
            fields, events = past[oracle_id]
            if events[:1] == ["added"]:
                continue
            was = rewind(now, fields)
            was.card["record_hash"] = None
            was.card["last_changed_run_id"] = last_changed.get(oracle_id, was.card["first_seen_run_id"])
            if events:
                was.card["removed_run_id"] = last_removed.get(oracle_id) if events[0] == "restored" else None
            then.append(was)
        finish_melded(then)
        # Not before they are read: this takes today's rows out of the views.
        rows.insert(_CHANGED, ("oracle_id",), [(oracle_id,) for oracle_id in some])
        for table, columns in _COLUMNS.items():
            own = ([card.card] if table == _CARDS else card.children.get(table, []) for card in then)
            values = [tuple(row[column] for column in columns) for row in chain(*own)]
            rows.insert(f"as_of_{table}", columns, values)


def _batches(connection: Connection, past: Mapping[str, _Past]) -> Iterator[list[str]]:
    """The changed cards, some at a time; those that meld first and all together, for they need each other."""
    meld = set(connection.scalars(select(Card.oracle_id).where(Card.layout == "meld"))) & past.keys()
    yield sorted(meld)
    others = sorted(past.keys() - meld)
    for start in range(0, len(others), _CARDS_AT_ONCE):
        yield others[start : start + _CARDS_AT_ONCE]


def _last_runs(connection: Connection, field: str | None = None) -> dict[str, int]:
    """The last run up to the time that changed each card, or that told this of it."""
    statement = select(CardChange.oracle_id, func.max(CardChange.run_id)).group_by(CardChange.oracle_id)
    if field is not None:
        statement = statement.where(CardChange.field == field)
    return {row[0]: row[1] for row in connection.execute(statement)}


def _load_rows(rows: Rows, oracle_ids: Sequence[str]) -> dict[str, CardRows]:
    """Today's rows of these cards."""
    cards = {
        row[0]: CardRows(dict(zip(_COLUMNS[_CARDS], row, strict=True)))
        for row in rows.select(_CARDS, _COLUMNS[_CARDS], oracle_ids)
    }
    for table, columns in _COLUMNS.items():
        if table != _CARDS:
            for row in rows.select(table, columns, oracle_ids):
                cards[row[0]].children.setdefault(table, []).append(dict(zip(columns, row, strict=True)))
    return cards


@contextmanager
def _full_text_index(connection: Connection) -> Iterator[None]:
    (statement,) = full_text_statements("sqlite")
    connection.execute(text(statement.replace(FTS_TABLE, f"temp.{FTS_TABLE}", 1)))
    connection.execute(text(f"INSERT INTO temp.{FTS_TABLE} ({FTS_TABLE}) VALUES ('rebuild')"))
    with connection.begin_nested():
        pass  # FTS5 keeps reading what it wrote until the next savepoint; until then no function could be registered.
    try:
        yield
    finally:
        # A virtual table that vanishes by a rollback leaves SQLite unable to begin the next savepoint.
        connection.execute(text(f"DROP TABLE temp.{FTS_TABLE}"))
