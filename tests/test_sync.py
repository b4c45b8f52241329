"""The whole run from the service: what it stores, what it leaves alone when something goes wrong; dry runs."""

from __future__ import annotations

import datetime as dt
import gzip
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text

from indexer.errors import (
    BulkFormatError,
    DownloadError,
    GateRefused,
    IndexerError,
    SchemaOutOfDate,
    ScryfallError,
    StorageError,
    SyncInProgress,
)
from indexer.storage.engine import open_engine, set_pragmas
from indexer.storage.lock import file_lock, sync_lock
from indexer.storage.models import Card
from indexer.storage.writer import PoolWriter
from indexer.summary import SyncSummary
from indexer.sync import DOWNLOAD_LOCK, Sync, SyncOptions
from tests.support.fake_scryfall import UPDATED_AT, FakeScryfall, Fault
from tests.support.pools import raw_card
from tests.support.runs import connected, dump, is_sound, jsonl, settings_in, sync_records, write_records
from tests.support.sample_pool import sample_records
from tests.support.small_runs import BEAR, ELK, WRONG, last_run, pool


@pytest.fixture
def server() -> Iterator[FakeScryfall]:
    with FakeScryfall({"oracle_cards": gzip.compress(jsonl([BEAR, ELK]))}) as running:
        yield running


def sync_from(server: FakeScryfall, folder: Path, **options: Any) -> SyncSummary:
    """Sync from the local service, never waiting between attempts."""
    return make_sync(server, folder, **options).run()


def make_sync(server: FakeScryfall, folder: Path, **options: Any) -> Sync:
    return Sync(
        settings_in(folder, api_url=server.api_url), SyncOptions(**{"workers": 0, **options}), sleep=lambda _: None
    )


def publish(server: FakeScryfall, *records: dict[str, Any], days: int = 1) -> None:
    """A newer (or older) export."""
    server.publish("oracle_cards", gzip.compress(jsonl(records)), updated_at=UPDATED_AT + dt.timedelta(days=days))


# --- from the service ---------------------------------------------------------------------------------------------


def test_a_first_sync_fetches_and_stores(server: FakeScryfall, tmp_path: Path) -> None:
    summary = sync_from(server, tmp_path)
    assert summary.outcome == "stored"
    assert (summary.cards_added, summary.cards_total) == (2, 2)
    assert summary.source is not None
    assert summary.source.downloaded
    assert summary.source.updated_at == UPDATED_AT
    with connected(tmp_path) as connection:
        run = last_run(connection)
        assert (run.outcome, run.updated_at, run.size) == ("stored", UPDATED_AT, summary.source.size)
        assert run.sha256 == summary.source.sha256
        assert run.finished_at >= run.started_at
        assert {row.name for row in connection.execute(select(Card.name))} == {"Bear", "Elk"}
    assert is_sound(tmp_path / "cards.db") == []


def test_nothing_newer_is_neither_downloaded_nor_stored(server: FakeScryfall, tmp_path: Path) -> None:
    sync_from(server, tmp_path)
    before = pool(tmp_path)
    server.requests.clear()
    summary = sync_from(server, tmp_path)
    assert summary.outcome == "up_to_date"
    assert (summary.cards_total, summary.cards_added) == (2, 0)
    assert [request.place for request in server.requests] == ["catalogue"]
    assert pool(tmp_path) == before
    with connected(tmp_path) as connection:
        assert last_run(connection).outcome == "up_to_date"


def test_force_computes_everything_and_changes_nothing(server: FakeScryfall, tmp_path: Path) -> None:
    sync_from(server, tmp_path)
    before = pool(tmp_path)
    summary = sync_from(server, tmp_path, force=True)
    assert (summary.outcome, summary.cards_unchanged) == ("stored", 2)
    assert summary.source is not None
    assert not summary.source.downloaded, "the file is still there"
    assert pool(tmp_path) == before


