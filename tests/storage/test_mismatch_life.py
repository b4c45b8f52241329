"""A mismatch opens, is seen, is resolved, comes back in the same row, and may be accepted in between."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, insert, text, update

from indexer.batches import Row
from indexer.storage.engine import open_engine
from indexer.storage.known import open_by_field
from indexer.storage.migrate import create_schema
from indexer.storage.mismatches import MismatchCounts, MismatchLedger
from indexer.storage.models import Card, Mismatch
from indexer.storage.runs import add_run
from tests.support.pools import STARTED

CARD, OTHER = "00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"


def found(field: str = "mana_value", published: str = "3", computed: str | None = "2", *, card: str = CARD) -> Row:
    """A row as the comparison gives it."""
    return (card, None, field, published, computed, "published_error", "202.3", "Because.")


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    """A pool of two cards without mismatches, stored by run 1."""
    engine = open_engine(f"sqlite:///{tmp_path / 'cards.db'}")
    with engine.connect() as connection, connection.begin():
        create_schema(connection)
        new_run(connection)
        for number, oracle_id in enumerate((CARD, OTHER), 1):
            decisions = {
                f"{name}_decision": "derived" for name in ("mana_value", "colors", "color_identity", "produced_mana")
            }
            connection.execute(
                insert(Card).values(
                    oracle_id=oracle_id,
                    search_id=number,
                    name=f"Card {number}",
                    layout="normal",
                    object_kind="card",
                    first_seen_run_id=1,
                    last_changed_run_id=1,
                    **decisions,
                )
            )
        yield connection
    engine.dispose()


def new_run(connection: Connection) -> int:
    return add_run(
        connection,
        {
            "started_at": STARTED,
            "outcome": "stored",
            "source": "x",
            "rules_edition": "r",
            "engine_version": "1",
            "program_version": "1",
        },
    )


def run(connection: Connection, *rows: Row, cards: tuple[str, ...] = (CARD, OTHER)) -> tuple[MismatchCounts, list[Row]]:
    """One run that looks at these cards and finds these mismatches; what it did, and the table after it."""
    ledger = MismatchLedger(connection, new_run(connection))
    ledger.reconcile(cards, rows)
    ledger.finish()
    columns = "status, published, first_seen_run_id, last_seen_run_id, resolved_run_id, reopened_run_id"
    return ledger.counts, [
        tuple(row) for row in connection.execute(text(f"SELECT {columns} FROM mismatches ORDER BY id"))
    ]


def test_the_whole_life_of_one(connection: Connection) -> None:
    assert run(connection, found()) == (MismatchCounts(new=1), [("open", "3", 2, 2, None, None)])
    assert run(connection, found()) == (MismatchCounts(), [("open", "3", 2, 3, None, None)])
    assert run(connection) == (MismatchCounts(resolved=1), [("resolved", "3", 2, 3, 4, None)])
    assert run(connection) == (MismatchCounts(), [("resolved", "3", 2, 3, 4, None)])
    assert run(connection, found(published="4")) == (MismatchCounts(reopened=1), [("open", "4", 2, 6, None, 6)])


def test_its_place_tells_it_from_others(connection: Connection) -> None:
    rows = [found(), found("colors", "W", "G"), found(card=OTHER), (CARD, 1, *found()[2:])]
    assert run(connection, *rows)[0] == MismatchCounts(new=4)
    assert run(connection, *rows[1:])[0] == MismatchCounts(resolved=1)
    assert open_by_field(connection) == {"mana_value": 2, "colors": 1}


def test_one_place_has_one_row(connection: Connection) -> None:
    assert run(connection, found(), found(published="5")) == (MismatchCounts(new=1), [("open", "3", 2, 2, None, None)])


def test_another_value_at_the_same_place_stays_the_same_mismatch(connection: Connection) -> None:
    run(connection, found())
    assert run(connection, found(published="5")) == (MismatchCounts(), [("open", "5", 2, 3, None, None)])


def test_cards_that_nobody_looked_at_keep_theirs(connection: Connection) -> None:
    run(connection, found(), found(card=OTHER))
    counts, rows = run(connection, cards=(CARD,))
    assert counts == MismatchCounts(resolved=1)
    assert rows == [("resolved", "3", 2, 2, 3, None), ("open", "3", 2, 3, None, None)]


def test_a_removed_card_has_none_open(connection: Connection) -> None:
    run(connection, found(), found("colors", "W", "G"), found(card=OTHER))
    ledger = MismatchLedger(connection, new_run(connection))
    ledger.resolve_all_of([CARD])
    assert ledger.counts == MismatchCounts(resolved=2)
    assert open_by_field(connection) == {"mana_value": 1}


def accept(connection: Connection) -> None:
    connection.execute(update(Mismatch).values(status="accepted", status_reason="accepted by Ana"))


def test_an_accepted_one_stays_accepted_while_its_values_stay(connection: Connection) -> None:
    run(connection, found())
    accept(connection)
    other_words = (*found()[:7], "Said otherwise.")
    assert run(connection, other_words) == (MismatchCounts(), [("accepted", "3", 2, 3, None, None)])


@pytest.mark.parametrize("now", [found(published="4"), found(computed="1"), found(computed=None)])
def test_an_accepted_one_opens_when_a_value_changes(connection: Connection, now: Row) -> None:
    run(connection, found())
    accept(connection)
    counts, rows = run(connection, now)
    assert counts == MismatchCounts(reopened=1)
    assert rows[0][0] == "open"
    assert rows[0][5] == 3
    reason = connection.scalar(text("SELECT status_reason FROM mismatches"))
    assert reason.startswith("was accepted for published '3' and computed '2', which are now")


def test_an_accepted_one_that_is_gone_is_resolved(connection: Connection) -> None:
    run(connection, found())
    accept(connection)
    assert run(connection) == (MismatchCounts(resolved=1), [("resolved", "3", 2, 2, 3, None)])
    assert connection.scalar(text("SELECT status_reason FROM mismatches")) is None


def test_more_cards_than_one_query_takes(connection: Connection) -> None:
    run(connection, found())
    many = tuple(f"{number:036}" for number in range(1200))
    assert run(connection, found(), cards=(*many, CARD))[0] == MismatchCounts()
