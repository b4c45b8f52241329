"""Downloads that are done: the note kept beside each, finding one again, and removing the oldest.

`NAME.meta.json` says where `NAME` came from and what its bytes hash to. It is written before the file gets its name, so
a file never stands without it; a note without its file counts for nothing.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from indexer.scryfall.bulk import BulkFile
from indexer.scryfall.disk import disk_errors, read_note, write_note
from indexer.scryfall.partial import NOTE_FORMAT as PARTIAL_NOTE_FORMAT
from indexer.scryfall.partial import PARTIAL_NOTE_SUFFIX, PARTIAL_SUFFIX

log = logging.getLogger(__name__)

NOTE_FORMAT = "card-indexer download 1"
NOTE_SUFFIX = ".meta.json"


@dataclass(frozen=True, slots=True)
class DownloadedFile:
    """A verified bulk file on disk."""

    path: Path
    url: str
    updated_at: datetime
    """When Scryfall made the export; with a time zone."""
    size: int
    """Bytes on disk."""
    sha256: str
    """Hexadecimal, of the bytes on disk."""
    etag: str | None
    """The server's entity tag, if it sent a strong one."""
    from_cache: bool
    """Whether it was there already, so that nothing was downloaded."""


def note_path(target: Path) -> Path:
    """Where the note on a finished download is kept."""
    return target.with_name(target.name + NOTE_SUFFIX)


def write_finished_note(target: Path, bulk: BulkFile, *, size: int, sha256: str, etag: str | None) -> None:
    """Note what `target` will be, just before it gets its name.

    Raises:
        DownloadError: the disk won't let us.
    """
    note = {
        "format": NOTE_FORMAT,
        "type": bulk.type,
        "url": bulk.url,
        "updated_at": bulk.updated_at_text,
        "size": size,
        "sha256": sha256,
        "etag": etag,
    }
    write_note(note_path(target), note, durable=True)


def find_finished(target: Path, bulk: BulkFile) -> DownloadedFile | None:
    """The file of this export, if it is on disk and its bytes still have the hash that was noted.

    Raises:
        DownloadError: it is there and can't be read.
    """
    note = read_note(note_path(target))
    if note is None or not target.is_file():
        return None
    size, etag = note.get("size"), note.get("etag")
    if (note.get("format"), note.get("url"), note.get("updated_at")) != (NOTE_FORMAT, bulk.url, bulk.updated_at_text):
        return None
    if not isinstance(size, int) or bulk.compressed_size not in (None, size) or target.stat().st_size != size:
        return None
    with disk_errors("read", target), target.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    if sha256 != note.get("sha256"):
        log.warning("%s is not what was downloaded any more; getting it anew", target)
        return None
    return DownloadedFile(
        path=target,
        url=bulk.url,
        updated_at=bulk.updated_at,
        size=size,
        sha256=sha256,
        etag=etag if isinstance(etag, str) else None,
        from_cache=True,
    )


def prune_downloads(directory: Path, keep: int) -> list[Path]:
    """Remove all but the newest `keep` downloads of each type, and partial ones that are no newer than those.

    What has no note of ours beside it is somebody else's and stays. The files removed, without their notes.

    Raises:
        ValueError: `keep` is negative.
        DownloadError: a file can't be removed.
    """
    if keep < 0:
        raise ValueError(f"keep must be 0 or more, not {keep}")
    finished: dict[str, list[tuple[datetime, Path]]] = {}
    for path, note in _notes(directory, NOTE_SUFFIX, NOTE_FORMAT):
        finished.setdefault(str(note.get("type")), []).append((_time(note), path))
    removed: list[Path] = []
    newest: dict[str, datetime] = {}
    for bulk_type, files in finished.items():
        complete = sorted((f for f in files if f[1].is_file()), reverse=True)
        if complete:
            newest[bulk_type] = complete[0][0]
        kept = {path for _, path in complete[:keep]}
        removed += _remove([path for _, path in files if path not in kept], "", NOTE_SUFFIX)
    stale = [
        path
        for path, note in _notes(directory, PARTIAL_NOTE_SUFFIX, PARTIAL_NOTE_FORMAT)
        if str(note.get("type")) in newest and _time(note) <= newest[str(note.get("type"))]
    ]
    removed += _remove(stale, PARTIAL_SUFFIX, PARTIAL_NOTE_SUFFIX)
    return removed


def _notes(directory: Path, suffix: str, note_format: str) -> list[tuple[Path, dict[str, object]]]:
    """The files that have a note of ours, whether or not they exist, with the note."""
    found = []
    for path in sorted(directory.glob("*" + suffix)):
        note = read_note(path)
        if note is not None and note.get("format") == note_format:
            found.append((path.with_name(path.name.removesuffix(suffix)), note))
    return found


def _time(note: dict[str, object]) -> datetime:
    return datetime.fromisoformat(str(note.get("updated_at")))


def _remove(targets: list[Path], suffix: str, note_suffix: str) -> list[Path]:
    removed = []
    for target in targets:
        path = target.with_name(target.name + suffix)
        with disk_errors("remove", path):
            if path.is_file():
                path.unlink()
                removed.append(path)
            target.with_name(target.name + note_suffix).unlink(missing_ok=True)
    return removed