@pytest.mark.parametrize("read_ahead", [1, 100])
def test_a_newer_export_changes_only_what_differs(
    server: FakeScryfall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_ahead: int
) -> None:
    monkeypatch.setattr("indexer.store.STATES_KEPT", read_ahead)
    sync_from(server, tmp_path)
    publish(server, BEAR, ELK | {"oracle_text": "Vigilance"}, raw_card("Newt"))
    summary = sync_from(server, tmp_path)
    assert (summary.cards_added, summary.cards_changed, summary.cards_unchanged) == (1, 1, 1)
    changed = {row["field"]: (row["old"], row["new"]) for row in pool(tmp_path)["card_changes"]}
    assert changed == {"added": (None, "Newt"), "oracle_text": ("", "Vigilance")}


def test_prices_alone_are_no_reason_to_compute(server: FakeScryfall, tmp_path: Path) -> None:
    records = [record | {"prices": {"usd": "1.00"}} for record in (BEAR, ELK)]
    publish(server, *records)
    sync_from(server, tmp_path)
    publish(server, *(record | {"prices": {"usd": "2.00"}} for record in records), days=2)
    # Were a record looked at, this engine would not know what to make of it.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("indexer.recompute.Recomputer.process", None)
        summary = sync_from(server, tmp_path)
    assert summary.cards_unchanged == 2


@pytest.mark.parametrize("attribute", ["ENGINE_VERSION", "__version__"])
def test_another_engine_computes_everything_anew(
    server: FakeScryfall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attribute: str
) -> None:
    sync_from(server, tmp_path)
    monkeypatch.setattr(f"indexer.sync.{attribute}", "another")
    assert sync_from(server, tmp_path).outcome == "stored"
    assert sync_from(server, tmp_path).outcome == "up_to_date"


def test_a_service_that_fails_leaves_the_pool_and_a_record(server: FakeScryfall, tmp_path: Path) -> None:
    sync_from(server, tmp_path)
    before = pool(tmp_path)
    server.always_misbehave("catalogue", Fault(status=503))
    run = make_sync(server, tmp_path)
    with pytest.raises(ScryfallError) as caught:
        run.run()
    assert run.summary.outcome == "failed"
    assert run.summary.message == str(caught.value)
    assert str(caught.value).endswith("(the pool of run 1 is kept)")
    assert pool(tmp_path) == before
    with connected(tmp_path) as connection:
        recorded = last_run(connection)
        assert (recorded.outcome, recorded.message) == ("failed", str(caught.value))
        assert recorded.id == run.summary.run_id


def test_a_first_sync_that_fails_leaves_no_database(server: FakeScryfall, tmp_path: Path) -> None:
    server.always_misbehave("catalogue", Fault(status=503))
    with pytest.raises(ScryfallError):
        sync_from(server, tmp_path)
    assert not (tmp_path / "cards.db").exists()


@pytest.mark.parametrize("damage", ["short", "not-gzip", "truncated"])
def test_an_export_that_does_not_verify_leaves_the_last_good_pool(
    server: FakeScryfall, tmp_path: Path, damage: str
) -> None:
    sync_from(server, tmp_path)
    before = pool(tmp_path)
    good = gzip.compress(jsonl([BEAR, ELK, raw_card("Newt")]))
    body = {"short": good, "not-gzip": b"<html>" * 100, "truncated": good[:-12]}[damage]
    server.publish("oracle_cards", body, updated_at=UPDATED_AT + dt.timedelta(days=1))
    if damage == "short":
        server.always_misbehave("file", Fault(cut_after=50))
    run = make_sync(server, tmp_path)
    with pytest.raises((DownloadError, BulkFormatError)) as caught:
        run.run()
    assert caught.value.exit_status == 4
    assert run.summary.outcome == "failed"
    assert pool(tmp_path) == before


def test_an_older_export_is_refused_before_it_is_downloaded(server: FakeScryfall, tmp_path: Path) -> None:
    sync_from(server, tmp_path)
    publish(server, BEAR, ELK, days=-1)
    server.requests.clear()
    with pytest.raises(GateRefused, match="is older than that of") as caught:
        sync_from(server, tmp_path)
    assert caught.value.gate == "age"
    assert [request.place for request in server.requests] == ["catalogue"]
    summary = sync_from(server, tmp_path, allowed=frozenset({"age"}))
    assert summary.outcome == "stored"
    assert "(allowed by --allow-older)" in summary.warnings[0]


def test_old_downloads_are_removed(server: FakeScryfall, tmp_path: Path) -> None:
    for day in range(4):
        publish(server, BEAR, raw_card(f"Day {day}"), days=day)
        sync_from(server, tmp_path)
    assert len(list(tmp_path.glob("*.jsonl.gz"))) == 2


