"""From one raw record to one `CardRecord`: normalize, compute by the rules, compare with what is published."""

from __future__ import annotations

from collections.abc import Iterator

from indexer.errors import NormalizeError
from indexer.records import CardRecord
from indexer.scryfall.types import RawRecord


class Recomputer:
    """Turns the raw records of one file into card records. One instance a file: melded cards need their two fronts."""

    def process(self, raw: RawRecord, line_number: int) -> CardRecord | None:
        """The record to store, or None if it is held back until `finish` (a melded card, whose fronts may come later).

        Raises:
            NormalizeError: the record can't become a card; the message says which field and why.
        """
        raise NormalizeError("not built yet")

    def finish(self) -> Iterator[tuple[int, CardRecord | NormalizeError]]:
        """The records held back, each with its line number; a `NormalizeError` in place of one that can't be stored."""
        yield from ()
