"""Searches in a pool with a past: a second sync changed a card, brought one, and lost one."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import insert, select, update

from indexer.errors import SearchSyntaxError
from indexer.search.compile import compile_search
from indexer.search.run import run_search
from indexer.storage.models import Card, CardChange, Mismatch, SyncRun
from tests.support.sample_pool import fill_pool
from tests.support.search_cards import search_records

SECOND_SYNC = dt.datetime(2026, 11, 7, 23, 30, tzinfo=dt.UTC)


@pytest.fixture(scope="module")
def find(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], list[str]]]:
    engine = fill_pool(f"sqlite:///{tmp_path_factory.mktemp('past')}/cards.db", search_records())
    with engine.begin() as connection:
        runs = SyncRun.metadata.tables["sync_runs"]
        first = connection.execute(select(runs)).mappings().one()
        connection.execute(insert(runs).values({**first, "id": 2, "started_at": SECOND_SYNC}))
        ids = {row.name: row.oracle_id for row in connection.execute(select(Card.name, Card.oracle_id))}
        connection.execute(
            insert(CardChange).values(
                run_id=2, oracle_id=ids["Grizzly Bears"], field="oracle_text", old="Growl.", new=""
            )
        )
        connection.execute(update(Card).where(Card.name == "Sol Ring").values(first_seen_run_id=2))
        connection.execute(update(Card).where(Card.name == "Wrath of God").values(removed_run_id=2))
        connection.execute(
            update(Mismatch).where(Mismatch.oracle_id == ids["Crypt Rats"]).values(status="resolved", resolved_run_id=2)
        )
    with engine.connect() as connection:

        def names(expression: str, today: dt.date = dt.date(2026, 11, 8)) -> list[str]:
            search = compile_search(expression, columns=[Card.name], today=today)
            return [row.name for row in run_search(connection, search)]

        yield names
    engine.dispose()


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("changed>=2026-11-05", ["Grizzly Bears", "Sol Ring"]),
        ("changed=2026-11-07", ["Grizzly Bears", "Sol Ring"]),
        ("changed>2026-11-07", []),
        ("changed>=now", []),
        ("changed<2026-11-07 t:bear", ["Grizzly Bears"]),
        ("changed<2026-11-07 t:artifact -t:legendary", ["Black Lotus"]),
        ("changed!=2026-11-01", ["Grizzly Bears", "Sol Ring"]),
        ("-changed<=2026-11-06", ["Sol Ring"]),
        ("mismatch:any", ["Giant Growth"]),
        ("mismatch:color_identity", []),
        ("wrath", []),
        ("wrath include:removed", ["Wrath of God"]),
        ("t:sorcery o:destroy include:removed", ["Wrath of God"]),
    ],
)
def test_finds(find: Callable[[str], list[str]], expression: str, names: list[str]) -> None:
    assert find(expression) == names


def test_now_is_the_day_that_is_given(find: Callable[..., list[str]]) -> None:
    assert find("changed=now", dt.date(2026, 11, 7)) == ["Grizzly Bears", "Sol Ring"]
    assert find("date=today t:god", dt.date(2020, 6, 1)) == ["Valki, God of Lies // Tibalt, Cosmic Impostor"]
    assert find("year=now t:god", dt.date(2020, 12, 31)) == ["Valki, God of Lies // Tibalt, Cosmic Impostor"]
    assert find("year<now t:god", dt.date(2020, 12, 31)) == []


def test_an_empty_pool_finds_nothing_and_knows_no_wrong_names(tmp_path: Path) -> None:
    engine = fill_pool(f"sqlite:///{tmp_path}/empty.db", [])
    with engine.connect() as connection:
        assert run_search(connection, compile_search("f:modern e:lea kw:flying")) == []
        with pytest.raises(SearchSyntaxError):
            compile_search("f:")
    engine.dispose()