def test_more_downloads_are_kept_on_demand(server: FakeScryfall, tmp_path: Path) -> None:
    for day in range(4):
        publish(server, BEAR, raw_card(f"Day {day}"), days=day)
        sync_from(server, tmp_path, keep_downloads=3)
    assert len(list(tmp_path.glob("*.jsonl.gz"))) == 3


def test_another_host_has_to_be_allowed(server: FakeScryfall, tmp_path: Path) -> None:
    server.entry_changes["jsonl_download_uri"] = "https://mirror.invalid/cards.jsonl.gz"
    with pytest.raises(
        IndexerError, match=r"mirror\.invalid' is not among the allowed ones .* name it with --allow-host"
    ):
        sync_from(server, tmp_path)
    with pytest.raises(IndexerError, match=r"can't reach '?mirror\.invalid"):
        sync_from(server, tmp_path, allowed_hosts=frozenset({"mirror.invalid"}))


# --- dry runs -----------------------------------------------------------------------------------------------------


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_dry_run_makes_no_database(server: FakeScryfall, tmp_path: Path) -> None:
    summary = sync_from(server, tmp_path, dry_run=True)
    assert (summary.outcome, summary.cards_added, summary.run_id) == ("stored", 2, None)
    assert files_of(tmp_path) == {}


def test_a_dry_run_changes_nothing(server: FakeScryfall, tmp_path: Path) -> None:
    sync_from(server, tmp_path)
    before = files_of(tmp_path)
    publish(server, WRONG)
    summary = sync_from(server, tmp_path, dry_run=True)
    assert (summary.cards_changed, summary.cards_removed, summary.mismatches_new) == (1, 1, 1)
    assert files_of(tmp_path) == before
    publish(server, BEAR, ELK, days=0)
    assert sync_from(server, tmp_path, dry_run=True).outcome == "up_to_date"
    assert files_of(tmp_path) == before


def test_a_dry_run_does_not_upgrade(tmp_path: Path) -> None:
    sync_records(tmp_path, [BEAR])
    with connected(tmp_path) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0001'"))
        connection.commit()
    with pytest.raises(SchemaOutOfDate, match="run 'indexer sync' once"):
        sync_records(tmp_path, [BEAR, ELK], dry_run=True)


# --- trouble ------------------------------------------------------------------------------------------------------


def test_another_sync_turns_this_one_away(tmp_path: Path) -> None:
    sync_records(tmp_path, [BEAR])
    with sync_lock(open_engine(settings_in(tmp_path).database_url)), pytest.raises(SyncInProgress):
        sync_records(tmp_path, [BEAR, ELK])
    with connected(tmp_path) as connection:
        assert connection.scalar(text("SELECT count(*) FROM sync_runs")) == 1


def test_two_databases_do_not_download_into_one_folder_at_once(server: FakeScryfall, tmp_path: Path) -> None:
    with file_lock(tmp_path / DOWNLOAD_LOCK, "x"), pytest.raises(SyncInProgress, match="another sync downloads into"):
        sync_from(server, tmp_path)
    assert sync_from(server, tmp_path).outcome == "stored"


def test_a_newer_database_is_left_alone(tmp_path: Path) -> None:
    sync_records(tmp_path, [BEAR])
    with connected(tmp_path) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        connection.commit()
    before = pool(tmp_path)
    with pytest.raises(SchemaOutOfDate):
        sync_records(tmp_path, [BEAR, ELK])
    assert pool(tmp_path) == before


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError, StorageError("disk full")])
def test_whatever_breaks_off_a_run_the_old_pool_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException | type[BaseException]
) -> None:
    sync_records(tmp_path, [WRONG, ELK])
    before = pool(tmp_path)

    def breaks(_self: PoolWriter) -> None:
        raise error

    monkeypatch.setattr(PoolWriter, "finish", breaks)
    run = Sync(
        settings_in(tmp_path), SyncOptions(from_file=write_records(tmp_path / "new.jsonl", [BEAR, raw_card("Newt")]))
    )
    with pytest.raises(type(error) if isinstance(error, BaseException) else error):
        run.run()
    assert run.summary.outcome == "failed"
    assert pool(tmp_path) == before
    assert is_sound(tmp_path / "cards.db") == []
    with connected(tmp_path) as connection:
        assert last_run(connection).outcome == "failed"
    monkeypatch.undo()
    assert sync_records(tmp_path, [BEAR, ELK]).mismatches_resolved == 1


