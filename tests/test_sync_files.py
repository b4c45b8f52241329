"""The whole run over files: every shape of file, bad records, mismatches, gates, acceptances."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest
from sqlalchemy import select

from indexer.batches import Origin, RowBatch
from indexer.errors import (
    ConfigError,
    GateRefused,
    IndexerError,
)
from indexer.records import CardRecord
from indexer.storage.models import Card, Mismatch, RejectedRecord
from indexer.sync import STANDARD_INPUT, Sync, SyncOptions
from tests.support.pools import raw_card
from tests.support.runs import connected, is_sound, jsonl, settings_in, sync_records, write_records
from tests.support.sample_pool import sample_records
from tests.support.small_runs import ACCEPTED, BEAR, ELK, WRONG, last_run, pool

# --- from a file --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["jsonl", "json", "jsonl.gz", "json.gz"])
def test_every_shape_of_file(tmp_path: Path, kind: str) -> None:
    content = jsonl(sample_records())
    if "jsonl" not in kind:
        content = json.dumps(sample_records(), indent=2).encode()
    path = tmp_path / "cards.bin"  # the content tells, not the name
    path.write_bytes(gzip.compress(content) if kind.endswith("gz") else content)
    summary = Sync(settings_in(tmp_path), SyncOptions(from_file=path)).run()
    assert (summary.cards_added, summary.records_rejected) == (len(sample_records()), 0)


def test_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_records(tmp_path / "cards.jsonl", [BEAR])
    with path.open("rb") as stream:
        saved = os.dup(0)
        try:
            os.dup2(stream.fileno(), 0)
            summary = Sync(settings_in(tmp_path), SyncOptions(from_file=STANDARD_INPUT, workers=1)).run()
        finally:
            os.dup2(saved, 0)
            os.close(saved)
    assert summary.cards_added == 1
    assert summary.source is not None
    assert summary.source.address == "standard input"
    assert summary.source.size == path.stat().st_size
    assert sync_records(tmp_path, [BEAR]).outcome == "up_to_date", "the same bytes by name"


@pytest.mark.parametrize("workers", [0, 2])
def test_the_same_file_again_is_up_to_date_and_by_force_changes_no_row(tmp_path: Path, workers: int) -> None:
    sync_records(tmp_path, sample_records(), workers=workers)
    before = pool(tmp_path)
    assert sync_records(tmp_path, sample_records(), workers=workers).outcome == "up_to_date"
    assert sync_records(tmp_path, sample_records(), workers=workers, force=True).outcome == "stored"
    assert pool(tmp_path) == before


def test_the_order_of_the_file_makes_no_difference(tmp_path: Path) -> None:
    pools = []
    for name, records in (("a", sample_records()), ("b", sample_records()[::-1])):
        folder = tmp_path / name
        folder.mkdir()
        sync_records(folder, records)
        pools.append(pool(folder))
    assert pools[0] == pools[1]


def test_bad_lines_are_kept_with_number_and_reason(tmp_path: Path) -> None:
    path = tmp_path / "cards.jsonl"
    path.write_bytes(jsonl([BEAR]) + b"{broken}\n\nno object\n" + jsonl([{"name": "Nobody"}, ELK]))
    summary = Sync(settings_in(tmp_path), SyncOptions(from_file=path)).run()
    assert (summary.records_read, summary.records_rejected, summary.cards_added) == (5, 3, 2)
    with connected(tmp_path) as connection:
        rows = connection.execute(select(RejectedRecord.__table__).order_by(RejectedRecord.line_number)).all()
        assert [row.line_number for row in rows] == [2, 4, 5]
        assert all(row.reason for row in rows)
        assert rows[1].raw == "no object"


def test_an_array_on_one_line(tmp_path: Path) -> None:
    """All its elements have the same line number, those that are rejected and those that wait for their fronts too."""
    melded = [record for record in sample_records() if record["layout"] == "meld"]
    assert len(melded) > 2
    path = tmp_path / "cards.json"
    path.write_text(json.dumps([{"name": "Nobody"}, *melded, {"name": "Nowhere"}, 5]))
    summary = Sync(settings_in(tmp_path), SyncOptions(from_file=path)).run()
    assert (summary.records_rejected, summary.cards_added) == (3, len(melded))
    with connected(tmp_path) as connection:
        rows = connection.execute(select(RejectedRecord.__table__).order_by(RejectedRecord.nth)).all()
        assert [(row.line_number, row.nth) for row in rows] == [(1, 1), (1, 2), (1, 3)]
        names = set(connection.scalars(select(Card.name)))
    assert names == {record["name"] for record in melded}


def test_new_cards_without_legalities(tmp_path: Path) -> None:
    bare = [raw_card(name) for name in ("Bare", "Barer")]
    for record in bare:
        del record["legalities"]
    assert sync_records(tmp_path, bare[:1]).cards_added == 1
    assert sync_records(tmp_path, bare).cards_added == 1
    assert pool(tmp_path)["legalities"] == []


def test_a_file_of_nothing_but_bad_lines_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GateRefused, match="3 of 3 records were rejected"):
        sync_records(tmp_path, [{"name": "Nobody"}] * 3)


@pytest.mark.parametrize("content", [None, b"<html>" * 1000, b"\x1f\x8b\x08broken", b'[{"name": "Bear"}'])
def test_a_file_that_is_none(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "cards.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(IndexerError) as caught:
        Sync(settings_in(tmp_path), SyncOptions(from_file=path)).run()
    assert "\n" not in str(caught.value)


def test_an_empty_file_fills_no_pool(tmp_path: Path) -> None:
    with pytest.raises(GateRefused, match=r"the file holds no records at all.*--allow-shrink"):
        sync_records(tmp_path, [])
    assert sync_records(tmp_path, [], allowed=frozenset({"shrink"})).cards_total == 0


def test_a_refusal_tells_what_was_wrong_with_the_first_record(tmp_path: Path) -> None:
    with pytest.raises(GateRefused, match="because of: line 1: field 'name' is missing"):
        sync_records(tmp_path, [{"object": "error", "status": 404}])


def test_an_empty_file_does_not_empty_the_pool(tmp_path: Path) -> None:
    sync_records(tmp_path, [BEAR, ELK])
    with pytest.raises(GateRefused, match="from 2 to 0 cards"):
        sync_records(tmp_path, [])


def test_melded_cards_follow_their_fronts(tmp_path: Path) -> None:
    parts = [
        {"object": "related_card", "id": "a", "component": "meld_part", "name": "Left"},
        {"object": "related_card", "id": "b", "component": "meld_part", "name": "Right"},
        {"object": "related_card", "id": "c", "component": "meld_result", "name": "Whole"},
    ]
    left = raw_card("Left", "{2}", "Artifact", layout="meld", cmc=2.0, all_parts=parts)
    right = raw_card("Right", "{3}", "Artifact", layout="meld", cmc=3.0, all_parts=parts)
    whole = raw_card("Whole", "", "Artifact", layout="meld", cmc=5.0, all_parts=parts)
    assert sync_records(tmp_path, [left, right, whole]).mismatches_open == {}
    left |= {"mana_cost": "{4}", "cmc": 4.0}
    summary = sync_records(tmp_path, [left, right, whole])
    assert summary.mismatches_open == {"mana_value": 1}, "the whole is worth 7 now"
    assert summary.cards_changed == 2
    whole |= {"cmc": 7.0}
    assert sync_records(tmp_path, [left, right, whole]).mismatches_resolved == 1


# --- mismatches, gates, acceptances -------------------------------------------------------------------------------


def test_mismatches_open_stay_resolve_and_come_back(tmp_path: Path) -> None:
    assert sync_records(tmp_path, [WRONG, ELK]).mismatches_new == 1
    assert sync_records(tmp_path, [WRONG, ELK | {"oracle_text": "x"}]).mismatches_open == {"mana_value": 1}
    summary = sync_records(tmp_path, [BEAR, ELK])
    assert (summary.mismatches_resolved, summary.mismatches_open) == (1, {})
    assert sync_records(tmp_path, [WRONG]).mismatches_reopened == 1
    summary = sync_records(tmp_path, [ELK])
    assert (summary.cards_removed, summary.mismatches_resolved) == (1, 1)
    with connected(tmp_path) as connection:
        row = connection.execute(select(Mismatch.__table__)).one()
        assert (row.first_seen_run_id, row.last_seen_run_id, row.resolved_run_id, row.reopened_run_id) == (1, 4, 5, 4)


def test_a_pool_that_would_shrink_is_kept(tmp_path: Path) -> None:
    many = [raw_card(f"Card {number}") for number in range(40)]
    sync_records(tmp_path, many)
    before = pool(tmp_path)
    path = write_records(tmp_path / "few.jsonl", many[:20])
    run = Sync(settings_in(tmp_path), SyncOptions(from_file=path))
    with pytest.raises(GateRefused, match=r"from 40 to 20 cards .*run again with --allow-shrink"):
        run.run()
    assert run.summary.outcome == "refused"
    assert pool(tmp_path) == before
    with connected(tmp_path) as connection:
        assert last_run(connection).outcome == "refused"
    summary = Sync(settings_in(tmp_path), SyncOptions(from_file=path, allowed=frozenset({"shrink"}))).run()
    assert summary.cards_removed == 20
    with connected(tmp_path) as connection:
        assert "allowed by --allow-shrink" in last_run(connection).warnings


def test_a_field_that_vanishes_is_noticed(tmp_path: Path) -> None:
    many = [raw_card(f"Card {number}", rarity="rare") for number in range(25)]
    sync_records(tmp_path, many)
    for record in many:
        del record["rarity"]
    with pytest.raises(GateRefused, match=r"no card has the field 'rarity' any more \(25 had it\)"):
        sync_records(tmp_path, many)


def test_unknown_layouts_and_symbols_warn_and_go_on(tmp_path: Path) -> None:
    strange = raw_card("Strange", "{1}{Ω}", layout="mobius", cmc=1.0)
    summary = sync_records(tmp_path, [BEAR, strange])
    assert summary.outcome == "stored"
    assert [warning.split(":")[0] for warning in summary.warnings] == [
        "unknown layout 'mobius'",
        "unknown symbol '{Ω}'",
    ]
    assert sum(summary.undecided.values()) > 0
    with connected(tmp_path) as connection:
        assert set(connection.scalars(select(Mismatch.category))) <= {"undecided"}


def test_acceptances_are_applied_even_if_nothing_is_new(tmp_path: Path) -> None:
    accepted = tmp_path / "accepted.toml"
    sync_records(tmp_path, [WRONG], accepted_file=accepted)
    accepted.write_text(ACCEPTED)
    summary = sync_records(tmp_path, [WRONG], accepted_file=accepted)
    assert summary.outcome == "up_to_date"
    assert len(summary.accepted) == 1
    assert summary.mismatches_open == {}
    assert sync_records(tmp_path, [WRONG, ELK], accepted_file=accepted).mismatches_open == {}
    accepted.unlink()
    summary = sync_records(tmp_path, [WRONG, ELK], accepted_file=accepted)
    assert summary.mismatches_open == {"mana_value": 1}
    accepted.write_text("[[accept]]\n")
    with pytest.raises(ConfigError, match="'card' is missing"):
        sync_records(tmp_path, [WRONG, ELK], accepted_file=accepted)


def test_a_card_that_the_database_will_not_have_is_rejected_and_the_rest_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the normalizer had let a record pass that it should not have: the second card's name is missing."""
    add = RowBatch.add

    def add_without_name(batch: RowBatch, record: CardRecord, origin: Origin) -> None:
        add(batch, record, origin)
        if record.card.name == "Card 7":
            batch.cards[-1] = (*batch.cards[-1][:2], None, *batch.cards[-1][3:])

    monkeypatch.setattr(RowBatch, "add", add_without_name)
    monkeypatch.setattr("indexer.pipeline.plan.CHUNK_ENTRIES", 5)
    many = [raw_card(f"Card {number}") for number in range(30)]
    for _ in range(2):
        summary = sync_records(tmp_path, many, force=True)
        assert (summary.records_rejected, summary.cards_total) == (1, 29)
    with connected(tmp_path) as connection:
        reasons = set(connection.scalars(select(RejectedRecord.reason)))
    assert reasons == {"the database won't have it: NOT NULL constraint failed: cards.name"}
    assert is_sound(tmp_path / "cards.db") == []
