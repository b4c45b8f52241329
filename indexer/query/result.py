"""What a query gives: named columns, and rows that come as they are read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The answer to one statement. The rows can be read once, while the query is open."""

    columns: tuple[str, ...]
    """As the statement names them; a name may come twice."""
    rows: Iterator[Row]
