"""Standard input, output and error as the shell, cron or a service manager left them."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from pathlib import Path

MOST_SHOWN = 1200
"""Characters of an error that are shown. Beyond that the middle is left out: what was typed may be a megabyte."""


def one_line(text: str) -> str:
    """Text for a terminal: one line, without control characters or bidirectional overrides (shown as escapes)."""
    return "".join(
        c if c.isprintable() else " " if c in "\n\r\t" else c.encode("unicode_escape").decode("ascii") for c in text
    )


def prepare_streams() -> None:
    """Make all three streams exist, and able to write any card's name.

    A stream that was closed takes everything and gives nothing. Files and pipes get UTF-8 whatever the locale, as JSON
    and the page's charset demand; a terminal keeps its encoding, and shows escapes for what it hasn't got.
    """
    # In the order of their numbers: a closed one is given the lowest number that is free.
    if sys.stdin is None:
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115  # for as long as the process lives
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            encoding = None if name == "stderr" or stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


def complain(message: str) -> None:
    """Write one line to standard error, if anybody still listens there."""
    line = one_line(message)
    if len(line) > MOST_SHOWN:
        line = f"{line[: MOST_SHOWN // 2]} … {line[-MOST_SHOWN // 2 :]}"
    with suppress(OSError):
        sys.stderr.write(f"indexer: {line}\n")
        sys.stderr.flush()


def drop_output() -> None:
    """Forget what is still to be written to standard output, so that the interpreter doesn't try again as it ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
