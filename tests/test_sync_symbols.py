"""A sync reads the published list of symbols when it can, and goes on when it can't."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from indexer.config import Settings
from indexer.storage.engine import open_engine
from indexer.storage.models import CardSymbol
from indexer.summary import SyncSummary
from indexer.sync import Sync, SyncOptions
from tests.support import fake_scryfall
from tests.support.fake_scryfall import UPDATED_AT, FakeScryfall, Fault
from tests.support.pools import raw_card
from tests.support.published_symbols import PUBLISHED_SYMBOLS, published_symbol


def bulk(*records: dict[str, object]) -> bytes:
    return gzip.compress("".join(json.dumps(record) + "\n" for record in records).encode())


ELF = raw_card("Some Elf", "{G}", colors=["G"], color_identity=["G"])


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeScryfall]:
    monkeypatch.setattr(fake_scryfall, "SYMBOLS", PUBLISHED_SYMBOLS)
    with FakeScryfall({"oracle_cards": bulk(ELF)}) as server:
        yield server


@pytest.fixture
def settings(tmp_path: Path, server: FakeScryfall) -> Settings:
    return Settings(database_url=f"sqlite:///{tmp_path}/cards.db", api_url=server.api_url, data_dir=tmp_path / "data")


def sync(settings: Settings, **options: object) -> SyncSummary:
    return Sync(settings, SyncOptions(workers=0, **options), sleep=lambda _: None).run()  # type: ignore[arg-type]


def statuses(settings: Settings) -> dict[str, str]:
    with open_engine(settings.database_url).connect() as connection:
        rows = connection.execute(select(CardSymbol.symbol, CardSymbol.status))
        return {symbol: status for symbol, status in rows}  # noqa: C416  # rows are no pairs to a type checker


def test_the_list_is_stored_and_nothing_is_remarked_on_where_it_agrees(settings: Settings) -> None:
    summary = sync(settings)
    assert (summary.outcome, summary.warnings) == ("stored", [])
    assert summary.as_json()["symbols"] == {"agrees": 84, "unlisted": 3}
    found = statuses(settings)
    assert (len(found), found["{2/W}"], found["{HU}"]) == (87, "agrees", "unlisted")


def test_what_contradicts_is_remarked_on_once(
    settings: Settings, server: FakeScryfall, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = [{**e, "colors": ["W"]} if e["symbol"] == "{W/U}" else e for e in PUBLISHED_SYMBOLS]
    monkeypatch.setattr(fake_scryfall, "SYMBOLS", [*wrong, {**published_symbol("W"), "symbol": "{W/Ω}"}])
    assert sync(settings).warnings == [
        "published symbol {W/U}: colors: published W, WU by 107.4e",
        "published symbol {W/Ω}: the engine doesn't know this symbol",
    ]
    server.publish("oracle_cards", bulk(ELF), updated_at=UPDATED_AT + timedelta(days=1))
    again = sync(settings)
    assert (again.outcome, again.warnings) == ("stored", [])
    assert again.symbols == {"agrees": 83, "differs": 1, "undecided": 1, "unlisted": 3}


def test_a_flood_of_contradictions_is_summed_up(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    unknown = [{**published_symbol("W"), "symbol": f"{{W{number}}}"} for number in range(25)]
    monkeypatch.setattr(fake_scryfall, "SYMBOLS", [*PUBLISHED_SYMBOLS, *unknown])
    warnings = sync(settings).warnings
    assert len(warnings) == 11
    assert warnings[-1] == "15 more published symbols: see the table symbols"


@pytest.mark.parametrize(
    "fault",
    [Fault(status=503), Fault(status=404), Fault(body=b"{}"), Fault(body=b"<html>"), Fault(reset_after=3)],
    ids=["503", "404", "no-list", "no-json", "reset"],
)
def test_a_list_that_can_not_be_had_is_remarked_on_and_the_old_one_kept(
    settings: Settings, server: FakeScryfall, fault: Fault
) -> None:
    sync(settings)
    before = statuses(settings)
    server.publish("oracle_cards", bulk(ELF, raw_card("Rock", "{2}", "Artifact")), updated_at=UPDATED_AT + timedelta(1))
    server.always_misbehave("symbology", fault)
    summary = sync(settings)
    assert (summary.outcome, summary.cards_added, summary.symbols) == ("stored", 1, None)
    (warning,) = summary.warnings
    assert warning.startswith("the list of symbols can't be had, the old one is kept: ")
    assert statuses(settings) == before


def test_an_export_that_is_stored_already_needs_no_list(settings: Settings, server: FakeScryfall) -> None:
    sync(settings)
    assert sync(settings).outcome == "up_to_date"
    assert len(server.asked("symbology")) == 1


def test_a_file_is_read_without_the_service(settings: Settings, server: FakeScryfall, tmp_path: Path) -> None:
    file = tmp_path / "cards.jsonl.gz"
    file.write_bytes(bulk(ELF))
    summary = sync(settings, from_file=file)
    assert (summary.outcome, summary.symbols, server.requests) == ("stored", None, [])
    assert statuses(settings) == {}


def test_a_dry_run_compares_and_stores_nothing(settings: Settings) -> None:
    sync(settings)
    with open_engine(settings.database_url).begin() as connection:
        connection.execute(CardSymbol.__table__.delete())  # type: ignore[attr-defined]
    summary = sync(settings, dry_run=True, force=True)
    assert summary.symbols == {"agrees": 84, "unlisted": 3}
    assert statuses(settings) == {}


def test_an_unknown_symbol_on_a_card_is_named(settings: Settings, server: FakeScryfall) -> None:
    odd = raw_card("Odd", "{1}{Ω}", colors=[], color_identity=[])
    server.publish("oracle_cards", bulk(ELF, odd), updated_at=UPDATED_AT + timedelta(days=1))
    assert any("'{Ω}'" in warning for warning in sync(settings).warnings)
