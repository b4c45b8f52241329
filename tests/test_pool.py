"""The pool for scripts: typed cards, looked up and searched, and its documentation run as it stands."""

from __future__ import annotations

import builtins
import dataclasses
import datetime as dt
import doctest
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import indexer
from indexer.errors import CardNotFound, ConfigError, SearchSyntaxError, StorageError
from indexer.pool import CardList, Pool, PoolCard, open_pool
from indexer.storage.engine import open_engine
from tests.conftest import PROJECT_ROOT


@pytest.fixture
def pool(pool_url: str) -> Iterator[Pool]:
    with open_pool(pool_url) as opened:
        yield opened


def test_is_exported_without_importing_a_database() -> None:
    assert indexer.open_pool is open_pool
    assert set(indexer.__all__) <= set(dir(indexer))
    code = "import indexer, sys; print('sqlalchemy' in sys.modules, hasattr(indexer, 'nonsense'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_search_gives_typed_cards_in_order(pool: Pool) -> None:
    cards = pool.search("t:angel order:cmc")
    assert isinstance(cards, CardList)
    assert [card.name.split(",")[0] for card in cards] == ["Gisela", "Serra Angel", "Bruna", "Brisela"]
    angel = cards[1]
    assert (angel.mana_cost, angel.mana_value, angel.colors, angel.color_identity) == ("{3}{W}{W}", 5.0, "W", "W")
    assert (angel.power, angel.keywords, angel.rarity) == ("4", ("Flying", "Vigilance"), "uncommon")
    assert angel.released_at == dt.date(2020, 6, 1)
    assert [face.name for face in angel.faces] == ["Serra Angel"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        angel.name = "x"  # type: ignore[misc]


def test_search_takes_a_limit(pool: Pool) -> None:
    assert len(pool.search("t:creature", limit=3)) == 3
    assert pool.search("t:creature", limit=0) == []


def test_search_says_what_is_wrong(pool: Pool) -> None:
    with pytest.raises(SearchSyntaxError) as caught:
        pool.search("t:elf f:modren")
    assert "did you mean 'modern'" in str(caught.value)
    assert caught.value.span == (8, 14)
    with pytest.raises(SearchSyntaxError, match="prices"):
        pool.search("usd>5")


@pytest.mark.parametrize(
    "words",
    ["Fire // Ice", "fire // ice", "Fire", "ICE", "fire // i", "fire ice"],
)
def test_card_by_any_of_its_names(pool: Pool, words: str) -> None:
    card = pool.card(words)
    assert card.name == "Fire // Ice"
    assert [(face.name, face.colors, face.mana_value) for face in card.faces] == [("Fire", "R", 2.0), ("Ice", "U", 2.0)]


def test_card_without_accents_and_by_id(pool: Pool) -> None:
    card = pool.card("lim-dul's vault")
    assert card.name == "Lim-Dûl's Vault"
    assert pool.card(card.oracle_id) == card
    assert pool.card("Goblin").object_kind == "token"


def test_card_not_found(pool: Pool) -> None:
    with pytest.raises(CardNotFound) as caught:
        pool.card("Lightnin Bolt")
    assert caught.value.suggestions[0] == "Lightning Bolt"
    for words in ("", '"', "Gi", "(", "no such card at all"):
        with pytest.raises(CardNotFound):
            pool.card(words)


def test_legalities(pool: Pool) -> None:
    statuses = pool.legalities(pool.card("Black Lotus"))
    assert statuses == {"commander": "banned", "legacy": "banned", "modern": "not_legal", "vintage": "restricted"}


def test_mismatches(pool: Pool) -> None:
    assert [(m.card, m.field, m.published, m.computed, m.face) for m in pool.mismatches()] == [
        ("Crypt Rats", "color_identity", "BR", "B", None),
        ("Giant Growth", "mana_value", "2", "1", None),
    ]
    assert pool.mismatches("resolved") == []
    assert pool.mismatches(None) == pool.mismatches("open")


def test_to_pandas(pool: Pool) -> None:
    frame = pool.search("t:angel").to_pandas()
    assert list(frame["name"])[-1] == "Serra Angel"
    assert frame["mana_value"].sum() == 27
    assert "faces" not in frame.columns
    assert list(pool.mismatches().to_pandas()["field"]) == ["color_identity", "mana_value"]
    assert pool.search("t:nothing").to_pandas().empty


def test_to_pandas_without_pandas(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    found = builtins.__import__

    def without_pandas(name: str, *arguments: Any, **named: Any) -> Any:
        if name == "pandas":
            raise ImportError(name)
        return found(name, *arguments, **named)

    cards = pool.search("t:angel")
    monkeypatch.setattr(builtins, "__import__", without_pandas)
    with pytest.raises(ImportError, match="pip install pandas"):
        cards.to_pandas()


def test_opens_by_path_and_by_environment(
    sqlite_pool_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = sqlite_pool_url.removeprefix("sqlite:///")
    for way in (path, Path(path)):
        with open_pool(way) as pool:
            assert pool.card("Forest").color_identity == "G"
    monkeypatch.setenv("INDEXER_DATABASE_URL", sqlite_pool_url)
    with open_pool() as pool:
        assert "cards.db" in repr(pool)
    monkeypatch.delenv("INDEXER_DATABASE_URL")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StorageError, match="no database at"):
        open_pool()


def test_does_not_open_what_is_no_pool(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        open_pool("mysql://localhost/x")
    with pytest.raises(StorageError, match="no database at"):
        open_pool(tmp_path / "none.db")
    empty = f"sqlite:///{tmp_path}/empty.db"
    with open_engine(empty).connect() as connection:
        connection.exec_driver_sql("CREATE TABLE x (a)")
        connection.commit()
    with pytest.raises(StorageError, match="no card pool"):
        open_pool(empty)


def test_can_only_read(pool: Pool) -> None:
    with pool._engine.connect() as connection, pytest.raises(Exception, match=r"read-?only"):
        connection.exec_driver_sql("DELETE FROM cards")


def test_is_shared_between_threads(pool: Pool) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as executor:
        found: list[list[PoolCard]] = list(executor.map(pool.search, ["t:angel o:/fly/"] * 12))
    assert all(cards == found[0] and len(cards) == 4 for cards in found)


def test_its_documentation_tells_the_truth(sqlite_pool_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INDEXER_DATABASE_URL", sqlite_pool_url)
    failed, tried = doctest.testfile(
        str(PROJECT_ROOT / "docs" / "python.md"), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert (failed, tried > 10) == (0, True)
