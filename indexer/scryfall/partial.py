"""A download that isn't finished: its bytes so far, and beside them a note on whose bytes they are.

`NAME.partial` grows; `NAME.partial.json` was written before the first byte and says which file, of which export, by
which validator. Both outlive the process, so that the next run can go on where this one stopped.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

from indexer.errors import DownloadError, VerificationFailed
from indexer.scryfall.disk import disk_errors, read_note, write_note
from indexer.scryfall.payload import PayloadCheck

log = logging.getLogger(__name__)

NOTE_FORMAT = "card-indexer partial download 1"
PARTIAL_SUFFIX = ".partial"
PARTIAL_NOTE_SUFFIX = ".partial.json"
_CHUNK = 1 << 18


@dataclass(frozen=True, slots=True)
class PartialNote:
    """Whose bytes a partial file holds."""

    type: str
    url: str
    updated_at: str
    etag: str | None
    """The entity tag with its quotes, if it is a strong one."""
    last_modified: str | None
    """The date of the last change, if it is fit to be a strong validator."""
    total: int | None
    """Bytes of the whole file. None: unknown, and then the download can't be resumed."""

    @property
    def validator(self) -> str | None:
        """What to put in If-Range; None if nothing is strong enough."""
        return self.etag or self.last_modified


class PartialFile:
    """The bytes so far, their hash and what can be said of their soundness. Close it when done."""

    def __init__(self, target: Path, *, max_unpacked: int) -> None:
        self.path = target.with_name(target.name + PARTIAL_SUFFIX)
        self._note_path = target.with_name(target.name + PARTIAL_NOTE_SUFFIX)
        self._name = target.name
        self._max_unpacked = max_unpacked
        self._file: BinaryIO | None = None
        self.note: PartialNote | None = None
        self.patched = False
        """Whether the bytes come from more than one answer or an earlier run, so that damage may come from that."""
        self._reset()

    def _reset(self) -> None:
        self.size = 0
        self._digest = hashlib.sha256()
        self._check = PayloadCheck(self._name, max_unpacked=self._max_unpacked)

    @property
    def sha256(self) -> str:
        """Hexadecimal, of the bytes so far."""
        return self._digest.hexdigest()

    def load(self, *, url: str, updated_at: str) -> None:
        """Take up what an earlier process left, if it is of the same file; drop it otherwise.

        Raises:
            DownloadError: the disk won't let us.
        """
        note = _parse_note(read_note(self._note_path))
        if note is None or (note.url, note.updated_at) != (url, updated_at) or not self.path.is_file():
            return
        try:
            with disk_errors("read", self.path), self.path.open("rb") as file:
                while chunk := file.read(_CHUNK):
                    self._digest.update(chunk)
                    self._check.feed(chunk)
                    self.size += len(chunk)
        except VerificationFailed as e:
            log.info("starting over: what an earlier run left of %s is damaged: %s", self._name, e)
            self._reset()
            return
        if note.total is not None and self.size > note.total:
            self._reset()
            return
        self.note, self.patched = note, True
        log.info("found %d bytes of %s from an earlier run", self.size, self._name)

    @property
    def resumable(self) -> bool:
        """Whether the rest can be asked for: there is something, the whole length is known, and a strong validator."""
        note = self.note
        return note is not None and note.total is not None and note.validator is not None and self.size > 0

    @property
    def complete(self) -> bool:
        """Whether as many bytes are here as the file has."""
        return self.note is not None and self.size == self.note.total

    def restart(self, note: PartialNote) -> None:
        """Begin anew, with nothing.

        Raises:
            DownloadError: the disk won't let us.
        """
        self.close()
        self._reset()
        self.note, self.patched = note, False
        with disk_errors("write", self.path):
            self.path.unlink(missing_ok=True)
        write_note(self._note_path, {"format": NOTE_FORMAT, **asdict(note)}, durable=False)
        with disk_errors("write", self.path):
            self._file = self.path.open("wb")

    def go_on(self) -> None:
        """Be ready for the bytes that follow those here.

        Raises:
            DownloadError: the disk won't let us.
        """
        self.patched = True
        if self._file is None:
            with disk_errors("write", self.path):
                self._file = self.path.open("ab")

    def write(self, data: bytes) -> None:
        """Add bytes.

        Raises:
            DownloadError: the disk won't let us.
            VerificationFailed: with these bytes it can't be a bulk file any more.
        """
        if self._file is None:
            raise ValueError("restart() or go_on() comes first")
        with disk_errors("write", self.path):
            self._file.write(data)
        self.size += len(data)
        self._digest.update(data)
        self._check.feed(data)

    def verify(self) -> None:
        """Return if the bytes are a whole bulk file.

        Raises:
            VerificationFailed: they are not.
        """
        self._check.finish()

    def publish(self, target: Path) -> None:
        """Give the file its real name, for good: its bytes are on the disk before the name is.

        Raises:
            DownloadError: the disk won't let us.
        """
        with disk_errors("write", self.path):
            file = self._file if self._file is not None else self.path.open("ab")
            self._file = None
            with file:
                file.flush()
                os.fsync(file.fileno())
        with disk_errors("write", target):
            self.path.replace(target)
            self._note_path.unlink(missing_ok=True)
        self.note = None

    def discard(self) -> None:
        """Remove it: the bytes are of no use to anybody."""
        self.close()
        self._reset()
        self.note, self.patched = None, False
        with disk_errors("remove", self.path):
            self.path.unlink(missing_ok=True)
            self._note_path.unlink(missing_ok=True)

    def leave(self) -> None:
        """Let go of the file, at the end of a run. The bytes stay if the next run can use them."""
        # Whatever the disk says now, it has said before, and that is the error to be seen.
        with contextlib.suppress(DownloadError):
            if self.note is None or self.resumable or self.complete:
                self.close()
            else:
                self.discard()

    def close(self) -> None:
        """Let go of the file; the bytes stay.

        Raises:
            DownloadError: the last of them could not be written.
        """
        if self._file is not None:
            file, self._file = self._file, None
            with disk_errors("write", self.path):
                file.close()


def _parse_note(raw: dict[str, object] | None) -> PartialNote | None:
    if raw is None or raw.get("format") != NOTE_FORMAT:
        return None
    texts = [raw.get(key) for key in ("type", "url", "updated_at")]
    validators = [raw.get(key) for key in ("etag", "last_modified")]
    total = raw.get("total")
    if not all(isinstance(v, str) for v in texts) or not all(v is None or isinstance(v, str) for v in validators):
        return None
    if total is not None and (not isinstance(total, int) or isinstance(total, bool)):
        return None
    bulk_type, url, updated_at = map(str, texts)
    etag, last_modified = (None if v is None else str(v) for v in validators)
    return PartialNote(bulk_type, url, updated_at, etag, last_modified, total)
