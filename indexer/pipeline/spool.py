"""A bulk file's records laid down in a nameless temporary file, with an index of them in the order of their oracle ids.

Why the order: every table then grows at its end, so that writing costs the same a card in a pool of any size, and the
pool can be compared with the file by walking through both at once. Neither needs memory that grows with the file.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from struct import Struct
from types import TracebackType
from typing import IO, TYPE_CHECKING, NamedTuple, TypeAlias

from indexer.errors import StorageError

if TYPE_CHECKING:
    from indexer.scryfall.rejected import RejectedRecord

KEY_BYTES = 36
"""An oracle id is a UUID in its usual writing. Longer ones are cut: the key orders and finds, it decides nothing."""

HASH_BYTES = 16

# Big-endian, so that packed entries sort by key and then by line number.
_LAYOUT = Struct(f">{KEY_BYTES}sI{HASH_BYTES}sQI?")
ENTRY_BYTES = _LAYOUT.size
KEY_SLICE = slice(0, KEY_BYTES)
HASH_SLICE = slice(KEY_BYTES + 4, KEY_BYTES + 4 + HASH_BYTES)
MAY_MELD_INDEX = ENTRY_BYTES - 1

_RUN_ENTRIES = 1 << 16
_READ_ENTRIES = 1 << 12
_BUFFER_BYTES = 1 << 18

PackedEntry: TypeAlias = bytes
"""An `Entry` as bytes. There is one for every record of the file, so they are unpacked only if they are needed."""


class Entry(NamedTuple):
    """Where one record is, and what tells whether it is known."""

    key: bytes
    """The oracle id as far as a look at the bytes finds it, padded with zero bytes; only zero bytes if it doesn't."""
    line_number: int
    record_hash: bytes
    offset: int
    length: int
    may_meld: bool
    """The card may have the layout `meld`, whose values depend on other records."""


class Chunk(NamedTuple):
    """Entries that are computed together, by their place in the index."""

    start: int
    size: int


class Scan(NamedTuple):
    """What a pass over the file found."""

    runs: list[int]
    """For `Spool.read_index`."""
    records: int
    """Lines that may be records."""
    rejected: int
    """Lines that can't be."""
    rejections: list[RejectedRecord]
    """The first of those."""
    size: int | None = None
    """Bytes of the source, if they were asked for, as they came."""
    sha256: str | None = None
    """Hexadecimal, of those bytes."""


def padded_key(oracle_id: str) -> bytes:
    """The key of an oracle id, for comparing it with those of entries."""
    return oracle_id.encode()[:KEY_BYTES].ljust(KEY_BYTES, b"\0")


class Spool:
    """The two temporary files. They have no name: nothing of them stays behind, however the program ends."""

    def __init__(self, records: IO[bytes], index: IO[bytes]) -> None:
        self._records = records
        self._index = index
        self._appended = 0

    @classmethod
    def in_folder(cls, folder: Path | None) -> Spool:
        """New files in this folder, or in the system's own for temporary files.

        Raises:
            StorageError: it can't be written to.
        """
        import tempfile

        try:
            return cls(
                tempfile.TemporaryFile(dir=folder, buffering=_BUFFER_BYTES),
                tempfile.TemporaryFile(dir=folder, buffering=_BUFFER_BYTES),
            )
        except OSError as error:
            where = str(folder or tempfile.gettempdir())
            raise StorageError(f"can't write temporary files in {where!r}: {error.strerror or error}") from error

    @classmethod
    def of_descriptors(cls, records: int, index: int) -> Spool:
        """The files that another process has handed over."""
        return cls(os.fdopen(records, "r+b", _BUFFER_BYTES), os.fdopen(index, "r+b", _BUFFER_BYTES))

    def __enter__(self) -> Spool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._records.close()
        self._index.close()

    @property
    def descriptors(self) -> tuple[int, int]:
        """Both files, for handing them to another process."""
        return self._records.fileno(), self._index.fileno()

    def writer(self) -> SpoolWriter:
        """For filling the spool, once."""
        return SpoolWriter(self._records, self._index)

    def read_index(self, runs: Sequence[int]) -> Iterator[PackedEntry]:
        """All entries in their order. `runs` is what the writer's `finish` gave."""
        starts = itertools.accumulate(runs, initial=0)
        streams = [self._read_run(start, count) for start, count in zip(starts, runs, strict=False)]
        self._appended = sum(runs)
        if len(streams) == 1:
            return streams[0]
        from heapq import merge

        return merge(*streams)

    def append_chunk(self, entries: Sequence[PackedEntry]) -> Chunk:
        """Put a choice of entries behind the index, where other processes can read them."""
        chunk = Chunk(self._appended, len(entries))
        self._index.seek(chunk.start * ENTRY_BYTES)
        self._index.write(b"".join(entries))
        self._index.flush()
        self._appended += chunk.size
        return chunk

    def read_chunk(self, chunk: Chunk) -> list[Entry]:
        """The entries of a chunk."""
        packed = _read_at(self._index, chunk.start * ENTRY_BYTES, chunk.size * ENTRY_BYTES)
        return [Entry._make(values) for values in _LAYOUT.iter_unpack(packed)]

    def read_record(self, entry: Entry) -> bytes:
        """The bytes of a record. Several processes may read at once."""
        return _read_at(self._records, entry.offset, entry.length)

    def _read_run(self, start: int, count: int) -> Iterator[PackedEntry]:
        for first in range(start, start + count, _READ_ENTRIES):
            size = min(_READ_ENTRIES, start + count - first) * ENTRY_BYTES
            packed = _read_at(self._index, first * ENTRY_BYTES, size)
            yield from (packed[place : place + ENTRY_BYTES] for place in range(0, size, ENTRY_BYTES))


class SpoolWriter:
    """Takes records in the file's order."""

    def __init__(self, records: IO[bytes], index: IO[bytes]) -> None:
        self._records = records
        self._index = index
        self._offset = 0
        self._run: list[PackedEntry] = []
        self._runs: list[int] = []

    def add(self, key: bytes, line_number: int, record_hash: bytes, data: bytes, may_meld: bool) -> None:
        """Lay one record down."""
        length = len(data)
        self._run.append(_LAYOUT.pack(key, line_number, record_hash, self._offset, length, may_meld))
        self._records.write(data)
        self._offset += length
        if len(self._run) == _RUN_ENTRIES:
            self._end_run()

    def finish(self) -> list[int]:
        """Make everything readable; gives the number of entries in each sorted run of the index."""
        if self._run or not self._runs:
            self._end_run()
        self._records.flush()
        self._index.flush()
        return self._runs

    def _end_run(self) -> None:
        self._run.sort()
        self._index.write(b"".join(self._run))
        self._runs.append(len(self._run))
        self._run.clear()


def _read_at(file: IO[bytes], offset: int, length: int) -> bytes:
    if hasattr(os, "pread"):
        data = os.pread(file.fileno(), length, offset)
    else:
        file.seek(offset)
        data = file.read(length)
    if len(data) != length:
        raise StorageError(f"a temporary file ends early: {len(data)} of {length} bytes at {offset}")
    return data
