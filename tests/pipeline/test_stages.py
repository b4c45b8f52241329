"""Laying records down, planning what to compute, computing it: alone and with workers."""

from __future__ import annotations

import io
import json
import os
import random
import signal
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import pytest

from indexer.batches import RowBatch
from indexer.errors import BulkFormatError, IndexerError, NormalizeError, StorageError
from indexer.pipeline import scan as scan_module
from indexer.pipeline import spool as spool_module
from indexer.pipeline.compute import compute
from indexer.pipeline.crew import Alone, Workers, hire
from indexer.pipeline.plan import make_plan
from indexer.pipeline.scan import record_hash, scan
from indexer.pipeline.spool import KEY_BYTES, Chunk, Scan, Spool, padded_key
from indexer.recompute import Recomputer
from indexer.records import CardRecord
from indexer.scryfall.types import RawRecord
from tests.support.pools import raw_card
from tests.support.runs import jsonl
from tests.support.sample_pool import SAMPLE, sample_records


class Known(NamedTuple):
    """A card as the pool knows it."""

    oracle_id: str
    record_hash: bytes | None
    search_id: int
    layout: str = "normal"


@pytest.fixture
def spool() -> Iterator[Spool]:
    with Spool.in_folder(None) as spool:
        yield spool


def laid_down(spool: Spool, content: bytes) -> Scan:
    return scan(io.BytesIO(content), spool)


def names(spool: Spool, chunks: Iterable[Chunk]) -> list[list[str]]:
    """The names of the records in each chunk."""
    return [[json.loads(spool.read_record(entry))["name"] for entry in spool.read_chunk(chunk)] for chunk in chunks]


def oracle_id(number: int) -> str:
    return str(UUID(int=number))


def numbered(number: int, **fields: Any) -> dict[str, Any]:
    """A record whose oracle id is that number."""
    return raw_card(f"Card {number}") | {"oracle_id": oracle_id(number)} | fields


def known_from(spool: Spool, runs: list[int]) -> list[Known]:
    """The pool that has exactly the records of a scan."""
    chunk = spool.append_chunk(list(spool.read_index(runs)))
    return [
        Known(entry.key.rstrip(b"\0").decode(), entry.record_hash, number, "meld" if entry.may_meld else "normal")
        for number, entry in enumerate(spool.read_chunk(chunk), 1)
    ]


# --- scan ---------------------------------------------------------------------------------------------------------


def test_every_record_is_laid_down_with_its_line_and_key(spool: Spool) -> None:
    lines = [json.dumps(numbered(2)).encode(), b"not JSON", json.dumps(numbered(1), separators=(",", ":")).encode()]
    found = laid_down(spool, b"\n".join(lines))
    assert (found.records, found.rejected) == (2, 1)
    assert found.rejections[0].line_number == 2
    (chunk,) = make_plan(spool, found.runs, ()).chunks
    first, second = spool.read_chunk(chunk)
    assert (first.line_number, second.line_number) == (3, 1)
    assert first.key == padded_key(oracle_id(1))
    assert [spool.read_record(entry) for entry in (first, second)] == [lines[2], lines[0]]


def test_the_index_is_sorted_however_many_runs_it_has(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool_module, "_RUN_ENTRIES", 7)
    monkeypatch.setattr(spool_module, "_READ_ENTRIES", 3)
    order = list(range(50))
    random.Random(1).shuffle(order)
    found = laid_down(spool, jsonl(map(numbered, order)))
    assert found.runs == [7] * 7 + [1]
    keys = [entry[:KEY_BYTES] for entry in spool.read_index(found.runs)]
    assert keys == [padded_key(oracle_id(number)) for number in range(50)]


def test_only_so_many_unreadable_lines_are_kept(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan_module, "MAX_REJECTIONS_KEPT", 3)
    found = laid_down(spool, jsonl([numbered(1)]) + b"x\n" * 10)
    assert (found.rejected, len(found.rejections)) == (10, 3)


def test_a_stream_is_hashed_as_it_comes(spool: Spool) -> None:
    content = jsonl([numbered(1)])
    found = scan(io.BytesIO(content), spool, wants_digest=True)
    assert found.size == len(content)
    assert found.sha256 == sha256(content).hexdigest()


def test_a_full_disk_is_a_storage_error(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(spool_module.SpoolWriter, "finish", full)
    with pytest.raises(StorageError, match="can't write temporary files: No space left on device"):
        laid_down(spool, jsonl([numbered(1)]))


def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"can't write temporary files in '.*none'"):
        Spool.in_folder(tmp_path / "none")


# --- hashes -------------------------------------------------------------------------------------------------------


