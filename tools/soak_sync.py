"""Night after night in fast motion, with readers who never stop looking.

    python tools/soak_sync.py [--syncs 100] [--cards 1500] [--readers 2] [--seed 1]

Every file is another pool: each card's text names the file's number, some cards come and go, some values are wrong.
A reader takes one look after another, each in one transaction, and checks that everything that it sees is of one and
the same file: texts, faces, full-text index, number of cards, open mismatches.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.support.pools import raw_card
from tests.support.runs import is_sound, sync_records

PATIENCE_SECONDS = 5.0
"""How long the driver waits for a lock by default."""

FACES = (
    "SELECT count(*) FROM card_faces JOIN cards USING (oracle_id) "
    "WHERE removed_run_id IS NULL AND card_faces.oracle_text = 'file{}'"
)
FULL_TEXT = (
    "SELECT count(*) FROM cards_fts JOIN cards ON cards.search_id = cards_fts.rowid "
    "WHERE cards_fts MATCH 'file{}' AND removed_run_id IS NULL"
)


@dataclass(frozen=True, slots=True)
class Night:
    """What a reader must see after a file is stored."""

    number: int
    cards: int
    wrong: int


@dataclass
class Watch:
    """What the readers have seen."""

    nights: dict[int, Night] = field(default_factory=dict)
    looks: int = 0
    slowest: float = 0.0
    seen: set[int] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


def make_night(number: int, cards: int, rng: random.Random) -> tuple[Night, list[dict[str, Any]]]:
    """One file and what is true of it."""
    records = list(_records(number, cards, rng))
    wrong = sum(record["cmc"] != 2.0 for record in records)
    return Night(number, len(records), wrong), records


def _records(number: int, cards: int, rng: random.Random) -> Iterator[dict[str, Any]]:
    for card in range(cards):
        if card > 20 and rng.random() < 0.005:
            continue
        cmc = 3.0 if rng.random() < 0.01 else 2.0
        yield raw_card(f"Card {card}", "{1}{G}", text=f"file{number}", cmc=cmc, colors=["G"], color_identity=["G"])


def read(database: Path, watch: Watch, done: threading.Event, *, stays: bool) -> None:
    """Look until told to stop: as a service that stays connected and never waits, or as one command after another.

    A connection that is alone makes and clears away the shared index of the log, which takes the next one some
    milliseconds of waiting; one that is among others never waits.
    """
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=0 if stays else PATIENCE_SECONDS)
    while not done.is_set():
        started = time.monotonic()
        number = None
        try:
            problem, number = look(connection, watch)
        except sqlite3.Error as error:
            problem = f"{type(error).__name__}: {error}"
        connection.rollback()
        taken = time.monotonic() - started
        with watch.lock:
            watch.looks += 1
            watch.slowest = max(watch.slowest, taken)
            if number is not None:
                watch.seen.add(number)
            if problem:
                watch.wrong.append(problem)
        if not stays:
            connection.close()
            connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=PATIENCE_SECONDS)
    connection.close()


def look(connection: sqlite3.Connection, watch: Watch) -> tuple[str, int | None]:
    """One look: what is wrong with it, and the file that it shows."""
    connection.execute("BEGIN")
    texts = connection.execute("SELECT DISTINCT oracle_text FROM cards WHERE removed_run_id IS NULL").fetchall()
    if len(texts) != 1:
        return f"cards of several files at once: {texts[:3]}", None
    number = int(texts[0][0].removeprefix("file"))
    night = watch.nights[number]
    facts = {
        "cards": ("SELECT count(*) FROM cards WHERE removed_run_id IS NULL", night.cards),
        "mismatches": ("SELECT count(*) FROM mismatches WHERE status = 'open'", night.wrong),
        "faces": (FACES.format(number), night.cards),
        "full text": (FULL_TEXT.format(number), night.cards),
    }
    for name, (statement, wanted) in facts.items():
        (found,) = connection.execute(statement).fetchone()
        if found != wanted:
            return f"file {number} has {wanted} {name}, seen were {found}", number
    return "", number


def run(syncs: int, cards: int, readers: int, seed: int, tell: Callable[[str], None] = print) -> Watch:
    """Sync so often while the readers look."""
    rng = random.Random(seed)
    watch = Watch()
    done = threading.Event()
    allowed = frozenset({"mismatches", "shrink"})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        night, records = make_night(0, cards, rng)
        watch.nights[0] = night
        sync_records(folder, records)
        threads = [
            threading.Thread(
                target=read, args=(folder / "cards.db", watch, done), kwargs={"stays": place == 0}, daemon=True
            )
            for place in range(readers)
        ]
        for thread in threads:
            thread.start()
        started = time.monotonic()
        try:
            for number in range(1, syncs + 1):
                night, records = make_night(number, cards, rng)
                watch.nights[number] = night
                sync_records(folder, records, allowed=allowed, workers=rng.choice((0, 1)))
                if number % 10 == 0:
                    tell(f"{number} syncs, {watch.looks} looks, {len(watch.wrong)} wrong")
        finally:
            done.set()
            for thread in threads:
                thread.join()
        problems = is_sound(folder / "cards.db")
        if problems:
            watch.wrong += problems
        size = (folder / "cards.db").stat().st_size
        tell(f"{syncs} syncs in {time.monotonic() - started:.0f} s, the database has {size >> 20} MB")
    return watch


def main() -> int:
    """Soak, and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--syncs", type=int, default=100)
    parser.add_argument("--cards", type=int, default=1500)
    parser.add_argument("--readers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    watch = run(arguments.syncs, arguments.cards, arguments.readers, arguments.seed)
    for problem in watch.wrong[:10]:
        print("wrong:", problem)
    print(
        f"{watch.looks} looks, {len(watch.wrong)} wrong; files seen: {len(watch.seen)} of {len(watch.nights)}; "
        f"slowest look {watch.slowest * 1000:.0f} ms"
    )
    return 1 if watch.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
