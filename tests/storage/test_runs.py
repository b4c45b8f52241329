"""The record of the runs: the table that it is kept in, what is found again, what is forgotten."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from sqlalchemy import text

from indexer.storage.models import SyncRun
from indexer.storage.runs import RUNS, Outcome, Versions, add_run, complete_run, last_stored, prune_runs
from tests.conftest import PROJECT_ROOT
from tests.support.pools import raw_card
from tests.support.runs import connected, sync_records

MOMENT = dt.datetime(2026, 11, 2, 4, 0, tzinfo=dt.timezone(dt.timedelta(hours=2)))
RUN: dict[str, Any] = {
    "started_at": MOMENT,
    "outcome": "stored",
    "source": "x",
    "rules_edition": "r",
    "engine_version": "1",
    "program_version": "p",
}


def test_the_table_is_that_of_the_mapped_class() -> None:
    def described(column: Any) -> tuple[str, str, bool, bool, bool]:
        return column.name, repr(column.type), bool(column.nullable), column.primary_key, column.default is not None

    mapped = {attribute.key: described(attribute.columns[0]) for attribute in SyncRun.__mapper__.column_attrs}
    assert {key: described(column) for key, column in RUNS.columns.items()} == mapped


def test_finding_nothing_new_needs_no_mapped_class() -> None:
    loaded = "[name for name in sys.modules if name.startswith('sqlalchemy.orm')]"
    code = f"import indexer.store, sys, json; print(json.dumps({loaded}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=PROJECT_ROOT)
    assert json.loads(done.stdout) == []


def test_the_last_stored_run_is_found_whatever_came_after(tmp_path: Path) -> None:
    sync_records(tmp_path, [raw_card("Bear")])
    with connected(tmp_path) as connection:
        stored = add_run(connection, {**RUN, "source_updated_at": MOMENT, "sha256": "abc"})
        add_run(connection, {**RUN, "outcome": "failed", "message": "m"})
        found = last_stored(connection)
    assert found is not None
    assert tuple(found) == (stored, MOMENT, "abc", Versions("r", "1", "p"))
    assert found.source_updated_at is not None
    assert found.source_updated_at.tzinfo == dt.UTC


def test_a_pool_without_a_stored_run(tmp_path: Path) -> None:
    sync_records(tmp_path, [raw_card("Bear")])
    with connected(tmp_path) as connection:
        connection.execute(text("UPDATE sync_runs SET outcome = 'failed'"))
        assert last_stored(connection) is None


def test_what_is_known_only_at_the_end(tmp_path: Path) -> None:
    sync_records(tmp_path, [raw_card("Bear")])
    with connected(tmp_path) as connection:
        run_id = add_run(connection, RUN)
        complete_run(connection, run_id, {"cards_total": 5, "finished_at": MOMENT})
        row = connection.execute(text("SELECT cards_total, cards_added FROM sync_runs WHERE id = :id"), {"id": run_id})
        assert tuple(row.one()) == (5, 0)


def test_runs_that_left_no_trace_are_forgotten_in_time(tmp_path: Path) -> None:
    sync_records(tmp_path, [raw_card("Bear", cmc=9.0)])
    with connected(tmp_path) as connection:
        rejection = text("INSERT INTO rejected_records VALUES (:run, 1, 1, 'bad', '{')")
        connection.execute(rejection, {"run": 1})
        for outcome in (Outcome.UP_TO_DATE, Outcome.STORED, Outcome.FAILED, Outcome.REFUSED, Outcome.UP_TO_DATE):
            connection.execute(rejection, {"run": add_run(connection, {**RUN, "outcome": outcome})})
        connection.execute(text("UPDATE mismatches SET reopened_run_id = 2"))
        prune_runs(connection, keep=2, keep_rejections=3)
        runs = list(connection.scalars(text("SELECT id FROM sync_runs ORDER BY id")))
        rejected = list(connection.scalars(text("SELECT run_id FROM rejected_records ORDER BY run_id")))
    assert runs == [1, 2, 3, 5, 6], "1 and 3 stored a pool, 2 is named by a mismatch, 5 and 6 are the last ones"
    assert rejected == [5, 6]