def test_prices_do_not_matter_and_everything_else_does() -> None:
    record = {"name": "Bear", "prices": {"usd": "0.25", "eur": None}, "oracle_text": "Trample"}
    first = json.dumps(record, separators=(",", ":")).encode()
    assert record_hash(first.replace(b"0.25", b"0.31")) == record_hash(first)
    assert record_hash(first.replace(b"Trample", b"Reach")) != record_hash(first)
    assert record_hash(first.replace(b"Bear", b"Boar")) != record_hash(first)


def test_a_text_cannot_pass_for_prices() -> None:
    texts = ['"prices":{ one }', '"prices":{ two }']
    hashes = {record_hash(json.dumps({"oracle_text": text}, separators=(",", ":")).encode()) for text in texts}
    assert len(hashes) == 2


# --- plan ---------------------------------------------------------------------------------------------------------


def test_nothing_known_is_all_needed_in_order(spool: Spool) -> None:
    found = laid_down(spool, jsonl(numbered(number) for number in (3, 1, 2)))
    plan = make_plan(spool, found.runs, ())
    assert names(spool, plan.chunks) == [["Card 1", "Card 2", "Card 3"]]
    assert (plan.needed, list(plan.unchanged)) == (3, [])


def test_what_is_known_is_not_needed(spool: Spool) -> None:
    found = laid_down(spool, jsonl(numbered(number) for number in range(5)))
    known = known_from(spool, found.runs)
    plan = make_plan(spool, found.runs, known)
    assert (plan.chunks, plan.needed, list(plan.unchanged)) == ([], 0, [1, 2, 3, 4, 5])
    changed = [*known[:1], known[1]._replace(record_hash=b"another"), known[2]._replace(record_hash=None), *known[4:]]
    before_and_after = [Known("0", b"", 8), *changed, Known("f", b"", 9)]
    plan = make_plan(spool, found.runs, before_and_after)
    assert names(spool, plan.chunks) == [["Card 1", "Card 2", "Card 3"]]
    assert list(plan.unchanged) == [1, 5]


def test_the_second_record_of_an_id_is_needed_so_that_it_can_be_rejected(spool: Spool) -> None:
    found = laid_down(spool, jsonl([numbered(1), numbered(1)]))
    known = known_from(spool, found.runs)[:1]
    plan = make_plan(spool, found.runs, known)
    assert (plan.needed, list(plan.unchanged)) == (1, [1])


