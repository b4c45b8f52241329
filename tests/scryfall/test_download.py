"""The downloader against a server that fails in every way of the table, and against a disk that does."""

from __future__ import annotations

import errno
import hashlib
import json
import shutil
from collections import namedtuple
from pathlib import Path

import pytest

from indexer.errors import DownloadError, FileChanged, IncompleteDownload, VerificationFailed
from indexer.scryfall.client import ScryfallClient
from indexer.scryfall.download import download, file_name
from tests.scryfall.conftest import ClockAndSleep
from tests.support.fake_scryfall import FakeScryfall, Fault
from tests.support.scryfall_faults import GOOD, HALF, NEWER, SCENARIOS, Scenario

NAME = "oracle-cards-20260908090157.jsonl.gz"


def files_in(directory: Path) -> list[str]:
    return sorted(p.name for p in directory.iterdir())


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.name.replace(" ", "-"))
def test_each_fault_has_its_outcome(
    scenario: Scenario, server: FakeScryfall, client: ScryfallClient, time: ClockAndSleep, tmp_path: Path
) -> None:
    older = tmp_path / "oracle-cards-20260907090000.jsonl.gz"
    older.write_bytes(b"the export of the day before")
    scenario.prepare(server)
    body = server.files["oracle_cards"].body
    if scenario.outcome is None:
        file = download(client.bulk_entry(), tmp_path, client=client)
        assert file.path.read_bytes() == body
        assert file.sha256 == hashlib.sha256(body).hexdigest()
        assert (file.size, file.from_cache) == (len(body), False)
        assert files_in(tmp_path) == sorted([older.name, file.path.name, file.path.name + ".meta.json"])
    else:
        with pytest.raises(scenario.outcome) as caught:
            download(client.bulk_entry(), tmp_path, client=client)
        assert type(caught.value) is scenario.outcome
        assert scenario.message in str(caught.value)
        assert str(caught.value).isprintable()
        assert not list(tmp_path.glob(NAME))
        assert not list(tmp_path.glob("*.meta.json"))
        if scenario.outcome is not IncompleteDownload:
            assert files_in(tmp_path) == [older.name]
    assert older.read_bytes() == b"the export of the day before"
    assert len(server.asked("file")) == scenario.file_requests
    if scenario.waits is not None:
        assert tuple(time.slept) == scenario.waits


def test_headers_of_the_first_and_the_resuming_request(
    server: FakeScryfall, client: ScryfallClient, tmp_path: Path
) -> None:
    server.misbehave("file", Fault(cut_after=HALF))
    download(client.bulk_entry(), tmp_path, client=client)
    first, second = server.asked("file")
    for request in server.requests:
        assert request.headers["user-agent"] == "card-indexer-tests/1.0"
        assert request.headers["accept"]
    assert first.headers["accept-encoding"] == second.headers["accept-encoding"] == "identity"
    assert "range" not in first.headers
    assert second.headers["range"] == f"bytes={HALF}-"
    assert second.headers["if-range"] == server.files["oracle_cards"].etag


def test_the_date_stands_in_for_a_weak_etag(server: FakeScryfall, client: ScryfallClient, tmp_path: Path) -> None:
    server.misbehave("file", Fault(cut_after=HALF, headers={"ETag": 'W/"weak"'}))
    download(client.bulk_entry(), tmp_path, client=client)
    assert server.asked("file")[1].headers["if-range"] == "Tue, 08 Sep 2026 09:02:10 GMT"
    assert server.asked("file")[1].headers["range"] == f"bytes={HALF}-"


def test_a_date_too_young_to_be_sure_of_is_no_validator(
    server: FakeScryfall, client: ScryfallClient, tmp_path: Path
) -> None:
    just_now = {"ETag": None, "Date": "Tue, 08 Sep 2026 09:02:40 GMT"}
    server.misbehave("file", Fault(cut_after=HALF, headers=just_now))
    download(client.bulk_entry(), tmp_path, client=client)
    assert "range" not in server.asked("file")[1].headers


