"""`indexer export` on a real pool."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from indexer.cli import main
from indexer.storage.engine import open_engine
from tests.support.pools import fill_pool, raw_card


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path / 'cards.db'}"
    engine = open_engine(url)
    fill_pool(engine, [raw_card("Bear", "{1}{G}", cmc=2, colors=["G"], color_identity=["G"])])
    engine.dispose()
    return url


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as stopped:
        main([str(argument) for argument in arguments])
    assert isinstance(stopped.value.code, int)
    return stopped.value.code


def test_it_lists_what_it_wrote(url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("export", tmp_path / "out", "--database-url", url) == 0
    written = capsys.readouterr()
    assert written.err == ""
    first = written.out.splitlines()[2].split()
    assert first == [
        str(tmp_path / "out" / "cards.parquet"),
        "1",
        str((tmp_path / "out" / "cards.parquet").stat().st_size),
    ]
    assert (tmp_path / "out" / "sync_runs.parquet").exists()


def test_only_some_and_as_json(url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--table", "keywords", "--table", "card_overview", "--format", "json", "--database-url", url)
    assert run("export", tmp_path / "out", *arguments) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [(Path(each["file"]).name, each["rows"]) for each in listed] == [
        ("keywords.parquet", 0),
        ("card_overview.parquet", 1),
    ]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["card_overview.parquet", "keywords.parquet"]


def test_an_unknown_table_is_wrong_usage(url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("export", tmp_path / "out", "--table", "crads", "--database-url", url) == 2
    assert capsys.readouterr().err.startswith("indexer: there is no table or view 'crads'; there are cards, ")


def test_a_folder_that_can_not_be_made_is_an_error(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert run("export", tmp_path / "file" / "out", "--database-url", url) == 1
    assert capsys.readouterr().err.endswith("': Not a directory\n")


def test_without_a_pool_nothing_is_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("export", tmp_path / "out", "--database-url", f"sqlite:///{tmp_path / 'none.db'}") == 1
    assert "run 'indexer sync' first" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
