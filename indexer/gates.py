"""Gates: what new data must pass before it takes the old data's place. Each has a figure and an option to override it.

A gate is about data that looks wrong as a whole, where one card's error is a row in a table. The limits leave room for
small files: a pool of twelve cards may lose three.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from indexer.errors import GateRefused

MAX_SHRINK = 0.02
MAX_REJECTED = 0.005
FEW = 10
"""So many cards may go missing whatever their share, up to half; so many records may be rejected, but not all."""

MAX_MISMATCH_JUMP = 500
MAX_MISMATCH_JUMP_SHARE = 0.02
"""So many new published errors of one field may be real: the publisher has had a bad day. A field whose meaning has
changed goes wrong for thousands of cards, or for half of a small pool."""
MIN_FIELD_CARDS = 20
"""A field that fewer cards had may vanish."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What the gates look at. The figures before are those of the pool as it was, 0 and empty if there was none."""

    cards_before: int = 0
    cards_after: int = 0
    records: int = 0
    is_empty: bool = False
    """Whether the file held no records, which is more likely a failed download than a game without cards."""
    rejected: int = 0
    first_rejected: str = ""
    """Why the first of them was, for people; empty if that is not known."""
    mismatches_before: Mapping[str, int] = field(default_factory=dict)
    mismatches_after: Mapping[str, int] = field(default_factory=dict)
    vanished_fields: Mapping[str, int] = field(default_factory=dict)
    """Fields that no card has any more, with the number of cards that had them."""
    updated_at_before: dt.datetime | None = None
    updated_at: dt.datetime | None = None


class Gate(NamedTuple):
    """One gate."""

    name: str
    option: str
    """The command line's option that overrides it."""
    help: str
    check: Callable[[Figures], str | None]
    """What is wrong, with its figure; None if nothing is."""


def _shrink(figures: Figures) -> str | None:
    if figures.is_empty and not figures.cards_before:
        return "the file holds no records at all"
    lost = figures.cards_before - figures.cards_after
    if lost <= figures.cards_before * MAX_SHRINK or (lost <= FEW and lost * 2 <= figures.cards_before):
        return None
    return (
        f"the pool would shrink from {figures.cards_before} to {figures.cards_after} cards "
        f"({_share(lost, figures.cards_before)} fewer, the limit is {MAX_SHRINK:.0%})"
    )


def _rejects(figures: Figures) -> str | None:
    if figures.rejected <= figures.records * MAX_REJECTED or (
        figures.rejected <= FEW and figures.rejected < figures.records
    ):
        return None
    first = f", the first one because of: {figures.first_rejected}" if figures.first_rejected else ""
    return (
        f"{figures.rejected} of {figures.records} records were rejected "
        f"({_share(figures.rejected, figures.records)}, the limit is {MAX_REJECTED:.1%}){first}"
    )


def _mismatches(figures: Figures) -> str | None:
    if not figures.cards_before:
        return None
    cards = figures.cards_after
    # One new mistake is no jump, however small the pool.
    limit = max(min(MAX_MISMATCH_JUMP, cards // 2), int(cards * MAX_MISMATCH_JUMP_SHARE), 1)
    for name, after in sorted(figures.mismatches_after.items()):
        before = figures.mismatches_before.get(name, 0)
        if after - before > limit:
            return f"the mismatches in {name} jumped from {before} to {after} (the limit is {limit} more)"
    return None


def _fields(figures: Figures) -> str | None:
    for name, count in sorted(figures.vanished_fields.items()):
        if count >= MIN_FIELD_CARDS:
            return f"no card has the field {name!r} any more ({count} had it)"
    return None


def _age(figures: Figures) -> str | None:
    before, now = figures.updated_at_before, figures.updated_at
    if before is None or now is None or now >= before:
        return None
    return f"the export of {_moment(now)} is older than that of {_moment(before)}, which the pool comes from"


GATES = (
    Gate("shrink", "--allow-shrink", "Store a file that holds over 2 % fewer cards than the pool.", _shrink),
    Gate("rejects", "--allow-rejects", "Store a file of which over 0.5 % of the records are rejected.", _rejects),
    Gate("mismatches", "--allow-mismatches", "Store a file that makes the mismatches of a field jump.", _mismatches),
    Gate("fields", "--allow-missing-fields", "Store a file in which no card has a field that many had.", _fields),
    Gate("age", "--allow-older", "Store an export that is older than the pool's.", _age),
)


def check_gates(figures: Figures, *, allowed: Collection[str] = ()) -> list[str]:
    """Let the figures pass, or refuse them. Gives what was wrong and was allowed, for the record.

    Raises:
        GateRefused: by the first gate that is not in `allowed`.
    """
    remarks = []
    for gate in GATES:
        problem = gate.check(figures)
        if problem is None:
            continue
        if gate.name not in allowed:
            raise GateRefused(
                f"refused, the pool stays as it was: {problem}; if that is right, run again with {gate.option}",
                gate=gate.name,
            )
        remarks.append(f"{problem} (allowed by {gate.option})")
    return remarks


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}"


def _moment(moment: dt.datetime) -> str:
    return f"{moment.astimezone(dt.UTC):%Y-%m-%d %H:%M:%S} UTC"
