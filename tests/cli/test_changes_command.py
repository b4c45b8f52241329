"""`indexer changes` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from indexer.cli import cli
from indexer.storage.engine import open_engine
from indexer.storage.models import Base
from tests.support.report_pool import add_card, add_change, add_run


@pytest.fixture
def database(tmp_path: Path) -> str:
    """Three runs; a card that came in the second, another whose text changed in the third."""
    url = f"sqlite:///{tmp_path / 'cards.db'}"
    engine = open_engine(url)
    Base.metadata.create_all(engine)
    with engine.begin() as connection:
        for day in (1, 2, 3):
            add_run(connection, day)
        add_change(connection, 2, add_card(connection, "Newcomer"), "added", None, "Newcomer")
        add_change(connection, 3, add_card(connection, "Changed"), "oracle_text", "Flying", "Reach")
    engine.dispose()
    return url


def run(database: str, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["changes", "--database-url", database, *arguments], standalone_mode=False)


@pytest.mark.parametrize(
    ("arguments", "summary"),
    [
        ((), "1 text changed"),
        (("--since", "1"), "1 new card, 1 text changed"),
        (("--since", "2026-10-02"), "1 new card, 1 text changed"),
        (("--since", "1", "--until", "2"), "1 new card"),
        (("--until", "2026-10-02"), "1 new card"),
        (("--since", "3"), "nothing changed"),
    ],
)
def test_the_span(database: str, arguments: tuple[str, ...], summary: str) -> None:
    result = run(database, *arguments, "--format", "json")
    assert result.exception is None
    assert json.loads(result.output)["summary"] == summary


@pytest.mark.parametrize(
    ("ending", "start"),
    [("json", '{"format"'), ("csv", "run_id"), ("md", "# Run 3"), ("html", "<!doctype html>"), ("txt", "Run 3")],
)
def test_the_ending_of_the_file_tells_the_format(database: str, tmp_path: Path, ending: str, start: str) -> None:
    path = tmp_path / f"changes.{ending}"
    result = run(database, "--output", str(path))
    assert (result.exception, result.output) == (None, "")
    assert path.read_text(encoding="utf-8").startswith(start)


def test_all_lines_on_demand(database: str) -> None:
    assert "[-Flying-]{+Reach+}" in run(database, "--all").output
    assert "[-Flying-]{+Reach+}" in run(database, "--limit", "1").output