def test_chunks_have_a_size(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexer.pipeline.plan.CHUNK_ENTRIES", 2)
    found = laid_down(spool, jsonl(map(numbered, range(5))))
    assert [chunk.size for chunk in make_plan(spool, found.runs, ()).chunks] == [2, 2, 1]


@pytest.mark.parametrize("change", ["none", "changed", "gone", "came"])
def test_cards_that_meld_are_looked_at_all_or_none(spool: Spool, change: str) -> None:
    records = [numbered(1), *(numbered(number, layout="meld") for number in (2, 3, 4)), numbered(5)]
    found = laid_down(spool, jsonl(records))
    known = known_from(spool, found.runs)
    if change == "changed":
        known[2] = known[2]._replace(record_hash=b"another")
    elif change == "gone":
        known.append(Known("f", b"", 6, "meld"))
    elif change == "came":
        del known[3]
    plan = make_plan(spool, found.runs, known)
    needed = [] if change == "none" else [["Card 2", "Card 3", "Card 4"]]
    assert names(spool, plan.chunks) == needed
    assert sorted(plan.unchanged) == ([1, 2, 3, 4, 5] if change == "none" else [1, 5])


# --- compute ------------------------------------------------------------------------------------------------------


class Moody:
    """An engine that does as the records' names say."""

    def __init__(self) -> None:
        self.real = Recomputer()

    def process(self, raw: RawRecord, line_number: int) -> CardRecord | None:
        if raw["name"] == "Unfit":
            raise NormalizeError("has no sense")
        if raw["name"] == "Crash":
            raise ZeroDivisionError("division by \x1b[31mzero")
        return self.real.process(raw, line_number)

    def finish(self) -> Iterator[tuple[int, CardRecord | NormalizeError]]:
        yield from self.real.finish()


def computed(spool: Spool, content: bytes, engine: Any = Recomputer) -> RowBatch:
    """All records of a file in one batch."""
    chunk = spool.append_chunk(list(spool.read_index(laid_down(spool, content).runs)))
    return compute(spool, chunk, engine)


def test_one_record_harms_no_other(spool: Spool, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", "indexer")
    records = [numbered(1), numbered(2, name="Unfit"), numbered(3, name="Crash"), numbered(4)]
    batch = computed(spool, jsonl(records) + b'{"name": "broken", }\n', Moody)
    assert [card[2] for card in batch.cards] == ["Card 1", "Card 4"]
    reasons = {rejection.line_number: rejection.reason for rejection in batch.rejections}
    assert reasons.keys() == {2, 3, 5}
    assert reasons[2] == "has no sense"
    assert reasons[3] == r"unexpected ZeroDivisionError: division by \x1b[31mzero"
    assert reasons[5].startswith("not JSON")
    assert "line 3 can't be computed" in caplog.text


def test_two_records_of_one_id_make_one_card(spool: Spool) -> None:
    batch = computed(spool, jsonl([numbered(1), numbered(1, name="Twin")]))
    assert [card[2] for card in batch.cards] == ["Card 1"]
    assert [rejection.line_number for rejection in batch.rejections] == [2]
    assert "stands in the file twice" in batch.rejections[0].reason


def test_a_batch_survives_the_way_to_another_process(spool: Spool) -> None:
    batch = computed(spool, SAMPLE.read_bytes())
    assert RowBatch.load(batch.dump()) == batch


# --- crews --------------------------------------------------------------------------------------------------------


@contextmanager
def crew_of(kind: type, path: Path, spool: Spool) -> Iterator[Any]:
    """A crew of that kind at work on a file."""
    with path.open("rb", buffering=0) as source:
        crew = kind(source, spool, *(() if kind is Alone else (2,)), wants_digest=False)
        try:
            yield crew
        finally:
            crew.close()


def test_workers_do_what_one_process_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexer.pipeline.plan.CHUNK_ENTRIES", 9)
    path = tmp_path / "cards.jsonl"
    path.write_bytes(jsonl(sample_records()) + b"broken\n")
    results = []
    for kind in (Alone, Workers):
        with Spool.in_folder(tmp_path) as spool, crew_of(kind, path, spool) as crew:
            crew.reinforce()
            found = crew.scan()
            assert (found.records, found.rejected) == (len(sample_records()), 1)
            results.append(list(crew.compute(make_plan(spool, found.runs, ()).chunks)))
    assert len(results[0]) > 4
    assert results[0] == results[1]


def test_what_nobody_waited_for_is_not_taken_for_the_next_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexer.pipeline.plan.CHUNK_ENTRIES", 9)
    with Spool.in_folder(tmp_path) as spool, crew_of(Workers, SAMPLE, spool) as crew:
        plan = make_plan(spool, crew.scan().runs, ())
        with closing(crew.compute(plan.chunks)) as batches:
            first = next(batches)
        assert next(crew.compute(plan.chunks)) == first
        assert [len(batch.cards) for batch in crew.compute(plan.chunks)] == [chunk.size for chunk in plan.chunks]


def test_what_a_worker_raises_is_raised_here(tmp_path: Path, spool: Spool) -> None:
    path = tmp_path / "cards.jsonl.gz"
    path.write_bytes(b"\x1f\x8b broken")
    with crew_of(Workers, path, spool) as crew, pytest.raises(BulkFormatError, match="gzip") as caught:
        crew.scan()
    assert caught.value.exit_status == 4
    assert repr(str(path)) in str(caught.value), "it is known by its name, not by the number of its descriptor"


def test_a_stream_with_a_number_for_a_name_is_standard_input(tmp_path: Path, spool: Spool) -> None:
    path = tmp_path / "cards.jsonl.gz"
    path.write_bytes(b"\x1f\x8b broken")
    with os.fdopen(os.open(path, os.O_RDONLY), "rb", buffering=0) as source:
        crew = Workers(source, spool, 1, wants_digest=True)
        with closing(crew), pytest.raises(BulkFormatError, match="'standard input': gzip"):
            crew.scan()


def test_a_worker_that_is_killed_ends_the_run(spool: Spool) -> None:
    with crew_of(Workers, SAMPLE, spool) as crew:
        plan = make_plan(spool, crew.scan().runs, ())
        for worker in crew._workers:
            os.kill(worker._process.pid, signal.SIGKILL)
        with pytest.raises(IndexerError, match="a worker process was ended by signal 9"):
            list(crew.compute(plan.chunks))


def test_workers_are_gone_once_they_are_closed(spool: Spool) -> None:
    with crew_of(Workers, SAMPLE, spool) as crew:
        crew.reinforce()
        processes = [worker._process for worker in crew._workers]
    assert [process.returncode for process in processes] == [-signal.SIGKILL] * 2


def test_a_worker_takes_nothing_from_the_folder_that_the_user_is_in(
    tmp_path: Path, spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "indexer").mkdir()
    for name in ("indexer/__init__.py", "orjson.py", "hashlib.py"):
        (tmp_path / name).write_text("raise SystemExit('the wrong module')")
    monkeypatch.chdir(tmp_path)
    with crew_of(Workers, SAMPLE, spool) as crew:
        assert crew.scan().records == len(sample_records())


def test_a_small_file_needs_no_worker(tmp_path: Path, spool: Spool) -> None:
    with (tmp_path / "f").open("wb", buffering=0) as source:
        assert isinstance(hire(source, spool, source_bytes=1000), Alone)
        assert isinstance(hire(source, spool, size=0, source_bytes=None), Alone)
