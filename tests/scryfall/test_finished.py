"""Old downloads are cleared away; nothing else is."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from indexer.errors import DownloadError, IncompleteDownload
from indexer.scryfall.client import ScryfallClient
from indexer.scryfall.download import download, prune_downloads
from tests.support.fake_scryfall import FakeScryfall, Fault
from tests.support.scryfall_faults import HALF, bulk_gzip


def names(directory: Path) -> list[str]:
    return sorted(p.name for p in directory.iterdir())


def fetch(server: FakeScryfall, client: ScryfallClient, directory: Path, day: int, kind: str = "oracle_cards") -> Path:
    server.publish(kind, bulk_gzip(20, seed=day), updated_at=datetime(2026, 9, day, 9, tzinfo=UTC))
    return download(client.bulk_entry(kind), directory, client=client).path


def test_the_newest_stay(server: FakeScryfall, client: ScryfallClient, tmp_path: Path) -> None:
    paths = [fetch(server, client, tmp_path, day) for day in (3, 1, 4, 2)]
    rulings = fetch(server, client, tmp_path, 1, "rulings")
    removed = prune_downloads(tmp_path, 2)
    assert sorted(removed) == sorted([paths[1], paths[3]])
    kept = [paths[0], paths[2], rulings]
    assert names(tmp_path) == sorted(n for p in kept for n in (p.name, p.name + ".meta.json"))
    assert prune_downloads(tmp_path, 2) == []


def test_what_is_not_ours_stays(server: FakeScryfall, client: ScryfallClient, tmp_path: Path) -> None:
    ours = fetch(server, client, tmp_path, 1)
    others = {
        "cards.db": b"a database",
        "mine.jsonl.gz": b"no note",
        "other.jsonl.gz": b"a note of another program",
        "other.jsonl.gz.meta.json": b'{"format": "something else", "updated_at": "2020-01-01T00:00:00Z"}',
        "broken.gz.meta.json": b"{",
        "big.partial": b"no note",
    }
    for name, content in others.items():
        (tmp_path / name).write_bytes(content)
    assert prune_downloads(tmp_path, 0) == [ours]
    assert names(tmp_path) == sorted(others)


def test_partial_files_go_when_a_newer_file_is_there(
    server: FakeScryfall, client: ScryfallClient, tmp_path: Path
) -> None:
    fetch(server, client, tmp_path, 2)
    for day in (1, 3):
        server.publish("oracle_cards", bulk_gzip(300, seed=day), updated_at=datetime(2026, 9, day, 9, tzinfo=UTC))
        server.misbehave("file", Fault(cut_after=HALF))
        with pytest.raises(IncompleteDownload):
            download(client.bulk_entry(), tmp_path, client=client, attempts=1)
    [removed] = prune_downloads(tmp_path, 1)
    assert removed.name == "oracle-cards-20260901090000.jsonl.gz.partial"
    assert [n for n in names(tmp_path) if "partial" in n] == [
        "oracle-cards-20260903090000.jsonl.gz.partial",
        "oracle-cards-20260903090000.jsonl.gz.partial.json",
    ]


def test_a_note_whose_file_is_gone(server: FakeScryfall, client: ScryfallClient, tmp_path: Path) -> None:
    gone, kept = fetch(server, client, tmp_path, 2), fetch(server, client, tmp_path, 1)
    gone.unlink()
    assert prune_downloads(tmp_path, 1) == []
    assert names(tmp_path) == [kept.name, kept.name + ".meta.json"]


def test_an_absent_folder_and_a_negative_number(tmp_path: Path) -> None:
    assert prune_downloads(tmp_path / "absent", 1) == []
    with pytest.raises(ValueError, match="0 or more"):
        prune_downloads(tmp_path, -1)


def test_a_file_that_can_not_be_removed(
    server: FakeScryfall, client: ScryfallClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch(server, client, tmp_path, 1)

    def refuse(self: Path, missing_ok: bool = False) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(DownloadError, match=r"can't remove .*: Permission denied"):
        prune_downloads(tmp_path, 0)
