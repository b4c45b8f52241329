"""A record that could not be taken from a bulk file, and why."""

from __future__ import annotations

from typing import NamedTuple


class RejectedRecord(NamedTuple):
    """What is kept of a line or array element that is no JSON object."""

    line_number: int
    """Counted from 1; of an array element, the line that it begins on."""
    reason: str
    """Why, in a few words, fit for a terminal."""
    raw: str
    """How it begins (at most 2 kB of it), as one line of printable text."""


def too_long(limit: int) -> str:
    """The reason for a line or element above the limit."""
    return f"longer than {limit} bytes"
