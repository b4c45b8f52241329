"""The second stage: records that are not known become rows."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from indexer.batches import Origin, Rejection, RowBatch, duplicate_reason
from indexer.errors import BulkFormatError, NormalizeError
from indexer.pipeline.spool import Chunk, Spool
from indexer.scryfall.excerpt import safe_excerpt
from indexer.scryfall.reader import parse_record

if TYPE_CHECKING:
    from indexer.recompute import Recomputer
    from indexer.records import CardRecord

logger = logging.getLogger(__name__)


def compute(spool: Spool, chunk: Chunk, new_recomputer: Callable[[], Recomputer]) -> RowBatch:
    """The rows of these records. What can't become a card is rejected with its reason, and harms no other.

    Melded cards find their fronts only within the chunk.
    """
    batch = RowBatch()
    recomputer = new_recomputer()
    taken: set[str] = set()

    def add(record: CardRecord, origin: Origin, data: bytes) -> None:
        oracle_id = record.card.oracle_id
        if oracle_id in taken:
            batch.rejections.append(_rejection(origin, duplicate_reason(oracle_id, record.card.name), data))
        else:
            taken.add(oracle_id)
            batch.add(record, origin)

    # The engine gets the place in the chunk for a line number: the elements of an array may share one line.
    held_back: dict[int, tuple[Origin, bytes]] = {}
    for place, entry in enumerate(spool.read_chunk(chunk)):
        data = spool.read_record(entry)
        origin = Origin(entry.line_number, entry.record_hash)
        try:
            record = recomputer.process(parse_record(data), place)
        except (BulkFormatError, NormalizeError) as error:
            batch.rejections.append(_rejection(origin, str(error), data))
        except Exception as error:  # one record must not end the run, whatever is in it
            logger.debug("line %d can't be computed", entry.line_number, exc_info=error)
            batch.rejections.append(_rejection(origin, f"unexpected {type(error).__name__}: {error}", data))
        else:
            if record is None:
                held_back[place] = origin, data
            else:
                add(record, origin, data)
    for place, result in recomputer.finish():
        origin, data = held_back[place]
        if isinstance(result, NormalizeError):
            batch.rejections.append(_rejection(origin, str(result), data))
        else:
            add(result, origin, data)
    return batch


def _rejection(origin: Origin, reason: str, data: bytes) -> Rejection:
    return Rejection(origin.line_number, safe_excerpt(reason), safe_excerpt(data))