def test_pauses_grow_and_scatter(
    server: FakeScryfall, client: ScryfallClient, time: ClockAndSleep, tmp_path: Path
) -> None:
    scatter = iter([0.0, 0.999, 0.5, 0.5])
    client.rng = lambda: next(scatter)
    server.misbehave("file", *[Fault(status=502)] * 4)
    download(client.bulk_entry(), tmp_path, client=client)
    assert time.slept == pytest.approx([0.5, 2.998, 4.0, 8.0])


def test_progress_is_told_in_bytes_on_disk(server: FakeScryfall, client: ScryfallClient, tmp_path: Path) -> None:
    server.misbehave("file", Fault(cut_after=HALF))
    told: list[tuple[int, int | None]] = []
    download(client.bulk_entry(), tmp_path, client=client, progress=lambda done, total: told.append((done, total)))
    assert told == sorted(told)
    assert told[-1] == (len(GOOD), len(GOOD))
    assert {total for _, total in told} == {len(GOOD)}


class TestAcrossRuns:
    def test_the_next_run_goes_on(self, server: FakeScryfall, client: ScryfallClient, tmp_path: Path) -> None:
        server.always_misbehave("file", Fault(cut_after=HALF))
        with pytest.raises(IncompleteDownload, match="are kept for the next run"):
            download(client.bulk_entry(), tmp_path, client=client, attempts=1)
        assert files_in(tmp_path) == [NAME + ".partial", NAME + ".partial.json"]
        server.always_misbehave("file", Fault())
        assert download(client.bulk_entry(), tmp_path, client=client).path.read_bytes() == GOOD
        assert server.asked("file")[-1].headers["range"] == f"bytes={HALF}-"
        assert files_in(tmp_path) == [NAME, NAME + ".meta.json"]

    def test_a_partial_file_of_another_export_is_not_gone_on_with(
        self, server: FakeScryfall, client: ScryfallClient, tmp_path: Path
    ) -> None:
        server.misbehave("file", Fault(cut_after=HALF))
        with pytest.raises(IncompleteDownload):
            download(client.bulk_entry(), tmp_path, client=client, attempts=1)
        server.entry_changes["updated_at"] = "2026-09-08T12:00:00.000+00:00"
        download(client.bulk_entry(), tmp_path, client=client)
        assert "range" not in server.asked("file")[-1].headers

    @pytest.mark.parametrize(
        "damage",
        [
            lambda partial: partial.write_bytes(bytes(HALF)),
            lambda partial: partial.write_bytes(GOOD[: HALF - 10] + bytes(10)),
            lambda partial: partial.write_bytes(GOOD + b"more"),
            lambda partial: partial.write_bytes(b""),
            lambda partial: partial.unlink(),
            lambda partial: partial.with_name(partial.name + ".json").write_text("{}"),
            lambda partial: partial.with_name(partial.name + ".json").write_bytes(b"\0" * 100),
            lambda partial: partial.with_name(partial.name + ".json").unlink(),
        ],
        ids=["zeros", "zeros-at-the-end", "too-long", "empty", "gone", "note-empty", "note-zeros", "note-gone"],
    )
    def test_what_a_loss_of_power_leaves_behind_is_made_good(
        self, damage: object, server: FakeScryfall, client: ScryfallClient, tmp_path: Path
    ) -> None:
        server.misbehave("file", Fault(cut_after=HALF))
        with pytest.raises(IncompleteDownload):
            download(client.bulk_entry(), tmp_path, client=client, attempts=1)
        assert callable(damage)
        damage(tmp_path / (NAME + ".partial"))
        assert download(client.bulk_entry(), tmp_path, client=client).path.read_bytes() == GOOD
        assert files_in(tmp_path) == [NAME, NAME + ".meta.json"]

    def test_a_whole_partial_file_is_not_asked_for_again(
        self, server: FakeScryfall, client: ScryfallClient, tmp_path: Path
    ) -> None:
        server.misbehave("file", Fault(cut_after=HALF))
        with pytest.raises(IncompleteDownload):
            download(client.bulk_entry(), tmp_path, client=client, attempts=1)
        (tmp_path / (NAME + ".partial")).write_bytes(GOOD)  # as if the process had died just before the renaming
        assert download(client.bulk_entry(), tmp_path, client=client).path.read_bytes() == GOOD
        assert len(server.asked("file")) == 1

    def test_the_same_export_is_not_downloaded_twice(
        self, server: FakeScryfall, client: ScryfallClient, tmp_path: Path
    ) -> None:
        first = download(client.bulk_entry(), tmp_path, client=client)
        again = download(client.bulk_entry(), tmp_path, client=client)
        assert len(server.asked("file")) == 1
        assert again.from_cache
        assert (again.path, again.sha256, again.etag, again.size) == (first.path, first.sha256, first.etag, first.size)

    @pytest.mark.parametrize("change", ["bytes", "size", "note", "gone"])
    def test_a_file_that_is_not_what_was_downloaded_is_replaced(
        self, change: str, server: FakeScryfall, client: ScryfallClient, tmp_path: Path
    ) -> None:
        path = download(client.bulk_entry(), tmp_path, client=client).path
        if change == "bytes":
            path.write_bytes(GOOD[:-1] + b"x")
        elif change == "size":
            path.write_bytes(GOOD[:-1])
        elif change == "note":
            (tmp_path / (NAME + ".meta.json")).write_text("[]")
        else:
            path.unlink()
        assert not download(client.bulk_entry(), tmp_path, client=client).from_cache
        assert path.read_bytes() == GOOD

    def test_a_newer_export_stands_beside_the_older(
        self, server: FakeScryfall, client: ScryfallClient, tmp_path: Path
    ) -> None:
        older = download(client.bulk_entry(), tmp_path, client=client)
        server.publish("oracle_cards", NEWER, updated_at=older.updated_at.replace(day=9))
        newer = download(client.bulk_entry(), tmp_path, client=client)
        assert newer.path.read_bytes() == NEWER
        assert older.path.read_bytes() == GOOD

    def test_note_beside_the_file(self, server: FakeScryfall, client: ScryfallClient, tmp_path: Path) -> None:
        file = download(client.bulk_entry(), tmp_path, client=client)
        note = json.loads((tmp_path / (NAME + ".meta.json")).read_text())
        assert note == {
            "format": "card-indexer download 1",
            "type": "oracle_cards",
            "url": file.url,
            "updated_at": "2026-09-08T09:01:57.053+00:00",
            "size": len(GOOD),
            "sha256": file.sha256,
            "etag": server.files["oracle_cards"].etag,
        }


