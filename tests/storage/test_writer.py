"""The writer: only what differs is written, and what differs is told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, select, text

from indexer.batches import CARD_COLUMNS, CHILD_TABLES, LEGALITIES, MISMATCH_COLUMNS, Origin, Rejection, RowBatch
from indexer.storage.engine import open_engine
from indexer.storage.migrate import create_schema
from indexer.storage.models import Base, Card, CardChange
from indexer.storage.runs import add_run
from indexer.storage.writer import MAX_REJECTIONS_KEPT, PoolWriter, WriteCounts
from tests.support.pools import STARTED, raw_card
from tests.support.runs import dump, sync_records
from tests.support.sample_pool import card_records, sample_records

BEAR = raw_card(
    "Bear", "{1}{G}", "Creature — Bear", "Trample", cmc=2.0, colors=["G"], color_identity=["G"], keywords=["Trample"]
)
ROCK = raw_card("Rock", "{2}", "Artifact", "{T}: Add {C}.", cmc=2.0, produced_mana=["C"])
SPLIT = raw_card(
    "Left // Right",
    "{R} // {1}{W}",
    "Instant // Instant",
    layout="split",
    cmc=3.0,
    colors=["R", "W"],
    color_identity=["R", "W"],
    card_faces=[
        {"name": "Left", "mana_cost": "{R}", "type_line": "Instant", "oracle_text": "Draw a card."},
        {"name": "Right", "mana_cost": "{1}{W}", "type_line": "Instant", "oracle_text": "Gain 2 life."},
    ],
)
del SPLIT["oracle_text"]


RUN = {
    "started_at": STARTED,
    "outcome": "stored",
    "source": "x",
    "rules_edition": "r",
    "engine_version": "1",
    "program_version": "1",
}


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def connection(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Connection]:
    """An empty pool on each kind of database."""
    postgresql = request.param == "postgresql"
    url = request.getfixturevalue("postgresql_url") if postgresql else f"sqlite:///{tmp_path / 'cards.db'}"
    engine: Engine = open_engine(url)
    with engine.begin() as making:
        create_schema(making)
    with engine.connect() as connection:
        yield connection
    engine.dispose()


def store(
    connection: Connection, records: Sequence[dict[str, Any]], *, hash_of: str = "", in_file_order: bool = False
) -> PoolWriter:
    """Store these raw records as a run of their own, in one batch; the hash is made from the name and `hash_of`."""
    made = list(enumerate(card_records(records), 1))
    if not in_file_order:
        made.sort(key=lambda numbered: numbered[1].card.oracle_id)
    batch = RowBatch.of(
        (record, Origin(number, f"{record.card.name} {hash_of}".encode()[:16])) for number, record in made
    )
    with connection.begin():
        writer = PoolWriter(connection, add_run(connection, RUN))
        writer.store(batch)
        writer.finish()
    return writer


def changes(connection: Connection, run_id: int) -> dict[tuple[str, str], tuple[str | None, str | None]]:
    """What a run told of, by card name and field."""
    rows = connection.execute(
        select(Card.name, CardChange.field, CardChange.old, CardChange.new)
        .join(Card, Card.oracle_id == CardChange.oracle_id)
        .where(CardChange.run_id == run_id)
    )
    found = {(row.name, row.field): (row.old, row.new) for row in rows}
    connection.rollback()
    return found


def look(connection: Connection) -> dict[str, list[dict[str, Any]]]:
    rows = dump(connection)
    connection.rollback()
    return rows


def column(connection: Connection, name: str, card: str) -> Any:
    value = connection.scalar(text(f"SELECT {name} FROM cards WHERE name = :card"), {"card": card})
    connection.rollback()
    return value


def found_by_text(connection: Connection, word: str) -> set[str]:
    """Names of the cards that the full-text index finds."""
    if connection.dialect.name == "sqlite":
        statement = (
            "SELECT cards.name FROM cards_fts JOIN cards ON cards.search_id = cards_fts.rowid WHERE cards_fts MATCH :w"
        )
    else:
        statement = "SELECT name FROM cards WHERE search_vector @@ plainto_tsquery('simple', :w)"
    names = set(connection.scalars(text(statement), {"w": word}))
    connection.rollback()
    return names


def test_the_rows_of_records_are_columns_of_the_tables() -> None:
    tables = Base.metadata.tables
    assert set(CARD_COLUMNS) <= set(tables["cards"].columns.keys())
    assert set(MISMATCH_COLUMNS) <= set(tables["mismatches"].columns.keys())
    for child in (*CHILD_TABLES, LEGALITIES):
        table = tables[child.name]
        own = [column.name for column in table.columns if column.name != "id"]
        assert list(child.columns) == own, child.name
        if child.key > 1:
            assert [key.name for key in table.primary_key] == list(child.columns[: child.key]), child.name


def test_a_first_run_stores_everything_and_tells_of_no_change(connection: Connection) -> None:
    writer = store(connection, [BEAR, ROCK, SPLIT])
    assert writer.counts == WriteCounts(added=3)
    rows = look(connection)
    assert {row["name"] for row in rows["cards"]} == {"Bear", "Rock", "Left // Right"}
    assert [row["name"] for row in rows["card_faces"]].count("Right") == 1
    assert rows["card_changes"] == []
    assert found_by_text(connection, "trample") == {"Bear"}


def test_the_sample_pool_goes_in_and_a_second_time_changes_nothing(connection: Connection) -> None:
    records = sample_records()
    store(connection, records)
    before = look(connection)
    writer = store(connection, records)
    assert writer.counts == WriteCounts(unchanged=len(records))
    assert look(connection) == before


def test_a_new_hash_alone_changes_the_hash_alone(connection: Connection) -> None:
    store(connection, [BEAR, ROCK])
    before = look(connection)
    writer = store(connection, [BEAR, ROCK], hash_of="later")
    assert writer.counts == WriteCounts(unchanged=2)
    after = look(connection)
    for row in before["cards"] + after["cards"]:
        assert row.pop("record_hash") is not None
    assert after == before


def test_a_rank_moves_without_being_a_change(connection: Connection) -> None:
    store(connection, [BEAR | {"edhrec_rank": 10}])
    writer = store(connection, [BEAR | {"edhrec_rank": 12}])
    assert writer.counts == WriteCounts(unchanged=1)
    assert column(connection, "edhrec_rank", "Bear") == 12
    assert column(connection, "last_changed_run_id", "Bear") == 1
    assert changes(connection, 2) == {}


def test_only_the_card_that_differs_is_written(connection: Connection) -> None:
    store(connection, [BEAR, ROCK, SPLIT])
    before = look(connection)
    new = BEAR | {"mana_cost": "{2}{G}", "cmc": 3.0, "reserved": True, "keywords": ["Reach", "Trample"]}
    writer = store(connection, [new, ROCK, SPLIT])
    assert writer.counts == WriteCounts(changed=1, unchanged=2)
    after = look(connection)
    for table, rows in before.items():
        others = [row for row in rows if row.get("oracle_id") != BEAR["oracle_id"]]
        assert [row for row in after[table] if row.get("oracle_id") != BEAR["oracle_id"]] == others, table
    assert column(connection, "last_changed_run_id", "Bear") == 2
    assert column(connection, "last_changed_run_id", "Rock") == 1
    assert changes(connection, 2) == {
        ("Bear", "mana_cost"): ("{1}{G}", "{2}{G}"),
        ("Bear", "mana_value"): ("2", "3"),
        ("Bear", "published_mana_value"): ("2", "3"),
        ("Bear", "reserved"): (None, "true"),
        ("Bear", "keywords"): ("Trample", "Reach, Trample"),
        **{
            ("Bear", f"mana_values.0.{row['situation']}"): ("2", "3")
            for row in before["mana_values"]
            if row["oracle_id"] == BEAR["oracle_id"] and row["mana_value"] == 2
        },
    }


def test_published_and_computed_values_are_told_apart(connection: Connection) -> None:
    store(connection, [BEAR])
    store(connection, [BEAR | {"colors": ["R"]}])
    assert changes(connection, 2) == {("Bear", "published_colors"): ("G", "R")}
    store(connection, [BEAR | {"colors": []}])
    assert changes(connection, 3)["Bear", "published_colors"] == ("R", "")


def test_a_change_of_one_of_several_faces_names_the_face(connection: Connection) -> None:
    store(connection, [SPLIT])
    faces = [SPLIT["card_faces"][0], SPLIT["card_faces"][1] | {"oracle_text": "Gain 3 life."}]
    store(connection, [SPLIT | {"card_faces": faces}])
    told = changes(connection, 2)
    assert told["Left // Right", "faces.1.oracle_text"] == ("Gain 2 life.", "Gain 3 life.")
    assert not any(".0." in field for _, field in told)


def test_legalities_are_told_by_format(connection: Connection) -> None:
    store(connection, [BEAR])
    store(connection, [BEAR | {"legalities": {"commander": "banned", "modern": "legal"}}])
    assert changes(connection, 2) == {
        ("Bear", "legalities.commander"): ("legal", "banned"),
        ("Bear", "legalities.modern"): (None, "legal"),
        ("Bear", "legalities.vintage"): ("legal", None),
    }


def test_the_full_text_index_follows_the_text(connection: Connection) -> None:
    store(connection, [BEAR, ROCK])
    store(connection, [BEAR | {"oracle_text": "Reach"}, ROCK])
    assert found_by_text(connection, "trample") == set()
    assert found_by_text(connection, "reach") == {"Bear"}
    if connection.dialect.name == "sqlite":
        connection.execute(text("INSERT INTO cards_fts(cards_fts, rank) VALUES ('integrity-check', 1)"))
        connection.rollback()


def test_a_card_comes_goes_and_comes_back(connection: Connection) -> None:
    store(connection, [BEAR])
    assert store(connection, [BEAR, ROCK]).counts == WriteCounts(added=1, unchanged=1)
    assert changes(connection, 2) == {("Rock", "added"): (None, "Rock")}
    assert store(connection, [BEAR]).counts == WriteCounts(unchanged=1, removed=1)
    assert changes(connection, 3) == {("Rock", "removed"): ("Rock", None)}
    assert column(connection, "removed_run_id", "Rock") == 3
    assert column(connection, "last_changed_run_id", "Rock") == 3
    assert store(connection, [BEAR]).counts == WriteCounts(unchanged=1)
    assert store(connection, [BEAR, ROCK]).counts == WriteCounts(unchanged=1, restored=1)
    assert changes(connection, 5) == {("Rock", "restored"): (None, "Rock")}
    assert column(connection, "removed_run_id", "Rock") is None
    assert column(connection, "first_seen_run_id", "Rock") == 2


def test_a_second_record_of_an_oracle_id_is_rejected(connection: Connection) -> None:
    for counts in (WriteCounts(added=1, rejected=1), WriteCounts(unchanged=1, rejected=1)):
        with connection.begin():
            writer = PoolWriter(connection, add_run(connection, RUN))
            for number, record in enumerate(card_records([BEAR, BEAR | {"name": "Other Bear"}]), 1):
                writer.store(RowBatch.of([(record, Origin(number, None))]))
            writer.finish()
        assert writer.counts == counts
    rows = look(connection)["rejected_records"]
    assert [(row["run_id"], row["line_number"]) for row in rows] == [(1, 2), (2, 2)]
    assert "of 'Other Bear' stands in the file twice" in rows[0]["reason"]


def test_cards_in_any_order_are_stored_the_same(connection: Connection) -> None:
    records = sorted(sample_records(), key=lambda record: str(record.get("name")))
    writer = store(connection, records, in_file_order=True)
    assert writer.counts == WriteCounts(added=len(records))


def test_only_so_many_rejections_are_kept(connection: Connection) -> None:
    with connection.begin():
        writer = PoolWriter(connection, add_run(connection, RUN))
        writer.reject([Rejection(number, "bad", "{") for number in range(MAX_REJECTIONS_KEPT + 5)], unlisted=7)
        writer.reject([Rejection(-1, "bad", "{")])
    assert writer.counts.rejected == MAX_REJECTIONS_KEPT + 13
    assert len(look(connection)["rejected_records"]) == MAX_REJECTIONS_KEPT


def test_a_card_that_the_database_will_not_have_harms_no_other(connection: Connection) -> None:
    records = [record | {"legalities": {"modern": "legal", "pauper": "banned"}} for record in (BEAR, ROCK, SPLIT)]
    batch = RowBatch.of((record, Origin(number, None)) for number, record in enumerate(card_records(records), 1))
    batch.children[0][1] = ("no such card", *batch.children[0][1][1:])  # its face, with a reference to nothing
    batch.cards[1] = (*batch.cards[1][:2], None, *batch.cards[1][3:])  # its name
    with connection.begin():
        writer = PoolWriter(connection, add_run(connection, RUN), careful=True)
        writer.store(batch)
        writer.store(RowBatch.of((record, Origin(9, None)) for record in card_records([raw_card("Last")])))
        writer.finish()
    assert writer.counts == WriteCounts(added=3, rejected=1)
    rows = look(connection)
    assert {row["name"] for row in rows["cards"]} == {"Bear", "Left // Right", "Last"}
    assert sorted(row["search_id"] for row in rows["cards"]) == [1, 2, 3]
    assert len(rows["legalities"]) == 6
    (rejected,) = rows["rejected_records"]
    assert rejected["line_number"] == 2
    assert rejected["reason"].startswith("the database won't have it: ")


@pytest.mark.postgresql
def test_names_and_texts_beyond_the_limits_of_postgresql(postgresql_url: str, tmp_path: Path) -> None:
    noise = "".join(chr(33 + number * 7919 % 90) for number in range(9000))
    long_text = " ".join(f"word{number}" for number in range(200_000))
    records = [BEAR, raw_card(noise), raw_card("Novel", text=long_text), ROCK]
    summary = sync_records(tmp_path, records, database_url=postgresql_url)
    assert summary.cards_added >= 2
    assert summary.cards_added + summary.records_rejected == 4
