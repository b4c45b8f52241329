"""Batches of recomputed cards into the pool: only what differs is written, and what differs is told.

Everything happens in the caller's transaction. Cards come in the order of their oracle ids where the caller can give
them so: every table then grows at its end, which is what keeps a large first sync fast and its page cache small.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from sqlalchemy import Connection, func, select

from indexer.batches import CARD_COLUMNS, CHILD_TABLES, LEGALITIES, Origin, Rejection, Row, RowBatch, duplicate_reason
from indexer.storage.changes import VOLATILE, FieldChange, field_changes
from indexer.storage.fulltext import FTS_COLUMNS, FTS_TABLE
from indexer.storage.known import card_count
from indexer.storage.mismatches import MismatchLedger
from indexer.storage.models import Card, CardChange, RejectedRecord
from indexer.storage.rows import is_about_rows, legality_rows, rows_of

_ALL_CHILD_TABLES = (*CHILD_TABLES, LEGALITIES)
_LIFE_COLUMNS = ("search_id", "record_hash", "first_seen_run_id", "last_changed_run_id", "removed_run_id")
_ALL_CARD_COLUMNS = (*CARD_COLUMNS, *_LIFE_COLUMNS)
_CHANGE_COLUMNS = ("run_id", "oracle_id", "field", "old", "new")
_REJECTED_COLUMNS = ("run_id", "line_number", "nth", "reason", "raw")
_WIDTH = len(CARD_COLUMNS)
_NAME = CARD_COLUMNS.index("name")
_TEXT_PLACES = tuple(CARD_COLUMNS.index(column) for column in FTS_COLUMNS)
_STEADY_PLACES = tuple(place for place, column in enumerate(CARD_COLUMNS) if column not in VOLATILE)

MAX_REJECTIONS_KEPT = 1000
"""So many rejected lines of a run are kept with their text; the rest is only counted."""


@dataclass(slots=True)
class WriteCounts:
    """What a run did to the cards. Every card of the file is added, changed, restored or unchanged, or rejected."""

    added: int = 0
    changed: int = 0
    restored: int = 0
    unchanged: int = 0
    removed: int = 0
    rejected: int = 0

    @property
    def total(self) -> int:
        """Cards of the pool that the file held."""
        return self.added + self.changed + self.restored + self.unchanged


class PoolWriter:
    """Writes one run's cards. Make one a run, feed it everything, then call `finish`."""

    def __init__(self, connection: Connection, run_id: int, *, careful: bool = False) -> None:
        """`careful`: a card that the database won't have is rejected, instead of raising. It costs a quarter more."""
        self.counts = WriteCounts()
        self._careful = careful
        self._connection = connection
        self._rows = rows_of(connection)
        self._run_id = run_id
        self.mismatches = MismatchLedger(connection, run_id)
        self._full_text = connection.dialect.name == "sqlite"
        self._next_search_id = (connection.scalar(select(func.max(Card.search_id))) or 0) + 1
        self._was_empty = self._next_search_id == 1
        self.cards_before = card_count(connection)
        """Cards of the export, as the run before left them."""
        self._last_oracle_id = ""
        self._rejected_of_line: dict[int, int] = {}
        # One byte a card that was seen, by its search id: half a megabyte for every printing there is.
        self._seen = bytearray(self._next_search_id)

    def keep(self, search_ids: Sequence[int]) -> None:
        """Note that these cards are in the file as they are in the pool."""
        for search_id in search_ids:
            self._seen[search_id] = 1
        self.counts.unchanged += len(search_ids)

    def store(self, batch: RowBatch) -> None:
        """Write the batch's cards as far as they differ from the pool, their mismatches, and the rejections.

        A card that came in an earlier batch is rejected.
        """
        self.reject(batch.rejections)
        if not batch.cards:
            return
        if not self._careful:
            self._store_cards(batch)
            return
        if self._try_to_store(batch) is None:
            return
        for single in batch.split():
            problem = self._try_to_store(single)
            if problem is not None:
                reason = f"the database won't have it: {' '.join(str(problem).split())}"
                self.reject([Rejection(single.origins[0].line_number, reason, single.cards[0][0])])

    def reject(self, rejections: Sequence[Rejection], *, unlisted: int = 0) -> None:
        """Record lines that did not become cards, and count `unlisted` more."""
        room = max(0, MAX_REJECTIONS_KEPT - self.counts.rejected)
        rows: list[Row] = []
        for line_number, reason, raw in rejections[:room]:
            nth = self._rejected_of_line[line_number] = self._rejected_of_line.get(line_number, 0) + 1
            rows.append((self._run_id, line_number, nth, reason, raw))
        self._rows.insert(RejectedRecord.__tablename__, _REJECTED_COLUMNS, rows)
        self.counts.rejected += len(rejections) + unlisted

    def finish(self) -> None:
        """Mark the cards that the file no longer holds as removed, and close the mismatches' books."""
        counts = self.counts
        if counts.unchanged + counts.changed < self.cards_before:
            self._remove(
                [
                    (row.oracle_id, row.name)
                    for row in self._connection.execute(
                        select(Card.search_id, Card.oracle_id, Card.name).where(Card.removed_run_id.is_(None))
                    )
                    if not self._seen[row.search_id]
                ]
            )
        self.mismatches.finish()

    def _remove(self, gone: Sequence[tuple[str, str]]) -> None:
        run = self._run_id
        self._rows.update(
            "cards",
            ("removed_run_id", "last_changed_run_id"),
            ("oracle_id",),
            [(run, run, oracle_id) for oracle_id, _ in gone],
        )
        self._record_changes((oracle_id, [FieldChange("removed", name, None)]) for oracle_id, name in gone)
        self.counts.removed = len(gone)
        self.mismatches.resolve_all_of([oracle_id for oracle_id, _ in gone])

    def _try_to_store(self, batch: RowBatch) -> Exception | None:
        """Store the cards, or take everything back and give what the database says against them."""
        seen = bytes(self._seen)
        before = (self._next_search_id, self._last_oracle_id, dict(self._rejected_of_line))
        counts, mismatch_counts = replace(self.counts), replace(self.mismatches.counts)
        try:
            with self._connection.begin_nested():
                self._store_cards(batch)
        except Exception as error:
            if not is_about_rows(error):
                raise
            self._seen = bytearray(seen)
            self._next_search_id, self._last_oracle_id, self._rejected_of_line = before
            self.counts, self.mismatches.counts = counts, mismatch_counts
            self._rows.forget()
            return error
        return None

    def _store_cards(self, batch: RowBatch) -> None:
        if self._all_new(batch.cards):
            self._insert(batch)
        else:
            self._merge(batch)

    def _all_new(self, cards: Sequence[Row]) -> bool:
        """Whether no card of the batch can be in the pool yet: it was empty, and the oracle ids have only risen."""
        if not self._was_empty:
            return False
        rising = self._last_oracle_id < cards[0][0] and all(a[0] < b[0] for a, b in pairwise(cards))
        self._last_oracle_id = max(self._last_oracle_id, *(card[0] for card in cards))
        return rising

    def _insert(self, batch: RowBatch) -> None:
        """Write cards that the pool does not have, with everything that belongs to them."""
        first = self._next_search_id
        self._next_search_id += len(batch.cards)
        self._seen.extend(b"\1" * len(batch.cards))
        run = self._run_id
        self._rows.insert(
            "cards",
            _ALL_CARD_COLUMNS,
            [
                (*card, search_id, origin.record_hash, run, run, None)
                for search_id, (card, origin) in enumerate(zip(batch.cards, batch.origins, strict=True), first)
            ],
        )
        if self._full_text:
            self._rows.insert(
                FTS_TABLE,
                ("rowid", *FTS_COLUMNS),
                [(search_id, *_indexed_text(card)) for search_id, card in enumerate(batch.cards, first)],
            )
        for table, rows in zip(CHILD_TABLES, batch.children, strict=True):
            self._rows.insert(table.name, table.columns, rows)
        self._rows.insert_legalities(batch.legalities)
        self.mismatches.add(batch.mismatches)
        self.counts.added += len(batch.cards)
        if not self._was_empty:
            self._record_changes((card[0], [FieldChange("added", None, card[_NAME])]) for card in batch.cards)

    def _merge(self, batch: RowBatch) -> None:
        """Write a batch whose cards may be in the pool already."""
        ids = [card[0] for card in batch.cards]
        known = {row[0]: row for row in self._rows.select("cards", _ALL_CARD_COLUMNS, ids)}
        children = _by_card([*batch.children, legality_rows(batch.legalities)])
        legalities = dict(batch.legalities)
        mismatches: dict[str, list[Row]] = defaultdict(list)
        for row in batch.mismatches:
            mismatches[row[0]].append(row)
        new = RowBatch()
        merging: list[tuple[Row, Row, Origin]] = []
        for card, origin in zip(batch.cards, batch.origins, strict=True):
            oracle_id = card[0]
            old = known.get(oracle_id)
            if old is not None and self._seen[old[_WIDTH]]:
                reason = duplicate_reason(oracle_id, card[_NAME])
                self.reject([Rejection(origin.line_number, reason, oracle_id)])
                continue
            if old is not None:
                self._seen[old[_WIDTH]] = 1
                merging.append((old, card, origin))
                continue
            new.cards.append(card)
            new.origins.append(origin)
            for place, rows in enumerate(new.children):
                rows.extend(children[oracle_id].get(CHILD_TABLES[place].name, ()))
            if oracle_id in legalities:
                new.legalities.append((oracle_id, legalities[oracle_id]))
            new.mismatches.extend(mismatches.get(oracle_id, ()))
        if new.cards:
            self._insert(new)
        if merging:
            self._update(merging, children)
            self.mismatches.reconcile(
                [old[0] for old, _, _ in merging], [row for old, _, _ in merging for row in mismatches.get(old[0], ())]
            )

    def _update(self, merging: Sequence[tuple[Row, Row, Origin]], children: dict[str, dict[str, list[Row]]]) -> None:
        ids = [old[0] for old, _, _ in merging]
        before = _by_card([list(self._rows.select(table.name, table.columns, ids)) for table in _ALL_CHILD_TABLES])
        self._replace_children(ids, before, children)
        cards: list[Row] = []
        hashes: list[Row] = []
        texts: list[tuple[int, Row, Row]] = []
        changes: list[tuple[str, list[FieldChange]]] = []
        for old, card, origin in merging:
            oracle_id = card[0]
            stored, (search_id, record_hash, first_seen, last_changed, removed) = old[:_WIDTH], old[_WIDTH:]
            differs = any(stored[place] != card[place] for place in _STEADY_PLACES) or {
                name: set(rows) for name, rows in before[oracle_id].items()
            } != {name: set(rows) for name, rows in children[oracle_id].items()}
            told = list(field_changes(stored, card, before[oracle_id], children[oracle_id])) if differs else []
            if removed is not None:
                told.insert(0, FieldChange("restored", None, card[_NAME]))
                self.counts.restored += 1
            elif differs:
                self.counts.changed += 1
            else:
                self.counts.unchanged += 1
            if told:
                changes.append((oracle_id, told))
            if differs or removed is not None or stored != card:
                changed_run = self._run_id if differs or removed is not None else last_changed
                cards.append((*card[1:], search_id, origin.record_hash, first_seen, changed_run, None, oracle_id))
            elif origin.record_hash != record_hash:
                hashes.append((origin.record_hash, oracle_id))
            if _indexed_text(stored) != _indexed_text(card):
                texts.append((search_id, _indexed_text(stored), _indexed_text(card)))
        self._rows.update("cards", _ALL_CARD_COLUMNS[1:], ("oracle_id",), cards)
        self._rows.update("cards", ("record_hash",), ("oracle_id",), hashes)
        if self._full_text:
            # The index holds no text of its own: the old one has to be named to be taken out.
            removals = [("delete", search_id, *old_text) for search_id, old_text, _ in texts]
            self._rows.insert(FTS_TABLE, (FTS_TABLE, "rowid", *FTS_COLUMNS), removals)
            additions = [(search_id, *new_text) for search_id, _, new_text in texts]
            self._rows.insert(FTS_TABLE, ("rowid", *FTS_COLUMNS), additions)
        self._record_changes(iter(changes))

    def _replace_children(
        self, ids: Sequence[str], before: dict[str, dict[str, list[Row]]], after: dict[str, dict[str, list[Row]]]
    ) -> None:
        """Take out the child rows that are gone or differ, and put in the new ones."""
        for table in _ALL_CHILD_TABLES:
            gone: list[Row] = []
            new: list[Row] = []
            for oracle_id in ids:
                old_rows = before[oracle_id].get(table.name, [])
                new_rows = after[oracle_id].get(table.name, [])
                old_set = set(old_rows)
                if old_set == set(new_rows):
                    continue
                if table.key == 1:
                    gone.extend(old_rows[:1])
                    new.extend(new_rows)
                else:
                    gone.extend(old_set.difference(new_rows))
                    new.extend(row for row in new_rows if row not in old_set)
            if gone:
                key = table.columns[: table.key]
                self._rows.delete(table.name, key, [row[: table.key] for row in gone])
            self._rows.insert(table.name, table.columns, new)

    def _record_changes(self, changes: Iterator[tuple[str, list[FieldChange]]]) -> None:
        self._rows.insert(
            CardChange.__tablename__,
            _CHANGE_COLUMNS,
            [(self._run_id, oracle_id, *change) for oracle_id, fields in changes for change in fields],
        )


def _by_card(tables: Sequence[Sequence[Row]]) -> dict[str, dict[str, list[Row]]]:
    """Rows by card, then by table."""
    cards: dict[str, dict[str, list[Row]]] = defaultdict(dict)
    for table, rows in zip(_ALL_CHILD_TABLES, tables, strict=True):
        for row in rows:
            cards[row[0]].setdefault(table.name, []).append(row)
    return cards


def _indexed_text(card: Row) -> Row:
    return tuple(card[place] for place in _TEXT_PLACES)
