"""`kill -9` at random moments of a sync, and a look at what is left each time.

    python tools/kill_sync.py [--kills 200] [--cards 3000] [--seed 1]

Three kinds of run take turns: into a new database, from one pool to the next, and the same with an upgrade of the
schema before. After each kill the database must open, be whole (integrity, references, full-text index) and show
exactly the pool before or the pool after; no process may stay behind; and the next sync must reach the pool after.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from indexer.storage.engine import open_engine
from indexer.storage.migrate import HEAD, current_revision
from tests.support.pools import raw_card
from tests.support.runs import connected, dump, is_sound, write_records

ROOT = Path(__file__).resolve().parent.parent
COMMAND = [sys.executable, "-P", "-m", "indexer", "sync", "--quiet", "--from-file"]
ORPHANS_SECONDS = 5.0

Pool = dict[str, list[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Scene:
    """One kind of run."""

    name: str
    start: Path | None
    """The database that it begins with; None: none."""
    before: Pool | None
    after: Pool
    seconds: float
    """How long it takes when nobody stops it."""


def pool_records(cards: int, generation: int) -> Iterator[dict[str, Any]]:
    """A pool of which a third of the cards differs from one generation to the next, and a few come and go."""
    for number in range(generation, cards + generation):
        text = f"Draw {number} cards." if number % 3 else f"Draw {number + generation} cards."
        yield raw_card(f"Card {number}", "{1}{G}", text=text, cmc=2.0, colors=["G"], color_identity=["G"])


def environment(folder: Path) -> dict[str, str]:
    """Settings by which the command works in this folder."""
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "INDEXER_DATA_DIR": str(folder),
        "INDEXER_DATABASE_URL": f"sqlite:///{folder / 'cards.db'}",
    }


def sync(folder: Path, file: Path) -> float:
    """A whole run; the seconds it took."""
    started = time.monotonic()
    subprocess.run([*COMMAND, str(file)], env=environment(folder), check=True)
    return time.monotonic() - started


def pool_in(folder: Path) -> Pool | None:
    """What the database holds; None if it holds no pool."""
    if not (folder / "cards.db").exists():
        return None
    with connected(folder) as connection:
        return dump(connection) if current_revision(connection) else None


def kill_at(folder: Path, file: Path, moment: float) -> None:
    """Start a run and kill its process that many seconds later; its workers are left to notice by themselves."""
    process = subprocess.Popen(
        [*COMMAND, str(file)], env=environment(folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    time.sleep(moment)
    children = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
    process.send_signal(signal.SIGKILL)
    process.wait()
    _, alive = psutil.wait_procs(children, timeout=ORPHANS_SECONDS)
    if alive:
        raise AssertionError(f"{len(alive)} worker processes stayed behind")


def look(folder: Path, scene: Scene) -> str:
    """Which pool is there: `before` or `after`. Anything else raises."""
    database = folder / "cards.db"
    if database.exists() and (problems := is_sound(database)):
        raise AssertionError(f"the database is not sound: {problems}")
    pool = pool_in(folder)
    if pool == scene.after:
        return "after"
    if pool == scene.before or _upgraded_only(folder, pool, scene):
        return "before"
    raise AssertionError("a mixture of both pools")


def _upgraded_only(folder: Path, pool: Pool | None, scene: Scene) -> bool:
    """Whether only the schema is newer: tables that came with it are empty or hold what the upgrade put there."""
    if pool is None or scene.before is None:
        return False
    with connected(folder) as connection:
        if current_revision(connection) != HEAD:
            return False
    return all(pool[table] == rows for table, rows in scene.before.items())


def make_scenes(folder: Path, old: Path, new: Path) -> list[Scene]:
    """The kinds of run, each played through once."""
    base = folder / "base"
    base.mkdir()
    sync(base, old)
    before = pool_in(base)
    older = folder / "older"
    shutil.copytree(base, older)
    _downgrade(older)
    before_upgrade = pool_in(older)
    scenes = []
    for name, start, state in (("new", None, None), ("update", base, before), ("upgrade", older, before_upgrade)):
        work = folder / f"whole-{name}"
        shutil.copytree(start, work) if start else work.mkdir()
        seconds = sync(work, new)
        after = pool_in(work)
        assert after is not None
        scenes.append(Scene(name, start, state, after, seconds))
    return scenes


def _downgrade(folder: Path) -> None:
    from alembic import command

    from indexer.storage.migrate import alembic_config

    config = alembic_config()
    engine = open_engine(f"sqlite:///{folder / 'cards.db'}")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "0001")
    engine.dispose()


def run(kills: int, cards: int, seed: int, tell: Callable[[str], None] = print) -> Counter[str]:
    """Kill so many runs; what was found after each.

    Raises:
        AssertionError: a database that is not sound, a mixture, a process that stayed, a next run that fails.
    """
    rng = random.Random(seed)
    results: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        old = write_records(folder / "old.jsonl.gz", pool_records(cards, 0))
        new = write_records(folder / "new.jsonl.gz", pool_records(cards, 1))
        scenes = make_scenes(folder, old, new)
        tell(", ".join(f"{scene.name} takes {scene.seconds:.2f} s" for scene in scenes))
        for number in range(kills):
            scene = scenes[number % len(scenes)]
            work = folder / "work"
            shutil.rmtree(work, ignore_errors=True)
            shutil.copytree(scene.start, work) if scene.start else work.mkdir()
            moment = rng.uniform(0.0, scene.seconds * 1.1)
            kill_at(work, new, moment)
            found = look(work, scene)
            sync(work, new)
            if look(work, scene) != "after" and not _same_cards(pool_in(work), scene.after):
                raise AssertionError("the next run did not reach the new pool")
            left = [path.name for path in work.iterdir() if path.name not in ("cards.db", "cards.db.lock")]
            if any(not entry.startswith("cards.db.before-") for entry in left):
                raise AssertionError(f"files stayed behind: {left}")
            results[f"{scene.name}: {found}"] += 1
            if (number + 1) % 20 == 0:
                tell(f"{number + 1} kills: {dict(sorted(results.items()))}")
    return results


def _same_cards(pool: Pool | None, wanted: Pool) -> bool:
    return pool is not None and [row["name"] for row in pool["cards"]] == [row["name"] for row in wanted["cards"]]


def main() -> int:
    """Kill, and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--cards", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    results = run(arguments.kills, arguments.cards, arguments.seed)
    print(f"{sum(results.values())} kills, 0 bad databases: {dict(sorted(results.items()))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
