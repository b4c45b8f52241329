"""The unpacked bytes of a file or stream, block by block, whether it is gzipped or not."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from indexer.errors import BulkFormatError
from indexer.scryfall.gunzip import GZIP_MAGIC, MAX_RATIO, MAX_UNPACKED_BYTES, GzipFault, GzipStream

# Measured on a full-size file: smaller blocks cost calls, larger ones fall out of the processor's cache.
_READ_BYTES = 1 << 15
_PLAIN_READ_BYTES = 1 << 17

_OTHER_FORMATS = {
    b"PK\x03\x04": "a zip archive",
    b"\x28\xb5\x2f\xfd": "zstd data",
    b"\xfd7zXZ": "xz data",
    b"BZh": "bzip2 data",
    b"SQLite format 3": "an SQLite database",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
    GZIP_MAGIC: "gzip data packed once more",
}


def iter_blocks(
    source: Path | BinaryIO, *, max_bytes: int = MAX_UNPACKED_BYTES, max_ratio: int = MAX_RATIO
) -> Iterator[bytes]:
    """The contents of `source` in blocks, none empty. Its first two bytes say whether it is gzip, not its name.

    A stream is read from where it stands to its end and left open.

    Raises:
        BulkFormatError: it can't be read, is damaged gzip or another kind of file, or holds more than `max_bytes`. All
            blocks before the damage have come by then. `offset` is the number of bytes that did.
    """
    name = source_name(source)
    given = 0
    try:
        with source.open("rb") if isinstance(source, Path) else contextlib.nullcontext(source) as stream:
            for block in _unpack(stream, max_bytes, max_ratio):
                if not given:
                    _refuse_other_formats(block, name)
                given += len(block)
                if given > max_bytes:
                    raise BulkFormatError(f"{name!r} holds more than {max_bytes} bytes", offset=given)
                yield block
    except GzipFault as e:
        raise BulkFormatError(f"{name!r}: {e}", offset=given) from e
    except OSError as e:
        raise BulkFormatError(f"can't read {name!r}: {e.strerror or e}", offset=given) from e


def source_name(source: Path | BinaryIO | None) -> str:
    """What messages call a source: its path; "standard input" for a stream without a name, or with only a number."""
    name = source if isinstance(source, Path) else getattr(source, "name", None)
    return str(name) if isinstance(name, str | Path) else "standard input"


def _unpack(stream: BinaryIO, max_bytes: int, max_ratio: int) -> Iterator[bytes]:
    head = b""
    while len(head) < len(GZIP_MAGIC) and (piece := stream.read(_READ_BYTES)):
        head += piece
    if not head.startswith(GZIP_MAGIC):
        if head:
            yield head
        while block := stream.read(_PLAIN_READ_BYTES):
            yield block
        return
    gzip = GzipStream(max_unpacked=max_bytes, max_ratio=max_ratio)
    while head:
        yield from gzip.feed(head)
        head = stream.read(_READ_BYTES)
    gzip.finish()


def _refuse_other_formats(head: bytes, name: str) -> None:
    for magic, kind in _OTHER_FORMATS.items():
        if head.startswith(magic):
            raise BulkFormatError(f"{name!r} holds {kind}, not JSON Lines or a JSON array", offset=0)
