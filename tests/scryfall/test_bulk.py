"""Catalogue entries of every generation, and damaged ones."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from indexer.errors import UnexpectedResponse
from indexer.scryfall.bulk import parse_bulk_entry
from indexer.scryfall.types import BulkType

ENTRY: dict[str, object] = {
    "object": "bulk_data",
    "id": "27bf3214-1271-490b-bdfe-c0be6c23d02e",
    "type": "oracle_cards",
    "updated_at": "2026-09-08T09:01:57.053+00:00",
    "uri": "https://api.scryfall.com/bulk-data/27bf3214-1271-490b-bdfe-c0be6c23d02e",
    "name": "Oracle Cards",
    "description": "One object for each Oracle id.",
    "jsonl_download_uri": "https://data.scryfall.io/oracle-cards/oracle-cards-20260908090157.jsonl.gz",
    "compressed_size": 24535940,
}
OLDER: dict[str, object] = {
    **{k: v for k, v in ENTRY.items() if k not in ("jsonl_download_uri", "compressed_size")},
    "download_uri": "https://data.scryfall.io/oracle-cards/oracle-cards-20240101100148.json",
    "size": 150_000_000,
    "compressed_size": 17_000_000,
    "content_type": "application/json",
    "content_encoding": "gzip",
}
RULINGS = ENTRY | {"type": "rulings"}


def test_current_entry() -> None:
    bulk = parse_bulk_entry(ENTRY)
    assert bulk.type == "oracle_cards"
    assert bulk.url == ENTRY["jsonl_download_uri"]
    assert bulk.updated_at == datetime(2026, 9, 8, 9, 1, 57, 53000, tzinfo=UTC)
    assert bulk.updated_at_text == ENTRY["updated_at"]
    assert bulk.compressed_size == 24535940
    assert bulk.description == "One object for each Oracle id."


def test_older_entry_has_no_size_to_compare_with() -> None:
    bulk = parse_bulk_entry(OLDER)
    assert bulk.url == OLDER["download_uri"]
    assert bulk.compressed_size is None


def test_the_new_address_goes_before_the_old() -> None:
    assert parse_bulk_entry(OLDER | ENTRY).url == ENTRY["jsonl_download_uri"]


@pytest.mark.parametrize("bulk_type", ["oracle_cards", "oracle-cards", BulkType.ORACLE_CARDS])
@pytest.mark.parametrize(
    "answer",
    [
        {"object": "list", "has_more": False, "data": [RULINGS, ENTRY]},
        [RULINGS, None, 5, {}, ENTRY],
        ENTRY | {"type": "oracle-cards"},
        {"data": [ENTRY]},
    ],
    ids=["list", "plain-list", "hyphen", "bare-list"],
)
def test_the_type_is_picked(answer: object, bulk_type: str) -> None:
    bulk = parse_bulk_entry(answer, bulk_type=bulk_type)
    assert (bulk.type, bulk.compressed_size) == ("oracle_cards", 24535940)


@pytest.mark.parametrize("missing", ["id", "description", "compressed_size"])
def test_what_is_not_needed_may_be_missing(missing: str) -> None:
    assert parse_bulk_entry({k: v for k, v in ENTRY.items() if k != missing}).url


BAD = [
    (None, "no list"),
    ("text", "no list"),
    ([], "no bulk data of type 'oracle_cards', only ''"),
    ({"object": "list", "data": {}}, "no list"),
    ({"object": "list"}, "no list"),
    ([RULINGS], "only 'rulings'"),
    (RULINGS, "asked for bulk data of type 'oracle_cards', got 'rulings'"),
    ({"object": "error", "details": "Slow \x1b[31m down"}, r"error: 'Slow \\x1b\[31m down'"),
    ({"object": "bulk_data", "b": 1, "a": 2}, "only 'a, b, object'"),
    (ENTRY | {"jsonl_download_uri": None}, "has neither"),
    (ENTRY | {"jsonl_download_uri": ""}, "is not text"),
    (ENTRY | {"jsonl_download_uri": 7}, "is not text: 7"),
    (ENTRY | {"jsonl_download_uri": "oracle-cards.jsonl.gz"}, "not an absolute https address"),
    (ENTRY | {"jsonl_download_uri": "//data.scryfall.io/a"}, "not an absolute https address"),
    (ENTRY | {"jsonl_download_uri": "ftp://data.scryfall.io/a"}, "not an absolute https address"),
    (ENTRY | {"jsonl_download_uri": "https://data.scryfall.io/a b"}, "characters"),
    (ENTRY | {"jsonl_download_uri": "https://data.scryfall.io/a\r\nHost: x"}, "characters"),
    (ENTRY | {"jsonl_download_uri": "https://data.scryfall.io:port/a"}, "can't be read"),
    (ENTRY | {"jsonl_download_uri": "https://me:pw@data.scryfall.io/a"}, "user name"),
    (ENTRY | {"updated_at": None}, "'updated_at' must be text, it is None"),
    (ENTRY | {"updated_at": 1788858117}, "'updated_at' must be text"),
    (ENTRY | {"updated_at": "soon"}, "no ISO 8601 time: 'soon'"),
    (ENTRY | {"updated_at": "2026-13-08T09:01:57+00:00"}, "no ISO 8601 time"),
    (ENTRY | {"updated_at": "2026-09-08"}, "no time zone"),
    (ENTRY | {"compressed_size": "24535940"}, "'compressed_size' must be a number of bytes, it is '24535940'"),
    (ENTRY | {"compressed_size": 1.5}, "'compressed_size' must be a number"),
    (ENTRY | {"compressed_size": True}, "'compressed_size' must be a number"),
    (ENTRY | {"compressed_size": -1}, "'compressed_size' must be a number"),
    (ENTRY | {"id": 5}, "'id' must be text"),
    (ENTRY | {"description": []}, "'description' must be text"),
]


@pytest.mark.parametrize(("answer", "message"), BAD)
def test_a_damaged_answer_is_named(answer: object, message: str) -> None:
    with pytest.raises(UnexpectedResponse, match=message) as caught:
        parse_bulk_entry(answer)
    assert str(caught.value).isprintable()
