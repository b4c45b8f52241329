"""The sample cards: whole-looking records of every kind, wrong exactly where `data/SOURCE.md` says."""

from __future__ import annotations

import json
import re
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from indexer.cli import main
from indexer.rules.symbols import SymbolKind, parse_symbol
from tests.conftest import PROJECT_ROOT

SAMPLE = PROJECT_ROOT / "data" / "sample-cards.jsonl"
SOURCE = PROJECT_ROOT / "data" / "SOURCE.md"

ONE_FACE = {
    *("normal", "leveler", "saga", "class", "case", "mutate", "prototype", "meld", "token", "emblem", "planar"),
    *("scheme", "vanguard", "host", "augment", "front_card"),
}
HALVES = {"split", "adventure", "prepare", "flip"}
TWO_SIDES = {"transform", "modal_dfc", "double_faced_token", "art_series"}
ALL_LAYOUTS = ONE_FACE | HALVES | TWO_SIDES | {"reversible_card"}

EVERY_RECORD = set(
    "object id name lang released_at uri scryfall_uri layout color_identity keywords legalities games reserved set "
    "set_id set_name set_type collector_number rarity digital border_color frame".split()
)


def records() -> list[dict[str, Any]]:
    return [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]


def named(record: dict[str, Any]) -> str:
    return str(record["name"])


class Mistake(NamedTuple):
    """A row of the table in `data/SOURCE.md` or of the table `mismatches`."""

    card: str
    face: str
    field: str
    published: str
    right: str
    rule: str


def listed_mistakes() -> Iterator[Mistake]:
    for line in SOURCE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == 7 and cells[0] != "card" and not set(cells[0]) <= {"-"}:
            yield Mistake(*cells[:6])


def test_every_layout_is_there() -> None:
    assert {record["layout"] for record in records()} == ALL_LAYOUTS


@pytest.mark.parametrize("record", records(), ids=named)
def test_the_fields_stand_where_scryfall_has_them(record: dict[str, Any]) -> None:
    layout, faces = record["layout"], record.get("card_faces", [])
    assert record.keys() >= EVERY_RECORD
    root = record.keys() & {"oracle_id", "mana_cost", "cmc", "colors", "type_line", "oracle_text"}
    if layout in ONE_FACE:
        assert root == {"oracle_id", "mana_cost", "cmc", "colors", "type_line", "oracle_text"}
        assert not faces
    elif layout in HALVES:
        assert root == {"oracle_id", "mana_cost", "cmc", "colors", "type_line"}
        assert len(faces) >= 2
    elif layout in TWO_SIDES:
        assert root == {"oracle_id", "cmc", "type_line"}
        assert len(faces) == 2
    else:
        assert not root
    for face in faces:
        assert face.keys() >= {"object", "name", "mana_cost", "type_line", "oracle_text"}
        assert not face.keys() & {"color_identity", "keywords", "legalities", "produced_mana"}
        assert ("colors" in face) == (layout in TWO_SIDES | {"reversible_card"})
        assert ("cmc" in face) == ("oracle_id" in face) == (layout == "reversible_card")
    if layout == "meld":
        assert {part["component"] for part in record["all_parts"]} == {"meld_part", "meld_result"}


def test_ids_are_valid_and_no_two_records_share_one() -> None:
    ids = [record["id"] for record in records()]
    oracle_ids = [record.get("oracle_id") or record["card_faces"][0]["oracle_id"] for record in records()]
    for some in (ids, oracle_ids):
        assert len(set(some)) == len(some)
        assert [str(uuid.UUID(value)) for value in some] == some


def test_every_kind_of_symbol_is_there() -> None:
    texts = [
        part.get(field) or ""
        for record in records()
        for part in (record, *record.get("card_faces", []))
        for field in ("mana_cost", "oracle_text")
    ]
    symbols = {symbol for text in texts for symbol in re.findall(r"\{[^}]*\}", text)}
    # {L} stands on a single playtest card.
    assert {parse_symbol(symbol).kind for symbol in symbols} == set(SymbolKind) - {SymbolKind.LEGENDARY}
    assert symbols >= {
        "{0}",
        "{1000000}",
        "{X}",
        "{Y}",
        "{Z}",
        "{T}",
        "{Q}",
        "{E}",
        "{TK}",
        "{A}",
        "{P}",
        "{CHAOS}",
        "{H}",
    }


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample cards, synced."""
    folder = tmp_path_factory.mktemp("sample")
    path = folder / "sample.db"
    with pytest.raises(SystemExit) as ended:
        main(
            ["sync", "--from-file", str(SAMPLE), "--data-dir", str(folder), "--database-url", f"sqlite:///{path}", "-q"]
        )
    assert ended.value.code == 0
    return path


def test_every_record_becomes_a_card(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT count(*) FROM cards").fetchone() == (len(records()),)
        assert connection.execute("SELECT count(*) FROM rejected_records").fetchone() == (0,)


def test_the_mismatches_are_the_listed_mistakes_and_nothing_else(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        rows = connection.execute(
            "SELECT name, coalesce(face_index, ''), field, published, computed, rule, status, category"
            " FROM mismatches JOIN cards USING (oracle_id)"
        ).fetchall()
    found = {Mistake(*map(str, row[:6])) for row in rows}
    assert found == set(listed_mistakes())
    assert len(found) == len(rows) >= 8
    assert {row[6:] for row in rows} == {("open", "published_error")}


def test_nothing_of_the_sample_is_beyond_the_engine(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT * FROM undecided_values").fetchall() == []
