"""Where a report goes: standard output, or a file that appears all at once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from indexer.errors import ConfigError


@contextmanager
def open_output(path: Path | None, standard: TextIO) -> Iterator[TextIO]:
    """A stream to write to: `standard` if there is no path, otherwise a UTF-8 file that gets its name when it is whole.

    If the body raises, the file that was there before is untouched. Something that is no regular file (a pipe,
    `/dev/stdout`) is written to as it is. Line ends are written as given.

    Raises:
        ConfigError: the file can't be written there.
    """
    if path is None:
        yield standard
        return
    target = path.resolve()
    special = target.exists() and not target.is_file()
    partial = target if special else target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        stream = partial.open("w", encoding="utf-8", newline="")
    except OSError as error:
        raise ConfigError(f"can't write {str(path)!r}: {error.strerror}") from error
    if special:
        with stream:
            yield stream
        return
    try:
        with stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