class TestLimits:
    def test_bytes_announced(self, client: ScryfallClient, tmp_path: Path) -> None:
        with pytest.raises(DownloadError, match="more than the 1000 allowed"):
            download(client.bulk_entry(), tmp_path, client=client, max_bytes=1000)
        assert files_in(tmp_path) == []

    def test_bytes_that_come_unannounced(self, server: FakeScryfall, client: ScryfallClient, tmp_path: Path) -> None:
        server.legacy = True
        server.always_misbehave("file", Fault(chunked=True))
        with pytest.raises(DownloadError, match="more than the 1000 bytes allowed"):
            download(client.bulk_entry(), tmp_path, client=client, max_bytes=1000)
        assert files_in(tmp_path) == []
        assert len(server.asked("file")) == 1

    def test_bytes_unpacked(self, client: ScryfallClient, tmp_path: Path) -> None:
        with pytest.raises(VerificationFailed, match="unpacks to more than is allowed: more than 5000 bytes"):
            download(client.bulk_entry(), tmp_path, client=client, max_unpacked_bytes=5000)
        assert files_in(tmp_path) == []

    def test_time(self, server: FakeScryfall, client: ScryfallClient, time: ClockAndSleep, tmp_path: Path) -> None:
        server.always_misbehave("file", Fault(drip=(len(GOOD) // 50, 0.001)))
        with pytest.raises(IncompleteDownload, match=r"took longer than 600 s; \d+ of \d+ bytes are kept"):
            download(
                client.bulk_entry(),
                tmp_path,
                client=client,
                max_seconds=600,
                progress=lambda _done, _total: time.sleep(301),
            )
        assert (tmp_path / (NAME + ".partial")).stat().st_size < len(GOOD)

    def test_silence(self, server: FakeScryfall, make_client: object, tmp_path: Path) -> None:
        assert callable(make_client)
        client = make_client(server.api_url, timeout=(1.0, 0.05))
        server.misbehave("file", Fault(drip=(HALF, 1.0)))
        assert download(client.bulk_entry(), tmp_path, client=client).path.read_bytes() == GOOD
        assert server.asked("file")[1].headers["range"] == f"bytes={HALF}-"


Usage = namedtuple("Usage", "total used free")


class TestDisk:
    def test_too_little_space_is_noticed_beforehand(
        self, client: ScryfallClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(10, 10, 12345))
        with pytest.raises(DownloadError, match=r"12345 are free.*free some space"):
            download(client.bulk_entry(), tmp_path, client=client)
        assert files_in(tmp_path) == []

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
    def test_a_disk_that_fills_up(
        self, server: FakeScryfall, client: ScryfallClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real_open = Path.open

        def open_on_full_disk(self: Path, mode: str = "r", *args: object, **options: object) -> object:
            path = Path("/dev/full") if self.name.endswith(".partial") and "r" not in mode else self
            return real_open(path, mode, *args, **options)  # type: ignore[call-overload]

        monkeypatch.setattr(Path, "open", open_on_full_disk)
        with pytest.raises(DownloadError, match="No space left on device; free some space") as caught:
            download(client.bulk_entry(), tmp_path, client=client)
        assert caught.value.exit_status == 4
        assert NAME not in files_in(tmp_path)
        assert len(server.asked("file")) == 1

    def test_a_folder_that_can_not_be_made(self, client: ScryfallClient, tmp_path: Path) -> None:
        (tmp_path / "data").write_text("a file")
        with pytest.raises(DownloadError, match=r"can't write in .*data"):
            download(client.bulk_entry(), tmp_path / "data", client=client)

    @pytest.mark.parametrize("code", [errno.EROFS, errno.EACCES])
    def test_a_folder_that_can_not_be_written_to(
        self, code: int, client: ScryfallClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real_open = Path.open

        def refuse(self: Path, mode: str = "r", *args: object, **options: object) -> object:
            if "w" in mode or "a" in mode:
                raise OSError(code, "Read-only, say")
            return real_open(self, mode, *args, **options)  # type: ignore[call-overload]

        monkeypatch.setattr(Path, "open", refuse)
        with pytest.raises(DownloadError, match=r"can't write .*: Read-only, say; choose"):
            download(client.bulk_entry(), tmp_path, client=client)
        assert files_in(tmp_path) == []

    def test_a_folder_is_made_if_need_be(self, client: ScryfallClient, tmp_path: Path) -> None:
        assert download(client.bulk_entry(), tmp_path / "a" / "b", client=client).path.parent == tmp_path / "a" / "b"


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://data.scryfall.io/oracle-cards/oracle-cards-20260908090157.jsonl.gz", NAME),
        ("https://data.scryfall.io/oracle-cards.json", "oracle-cards-20260908090157.json"),
        ("https://data.scryfall.io/o-20260908.jsonl.gz?signed=../../etc", "o-20260908.jsonl.gz"),
        ("https://data.scryfall.io/%2e%2e%2fetc", "oracle-cards-20260908090157.bulk"),
        ("https://data.scryfall.io/..", "oracle-cards-20260908090157.bulk"),
        ("https://data.scryfall.io/.bashrc", "oracle-cards-20260908090157.bulk"),
        ("https://data.scryfall.io/x.meta.json", "oracle-cards-20260908090157.bulk"),
        ("https://data.scryfall.io/" + "x" * 300, "oracle-cards-20260908090157.bulk"),
        ("https://data.scryfall.io/", "oracle-cards-20260908090157.bulk"),
    ],
)
def test_name_on_disk(address: str, expected: str, server: FakeScryfall, client: ScryfallClient) -> None:
    server.entry_changes["jsonl_download_uri"] = address
    assert file_name(client.bulk_entry()) == expected


def test_a_file_that_vanishes_while_it_is_downloaded(
    server: FakeScryfall, client: ScryfallClient, tmp_path: Path
) -> None:
    server.misbehave("file", Fault(cut_after=HALF), Fault(status=404))
    with pytest.raises(FileChanged, match="is gone"):
        download(client.bulk_entry(), tmp_path, client=client)
