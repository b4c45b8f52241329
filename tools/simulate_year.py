"""How much the history weighs: a year of nightly syncs of a pool that changes as the real one does.

    python tools/simulate_year.py                     # a tenth of the real pool, 365 nights: some minutes
    python tools/simulate_year.py --cards 38600 --nights 30

The pool is made of clones of the sample cards. Rates are those of the whole export of 38,600 objects in a year, scaled
to the size of the pool. Rules texts: half of 11,000 cards differ between snapshots of 2019 and 2026, which is 8 % a
year. The others are estimates on the high side: a quarter of all cards is shown by another printing after a year of new
sets, rotations and bans touch a tenth in some formats. The popularity rank moves every night for every card.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import random
import sqlite3
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from indexer.config import Settings
from indexer.gates import GATES
from indexer.sync import Sync, SyncOptions

SAMPLE = Path(__file__).resolve().parent.parent / "data" / "sample-cards.jsonl"
FIRST_NIGHT = dt.datetime(2026, 1, 1, 10, 30, tzinfo=dt.UTC)
REAL_POOL = 38_600
NEW_CARDS = 3_600
REMOVED_CARDS = 40

Record = dict[str, Any]
Change = Callable[[Record, random.Random], None]


def _text(record: Record, rng: random.Random) -> None:
    for face in record.get("card_faces", [record]):
        face["oracle_text"] = f"{face.get('oracle_text', '')}\nAs of update {rng.randrange(10_000)}, scry 1."


def _printing(record: Record, rng: random.Random) -> None:
    number = rng.randrange(100_000)
    record["id"] = str(uuid.UUID(int=rng.getrandbits(128)))
    record["set"], record["set_name"] = f"s{number % 40:02}", f"Set Number {number % 40}"
    record["collector_number"], record["rarity"] = str(number % 400), rng.choice(("common", "rare", "mythic"))
    record["released_at"] = (FIRST_NIGHT.date() + dt.timedelta(days=number % 365)).isoformat()
    record["scryfall_uri"] = f"https://scryfall.example.test/card/{record['set']}/{number % 400}"


def _legality(record: Record, rng: random.Random) -> None:
    for name in ("standard", "alchemy", "brawl"):
        record.setdefault("legalities", {})[name] = rng.choice(("legal", "not_legal", "banned"))


def _related(record: Record, rng: random.Random) -> None:
    number = rng.randrange(10_000)
    part = {"object": "related_card", "id": str(uuid.UUID(int=rng.getrandbits(128))), "component": "combo_piece"}
    record["all_parts"] = [*record.get("all_parts", []), {**part, "name": f"Token {number}", "type_line": "Token"}]


def _keywords(record: Record, rng: random.Random) -> None:
    record["keywords"] = [*record.get("keywords", []), f"Ability {rng.randrange(10_000)}"]


def _published(record: Record, rng: random.Random) -> None:
    if "cmc" in record:
        record["cmc"] = float(rng.randrange(10))


CHANGES_A_YEAR: tuple[tuple[Change, int], ...] = (
    (_text, 3_100),
    (_printing, 9_700),
    (_legality, 3_900),
    (_related, 1_500),
    (_keywords, 600),
    (_published, 40),
)


def clones(number: int, first: int = 0) -> Iterator[Record]:
    """So many records, each of its own name and id, made of the sample's in turn."""
    sample = [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
    for place in range(first, first + number):
        record = json.loads(json.dumps(sample[place % len(sample)]))
        identity = str(uuid.uuid5(uuid.NAMESPACE_URL, f"clone {place}"))
        record["name"] = f"{record['name']} {place}"
        for holder in (record, *record.get("card_faces", [])):
            if "oracle_id" in holder:
                holder["oracle_id"] = identity
        yield record


def change_pool(records: list[Record], share: float, made: int, rng: random.Random) -> int:
    """One night: some cards change, some come, some go, every rank moves. How many have been made in all."""

    def times(a_year: float) -> int:
        exact = a_year * share
        return int(exact) + (rng.random() < exact % 1)

    for change, a_year in CHANGES_A_YEAR:
        for _ in range(times(a_year)):
            change(rng.choice(records), rng)
    for _ in range(times(REMOVED_CARDS)):
        records.pop(rng.randrange(len(records)))
    new = times(NEW_CARDS)
    records.extend(clones(new, made))
    for record in records:
        record["edhrec_rank"] = rng.randrange(40_000)
    return made + new


def sync_night(folder: Path, records: list[Record], night: int) -> None:
    """Write the night's export and sync it."""
    path = folder / "export.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    settings = Settings(f"sqlite:///{folder / 'cards.db'}", "http://127.0.0.1:9", folder)
    options = SyncOptions(from_file=path, allowed=frozenset(gate.name for gate in GATES))
    Sync(settings, options, now=lambda: FIRST_NIGHT + dt.timedelta(days=night)).run()


def size_of(database: Path) -> tuple[int, int, int]:
    """Bytes of the whole database without its free pages, bytes of the tables of history, and lines of history."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        pages, free, size = (
            connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
        )
        (lines,) = connection.execute("SELECT count(*) FROM card_changes").fetchone()
        try:
            (history,) = connection.execute(
                "SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name LIKE '%card_changes%' OR name LIKE 'sync_runs%'"
            ).fetchone()
        except sqlite3.OperationalError:  # this SQLite was built without that table
            history = 0
    return (pages - free) * size, history, lines


def main() -> None:
    """Run the nights and print what the database weighs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cards", type=int, default=REAL_POOL // 10)
    parser.add_argument("--nights", type=int, default=365)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    records = list(clones(options.cards))
    made = options.cards
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sync_night(folder, records, 0)
        first, _, _ = size_of(folder / "cards.db")
        print(f"night 0: {len(records):,} cards, {first / 1e6:.1f} MB")
        for night in range(1, options.nights + 1):
            made = change_pool(records, options.cards / REAL_POOL / 365, made, rng)
            sync_night(folder, records, night)
            if night % 30 == 0 or night == options.nights:
                size, history, lines = size_of(folder / "cards.db")
                print(
                    f"night {night}: {len(records):,} cards, {size / 1e6:.1f} MB ({size / first:.2f} times the first), "
                    f"history {lines:,} lines, {history / 1e6:.1f} MB",
                    flush=True,
                )


if __name__ == "__main__":
    main()
