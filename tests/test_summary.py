"""The summary of a run: for programs, for people, for the table."""

from __future__ import annotations

import datetime as dt
from typing import Any

from indexer.storage.runs import RUNS
from indexer.summary import SourceFacts, SyncSummary
from tests.conftest import PROJECT_ROOT

MOMENT = dt.datetime(2026, 11, 2, 4, 0, tzinfo=dt.timezone(dt.timedelta(hours=2)))


def summary(**values: Any) -> SyncSummary:
    """A run that began at `MOMENT`, when its clock showed 100."""
    return SyncSummary(MOMENT, 100.0, "2026-08-07", "1", "0.1", **values)


def keys(value: object, path: str = "") -> set[str]:
    """Every key of an object and of those in it, but for those whose keys are data."""
    if not isinstance(value, dict):
        return set()
    return set(value) | {key for name, part in value.items() if "by_field" not in name for key in keys(part)}


def test_every_key_of_the_json_is_documented() -> None:
    whole = summary(source=SourceFacts("x"), seconds={"download": 1.0, "read": 1.0, "write": 1.0, "commit": 1.0})
    whole.stop(lambda: 105.0)
    page = (PROJECT_ROOT / "docs" / "sync.md").read_text(encoding="utf-8")
    assert {key for key in keys(whole.as_json()) if f"`{key}`" not in page} == set()


def test_the_row_has_the_columns_of_the_table() -> None:
    assert summary().run_row().keys() == {column for column in RUNS.columns.keys() if column != "id"}  # noqa: SIM118


def test_times() -> None:
    run = summary()
    clock = iter((100.5, 101.0, 102.0, 104.0)).__next__
    for _ in range(2):
        with run.timed("read", clock):
            pass
    run.stop(lambda: 107.0)
    run.stop(lambda: 108.0)
    assert run.seconds == {"read": 2.5, "total": 8.0}
    assert run.as_json()["started_at"] == "2026-11-02T02:00:00+00:00"
    assert run.as_json()["finished_at"] == "2026-11-02T02:00:08+00:00"


def test_lines_for_people() -> None:
    run = summary(outcome="stored", dry_run=True, source=SourceFacts("f.jsonl", updated_at=MOMENT))
    run.cards_total, run.cards_restored, run.mismatches_reopened = 1234, 2, 1
    run.mismatches_open = {"colors": 3, "mana_value": 1}
    run.warnings = ["unknown layout 'x'"]
    run.seconds = {"read": 0.26, "total": 1.0}
    assert list(run.lines()) == [
        "Source      f.jsonl of 2026-11-02 02:00 UTC",
        "Outcome     stored (dry run: nothing was written)",
        "Records     0 read, 0 rejected",
        "Cards       1,234: 0 added, 0 changed, 0 unchanged, 0 removed, 2 restored",
        "Mismatches  4 open (colors 3, mana_value 1): 0 new, 0 resolved, 1 reopened",
        "Undecided   0 values",
        "Warning     unknown layout 'x'",
        "Seconds     read 0.3, total 1.0",
    ]


def test_nothing_new_is_said_in_few_lines() -> None:
    run = summary(outcome="up_to_date", source=SourceFacts("f.jsonl"), seconds={"total": 0.2})
    assert [line.split()[0] for line in run.lines()] == ["Source", "Outcome", "Seconds"]
