"""Small files beside the downloads, and what the disk says when it can't."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import orjson

from indexer.errors import DownloadError

_HINTS = {
    errno.ENOSPC: "free some space and run again",
    errno.EDQUOT: "free some space and run again",
    errno.EFBIG: "raise the limit on file sizes and run again",
    errno.EACCES: "choose another data directory or change its permissions",
    errno.EPERM: "choose another data directory or change its permissions",
    errno.EROFS: "choose a data directory that can be written to",
    errno.ENOTDIR: "choose another data directory",
    errno.EEXIST: "choose another data directory",
    errno.EISDIR: "move the folder of that name away",
}


@contextlib.contextmanager
def disk_errors(what: str, path: Path) -> Iterator[None]:
    """Turn an `OSError` of the block into a `DownloadError` of one line: what could not be done, and what helps.

    Raises:
        DownloadError: the operating system refused.
    """
    try:
        yield
    except OSError as e:
        hint = _HINTS.get(e.errno or 0, "see to the disk and run again")
        raise DownloadError(f"can't {what} {str(path)!r}: {e.strerror or e}; {hint}") from e


def read_note(path: Path) -> dict[str, object] | None:
    """The JSON object in a small file; None if there is none or it isn't one."""
    try:
        if path.stat().st_size > 1 << 16:
            return None
        note: object = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return None
    return note if isinstance(note, dict) else None


def write_note(path: Path, note: Mapping[str, object], *, durable: bool) -> None:
    """Write a small JSON object so that nobody ever reads half of it; if `durable`, not even after a loss of power."""
    partial = path.with_name(path.name + ".new")
    with disk_errors("write", path):
        with partial.open("wb") as file:
            file.write(orjson.dumps(note, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
            file.flush()
            if durable:
                os.fsync(file.fileno())
        partial.replace(path)


def sync_directory(path: Path) -> None:
    """Make renames in a directory survive a loss of power, where the system can do that."""
    with contextlib.suppress(OSError, AttributeError):
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
