"""A small pool written by hand, straight into the tables: runs, cards, faces, mismatches, changes."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, insert, select
from sqlalchemy.pool import StaticPool

from indexer.storage.models import Base, Card, CardChange, CardFace, Legality, Mismatch, SyncRun

FIRST_RUN = dt.datetime(2026, 10, 1, 4, 0, tzinfo=dt.UTC)


def memory_engine() -> Engine:
    """An empty database with every table, in memory."""
    engine = create_engine("sqlite://", poolclass=StaticPool)
    Base.metadata.create_all(engine)
    return engine


def oracle_id_of(name: str) -> str:
    """The made-up Oracle id of a card of this pool."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, name))


def add_run(connection: Connection, day: int = 1, **values: Any) -> int:
    """Add a run that ended well on that day of October 2026 and give its number."""
    moment = FIRST_RUN + dt.timedelta(days=day - 1)
    row: dict[str, Any] = {
        "started_at": moment,
        "finished_at": moment + dt.timedelta(seconds=20),
        "outcome": "stored",
        "source": "https://data.example.test/oracle-cards.jsonl.gz",
        "updated_at": moment - dt.timedelta(hours=2),
        "rules_edition": "2026-02-27",
        "engine_version": "1",
        "program_version": "0.1.0",
        **values,
    }
    key = connection.execute(insert(SyncRun).values(row)).inserted_primary_key
    assert key is not None
    return int(key[0])


def add_card(
    connection: Connection,
    name: str,
    *,
    run_id: int = 1,
    faces: tuple[str, ...] = (),
    legal_in: tuple[str, ...] = (),
    **values: Any,
) -> str:
    """Add a card, its faces and legalities, and give its Oracle id. Without `faces` it has one, of its own name."""
    oracle_id = oracle_id_of(values.pop("identity", name))
    number = connection.execute(select(Card.search_id).order_by(Card.search_id.desc()).limit(1)).scalar() or 0
    row: dict[str, Any] = {
        "oracle_id": oracle_id,
        "search_id": number + 1,
        "name": name,
        "layout": "normal",
        "object_kind": "card",
        "mana_cost": "{1}{U}",
        "mana_value": 2.0,
        "published_mana_value": 2.0,
        "colors": "U",
        "published_colors": "U",
        "color_identity": "U",
        "published_color_identity": "U",
        "produced_mana": "",
        "type_line": "Creature — Test",
        "oracle_text": "Flying",
        "scryfall_uri": f"https://scryfall.example.test/card/{number + 1}",
        "first_seen_run_id": run_id,
        "last_changed_run_id": run_id,
        **{f"{field}_decision": "derived" for field in ("mana_value", "colors", "color_identity", "produced_mana")},
        **values,
    }
    connection.execute(insert(Card).values(row))
    for index, face in enumerate(faces or (name,)):
        connection.execute(
            insert(CardFace).values(oracle_id=oracle_id, face_index=index, name=face, mana_cost=row["mana_cost"])
        )
    for name_of_format in legal_in:
        connection.execute(insert(Legality).values(oracle_id=oracle_id, format=name_of_format, status="legal"))
    return oracle_id


def add_mismatch(connection: Connection, oracle_id: str, **values: Any) -> int:
    """Add a mismatch, open since run 1 unless said otherwise, and give its number."""
    row: dict[str, Any] = {
        "oracle_id": oracle_id,
        "face_index": None,
        "field": "mana_value",
        "published": "3",
        "computed": "2",
        "category": "published_error",
        "rule": "202.3",
        "explanation": "{1} and {U} make 2.",
        "status": "open",
        "first_seen_run_id": 1,
        "last_seen_run_id": 1,
        **values,
    }
    key = connection.execute(insert(Mismatch).values(row)).inserted_primary_key
    assert key is not None
    return int(key[0])


def add_change(
    connection: Connection, run_id: int, oracle_id: str, field: str, old: str | None, new: str | None
) -> None:
    """Add one line of history."""
    connection.execute(insert(CardChange).values(run_id=run_id, oracle_id=oracle_id, field=field, old=old, new=new))
