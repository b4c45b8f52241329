"""A few kills and a few nights with readers; `tools/kill_sync.py` and `tools/soak_sync.py` do it at length."""

from __future__ import annotations

from tools import kill_sync, soak_sync


def test_a_killed_sync_leaves_the_old_pool_or_the_new_one() -> None:
    results = kill_sync.run(kills=6, cards=400, seed=3, tell=lambda _line: None)
    assert sum(results.values()) == 6


def test_readers_see_one_pool_at_a_time_and_do_not_wait() -> None:
    watch = soak_sync.run(syncs=6, cards=200, readers=2, seed=3, tell=lambda _line: None)
    assert watch.wrong == []
    assert watch.looks > 20
    assert len(watch.seen) > 1
