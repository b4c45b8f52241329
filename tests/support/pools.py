"""A pool filled from raw records by the program's own stages, without a file or a network."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Engine

from indexer.batches import Origin, RowBatch
from indexer.storage.migrate import create_schema, current_revision
from indexer.storage.runs import add_run
from indexer.storage.writer import PoolWriter
from tests.support.sample_pool import card_records

STARTED = dt.datetime(2026, 11, 1, 4, 0, tzinfo=dt.UTC)


def raw_card(name: str, cost: str = "", types: str = "Creature", text: str = "", **fields: Any) -> dict[str, Any]:
    """A whole raw record, colorless unless `colors` and `color_identity` say otherwise; the name decides its id."""
    identity = str(uuid.uuid5(uuid.NAMESPACE_URL, name))
    return {
        "object": "card",
        "id": identity,
        "oracle_id": identity,
        "name": name,
        "layout": "normal",
        "mana_cost": cost,
        "type_line": types,
        "oracle_text": text,
        "colors": [],
        "color_identity": [],
        "set": "tst",
        "released_at": "2026-01-01",
        "legalities": {"commander": "legal", "vintage": "legal"},
        **fields,
    }


def fill_pool(engine: Engine, raw_records: Iterable[dict[str, Any]], *, day: int = 1) -> int:
    """Store these records as one run of that day of November 2026 would, and give the run's number.

    Makes the schema if it isn't there. Cards of an earlier run that are not among the records become removed ones.
    """
    records = sorted(card_records(raw_records), key=lambda record: record.card.oracle_id)
    started = STARTED + dt.timedelta(days=day - 1)
    with engine.begin() as connection:
        if current_revision(connection) is None:
            create_schema(connection)
        run_id = add_run(
            connection,
            {
                "started_at": started,
                "finished_at": started + dt.timedelta(seconds=20),
                "outcome": "stored",
                "source": "cards.jsonl",
                "source_updated_at": started - dt.timedelta(hours=2),
                "rules_edition": "2026-02-27",
                "engine_version": "1",
                "program_version": "0.1.0",
            },
        )
        writer = PoolWriter(connection, run_id)
        writer.store(RowBatch.of((record, Origin(number, None)) for number, record in enumerate(records, 1)))
        writer.finish()
    return run_id
