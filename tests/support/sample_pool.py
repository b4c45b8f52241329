"""A real database with the project's sample cards in it, filled by the engine and the writer, without a sync around."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson
from sqlalchemy import Engine

from indexer.batches import Origin, RowBatch
from indexer.recompute import Recomputer
from indexer.records import CardRecord
from indexer.storage.engine import open_engine
from indexer.storage.migrate import create_schema
from indexer.storage.runs import add_run
from indexer.storage.writer import PoolWriter

SAMPLE = Path(__file__).resolve().parents[2] / "data" / "sample-cards.jsonl"


def sample_records() -> list[dict[str, Any]]:
    """The raw records of the sample pool."""
    return [orjson.loads(line) for line in SAMPLE.read_bytes().splitlines()]


def card_records(raw_records: Iterable[dict[str, Any]]) -> list[CardRecord]:
    """What the engine makes of raw records; every one of them must be storable."""
    recomputer = Recomputer()
    made = [recomputer.process(raw, number) for number, raw in enumerate(raw_records, 1)]
    records = [record for record in made if record is not None]
    for _line, result in recomputer.finish():
        assert isinstance(result, CardRecord), result
        records.append(result)
    return records


def fill_pool(database_url: str, raw_records: Iterable[dict[str, Any]]) -> Engine:
    """A database at this address with these cards, as one run stores them. The caller disposes of the engine."""
    engine = open_engine(database_url)
    records = sorted(card_records(raw_records), key=lambda record: record.card.oracle_id)
    moment = dt.datetime(2026, 11, 1, 4, tzinfo=dt.UTC)
    with engine.begin() as connection:
        create_schema(connection)
        run_id = add_run(
            connection,
            {
                "started_at": moment,
                "finished_at": moment,
                "outcome": "stored",
                "source": "sample",
                "rules_edition": "2026-08-07",
                "engine_version": "1",
                "program_version": "0",
            },
        )
        writer = PoolWriter(connection, run_id)
        writer.store(RowBatch.of((record, Origin(number, None)) for number, record in enumerate(records, 1)))
        writer.finish()
    return engine
