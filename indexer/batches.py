"""Some cards' rows, table by table, as the writer takes them and as a worker process hands them over.

One card as a `CardRecord` is good to read; a thousand of them are a million small objects to copy from process to
process and to sort into tables again. Here each row is a plain tuple and each table one list.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from indexer.records import (
    CardRecord,
    CardRow,
    FaceRow,
    IdentitySourceRow,
    KeywordRow,
    Legalities,
    LegalityRow,
    ManaValueRow,
    MismatchRow,
    PartRow,
    SymbolRow,
    TypeRow,
    UndecidedRow,
)

Row: TypeAlias = tuple[Any, ...]
"""One row; its first value is the oracle id. What may stand in it, the row classes of `indexer.records` say."""


class ChildTable(NamedTuple):
    """A table of which a card has any number of rows."""

    name: str
    columns: tuple[str, ...]
    key: int
    """So many of the first columns tell a row from all others; 1: a card's rows are exchanged all together."""


CARD_COLUMNS = CardRow._fields
CHILD_TABLES = (
    ChildTable("card_faces", FaceRow._fields, 2),
    ChildTable("color_identity_sources", IdentitySourceRow._fields, 4),
    ChildTable("mana_values", ManaValueRow._fields, 3),
    ChildTable("face_symbols", SymbolRow._fields, 4),
    ChildTable("face_types", TypeRow._fields, 4),
    ChildTable("keywords", KeywordRow._fields, 2),
    ChildTable("card_parts", PartRow._fields, 2),
    ChildTable("undecided_values", UndecidedRow._fields, 1),
)
LEGALITIES = ChildTable("legalities", LegalityRow._fields, 2)
MISMATCH_COLUMNS = MismatchRow._fields


class Rejection(NamedTuple):
    """A line of the file that did not become a card."""

    line_number: int
    reason: str
    raw: str


class Origin(NamedTuple):
    """Where a card's rows come from."""

    line_number: int
    record_hash: bytes | None
    """Of the raw record; None if the card has to be looked at again next time whatever its record says."""


def duplicate_reason(oracle_id: str, name: str) -> str:
    """Why the second record of an oracle id is rejected: which of the two is right can't be told."""
    return f"the oracle id {oracle_id!r} of {name!r} stands in the file twice"


@dataclass(slots=True)
class RowBatch:
    """The rows of some cards, no two of them with the same oracle id. `cards[i]` comes from `origins[i]`."""

    cards: list[Row] = field(default_factory=list)
    origins: list[Origin] = field(default_factory=list)
    children: list[list[Row]] = field(default_factory=lambda: [[] for _ in CHILD_TABLES])
    """One list for each of `CHILD_TABLES`; the rows of one card stand together."""
    legalities: list[tuple[str, Legalities]] = field(default_factory=list)
    """Oracle id and legalities, for each card that has any."""
    mismatches: list[Row] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)

    def add(self, record: CardRecord, origin: Origin) -> None:
        """Append one card, whose oracle id the batch does not have."""
        self.cards.append(tuple(record.card))
        self.origins.append(origin)
        tables: tuple[Sequence[Row], ...] = (
            record.faces,
            record.identity_sources,
            record.mana_values,
            record.symbols,
            record.types,
            record.keywords,
            record.parts,
            record.undecided,
        )
        for rows, new in zip(self.children, tables, strict=True):
            rows.extend(map(tuple, new))
        if record.legalities:
            self.legalities.append((record.card.oracle_id, record.legalities))
        self.mismatches.extend(map(tuple, record.mismatches))

    @classmethod
    def of(cls, records: Iterable[tuple[CardRecord, Origin]]) -> RowBatch:
        """The batch of these cards."""
        batch = cls()
        for record, origin in records:
            batch.add(record, origin)
        return batch

    def split(self) -> Iterator[RowBatch]:
        """The same as one batch for each card, without the rejections."""
        children: list[dict[str, list[Row]]] = []
        for rows in (*self.children, self.mismatches):
            of_card: dict[str, list[Row]] = {}
            for row in rows:
                of_card.setdefault(row[0], []).append(row)
            children.append(of_card)
        legalities = dict(self.legalities)
        for card, origin in zip(self.cards, self.origins, strict=True):
            key = card[0]
            *tables, mismatches = (of_card.get(key, []) for of_card in children)
            own = [(key, legalities[key])] if key in legalities else []
            yield RowBatch([card], [origin], tables, own, mismatches)

    def dump(self) -> bytes:
        """The batch as bytes for another process of the same interpreter. Takes half the time of pickle."""
        return marshal.dumps(
            (
                self.cards,
                list(map(tuple, self.origins)),
                self.children,
                self.legalities,
                self.mismatches,
                list(map(tuple, self.rejections)),
            )
        )

    @classmethod
    def load(cls, data: bytes) -> RowBatch:
        """The batch that `dump` gave. Only for bytes that this program's own worker sent."""
        cards, origins, children, legalities, mismatches, rejections = marshal.loads(data)  # noqa: S302  # our own
        return cls(
            cards,
            [Origin(*origin) for origin in origins],
            children,
            legalities,
            mismatches,
            [Rejection(*rejection) for rejection in rejections],
        )
