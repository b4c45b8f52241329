"""The first stage: a bulk file's records laid down in the spool, each with what tells whether it is known."""

from __future__ import annotations

import re
from hashlib import sha256
from io import RawIOBase
from typing import BinaryIO, cast

from indexer.errors import StorageError
from indexer.pipeline.spool import HASH_BYTES, Scan, Spool
from indexer.scryfall.reader import iter_lines
from indexer.scryfall.rejected import RejectedRecord
from indexer.scryfall.unpacked import source_name

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
    rejections: list[RejectedRecord] = []
    rejected = 0

    def on_reject(record: RejectedRecord) -> None:
        nonlocal rejected
        rejected += 1
        if rejected <= MAX_REJECTIONS_KEPT:
            rejections.append(record)

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