def test_a_reader_sees_the_old_pool_until_the_new_one_is_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync_records(tmp_path, [BEAR, ELK])
    before = pool(tmp_path)
    finish = PoolWriter.finish
    seen = []

    def finish_watched(self: PoolWriter) -> None:
        finish(self)
        seen.append(pool(tmp_path))

    monkeypatch.setattr(PoolWriter, "finish", finish_watched)
    sync_records(tmp_path, [WRONG, raw_card("Newt")])
    assert seen == [before]
    assert pool(tmp_path) != before


def trouble(folder: Path, monkeypatch: pytest.MonkeyPatch, pragma: str) -> StorageError:
    """What a sync says when every connection to the database is limited so; the pool must be as it was."""
    sync_records(folder, [BEAR, ELK])
    before = pool(folder)
    many = [raw_card(f"Card {number}", text="A long text. " * 50) for number in range(200)]

    def limited(connection: sqlite3.Connection) -> None:
        set_pragmas(connection)
        connection.execute(f"PRAGMA {pragma}")

    with monkeypatch.context() as patch:
        patch.setattr("indexer.storage.engine.set_pragmas", limited)
        with pytest.raises(StorageError) as caught:
            sync_records(folder, [BEAR, ELK, *many])
    assert pool(folder) == before
    assert is_sound(folder / "cards.db") == []
    assert sync_records(folder, [BEAR, ELK, *many]).cards_added == 200
    return caught.value


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    error = trouble(tmp_path, monkeypatch, "max_page_count = 120")
    words = "the disk is full (database or disk is full) (the pool of run 1 is kept)"
    assert str(error) == f"can't write 'sqlite:///{tmp_path}/cards.db': {words}"


def test_a_database_that_may_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    error = trouble(tmp_path, monkeypatch, "query_only = ON")
    assert "the file or its folder is read-only" in str(error)


def test_a_database_that_another_program_has_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sync_records(tmp_path, [BEAR])
    monkeypatch.setattr("indexer.storage.engine.open_engine", partial(open_engine, busy_seconds=0.05))
    with closing(sqlite3.connect(tmp_path / "cards.db")) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageError, match="another program holds a lock on it"):
            sync_records(tmp_path, [BEAR, ELK])


def test_a_database_in_a_new_folder(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    path = write_records(tmp_path / "cards.jsonl", [BEAR])
    Sync(replace(settings_in(folder), data_dir=tmp_path / "none"), SyncOptions(from_file=path)).run()
    assert len(pool(folder)["cards"]) == 1


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    path = write_records(tmp_path / "cards.jsonl", [BEAR])
    with pytest.raises(StorageError, match="can't make the folder"):
        Sync(settings_in(tmp_path / "file" / "x"), SyncOptions(from_file=path)).run()


def test_the_same_on_postgresql(tmp_path: Path, postgresql_url: str) -> None:
    def run(records: list[dict[str, Any]], **options: Any) -> SyncSummary:
        return sync_records(tmp_path, records, database_url=postgresql_url, **options)

    records = sample_records()
    assert run(records, dry_run=True).cards_added == len(records)
    assert run(records).cards_added == len(records)
    with connected(tmp_path, postgresql_url) as connection:
        before = dump(connection)
    assert run(records).outcome == "up_to_date"
    assert run(records[::-1]).cards_unchanged == len(records)
    with connected(tmp_path, postgresql_url) as connection:
        assert dump(connection) == before
    summary = run([*records[2:], WRONG])
    assert (summary.cards_added, summary.cards_removed, summary.mismatches_new) == (1, 2, 1)
    sqlite = tmp_path / "sqlite"
    sqlite.mkdir()
    sync_records(sqlite, records)
    mine = pool(sqlite)
    assert [row["name"] for row in before["cards"]] == [row["name"] for row in mine["cards"]]
    assert {table: len(rows) for table, rows in before.items()} == {table: len(rows) for table, rows in mine.items()}
