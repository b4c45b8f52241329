"""The table of symbols: what a run changes in it, on both databases, and the revision that brings it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, Engine, inspect, select, text

from indexer.compare.symbols import compare_symbols
from indexer.records import CardSymbolRow
from indexer.storage.engine import open_engine
from indexer.storage.migrate import alembic_config, upgrade_schema
from indexer.storage.models import Base, CardSymbol
from indexer.storage.symbols import SymbolChanges, load_symbols, store_symbols
from tests.support.pools import fill_pool, raw_card
from tests.support.published_symbols import PUBLISHED_SYMBOLS, published_symbol

BOTH = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)]


@pytest.fixture(params=BOTH)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    """A pool that two runs have filled."""
    sqlite = request.param == "sqlite"
    engine = open_engine(f"sqlite:///{tmp_path}/cards.db" if sqlite else request.getfixturevalue("postgresql_url"))
    for day in (1, 2):
        fill_pool(engine, [raw_card("Some Elf", "{G}", colors=["G"], color_identity=["G"])], day=day)
    return engine


def store(engine: Engine, entries: list[dict[str, object]], run_id: int) -> SymbolChanges:
    with engine.begin() as connection:
        return store_symbols(connection, compare_symbols(entries), run_id)


def runs_of(engine: Engine) -> dict[str, tuple[int, int]]:
    with engine.connect() as connection:
        table = CardSymbol
        rows = connection.execute(select(table.symbol, table.first_seen_run_id, table.last_changed_run_id))
        return {symbol: (first, last) for symbol, first, last in rows}


def test_what_is_stored_is_what_was_compared(engine: Engine) -> None:
    changes = store(engine, PUBLISHED_SYMBOLS, 1)
    assert (changes.added, changes.changed, changes.removed, changes.alarms) == (87, 0, 0, [])
    with engine.connect() as connection:
        rows = load_symbols(connection)
    assert rows == sorted(compare_symbols(PUBLISHED_SYMBOLS), key=lambda row: row.symbol)
    half = next(row for row in rows if row.symbol == "{HW}")
    assert (half.mana_value, half.published_mana_value, half.funny, half.colors_mask) == (0.5, 0.5, True, 1)
    assert set(runs_of(engine).values()) == {(1, 1)}


def test_the_same_list_again_changes_nothing(engine: Engine) -> None:
    store(engine, PUBLISHED_SYMBOLS, 1)
    assert store(engine, PUBLISHED_SYMBOLS, 2) == SymbolChanges()
    assert set(runs_of(engine).values()) == {(1, 1)}


def test_a_contradiction_is_told_when_it_comes_and_not_again(engine: Engine) -> None:
    store(engine, PUBLISHED_SYMBOLS, 1)
    wrong = [{**e, "mana_value": 1.0} if e["symbol"] == "{2/W}" else e for e in PUBLISHED_SYMBOLS]
    unknown = {**published_symbol("W"), "symbol": "{W/Ω}"}
    changes = store(engine, [*wrong, unknown], 2)
    assert (changes.added, changes.changed, changes.removed) == (1, 1, 0)
    assert [(row.symbol, row.status) for row in changes.alarms] == [("{2/W}", "differs"), ("{W/Ω}", "undecided")]
    runs = runs_of(engine)
    assert (runs["{2/W}"], runs["{W/Ω}"], runs["{W}"]) == ((1, 2), (2, 2), (1, 1))
    assert store(engine, [*wrong, unknown], 2).alarms == []


def test_what_left_the_list_is_ours_alone_or_gone(engine: Engine) -> None:
    unknown = {**published_symbol("W"), "symbol": "{W/Ω}"}
    store(engine, [*PUBLISHED_SYMBOLS, unknown], 1)
    changes = store(engine, [e for e in PUBLISHED_SYMBOLS if e["symbol"] not in ("{S}", "{17}")], 2)
    assert (changes.added, changes.changed, changes.removed, changes.alarms) == (0, 1, 2, [])
    with engine.connect() as connection:
        rows = {row.symbol: row for row in load_symbols(connection)}
    assert {"{W/Ω}", "{17}"} & set(rows) == set()
    assert (rows["{S}"].status, rows["{S}"].mana_value, rows["{S}"].published_mana_value) == ("unlisted", 1.0, None)


def test_a_very_long_list_can_go_too(engine: Engine) -> None:
    many = [{**published_symbol("W"), "symbol": f"{{W{number}}}"} for number in range(1200)]
    assert store(engine, many, 1).added >= 1200
    assert store(engine, PUBLISHED_SYMBOLS, 2).removed == 1200


def test_the_row_and_the_table_have_the_same_columns() -> None:
    own = [column.name for column in CardSymbol.__table__.columns if not column.name.endswith("_run_id")]
    assert own == list(CardSymbolRow._fields)


def columns_of(connection: Connection) -> list[Any]:
    found = inspect(connection)
    return [
        [(column["name"], str(column["type"]), column["nullable"]) for column in found.get_columns("symbols")],
        found.get_pk_constraint("symbols"),
        sorted((key["name"], key["referred_table"]) for key in found.get_foreign_keys("symbols")),
        [check["name"] for check in found.get_check_constraints("symbols")],
    ]


def test_an_older_filled_pool_gets_the_table_and_keeps_its_rows(engine: Engine) -> None:
    with engine.begin() as connection:
        made_in_one_step = columns_of(connection)
        config = alembic_config()
        config.attributes["connection"] = connection
        command.downgrade(config, "0002")
        assert not inspect(connection).has_table("symbols")
        cards = connection.execute(text("SELECT * FROM cards")).all()
        assert len(cards) == 1
    with engine.connect() as connection:
        assert upgrade_schema(connection)
        assert not upgrade_schema(connection)
    with engine.begin() as connection:
        assert columns_of(connection) == made_in_one_step
        assert connection.execute(text("SELECT * FROM cards")).all() == cards
        assert load_symbols(connection) == []
        differences = compare_metadata(MigrationContext.configure(connection), Base.metadata)
        assert [each for each in differences if "symbols" in repr(each) and "face_symbols" not in repr(each)] == []
    assert store(engine, PUBLISHED_SYMBOLS, 2).added == 87
