"""`indexer status`: what it shows, and when monitoring hears of it."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import text

from indexer.cli import cli
from indexer.errors import SchemaOutOfDate, StorageError
from indexer.reports.status import load_status
from indexer.storage.migrate import HEAD
from indexer.storage.runs import add_run
from tests.support.pools import raw_card
from tests.support.runs import connected, sync_records

CARDS = [raw_card("Bear", "{1}{G}", cmc=2.0, colors=["G"], color_identity=["G"]), raw_card("Token", layout="token")]
NOW = dt.datetime(2026, 11, 20, 12, 0, tzinfo=dt.UTC)
DAY_AND_A_HALF = dt.timedelta(hours=36)


def status(folder: Path, *arguments: str) -> Result:
    url = f"sqlite:///{folder / 'cards.db'}"
    return CliRunner().invoke(cli, ["status", "--database-url", url, *arguments], standalone_mode=False)


def test_text(tmp_path: Path) -> None:
    sync_records(tmp_path, CARDS)
    sync_records(tmp_path, CARDS[:1])
    shown = status(tmp_path)
    assert shown.return_value == 0
    assert "Cards       1 in the export (card 1), 1 removed\n" in shown.output
    assert f"Schema      revision {HEAD}\n" in shown.output
    assert "stored: 0 added, 0 changed, 1 removed, 0 mismatches open" in shown.output
    assert "Check" not in shown.output


def test_json(tmp_path: Path) -> None:
    sync_records(tmp_path, CARDS)
    shown = status(tmp_path, "--format", "json", "--check", "--runs", "1")
    assert shown.return_value == 0
    facts = json.loads(shown.output)
    assert facts["version"] == 1
    assert facts["cards"]["by_kind"] == {"card": 1, "token": 1}
    assert facts["rows"]["cards"] == 2
    assert facts["stored_run"]["outcome"] == "stored"
    assert len(facts["runs"]) == 1
    assert facts["problems"] == []


@pytest.mark.parametrize("span", ["36", "h", "1y", "-1h", "1 week"])
def test_a_span_that_is_none(tmp_path: Path, span: str) -> None:
    result = status(tmp_path, "--check", "--max-age", span)
    assert "is no span of time" in str(result.exception)


def test_no_database(tmp_path: Path) -> None:
    result = status(tmp_path, "--check")
    assert isinstance(result.exception, StorageError)


def test_a_database_that_is_too_old(tmp_path: Path) -> None:
    sync_records(tmp_path, CARDS)
    result = status(tmp_path, "--check", "--max-age", "0s")
    assert result.return_value == 1
    assert "Problem     the data is 0 min old, more than 0 min" in result.output


def problems(folder: Path, *runs: dict[str, Any]) -> list[str]:
    """What a check finds, by `NOW`, after these runs."""
    sync_records(folder, CARDS)
    with connected(folder) as connection:
        connection.execute(text("UPDATE sync_runs SET started_at = '2026-01-01', finished_at = '2026-01-01 00:00:00'"))
        for values in runs:
            add_run(
                connection,
                {
                    "source": "x",
                    "rules_edition": "r",
                    "engine_version": "1",
                    "program_version": "1",
                    "started_at": values["finished_at"],
                    **values,
                },
            )
        return load_status(connection, now=NOW).problems(DAY_AND_A_HALF)


def ago(hours: float) -> dt.datetime:
    return NOW - dt.timedelta(hours=hours)


def test_all_is_well(tmp_path: Path) -> None:
    stored = {"outcome": "stored", "finished_at": ago(30), "source_updated_at": ago(33)}
    assert problems(tmp_path, stored, {"outcome": "up_to_date", "finished_at": ago(6)}) == []


def test_a_file_without_a_date_is_as_old_as_its_last_confirmation(tmp_path: Path) -> None:
    assert problems(tmp_path, {"outcome": "up_to_date", "finished_at": ago(6)}) == []


def test_old_data_that_is_still_confirmed(tmp_path: Path) -> None:
    stored = {"outcome": "stored", "finished_at": ago(40), "source_updated_at": ago(50)}
    found = problems(tmp_path, stored, {"outcome": "up_to_date", "finished_at": ago(1)})
    assert found == ["the data is 50 h old, more than 36 h"]


def test_nobody_came_by(tmp_path: Path) -> None:
    found = problems(tmp_path, {"outcome": "stored", "finished_at": ago(100), "source_updated_at": ago(102)})
    assert found == [
        "the data is 4 days old, more than 36 h",
        "no run has ended well for 4 days, more than 36 h",
    ]


@pytest.mark.parametrize("outcome", ["refused", "failed"])
def test_the_last_run_did_not_end_well(tmp_path: Path, outcome: str) -> None:
    stored = {"outcome": "stored", "finished_at": ago(20), "source_updated_at": ago(21)}
    bad = {"outcome": outcome, "finished_at": ago(1), "message": "Because\x1b of this."}
    (found,) = problems(tmp_path, stored, bad)
    assert found.startswith(f"the last run (number 3) was {outcome}: Because")
    assert "\x1b" not in found


def test_nothing_was_ever_stored(tmp_path: Path) -> None:
    sync_records(tmp_path, CARDS)
    with connected(tmp_path) as connection:
        connection.execute(text("UPDATE sync_runs SET outcome = 'failed', message = 'x'"))
        facts = load_status(connection, now=NOW)
    assert facts.data_age is None
    assert facts.problems(DAY_AND_A_HALF)[0] == "no sync has stored a pool yet"


def test_an_older_schema_is_a_problem(tmp_path: Path) -> None:
    sync_records(tmp_path, CARDS)
    with connected(tmp_path) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0001'"))
        connection.execute(text("DROP TABLE symbols"))  # which the first revision had not yet
        facts = load_status(connection, now=dt.datetime.now(dt.UTC))
    assert facts.problems(DAY_AND_A_HALF) == [f"the schema is at revision '0001', this program needs '{HEAD}'"]


@pytest.mark.parametrize(
    ("revision", "words"),
    [("0001", "run 'indexer sync' once, which upgrades it"), ("9999", "it was written by a newer version")],
)
def test_what_another_schema_lacks_is_blamed_on_the_schema(tmp_path: Path, revision: str, words: str) -> None:
    sync_records(tmp_path, CARDS)
    with connected(tmp_path) as connection:
        connection.execute(text(f"UPDATE alembic_version SET version_num = '{revision}'"))
        connection.execute(text("ALTER TABLE mismatches RENAME TO contradictions"))
        connection.commit()
    error = status(tmp_path).exception
    assert isinstance(error, SchemaOutOfDate)
    assert words in str(error)
