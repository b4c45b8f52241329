"""What became of one sync: as an object for programs, as lines for people, as a row of `sync_runs`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

SUMMARY_VERSION = 1
"""Of the JSON object. It is raised when something in it changes its meaning or goes; new keys may come at any time."""


@dataclass(slots=True)
class SourceFacts:
    """The file that the records come from. None is what isn't known."""

    address: str
    updated_at: dt.datetime | None = None
    size: int | None = None
    """Bytes as they were transferred or stored, packed or not."""
    sha256: str | None = None
    downloaded: bool = False


@dataclass(slots=True)
class SyncSummary:
    """The facts of a run, filled in as it goes. Counts are about what was stored, or would be in a dry run."""

    started_at: dt.datetime
    started_clock: float
    """The same moment by the clock that times the stages."""
    rules_edition: str
    engine_version: str
    program_version: str
    dry_run: bool = False
    outcome: str = "failed"
    """`stored`, `up_to_date`, `refused` or `failed`."""
    message: str | None = None
    """Why it was refused or failed."""
    run_id: int | None = None
    """The row of `sync_runs`; None if there is none (a dry run, or no database to write it to)."""
    finished_at: dt.datetime | None = None
    source: SourceFacts | None = None
    records_read: int = 0
    records_rejected: int = 0
    cards_total: int = 0
    cards_added: int = 0
    cards_changed: int = 0
    cards_unchanged: int = 0
    cards_removed: int = 0
    cards_restored: int = 0
    mismatches_open: dict[str, int] = field(default_factory=dict)
    """By field."""
    mismatches_new: int = 0
    mismatches_reopened: int = 0
    mismatches_resolved: int = 0
    undecided: dict[str, int] = field(default_factory=dict)
    """By field."""
    symbols: dict[str, int] | None = None
    """Symbols of the published list, and ours beside them, by status; None if the list wasn't read."""
    accepted: list[str] = field(default_factory=list)
    """What the acceptance file changed, one remark each."""
    warnings: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    """By stage: download, read, write (with computing beside it), commit; and total."""

    @property
    def versions(self) -> tuple[str, str, str]:
        """What decides the values of a record."""
        return self.rules_edition, self.engine_version, self.program_version

    @contextmanager
    def timed(self, stage: str, clock: Callable[[], float]) -> Iterator[None]:
        """Add the time that the context takes to a stage's."""
        start = clock()
        try:
            yield
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + clock() - start

    def stop(self, clock: Callable[[], float]) -> None:
        """Note that the run ends about now. It may be noted again."""
        total = clock() - self.started_clock
        self.seconds.pop("total", None)
        self.seconds["total"] = total
        self.finished_at = self.started_at + dt.timedelta(seconds=total)

    def as_json(self) -> dict[str, Any]:
        """The object that `sync --json` prints; docs/sync.md describes it."""
        source = self.source
        return {
            "version": SUMMARY_VERSION,
            "outcome": self.outcome,
            "message": self.message,
            "dry_run": self.dry_run,
            "run_id": self.run_id,
            "started_at": _iso(self.started_at),
            "finished_at": _iso(self.finished_at),
            "source": None
            if source is None
            else {
                "address": source.address,
                "updated_at": _iso(source.updated_at),
                "size": source.size,
                "sha256": source.sha256,
                "downloaded": source.downloaded,
            },
            "records": {"read": self.records_read, "rejected": self.records_rejected},
            "cards": {
                "total": self.cards_total,
                "added": self.cards_added,
                "changed": self.cards_changed,
                "unchanged": self.cards_unchanged,
                "removed": self.cards_removed,
                "restored": self.cards_restored,
            },
            "mismatches": {
                "open": sum(self.mismatches_open.values()),
                "open_by_field": self.mismatches_open,
                "new": self.mismatches_new,
                "reopened": self.mismatches_reopened,
                "resolved": self.mismatches_resolved,
            },
            "undecided": {"total": sum(self.undecided.values()), "by_field": self.undecided},
            "symbols": self.symbols,
            "accepted": self.accepted,
            "warnings": self.warnings,
            "seconds": {stage: round(seconds, 3) for stage, seconds in self.seconds.items()},
            "rules_edition": self.rules_edition,
            "engine_version": self.engine_version,
            "program_version": self.program_version,
        }

    def run_row(self) -> dict[str, Any]:
        """The same as values of `SyncRun`."""
        source = self.source or SourceFacts("")
        return {
            "started_at": self.started_at,
            "finished_at": self.finished_at,
            "outcome": self.outcome,
            "message": self.message,
            "source": source.address,
            "source_updated_at": source.updated_at,
            "size": source.size,
            "sha256": source.sha256,
            "records_read": self.records_read,
            "records_rejected": self.records_rejected,
            "cards_total": self.cards_total,
            "cards_added": self.cards_added,
            "cards_changed": self.cards_changed,
            "cards_unchanged": self.cards_unchanged,
            "cards_removed": self.cards_removed,
            "cards_restored": self.cards_restored,
            "mismatches_open": sum(self.mismatches_open.values()),
            "mismatches_new": self.mismatches_new,
            "mismatches_reopened": self.mismatches_reopened,
            "mismatches_resolved": self.mismatches_resolved,
            "values_undecided": sum(self.undecided.values()),
            "warnings": "\n".join(self.warnings) or None,
            "rules_edition": self.rules_edition,
            "engine_version": self.engine_version,
            "program_version": self.program_version,
            "download_seconds": self.seconds.get("download"),
            "read_seconds": self.seconds.get("read"),
            "write_seconds": self.seconds.get("write"),
            "total_seconds": self.seconds.get("total"),
        }

    def lines(self) -> Iterator[str]:
        """The same for people, without the message of a failure."""
        source = self.source
        if source is not None:
            of = f" of {source.updated_at.astimezone(dt.UTC):%Y-%m-%d %H:%M} UTC" if source.updated_at else ""
            yield f"Source      {source.address}{of}"
        if self.outcome == "up_to_date":
            yield "Outcome     up to date: the pool already comes from this export"
        else:
            would = " (dry run: nothing was written)" if self.dry_run else ""
            yield f"Outcome     {self.outcome}{would}"
            yield f"Records     {self.records_read:,} read, {self.records_rejected:,} rejected"
            yield (
                f"Cards       {self.cards_total:,}: {self.cards_added:,} added, {self.cards_changed:,} changed, "
                f"{self.cards_unchanged:,} unchanged, {self.cards_removed:,} removed"
                + (f", {self.cards_restored:,} restored" if self.cards_restored else "")
            )
            yield (
                f"Mismatches  {sum(self.mismatches_open.values()):,} open{_by_field(self.mismatches_open)}: "
                f"{self.mismatches_new:,} new, {self.mismatches_resolved:,} resolved"
                + (f", {self.mismatches_reopened:,} reopened" if self.mismatches_reopened else "")
            )
            yield f"Undecided   {sum(self.undecided.values()):,} values{_by_field(self.undecided)}"
        for remark in self.accepted:
            yield f"Accepted    {remark}"
        for warning in self.warnings:
            yield f"Warning     {warning}"
        yield "Seconds     " + ", ".join(f"{stage} {seconds:.1f}" for stage, seconds in self.seconds.items())


def _by_field(counts: dict[str, int]) -> str:
    listed = ", ".join(f"{name} {count:,}" for name, count in sorted(counts.items()))
    return f" ({listed})" if listed else ""


def _iso(moment: dt.datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(dt.UTC).isoformat(timespec="seconds")
