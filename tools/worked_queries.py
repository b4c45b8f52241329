"""The worked queries of `docs/queries.toml`: questions to the pool with their SQL."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

QUERIES = Path(__file__).resolve().parent.parent / "docs" / "queries.toml"


class WorkedQuery(NamedTuple):
    """A question with its SQL."""

    name: str
    title: str
    audience: str
    sql: str
    parameters: Mapping[str, Any]
    note: str | None = None
    reads_all: str | None = None
    """Why it may read a whole table; None: every step must use an index."""
    databases: tuple[str, ...] = ("sqlite", "postgresql")


def worked_queries() -> list[WorkedQuery]:
    """The questions, in their order."""
    queries = []
    for entry in tomllib.loads(QUERIES.read_text(encoding="utf-8"))["query"]:
        entry["audience"] = entry.pop("for")
        entry["sql"] = entry["sql"].strip()
        if "databases" in entry:
            entry["databases"] = tuple(entry["databases"])
        queries.append(WorkedQuery(**entry))
    return queries
