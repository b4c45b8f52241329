"""Two pools compared, table by table and view by view: one sync gives the same rows in SQLite and in PostgreSQL.

    python tools/compare_databases.py URL URL [--shown 3]

The order of rows does not matter. Values are compared as the program reads them: a date as a date, a moment as a moment
in UTC, true as true, whatever the database stores them as. `LEFT_OUT` names the few columns that say when or how fast
something ran, and not what. Ends with status 1 if anything differs.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, FromClause, select

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from indexer.storage.dictionary import relations
from indexer.storage.engine import open_engine
from indexer.storage.migrate import check_schema

LEFT_OUT = {
    # Two runs are never at the same moment, nor equally fast.
    "sync_runs": {
        "started_at",
        "finished_at",
        "download_seconds",
        "read_seconds",
        "write_seconds",
        "total_seconds",
    },
    "open_mismatches": {"first_seen_at"},
    # A number that nothing refers to: SQLite gives a freed one again, a sequence of PostgreSQL does not.
    "undecided_values": {"id"},
}

PRODUCTS = {"commander_cards"}
"""Views that pair cards with cards: tens of millions of rows of a whole pool. They are not compared."""

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """One table or view."""

    name: str
    rows: tuple[int, int]
    only_first: Sequence[Row]
    only_second: Sequence[Row]

    @property
    def same(self) -> bool:
        """Whether both have the same rows, each as often."""
        return not self.only_first and not self.only_second


def compare_pools(first: Connection, second: Connection) -> Iterator[Compared]:
    """Every table, then every view but `PRODUCTS`, as the data dictionary lists them."""
    for name, relation in relations().items():
        if name in PRODUCTS:
            continue
        ours, theirs = (_rows(connection, name, relation.source) for connection in (first, second))
        only_first, only_second = ours - theirs, theirs - ours
        yield Compared(name, (ours.total(), theirs.total()), list(only_first.elements()), list(only_second.elements()))


def _rows(connection: Connection, name: str, source: FromClause) -> Counter[Row]:
    """The rows and how often each is there. Equal texts are one object: a million rows are then small enough."""
    columns = [column for column in source.columns if column.name not in LEFT_OUT.get(name, ())]
    found = connection.execution_options(yield_per=5000).execute(select(*columns))
    return Counter(tuple(sys.intern(value) if isinstance(value, str) else value for value in row) for row in found)


def main() -> int:
    """Compare and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("urls", nargs=2, metavar="URL")
    parser.add_argument("--shown", type=int, default=3, help="so many differing rows of each side are printed")
    arguments = parser.parse_args()
    first, second = (open_engine(url) for url in arguments.urls)
    different = 0
    with first.connect() as ours, second.connect() as theirs:
        for connection in (ours, theirs):
            if connection.dialect.name == "postgresql":
                connection.execution_options(isolation_level="REPEATABLE READ")
            check_schema(connection)
        for compared in compare_pools(ours, theirs):
            verdict = "same" if compared.same else "DIFFERENT"
            print(f"{compared.name:24}{compared.rows[0]:>10}{compared.rows[1]:>10}  {verdict}", flush=True)
            different += not compared.same
            for mark, rows in (("-", compared.only_first), ("+", compared.only_second)):
                for row in rows[: arguments.shown]:
                    print(f"  {mark} {row}")
    print(f"{different} of them differ" if different else "everything is the same")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
