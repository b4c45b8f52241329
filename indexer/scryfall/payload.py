"""A look at a bulk file's bytes while they pass by: is this whole and sound gzip (or plain JSON), with JSON in it?"""

from __future__ import annotations

from indexer.errors import VerificationFailed
from indexer.scryfall.excerpt import shown
from indexer.scryfall.gunzip import GZIP_MAGIC, MAX_UNPACKED_BYTES, GzipDamage, GzipFault, GzipStream

_BLANKS = b"\xef\xbb\xbf \t\r\n"
_JSON_OPENINGS = (b"{", b"[")


class PayloadCheck:
    """Fed with a file's bytes in order; raises as soon as they can't be a bulk file any more.

    Unpacking while the bytes come in costs 40 ms for a whole export, and no second reading of the file.
    """

    def __init__(self, name: str, *, max_unpacked: int = MAX_UNPACKED_BYTES) -> None:
        self._name = name
        self._must_be_gzip = name.endswith(".gz")
        self._max_unpacked = max_unpacked
        self._gzip: GzipStream | None = None
        self._head = b""
        self._json_seen = False

    def feed(self, data: bytes) -> None:
        """Take in the next bytes.

        Raises:
            VerificationFailed: they are not those of a bulk file.
        """
        if self._gzip is None:
            if self._json_seen:
                return
            data = self._head + data
            if len(data) < len(GZIP_MAGIC):
                self._head = data
                return
            self._head = b""
            if not data.startswith(GZIP_MAGIC):
                self._take_plain(data)
                return
            self._gzip = GzipStream(max_unpacked=self._max_unpacked)
        try:
            for block in self._gzip.feed(data):
                if not self._json_seen:
                    self._look_for_json(block, "unpacks to something else than JSON, beginning with")
        except GzipFault as e:
            raise VerificationFailed(f"{self._name!r}: {e}") from e

    def finish(self) -> None:
        """Say that these were all bytes.

        Raises:
            VerificationFailed: there should have been more.
        """
        if self._gzip is not None:
            try:
                self._gzip.finish()
            except GzipFault as e:
                raise VerificationFailed(f"{self._name!r}: {e}") from e
        elif self._head:
            self._take_plain(self._head)
        if not self._json_seen:
            raise VerificationFailed(f"{self._name!r} is empty")

    def _take_plain(self, data: bytes) -> None:
        if self._must_be_gzip:
            raise VerificationFailed(f"{self._name!r}: {GzipDamage.NOT_GZIP.value}, it begins with {shown(data, 40)}")
        self._look_for_json(data, "is neither gzip nor JSON, it begins with")

    def _look_for_json(self, data: bytes, complaint: str) -> None:
        content = data.lstrip(_BLANKS)
        if content and not content.startswith(_JSON_OPENINGS):
            raise VerificationFailed(f"{self._name!r} {complaint} {shown(content, 40)}")
        self._json_seen = bool(content)
