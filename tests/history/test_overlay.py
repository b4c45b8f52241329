"""The pool as of a run is what it was then: after real syncs of a pool that changes at random, table by table."""

from __future__ import annotations

import datetime as dt
import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sqlalchemy import Connection, Engine, text

from indexer.explain import explain_card, load_card
from indexer.gates import GATES
from indexer.history.overlay import pool_as_of
from indexer.search.compile import compile_search
from indexer.search.run import run_search
from indexer.storage.engine import open_engine
from indexer.storage.models import Base
from tests.conftest import PROJECT_ROOT
from tests.support.runs import sync_records
from tests.support.servers import fresh_database

RUNS = 4
TABLES = tuple(
    name
    for name, table in Base.metadata.tables.items()
    if "oracle_id" in table.columns and name not in ("card_changes", "mismatches", "undecided_values")
)
NOT_TOLD = {"record_hash", "edhrec_rank"}
"""Columns that history does not tell: one is the writer's own, the other moves every day."""

Record = dict[str, Any]


def sample() -> list[Record]:
    path = PROJECT_ROOT / "data" / "sample-cards.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def shake(records: list[Record], rng: random.Random) -> list[Record]:
    """The pool some nights later: a third of the cards differ in something, a few are gone."""
    changed = []
    for record in records:
        roll = rng.random()
        if roll < 0.06:
            continue
        if roll < 0.4:
            record = json.loads(json.dumps(record))
            place = rng.choice([record, *record.get("card_faces", [])])
            match rng.randrange(9):
                case 0:
                    place["oracle_text"] = f"{{{rng.choice('WUBRG')}}}: Draw {rng.randrange(9)} cards at random."
                case 1:
                    place["mana_cost"] = f"{{{rng.randrange(9)}}}{{{rng.choice('WUBRG')}}}"
                case 2:
                    place["type_line"] = rng.choice(
                        ("Artifact", "Legendary Creature — Elf", "Instant", "Basic Land — Forest")
                    )
                case 3:
                    record["legalities"] = {
                        "modern": rng.choice(("legal", "banned")),
                        f"format{rng.randrange(3)}": "legal",
                    }
                case 4:
                    record["keywords"] = rng.sample(["Flying", "Haste", "Reach", "Trample"], rng.randrange(4))
                case 5:
                    place["power"], place["toughness"] = str(rng.randrange(9)), "*"
                    record["reserved"] = rng.random() < 0.5
                case 6:
                    record["set"], record["released_at"] = (
                        rng.choice(("abc", "xyz")),
                        f"2026-01-{rng.randrange(10, 29)}",
                    )
                    record["cmc"] = rng.choice((0.5, 3, 7.0))
                case 7:
                    record["name"] = f"{record['name']} II"
                    record["color_identity"] = rng.sample("WUBRG", 2)
                case 8 if "card_faces" in record and record.get("layout") in ("transform", "split", "adventure"):
                    del record["card_faces"][1:]
                case _:
                    record["color_identity"] = []
        changed.append(record)
    return changed


def dump(connection: Connection) -> dict[str, list[tuple[Any, ...]]]:
    """Every table's rows in a fixed order, without what history does not tell."""
    content = {}
    for table in TABLES:
        rows = connection.execute(text(f"SELECT * FROM {table}")).mappings().all()  # a name of ours
        columns = [name for name in rows[0] if name not in NOT_TOLD | {"search_vector"}]
        content[table] = sorted((tuple(row[name] for name in columns) for row in rows), key=repr)
    return content


class History(NamedTuple):
    """A pool with a history, and what it held after each run."""

    engine: Engine
    states: list[dict[str, list[tuple[Any, ...]]]]


@contextmanager
def database(kind: str, folder: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'cards.db'}"
    else:
        with fresh_database(request.getfixturevalue("postgresql_server")) as url:
            yield url


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def history(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[History]:
    """Four runs: cards change, go, come, and come back."""
    folder = tmp_path_factory.mktemp("history")
    rng = random.Random(5)
    everything = sample()
    records = everything[:85]
    with database(request.param, folder, request) as url:
        engine = open_engine(url)
        states = []
        for number in range(RUNS):
            sync_records(folder, records, database_url=url, allowed=frozenset(gate.name for gate in GATES))
            with engine.connect() as connection:
                states.append(dump(connection))
            records = shake(records, rng) + everything[85 + 4 * number : 89 + 4 * number]
            if number == 1:
                there = {record.get("oracle_id") for record in records}
                records += [record for record in everything[:85] if record.get("oracle_id") not in there]
        yield History(engine, states)
        engine.dispose()


@pytest.mark.parametrize("run_id", range(1, RUNS + 1))
def test_every_table_is_as_it_was(history: History, run_id: int) -> None:
    with history.engine.connect() as connection, pool_as_of(connection, run_id):
        now = dump(connection)
    then = history.states[run_id - 1]
    for table in TABLES:
        assert set(now[table]) - set(then[table]) == set(), f"{table}: rows that were not there"
        assert set(then[table]) - set(now[table]) == set(), f"{table}: rows that are missing"
        assert len(now[table]) == len(then[table])


def test_the_tables_that_are_compared_are_the_pool() -> None:
    assert {"cards", "card_faces", "legalities", "keywords", "mana_values", "face_symbols"} < set(TABLES)


def test_nothing_of_it_is_left(history: History) -> None:
    with history.engine.connect() as connection:
        with pool_as_of(connection, 1, full_text=True):
            assert dump(connection) != history.states[-1]
        assert dump(connection) == history.states[-1]
        with pytest.raises(RuntimeError), pool_as_of(connection, 1):
            raise RuntimeError
        assert dump(connection) == history.states[-1]


def test_explaining_a_card_as_it_was(history: History) -> None:
    with history.engine.connect() as connection:
        changed = connection.execute(
            text(
                "SELECT oracle_id, old FROM card_changes WHERE field = 'mana_value' AND run_id = 2 AND new IS NOT NULL "
                "AND old IS NOT NULL ORDER BY oracle_id LIMIT 1"
            )
        ).one()
        with pool_as_of(connection, 1):
            then = explain_card(load_card(connection, changed.oracle_id))
        value = next(item.value for item in then.values if item.field == "mana_value" and item.face is None)
        assert value == changed.old


def test_searching_the_texts_of_the_time(history: History) -> None:
    search = compile_search("o:'cards at random'", today=dt.date(2026, 11, 1))
    found = []
    with history.engine.connect() as connection:
        for run_id in range(1, RUNS + 1):
            with pool_as_of(connection, run_id, full_text=True):
                names = [row.name for row in run_search(connection, search)]
                texts = connection.execute(
                    text("SELECT DISTINCT oracle_id FROM card_faces WHERE oracle_text LIKE '%cards at random%'")
                ).all()
            assert len(names) <= len(texts)
            found.append(names)
    assert found[0] == []
    assert any(found)
    assert len({tuple(names) for names in found}) > 2


def test_mismatches_of_the_time(history: History) -> None:
    with history.engine.connect() as connection:
        opened = {
            run_id: connection.scalar(text(f"SELECT mismatches_open FROM sync_runs WHERE id = {run_id}"))
            for run_id in range(1, RUNS + 1)
        }
        for run_id, number in opened.items():
            with pool_as_of(connection, run_id):
                rows = connection.execute(text("SELECT id FROM mismatches WHERE status = 'open'")).all()
                runs = connection.scalar(text("SELECT max(id) FROM sync_runs"))
            assert runs == run_id
            # One that came back later was closed at some time in between, which history does not tell.
            assert 0 <= len(rows) - (number or 0) <= 2
