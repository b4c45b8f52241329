"""Gzip taken apart piece by piece, with every kind of damage told apart and an end to bombs.

The standard library's reader would do for sound files, but it can't say truncated from corrupt from trailing garbage
without guessing at exception texts, has no ceiling on what it unpacks, and takes more than twice as long as ISA-L on a
bulk file, which is a good part of a night on which little has changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from isal import igzip_lib

GZIP_MAGIC = b"\x1f\x8b"

MAX_UNPACKED_BYTES = 8 << 30
"""The largest bulk file, every printing as a JSON array, is about 2.5 GB."""

MAX_RATIO = 200
"""Card data packs 6 to 12 times; deflate can reach 1030."""

_RATIO_FREE_BYTES = 64 << 20
_BLOCK_BYTES = 1 << 17


class GzipDamage(Enum):
    """What is wrong with a gzip stream."""

    NOT_GZIP = "is not gzip data"
    TRUNCATED = "gzip data ends in the middle (truncated)"
    CORRUPT = "gzip data is corrupt"
    TRAILING_GARBAGE = "gzip data is followed by something else (trailing garbage)"
    TOO_LARGE = "unpacks to more than is allowed"


class GzipFault(Exception):
    """A gzip stream that can't be unpacked to its end. Callers turn it into the project's error that names the file."""

    def __init__(self, damage: GzipDamage, detail: str) -> None:
        super().__init__(f"{damage.value}: {detail}")
        self.damage = damage


class GzipStream:
    """Unpacks a gzip stream that arrives in pieces of any size.

    A stream of several members is legal (RFC 1952, 2.2) and unpacks to their contents joined; zero bytes after a member
    are padding, as in every gzip tool. `members` counts them, `packed` and `unpacked` the bytes so far.
    """

    def __init__(self, *, max_unpacked: int = MAX_UNPACKED_BYTES, max_ratio: int = MAX_RATIO) -> None:
        self.members = 0
        self.packed = 0
        self.unpacked = 0
        self._max_unpacked = max_unpacked
        self._max_ratio = max_ratio
        self._member: igzip_lib.IgzipDecompressor | None = None
        self._magic = b""  # the first byte of what may be a member, kept until the second comes

    def feed(self, data: bytes) -> Iterator[bytes]:
        """What `data` unpacks to, in blocks of at most 128 kB, none empty. Iterate to the end before feeding on.

        Raises:
            GzipFault: the stream is not gzip, corrupt, followed by garbage, or unpacks to too much.
        """
        self.packed += len(data)
        while data:
            member = self._member
            if member is None:
                data = self._magic + data
                if self.members:
                    data = data.lstrip(b"\0")
                if len(data) < len(GZIP_MAGIC):
                    self._magic = data
                    return
                self._magic = b""
                member = self._begin_member(data)
            block = self._decompress(member, data)
            while block:
                self._count(len(block))
                yield block
                block = b"" if member.eof or member.needs_input else self._decompress(member, b"")
            if not member.eof:
                return
            data = member.unused_data
            self._member = None

    def finish(self) -> None:
        """Say that no more data comes.

        Raises:
            GzipFault: the stream is empty or ends within a member.
        """
        if self._member is not None or self._magic == GZIP_MAGIC[:1]:
            raise GzipFault(GzipDamage.TRUNCATED, f"after {self.packed} bytes, {self.unpacked} unpacked")
        if self._magic and self.members:
            raise self._garbage(self._magic)
        if not self.members:
            raise GzipFault(GzipDamage.NOT_GZIP, f"it is only {self._magic!r}" if self._magic else "it is empty")

    def _begin_member(self, data: bytes) -> igzip_lib.IgzipDecompressor:
        if not data.startswith(GZIP_MAGIC):
            if self.members:
                raise self._garbage(data)
            raise GzipFault(GzipDamage.NOT_GZIP, f"it begins with {data[:16]!r}")
        self.members += 1
        self._member = igzip_lib.IgzipDecompressor(igzip_lib.DECOMP_GZIP)
        return self._member

    def _garbage(self, data: bytes) -> GzipFault:
        return GzipFault(GzipDamage.TRAILING_GARBAGE, f"{data[:16]!r} after member {self.members}")

    def _decompress(self, member: igzip_lib.IgzipDecompressor, data: bytes) -> bytes:
        try:
            return member.decompress(data, _BLOCK_BYTES)
        except igzip_lib.IsalError as e:  # type: ignore[misc]  # its stub says instance, it is a class
            raise GzipFault(GzipDamage.CORRUPT, f"{e}, near byte {self.packed}") from e

    def _count(self, size: int) -> None:
        self.unpacked += size
        if self.unpacked > self._max_unpacked:
            raise GzipFault(GzipDamage.TOO_LARGE, f"more than {self._max_unpacked} bytes")
        if self.unpacked > _RATIO_FREE_BYTES and self.unpacked > self.packed * self._max_ratio:
            raise GzipFault(
                GzipDamage.TOO_LARGE, f"{self.packed} bytes unpack to more than {self._max_ratio} times as many"
            )
