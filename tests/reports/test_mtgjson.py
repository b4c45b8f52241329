"""MTGJSON's files, read card by card, and the three values side by side."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, update

from indexer.errors import BulkFormatError
from indexer.reports.mtgjson import MtgjsonFile, OtherCard, OtherFace
from indexer.reports.three_way import Alone, compare_three_ways
from indexer.storage.models import CardFace
from tests.support.report_pool import add_card, add_mismatch, add_run, oracle_id_of

BOLT = {
    "name": "Bolt",
    "layout": "normal",
    "colors": ["R"],
    "colorIdentity": ["R"],
    "manaValue": 1.0,
    "identifiers": {"scryfallOracleId": oracle_id_of("Bolt").upper()},
}
ICE = {
    "name": "Fire // Ice",
    "faceName": "Ice",
    "side": "b",
    "layout": "split",
    "colors": ["U"],
    "colorIdentity": ["U", "R"],
    "manaValue": 4.0,
    "faceManaValue": 2.0,
    "identifiers": {},
}
FIRE = {**ICE, "faceName": "Fire", "side": "a", "colors": ["R"]}


def write(path: Path, data: object, pack: Callable[[bytes], bytes] = bytes) -> MtgjsonFile:
    path.write_bytes(pack(json.dumps({"meta": {"version": "5"}, "data": data}).encode()))
    return MtgjsonFile(path)


def test_atomic_cards(tmp_path: Path) -> None:
    file = write(tmp_path / "a.json", {"Bolt": [BOLT], "Fire // Ice": [ICE, FIRE]})
    bolt, split = file.cards()
    assert bolt == OtherCard(oracle_id_of("Bolt"), "Bolt", "1", "R", "R", None, (OtherFace("Bolt", "R"),))
    assert (split.oracle_id, split.mana_value, split.colors, split.color_identity) == (None, "4", "UR", "UR")
    assert split.faces == (OtherFace("Fire", "R"), OtherFace("Ice", "U"))
    assert file.skipped == 0


def test_all_printings_gives_each_card_once(tmp_path: Path) -> None:
    token = {**BOLT, "name": "Goblin", "identifiers": {"scryfallOracleId": "t"}, "producedMana": ["C", "G"]}
    sets = {
        "AAA": {"cards": [BOLT, FIRE, ICE, {**FIRE, "colors": []}, {**ICE, "colors": []}], "tokens": [token]},
        "BBB": {"cards": [{**BOLT, "manaValue": 9}], "tokens": []},
    }
    cards = list(write(tmp_path / "p.json", sets).cards())
    assert [card.name for card in cards] == ["Bolt", "Fire // Ice", "Goblin"]
    assert cards[0].mana_value == "1"
    assert [face.colors for face in cards[1].faces] == ["R", "U"]
    assert cards[2].produced_mana == "GC"


@pytest.mark.parametrize(
    ("layout", "colors"), [("split", "WU"), ("aftermath", "WU"), ("adventure", "W"), ("flip", "W"), ("transform", None)]
)
def test_colors_of_the_whole_card(tmp_path: Path, layout: str, colors: str | None) -> None:
    sides = [{**FIRE, "layout": layout, "colors": ["W"]}, {**ICE, "layout": layout}]
    (card,) = write(tmp_path / "a.json", {"x": sides}).cards()
    assert card.colors == colors


def test_two_cards_of_one_name_are_two(tmp_path: Path) -> None:
    twin = {**BOLT, "identifiers": {"scryfallOracleId": "other"}}
    assert len(list(write(tmp_path / "a.json", {"Bolt": [BOLT, twin]}).cards())) == 2


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, bz2.compress])
def test_packed_files(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    assert [card.name for card in write(tmp_path / "a.bin", {"Bolt": [BOLT]}, pack).cards()] == ["Bolt"]


def test_entries_that_are_not_as_they_should_be_are_counted(tmp_path: Path) -> None:
    bad: dict[str, Any] = {
        "a": [],
        "b": 5,
        "c": [{"colors": ["W"]}],
        "d": ["text"],
        "Bolt": [{"name": "Bolt", "manaValue": "x"}],
    }
    file = write(tmp_path / "a.json", bad)
    assert [card.mana_value for card in file.cards()] == [None]
    assert file.skipped == 4


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"data": {"a": [', "is not whole JSON"),
        (b"no json", "is not whole JSON"),
        (b"[]", "nothing under 'data'"),
        (b'{"data": {}}', "nothing under 'data'"),
        (gzip.compress(b'{"data": {"a": []}}')[:-6], "can't unpack"),
    ],
)
def test_files_that_are_not_mtgjson_s(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(BulkFormatError, match=message):
        list(MtgjsonFile(path).cards())


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(BulkFormatError, match="no file"):
        list(MtgjsonFile(tmp_path / "none").cards())
    with pytest.raises(BulkFormatError, match="is a folder"):
        list(MtgjsonFile(tmp_path).cards())


def other(name: str, **values: Any) -> OtherCard:
    known = {"mana_value": "2", "colors": "U", "color_identity": "U", "produced_mana": None, "faces": (), **values}
    return OtherCard(oracle_id=known.pop("oracle_id", oracle_id_of(name)), name=name, **known)


@pytest.fixture
def pool(connection: Connection) -> Connection:
    """A pool in which each of the three is wrong about something."""
    add_run(connection)
    wrong = add_card(connection, "Scryfall wrong", published_mana_value=3.0)
    add_mismatch(connection, wrong, published="3", computed="2")
    ours = add_card(connection, "We wrong", mana_value=9.0)
    add_mismatch(connection, ours, published="2", computed="9")
    add_card(connection, "MTGJSON wrong")
    unknown = add_card(connection, "Not there")
    add_mismatch(connection, unknown)
    add_card(connection, "By name")
    add_card(connection, "Right")
    add_card(connection, "Gone", removed_run_id=1)
    two = add_card(connection, "Front // Back", faces=("Front", "Back"), published_colors=None)
    connection.execute(update(CardFace).where(CardFace.oracle_id == two).values(colors="U", published_colors="U"))
    return connection


def test_who_stands_alone(pool: Connection) -> None:
    result = compare_three_ways(
        pool,
        [
            other("Scryfall wrong"),
            other("We wrong"),
            other("MTGJSON wrong", mana_value="5"),
            other("By name", oracle_id="unknown to us", colors="W"),
            other("Right"),
            other("Right", mana_value="7"),
            other("Gone", mana_value="7"),
            other("Never seen"),
            other("Front // Back", colors=None, faces=(OtherFace("Back", "G"), OtherFace("Front", "U"))),
        ],
    )
    assert [(row.card, row.face, row.field, row.scryfall, row.mtgjson, row.ours, row.alone) for row in result.rows] == [
        ("Not there", None, "mana_value", "3", None, "2", Alone.UNKNOWN),
        ("Scryfall wrong", None, "mana_value", "3", "2", "2", Alone.SCRYFALL),
        ("We wrong", None, "mana_value", "2", "2", "9", Alone.OURS),
        ("By name", None, "colors", "U", "W", "U", Alone.MTGJSON),
        ("Front // Back", "Back", "colors", "U", "G", "U", Alone.MTGJSON),
        ("MTGJSON wrong", None, "mana_value", "2", "5", "2", Alone.MTGJSON),
    ]
    assert result.cards_compared == 6
    assert [bool(row.category) for row in result.rows] == [True, True, True, False, False, False]


def test_a_name_that_two_cards_bear_is_not_used(connection: Connection) -> None:
    add_run(connection)
    add_card(connection, "Twin")
    add_card(connection, "Twin", identity="other twin")
    add_card(connection, "Token", object_kind="token")
    assert compare_three_ways(connection, [other("Token", oracle_id=None, colors="G")]).cards_compared == 0
    assert compare_three_ways(connection, [other("Twin", oracle_id=None, colors="G")]).cards_compared == 0


@pytest.mark.parametrize("value", [{}, [], [{}], {"a": []}, True, 1e300, -1, None])
def test_a_value_of_any_other_kind_ends_nothing(tmp_path: Path, value: object) -> None:
    odd = [{**BOLT, field: value} for field in (*BOLT, "side", "faceName", "producedMana")]
    names = {card.name for card in write(tmp_path / "a.json", {"odd": odd, "Fire // Ice": [ICE, FIRE]}).cards()}
    assert {"Bolt", "Fire // Ice"} <= names
