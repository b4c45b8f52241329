"""The sync proved on real records, against a local server that gives what Scryfall gives.

    python tools/prove_sync.py [--shared DIR] [--every N] [--false 300] [--seed 1]

Five nights: a first export (the first record of each oracle id in the shared corpus), the same again, a newer one in
which the snapshot of 2026 takes the place of its older twins, one with published values made wrong at random, and the
good one again. After each night the pool is held against what it must be; the first difference ends it with status 1.
`--every N` takes each Nth oracle id only, for a quick look.
"""

from __future__ import annotations

import argparse
import datetime as dt
import gzip
import json
import os
import random
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from indexer.config import Settings
from indexer.summary import SyncSummary
from indexer.sync import Sync, SyncOptions
from tests.support.fake_scryfall import UPDATED_AT, FakeScryfall
from tests.support.runs import connected, dump, is_sound, jsonl
from tools.falsify import Place, draw, falsified, load, oracle_id_of, places

CORPUS = ("scryfall-oracle-real", "mtgjson-derived", "scryfall-trimmed-2026", "mtgjson-2026-single-faced")
NEWER = "scryfall-trimmed-2026"

Raw = dict[str, Any]


class NotProved(Exception):
    """Something is not as it must be."""


@dataclass
class Proof:
    """The five nights in one folder."""

    folder: Path
    server: FakeScryfall
    tell: Callable[[str], None] = print
    nights: int = 0
    figures: dict[str, int] = field(default_factory=dict)

    def night(self, title: str, records: Sequence[Raw] | None) -> SyncSummary:
        """Publish an export (None: there is no newer one), sync, and tell what happened."""
        self.nights += 1
        if records is not None:
            moment = UPDATED_AT + dt.timedelta(days=self.nights)
            self.server.publish("oracle_cards", gzip.compress(jsonl(records), 6), updated_at=moment)
        self.server.requests.clear()
        database = self.folder / "cards.db"
        settings = Settings(f"sqlite:///{database}", self.server.api_url, self.folder)
        summary = Sync(settings, SyncOptions()).run()
        self.tell(f"\n{self.nights}. {title}")
        for line in summary.lines():
            self.tell(f"   {line}")
        problems = is_sound(database)
        require(not problems, f"the database is not sound: {problems}")
        return summary

    def pool(self) -> dict[str, list[dict[str, Any]]]:
        """Every row that a run need not change."""
        with connected(self.folder) as connection:
            return dump(connection)

    def open_places(self) -> set[Place]:
        """Where a mismatch is open."""
        rows = self.pool()["mismatches"]
        return {Place(row["oracle_id"], row["face_index"], row["field"]) for row in rows if row["status"] == "open"}


def require(fact: bool, words: str) -> None:
    """Go on only if it is so."""
    if not fact:
        raise NotProved(words)


def first_of_each_id(files: Iterable[Sequence[Raw]]) -> list[Raw]:
    """The first record of each oracle id."""
    found: dict[str, Raw] = {}
    for records in files:
        for raw in records:
            found.setdefault(oracle_id_of(raw), raw)
    return list(found.values())


def prove(proof: Proof, corpus: dict[str, list[Raw]], *, false_values: int, seed: int) -> None:
    """Go through the nights.

    Raises:
        NotProved: by the first thing that is not as it must be.
    """
    rng = random.Random(seed)
    records = first_of_each_id(corpus.values())
    first = proof.night(f"A first export of {len(records)} records", records)
    require(first.cards_added + first.records_rejected == len(records), "every record is stored or rejected")
    proof.figures |= {"records": len(records), "rejected": first.records_rejected, "mismatches": first.mismatches_new}
    before = proof.pool()

    again = proof.night("The same again", None)
    require(again.outcome == "up_to_date", "nothing newer is up to date")
    require([seen.place for seen in proof.server.requests] == ["catalogue"], "nothing is downloaded")
    require(proof.pool() == before, "no row changes")

    newer = {oracle_id_of(raw): raw for raw in corpus[NEWER]}
    replaced = [newer.get(oracle_id_of(raw), raw) for raw in records]
    changed = {oracle_id_of(new) for old, new in zip(records, replaced, strict=True) if old is not new}
    third = proof.night(f"A newer export: {len(changed)} records of 2026 take their older twins' place", replaced)
    require(third.cards_changed <= len(changed), "no more cards change than were replaced")
    require(third.cards_added == third.cards_removed == 0, "none comes or goes")
    after = proof.pool()
    for table in before:
        kept, now = (
            [row for row in rows[table] if "oracle_id" in row and row["oracle_id"] not in changed]
            for rows in (before, after)
        )
        if table not in ("mismatches", "card_changes"):
            require(kept == now, f"rows of {table} that belong to other cards are as they were")
    told = {row["oracle_id"] for row in after["card_changes"]}
    require(told <= changed, "only replaced cards have changes")
    require(len(told) == third.cards_changed, "each changed card has its changes told")
    proof.figures |= {
        "replaced": len(changed),
        "changed": third.cards_changed,
        "field changes": len(after["card_changes"]),
    }

    choice, beyond = places(replaced)
    wrong = set(draw(choice, false_values, rng))
    known = proof.open_places()
    fourth = proof.night(
        f"{len(wrong)} of {len(choice)} published values made wrong ({beyond} more are given or undecided)",
        list(falsified(replaced, wrong, rng)),
    )
    found = proof.open_places() - known
    require(found >= wrong, f"every false value is found, these are not: {sorted(wrong - found, key=repr)[:5]}")
    require(found == wrong, f"nothing else is found, but: {sorted(found - wrong, key=repr)[:5]}")
    require(fourth.cards_changed == len(wrong), "only the falsified cards change")
    proof.figures |= {"falsified": len(wrong), "found": len(found & wrong), "found besides": len(found - wrong)}

    fifth = proof.night("The good export again", replaced)
    require(proof.open_places() == known, "all of them are resolved")
    require(fifth.mismatches_resolved == len(wrong), "all of them are counted as resolved")
    proof.figures["resolved"] = fifth.mismatches_resolved
    last = proof.pool()
    for table in ("cards", "card_faces", "mana_values", "face_symbols", "legalities", "keywords"):
        good, now = (
            [{k: v for k, v in row.items() if k != "last_changed_run_id"} for row in rows[table]]
            for rows in (after, last)
        )
        require(good == now, f"{table} is what it was before")


def load_corpus(shared: Path, every: int = 1) -> dict[str, list[Raw]]:
    """The records of the corpus by file; of every Nth oracle id only, with all its twins."""
    return {name: load(shared / "corpus" / f"{name}.jsonl.gz", every) for name in CORPUS}


def main() -> int:
    """Prove it, or tell what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = os.environ.get("INDEXER_SHARED") or Path(__file__).resolve().parents[2] / "shared"
    parser.add_argument("--shared", type=Path, default=Path(default))
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--false", type=int, default=300, dest="false_values")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    os.environ["no_proxy"] = "127.0.0.1"
    corpus = load_corpus(arguments.shared, arguments.every)
    with tempfile.TemporaryDirectory() as folder, FakeScryfall() as server:
        proof = Proof(Path(folder), server)
        try:
            prove(proof, corpus, false_values=arguments.false_values, seed=arguments.seed)
        except NotProved as error:
            print(f"\nNOT PROVED: {error}")
            return 1
    print("\nProved:", json.dumps(proof.figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
