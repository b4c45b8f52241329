"""The life of a mismatch: open while it is seen, resolved when it is gone, open again in the same row if it comes back.

Its identity is the place: card, face and field. A mismatch that somebody accepted stays accepted as long as both values
stay what they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from sqlalchemy import Connection, insert, select, update

from indexer.batches import MISMATCH_COLUMNS, Row
from indexer.storage.models import Mismatch

Place: TypeAlias = tuple[str, int | None, str]

_UNRESOLVED = ("open", "accepted")
_PLACE_COLUMNS = 3
_CONTENT = MISMATCH_COLUMNS[_PLACE_COLUMNS:]
_IDS_AT_ONCE = 500


@dataclass(slots=True)
class MismatchCounts:
    """What a run did to the mismatches."""

    new: int = 0
    reopened: int = 0
    resolved: int = 0


class MismatchLedger:
    """Brings the table of mismatches to what one run has found, inside the caller's transaction."""

    def __init__(self, connection: Connection, run_id: int) -> None:
        self.counts = MismatchCounts()
        self._connection = connection
        self._run_id = run_id

    def add(self, found: Iterable[Row]) -> None:
        """Open the mismatches of cards that the pool did not have."""
        self._open(list(_by_place(found).values()))

    def reconcile(self, oracle_ids: Sequence[str], found: Iterable[Row]) -> None:
        """Compare what was found for these cards now with what the table says of them."""
        wanted = _by_place(found)
        known: set[Place] = set()
        for start in range(0, len(oracle_ids), _IDS_AT_ONCE):
            ids = oracle_ids[start : start + _IDS_AT_ONCE]
            for row in self._connection.execute(select(Mismatch.__table__).where(Mismatch.oracle_id.in_(ids))).all():
                place = (row.oracle_id, row.face_index, row.field)
                known.add(place)
                if place in wanted:
                    self._see_again(row, dict(zip(_CONTENT, wanted[place][_PLACE_COLUMNS:], strict=True)))
                elif row.status != "resolved":
                    self._resolve([row.id])
        self._open([row for place, row in wanted.items() if place not in known])

    def resolve_all_of(self, oracle_ids: Sequence[str]) -> None:
        """Resolve what is left open of cards that left the export."""
        self.reconcile(oracle_ids, ())

    def finish(self) -> None:
        """Note that what is open or accepted was seen in this run too, also for cards that nobody looked at again."""
        self._connection.execute(
            update(Mismatch).where(Mismatch.status.in_(_UNRESOLVED)).values(last_seen_run_id=self._run_id)
        )

    def _open(self, rows: Sequence[Row]) -> None:
        if not rows:
            return
        life = {"status": "open", "first_seen_run_id": self._run_id, "last_seen_run_id": self._run_id}
        self._connection.execute(
            insert(Mismatch), [{**dict(zip(MISMATCH_COLUMNS, row, strict=True)), **life} for row in rows]
        )
        self.counts.new += len(rows)

    def _see_again(self, row: Any, content: dict[str, Any]) -> None:
        values = {name: value for name, value in content.items() if getattr(row, name) != value}
        if row.status == "resolved":
            self.counts.reopened += 1
            values |= {
                "status": "open",
                "resolved_run_id": None,
                "reopened_run_id": self._run_id,
                "status_reason": None,
            }
        elif row.status == "accepted" and not values.keys().isdisjoint({"published", "computed"}):
            self.counts.reopened += 1
            reason = (
                f"was accepted for published {row.published!r} and computed {row.computed!r}, "
                f"which are now {content['published']!r} and {content['computed']!r}"
            )
            values |= {"status": "open", "reopened_run_id": self._run_id, "status_reason": reason}
        if values:
            self._connection.execute(update(Mismatch).where(Mismatch.id == row.id).values(**values))

    def _resolve(self, ids: Sequence[int]) -> None:
        self._connection.execute(
            update(Mismatch)
            .where(Mismatch.id.in_(ids))
            .values(status="resolved", resolved_run_id=self._run_id, status_reason=None)
        )
        self.counts.resolved += len(ids)


def _by_place(found: Iterable[Row]) -> dict[Place, Row]:
    """One row a place, the first: one mistake, one row."""
    places: dict[Place, Row] = {}
    for row in found:
        places.setdefault((row[0], row[1], row[2]), row)
    return places
