"""The two stages between a bulk file and the writer: lay its records down in order, and compute those needed."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from hashlib import sha256
from io import RawIOBase
from typing import TYPE_CHECKING, BinaryIO, cast

from indexer.batches import Origin, Rejection, RowBatch, duplicate_reason
from indexer.errors import BulkFormatError, NormalizeError, StorageError
from indexer.pipeline.spool import HASH_BYTES, Chunk, Scan, Spool
from indexer.scryfall.excerpt import safe_excerpt
from indexer.scryfall.reader import iter_lines, parse_record
from indexer.scryfall.rejected import RejectedRecord
from indexer.scryfall.unpacked import source_name

if TYPE_CHECKING:
    from indexer.recompute import Recomputer
    from indexer.records import CardRecord

logger = logging.getLogger(__name__)

MAX_REJECTIONS_KEPT = 1000
"""So many unreadable lines are kept with their text; the rest is only counted."""

_KEY = b'"oracle_id":"'
_SPACED_KEY = re.compile(rb'"oracle_id"\s*:\s*"([^"\\]{1,36})"')
_PRICES = b'"prices":{'
_LAYOUT = b'"layout":"'
_MELD = b'"meld"'


class _Digesting(RawIOBase):
    """A stream that hashes what is read from it."""

    def __init__(self, stream: BinaryIO) -> None:
        self.name = source_name(stream)
        self.digest = sha256()
        self.size = 0
        self._stream = stream

    def read(self, size: int = -1, /) -> bytes:
        data = self._stream.read(size)
        self.digest.update(data)
        self.size += len(data)
        return data


def scan(source: BinaryIO, spool: Spool, *, wants_digest: bool = False) -> Scan:
    """Lay every record of the file down in the spool, with its hash.

    The hash leaves out the prices: they differ every day in nearly every record, and nothing reads them here. Nothing
    else can be taken for them: within a string, the quotes of `"prices":{` would be escaped.

    Raises:
        BulkFormatError: the file can't be read, or isn't whole; see `iter_lines`.
        StorageError: the temporary files can't be written.
    """
    rejections: list[Rejection] = []
    rejected = 0

    def on_reject(record: RejectedRecord) -> None:
        nonlocal rejected
        rejected += 1
        if rejected <= MAX_REJECTIONS_KEPT:
            rejections.append(Rejection(*record))

    writer = spool.writer()
    records = 0
    digesting = _Digesting(source) if wants_digest else None
    try:
        for line_number, data in iter_lines(cast("BinaryIO", digesting or source), on_reject=on_reject):
            records += 1
            writer.add(_key(data), line_number, record_hash(data), data, _may_meld(data))
        runs = writer.finish()
    except OSError as error:
        raise StorageError(f"can't write temporary files: {error.strerror or error}") from error
    size, digest = (digesting.size, digesting.digest.hexdigest()) if digesting else (None, None)
    return Scan(runs, records, rejected, rejections, size, digest)


def record_hash(data: bytes) -> bytes:
    """What tells whether a record is as it was, its prices apart.

    SHA-256, cut to 16 bytes: of the standard library's hashes the quickest on processors of the last years.
    """
    start = data.rfind(_PRICES)
    if start < 0:
        return sha256(data).digest()[:HASH_BYTES]
    view = memoryview(data)  # joining the two parts would take as long as hashing them
    state = sha256(view[:start])
    state.update(view[data.find(b"}", start) :])
    return state.digest()[:HASH_BYTES]


def _key(data: bytes) -> bytes:
    start = data.find(_KEY)
    if start >= 0:
        start += len(_KEY)
        return data[start : data.find(b'"', start)]
    match = _SPACED_KEY.search(data)
    return match[1] if match else b""


def _may_meld(data: bytes) -> bool:
    # The layout stands near the beginning, so that finding it is quicker than looking for the word everywhere.
    start = data.find(_LAYOUT)
    return data.startswith(_MELD, start + len(_LAYOUT) - 1) if start >= 0 else _MELD in data


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
