"""How many cards a second the rules engine values on one core, and what the stages around it take.

usage: python -m benchmarks.engine [--cards 20000]

Needs the shared reference data. Run by hand; nothing here is a test.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable, Sequence
from itertools import islice
from typing import TypeVar

import orjson

from benchmarks.bench import corpus_records, shared_dir
from indexer.normalize.card import normalize_record
from indexer.recompute import build_record
from indexer.rules.evaluate import evaluate

T = TypeVar("T")
R = TypeVar("R")


def best_of_three(name: str, function: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """Time a function over all items and print it; the results of the last round."""
    seconds = float("inf")
    for _ in range(3):
        started = time.perf_counter()
        results = [function(item) for item in items]
        seconds = min(seconds, time.perf_counter() - started)
    print(f"| {name} | {len(items) / seconds:,.0f} | {seconds / len(items) * 1e6:.1f} |")
    return results


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cards", type=int, default=20_000)
    arguments = parser.parse_args()
    lines = [orjson.dumps(record) for record in islice(corpus_records(shared_dir()), arguments.cards)]
    # As in a sync: what is made holds no cycles, and the collector would look through all of it again and again.
    gc.disable()
    print(f"{len(lines):,} different cards, one core, best of three\n")
    print("| stage | cards a second | microseconds a card |\n|---|--:|--:|")
    raw = best_of_three("parse JSON", orjson.loads, lines)
    cards = best_of_three("normalize", normalize_record, raw)
    best_of_three("evaluate: every value of card and faces", lambda card: evaluate(card.card), cards)
    best_of_three("evaluate, compare, lay out all rows", build_record, cards)


if __name__ == "__main__":
    main()
