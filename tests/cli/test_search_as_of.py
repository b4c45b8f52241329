"""`indexer search --as-of`: the pool as history has it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from indexer.cli import cli
from tests.support.pools import raw_card
from tests.support.runs import sync_records

LEGAL = {"modern": "legal"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Run 1: one card. Run 2: its text, cost and legality are others, and a second card is there."""
    whenever = "Whenever something remarkable happens, draw a card."
    sync_records(tmp_path, [raw_card("Old Hand", "{1}{U}", text=whenever, legalities=LEGAL)])
    changed = raw_card("Old Hand", "{3}{U}", text="Flying", legalities={"modern": "banned"})
    sync_records(tmp_path, [changed, raw_card("Newcomer", "{G}", text=whenever, legalities=LEGAL)])
    return tmp_path


def search(folder: Path, expression: str, *arguments: str) -> Result:
    url = f"sqlite:///{folder / 'cards.db'}"
    call = ["search", "--database-url", url, "--format", "json", *arguments, expression]
    return CliRunner().invoke(cli, call, standalone_mode=False)


@pytest.mark.parametrize(
    ("expression", "now", "then"),
    [
        ("mv=2", [], ["Old Hand"]),
        ("f:modern", ["Newcomer"], ["Old Hand"]),
        ("o:'something remarkable happens'", ["Newcomer"], ["Old Hand"]),
        ("o:flying", ["Old Hand"], []),
        ("m={1}{U}", [], ["Old Hand"]),
    ],
)
def test_now_and_then(folder: Path, expression: str, now: list[str], then: list[str]) -> None:
    for arguments, names in (((), now), (("--as-of", "1"), then), (("--as-of", "2"), now)):
        result = search(folder, expression, *arguments)
        assert result.exception is None
        assert [card["name"] for card in json.loads(result.stdout)] == names


def test_sql_is_of_today(folder: Path) -> None:
    assert "doesn't go with --as-of" in str(search(folder, "mv=2", "--sql", "--as-of", "1").exception)
