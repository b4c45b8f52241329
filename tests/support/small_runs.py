"""Cards for tests of whole runs, and looks at the pool that a run left."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select

from indexer.storage.models import SyncRun
from tests.support.pools import raw_card
from tests.support.runs import connected, dump

GREEN: dict[str, Any] = {"colors": ["G"], "color_identity": ["G"]}
BEAR = raw_card("Bear", "{1}{G}", "Creature — Bear", cmc=2.0, **GREEN)
ELK = raw_card("Elk", "{2}{G}", "Creature — Elk", cmc=3.0, **GREEN)
WRONG = BEAR | {"cmc": 5.0}
ACCEPTED = """
[[accept]]
card = "Bear"
field = "mana_value"
published = "5"
reason = "Reported."
who = "Ana"
expires = 2999-01-01
"""


def pool(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table of the pool in this folder."""
    with connected(folder) as connection:
        return dump(connection)


def last_run(connection: Connection) -> Any:
    """The row of the last run."""
    return connection.execute(select(SyncRun.__table__).order_by(SyncRun.id.desc()).limit(1)).one()
