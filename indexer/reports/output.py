"""Where a report goes: standard output, or a file that appears all at once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from indexer.errors import ConfigError, ExportError


@contextmanager
def open_output(path: Path | None, standard: TextIO) -> Iterator[TextIO]:
    """A stream to write to: `standard` if there is no path, otherwise a UTF-8 file that gets its name when it is whole.

    If the body raises, the file that was there before is untouched. Something that is no regular file (a pipe,
    `/dev/stdout`) is written to as it is. Line ends are written as given.

    Raises:
        ConfigError: the file can't be written there.
        ExportError: it could be begun, but not finished: the disk is full, say.
    """
    if path is None:
        yield standard
        return
    try:
        special = path.exists() and not path.is_file()
        target = path if special else path.resolve()  # /dev/stdout resolves to no path if it is a pipe
        partial = path if special else target.with_name(f".{target.name}.{os.getpid()}.partial")
        stream = partial.open("w", encoding="utf-8", newline="")
    except (OSError, ValueError, RuntimeError) as error:  # a link that leads to itself is a RuntimeError
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(f"can't write {str(path)!r}: {reason}") from error
    try:
        with stream:
            yield stream
            if not special:
                stream.flush()
                os.fsync(stream.fileno())
        if not special:
            partial.replace(target)
    except BaseException as error:
        if not special:
            partial.unlink(missing_ok=True)
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            raise ExportError(f"can't finish {str(path)!r}: {error.strerror}") from error
        raise
