"""`indexer compare` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from indexer.cli import cli
from indexer.storage.engine import open_engine
from indexer.storage.models import Base
from tests.support.report_pool import add_card, add_mismatch, add_run, oracle_id_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A pool with one published mistake, and a file of MTGJSON's that has it right and something else wrong."""
    engine = open_engine(f"sqlite:///{tmp_path / 'cards.db'}")
    Base.metadata.create_all(engine)
    with engine.begin() as connection:
        add_run(connection)
        add_mismatch(connection, add_card(connection, "Wrong", published_mana_value=3.0), published="3", computed="2")
        add_card(connection, "Fine")
    engine.dispose()
    cards = {
        name: [
            {
                "name": name,
                "layout": "normal",
                "manaValue": 2,
                "colors": ["U"] if name == "Wrong" else [],
                "colorIdentity": ["U"],
                "identifiers": {"scryfallOracleId": oracle_id_of(name)},
            }
        ]
        for name in ("Wrong", "Fine")
    }
    (tmp_path / "AtomicCards.json").write_text(json.dumps({"data": {**cards, "Broken": []}}))
    return tmp_path


def run(folder: Path, *arguments: str) -> Result:
    options = ["--database-url", f"sqlite:///{folder / 'cards.db'}", "--mtgjson", str(folder / "AtomicCards.json")]
    return CliRunner().invoke(cli, ["compare", *options, *arguments], standalone_mode=False)


def test_table(folder: Path) -> None:
    result = run(folder)
    assert result.exception is None
    lines = result.stdout.splitlines()
    assert lines[0] == "2 of 6 values of 2 cards differ: Scryfall alone 1, MTGJSON alone 1"
    assert lines[3].split() == "Wrong mana value 3 2 2 scryfall published_error".split()
    assert lines[4].split() == "Fine colors U colorless U mtgjson".split()
    assert "1 entry of" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ((), ["Wrong", "Fine"]),
        (("--alone", "scryfall"), ["Wrong"]),
        (("--alone", "mtgjson"), ["Fine"]),
        (("--mismatches",), ["Wrong"]),
        (("--limit", "1"), ["Wrong"]),
        (("--alone", "ours", "--alone", "unknown"), []),
    ],
)
def test_rows_wanted(folder: Path, arguments: tuple[str, ...], names: list[str]) -> None:
    result = run(folder, "--quiet", "--format", "json", *arguments)
    assert [row["card"] for row in json.loads(result.output)] == names


def test_formats(folder: Path) -> None:
    path = folder / "out.csv"
    assert run(folder, "--output", str(path), "--quiet").output == ""
    assert path.read_text().startswith("card,face,field,scryfall,mtgjson,ours,alone,category,oracle_id")
    assert "not html" in str(run(folder, "--output", str(folder / "x.html")).exception)
