"""`indexer report` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from indexer.cli import cli, main
from indexer.storage.engine import open_engine
from indexer.storage.models import Base
from tests.support.report_pool import add_card, add_mismatch, add_run


@pytest.fixture
def database(tmp_path: Path) -> str:
    """A pool with two open mismatches, one of them new, and an undecided value that is new too."""
    url = f"sqlite:///{tmp_path / 'cards.db'}"
    engine = open_engine(url)
    Base.metadata.create_all(engine)
    with engine.begin() as connection:
        add_run(connection, 1)
        add_run(connection, 2)
        add_mismatch(connection, add_card(connection, "Old", legal_in=("modern",)))
        add_mismatch(
            connection, add_card(connection, "New"), first_seen_run_id=2, field="colors", published="U", computed=""
        )
        add_mismatch(connection, add_card(connection, "Odd"), first_seen_run_id=2, category="undecided", computed=None)
    engine.dispose()
    return url


def run(database: str, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["report", "--database-url", database, *arguments], standalone_mode=False)


def test_table_to_standard_output(database: str) -> None:
    result = run(database)
    assert result.return_value == 0
    assert result.output.splitlines()[0].startswith("3 mismatches (2 published errors, 1 undecided) in 3 objects")
    assert [line.split()[0] for line in result.output.splitlines()[3:]] == ["Old", "New", "Odd"]


@pytest.mark.parametrize(
    ("ending", "start"),
    [("json", '{"format"'), ("csv", "id,oracle_id"), ("md", "## 3"), ("html", "<!doctype html>"), ("txt", "3 mis")],
)
def test_the_ending_of_the_file_tells_the_format(database: str, tmp_path: Path, ending: str, start: str) -> None:
    path = tmp_path / f"report.{ending}"
    result = run(database, "--output", str(path))
    assert (result.return_value, result.output) == (0, "")
    assert path.read_text(encoding="utf-8").startswith(start)


def test_filters_reach_the_report(database: str) -> None:
    result = run(database, "--format", "json", "--new", "--field", "colors", "--kind", "card", "--limit", "5")
    assert [row["card"] for row in json.loads(result.output)["mismatches"]] == ["New"]
    between = run(database, "--format", "json", "--between", "1", "2")
    assert [row["card"] for row in json.loads(between.output)["mismatches"]] == ["New", "Odd"]
    since = run(database, "--format", "json", "--since", "2026-10-02", "--category", "published_error")
    assert [row["card"] for row in json.loads(since.output)["mismatches"]] == ["New"]


def test_ready_corrections(database: str) -> None:
    assert run(database, "--ready").output.count("Correction: ") == 2
    assert run(database, "--ready", "--format", "markdown").output.count("### Correction: ") == 2
    assert "--ready writes text or Markdown, not csv" in str(run(database, "--ready", "--format", "csv").exception)


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ((), 1),
        (("--limit", "1"), 1),
        (("--field", "mana_value"), 0),
        (("--field", "colors"), 1),
        (("--category", "undecided"), 0),
    ],
)
def test_fail_on_new(database: str, arguments: tuple[str, ...], status: int) -> None:
    result = run(database, "--fail-on-new", *arguments)
    assert result.return_value == status
    assert ("1 new published error with the newest data" in result.stderr) == bool(status)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("sqlite:///{}/none.db", "no database at '{}/none.db': run 'indexer sync' first"),
        ("sqlite:///{}/empty.db", "no card pool in 'sqlite:///{}/empty.db' yet: run 'indexer sync' first"),
        ("sqlite:///{}/fresh.db", "no sync has filled the card pool yet: run 'indexer sync' first"),
    ],
)
def test_no_pool_is_one_clear_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], url: str, message: str) -> None:
    (tmp_path / "empty.db").touch()
    engine = open_engine(f"sqlite:///{tmp_path}/fresh.db")
    Base.metadata.create_all(engine)
    engine.dispose()
    with pytest.raises(SystemExit) as exit_:
        main(["report", "--database-url", url.format(tmp_path)])
    assert exit_.value.code == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message.format(tmp_path) in captured.err
    assert captured.err.count("\n") == 1


def test_a_bad_point_in_time_is_a_usage_error(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["report", "--database-url", database, "--since", "tuesday"])
    assert exit_.value.code == 2
    assert "neither a run's number nor a date: 'tuesday'" in capsys.readouterr().err
