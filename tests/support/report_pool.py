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
            insert(CardFace).values(
                oracle_id=oracle_id,
                face_index=index,
                name=face,
                mana_cost=row["mana_cost"],
                type_line=row["type_line"],
                oracle_text=row["oracle_text"],
            )
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


NAMES = ("Ember", "Tidal", "Grave", "Dawn", "Wild", "Iron", "Storm", "Hollow", "Silver", "Lost")
NOUNS = ("Adept", "Colossus", "Oath", "Warden // Warden's Rest", "Familiar", "Reckoning", "Sprite", "Monolith", "Heir")
FORMATS = ("standard", "pioneer", "modern", "legacy", "vintage", "commander", "pauper", "brawl")


def fill_pool(connection: Connection, mismatches: int, *, cards: int = 200, runs: int = 12) -> None:
    """Fill an empty database with made-up cards and that many mismatches of every kind. Always the same ones."""
    for day in range(1, runs + 1):
        left = mismatches * (runs + 3 - day) // (runs + 2) + (day * 7) % 3 if mismatches else 0
        add_run(connection, day, mismatches_open=left)
    for number in range(max(cards, mismatches)):
        name = f"{NAMES[number % 10]} {NOUNS[number % 9]}" + (f" {number // 90}" if number >= 90 else "")
        letters = ("W", "U", "B", "R", "G", "WU", "", "WUBRG")[number % 8]
        two_faced = " // " in name
        oracle_id = add_card(
            connection,
            name,
            faces=tuple(name.split(" // ")),
            legal_in=FORMATS[: number % 9],
            edhrec_rank=None if number % 7 == 0 else number * 3 + 1,
            layout="transform" if two_faced else ("normal", "saga", "adventure")[number % 3],
            object_kind="token" if number % 29 == 28 else "card",
            mana_value=float(number % 12),
            published_mana_value=float(number % 12),
            colors=letters,
            published_colors=letters,
            color_identity=letters,
            published_color_identity=letters,
        )
        if number >= mismatches:
            continue
        values: dict[str, Any] = {
            "first_seen_run_id": runs if number % 10 == 3 else 1 + number % runs,
            "last_seen_run_id": runs,
            "explanation": "The rules text holds {U} outside reminder text; the mana cost {1}{W/U}{2/R}{G/P} does not.",
        }
        match number % 5:
            case 0:
                values |= {"field": "color_identity", "published": letters, "computed": "WUG", "rule": "903.4"}
            case 1:
                values |= {"field": "colors", "published": letters, "computed": "R", "rule": "202.2"}
            case 2:
                values |= {"field": "produced_mana", "published": "WUBRGC", "computed": "", "rule": "106.7"}
            case 3:
                values |= {"published": "0.5", "computed": "12", "rule": "202.3b"}
        if two_faced:
            values["face_index"] = 1
        if number % 11 == 5:
            values |= {"category": "policy", "explanation": "Known practice: tokens have their colors as identity."}
        if number % 13 == 7:
            values |= {
                "category": "undecided",
                "computed": None,
                "explanation": "The text 'mana of <any> kind' can't be read.",
            }
        add_mismatch(connection, oracle_id, **values)
