"""The simulation of a year: it changes a pool at the rates it names, and what it weighs is the history."""

from __future__ import annotations

import random
from pathlib import Path

from tools.simulate_year import CHANGES_A_YEAR, NEW_CARDS, change_pool, clones, size_of, sync_night


def test_a_share_of_a_year_is_that_share_of_the_changes() -> None:
    records = list(clones(300))
    before = {record["name"]: repr({**record, "edhrec_rank": 0}) for record in records}
    made = change_pool(records, 1 / 20, 300, random.Random(1))
    changed = sum(before.get(record["name"]) not in (None, repr({**record, "edhrec_rank": 0})) for record in records)
    assert made - 300 == NEW_CARDS // 20
    assert changed > 250, "so many changes on so few cards leave few of them alone"
    assert sum(times for _, times in CHANGES_A_YEAR) // 20 > 250


def test_nights_add_history_and_little_else(tmp_path: Path) -> None:
    records = list(clones(101))
    sync_night(tmp_path, records, 0)
    first, _, lines = size_of(tmp_path / "cards.db")
    assert lines == 0
    rng, made = random.Random(1), 101
    for night in (1, 2):
        made = change_pool(records, 1 / 300, made, rng)
        sync_night(tmp_path, records, night)
    size, history, lines = size_of(tmp_path / "cards.db")
    assert lines > 50
    assert 0 <= history < size
    assert size < 1.5 * first
