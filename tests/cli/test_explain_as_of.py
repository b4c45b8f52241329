"""`indexer explain --as-of`: the card as history has it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from indexer.cli import cli
from indexer.errors import ConfigError
from tests.support.pools import raw_card
from tests.support.runs import sync_records


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A pool whose one card has cost {1}{U} in run 1 and {3}{U} in run 2."""
    for cost in ("{1}{U}", "{3}{U}"):
        sync_records(tmp_path, [raw_card("Changing Mind", cost, colors=["U"], color_identity=["U"], cmc=2)])
    return tmp_path


def explain(folder: Path, *arguments: str) -> Result:
    url = f"sqlite:///{folder / 'cards.db'}"
    return CliRunner().invoke(cli, ["explain", "--database-url", url, *arguments], standalone_mode=False)


def test_now_and_then(folder: Path) -> None:
    assert "mana value: 4 " in explain(folder, "Changing Mind").output
    assert "mana value: 2 " in explain(folder, "Changing Mind", "--as-of", "1").output
    assert "mana value: 4 " in explain(folder, "Changing Mind", "--as-of", "2").output


def test_points_that_are_none(folder: Path) -> None:
    before = explain(folder, "Changing Mind", "--as-of", "2001-01-01").exception
    assert isinstance(before, ConfigError)
    assert "the history begins with run 1" in str(before)
    assert "a cost has no history" in str(explain(folder, "--cost", "{U}", "--as-of", "1").exception)
