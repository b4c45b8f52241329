"""Messages between processes: one byte of kind, four of length, then the content."""

from __future__ import annotations

from struct import Struct
from typing import IO

from indexer.pipeline.spool import Chunk

SCAN = b"S"
COMPUTE = b"C"
PREPARE = b"P"
DONE = b"D"
FAILED = b"F"

_HEAD = Struct(">cI")
_CHUNK = Struct(">QI")


def write_message(stream: IO[bytes], kind: bytes, content: bytes = b"") -> None:
    """Send one message."""
    stream.write(_HEAD.pack(kind, len(content)))
    stream.write(content)
    stream.flush()


def read_message(stream: IO[bytes]) -> tuple[bytes, bytes] | None:
    """The next message's kind and content; None if there is no next, or only a part of it."""
    head = stream.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    kind, length = _HEAD.unpack(head)
    content = stream.read(length)
    return (kind, content) if len(content) == length else None


def pack_chunk(chunk: Chunk) -> bytes:
    """A chunk as a message's content."""
    return _CHUNK.pack(*chunk)


def unpack_chunk(content: bytes) -> Chunk:
    """The chunk that `pack_chunk` was given."""
    return Chunk._make(_CHUNK.unpack(content))
