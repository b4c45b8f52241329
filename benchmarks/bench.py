"""How long the program takes beside a plain script that does far less, on the same full-size file, in one run.

usage: python -m benchmarks.bench [--runs 5] [--records 38634] [--growth] [--postgresql URL|start] [--only NAME …]

Needs the shared reference data (its `bench/floor.py` is the unit, `bench/make_bulk.py` makes the file). Every line is
the median of several whole processes; memory is the highest sum over the process and its children. Run by hand on a
quiet machine: nothing here is a test.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import psutil

from tests.support.servers import find_server_programs, fresh_database, running_server

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "benchmarks" / "work"
SAMPLE_SECONDS = 0.02
PYTHON = sys.executable


@dataclass(frozen=True, slots=True)
class Measured:
    """One contender: medians over the runs."""

    name: str
    seconds: float
    peak_mb: float


@dataclass(frozen=True, slots=True)
class Contender:
    """A command to measure, and what puts things in order before each run."""

    name: str
    command: Sequence[str]
    prepare: Callable[[], None] = lambda: None


def shared_dir() -> Path:
    """The folder of the shared reference data."""
    path = Path(os.environ.get("INDEXER_SHARED") or ROOT.parent / "shared")
    if not (path / "bench" / "floor.py").is_file():
        sys.exit(f"no reference data at {path}: set INDEXER_SHARED")
    return path


def corpus_records(shared: Path) -> Iterator[dict[str, object]]:
    """The first record of each oracle id in the whole corpus; those without an id of a printing get one."""
    seen = set()
    for path in sorted(
        (shared / "corpus").glob("*.jsonl.gz"), key=lambda p: (not p.name.startswith("scryfall"), p.name)
    ):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                oracle_id = record.get("oracle_id") or record["card_faces"][0]["oracle_id"]
                if oracle_id not in seen:
                    seen.add(oracle_id)
                    record.setdefault("id", str(uuid.uuid5(uuid.NAMESPACE_URL, oracle_id)))
                    yield record


def make_file(shared: Path, records: int, *, change: float = 0.0) -> Path:
    """A bulk file of this many records, made once and kept."""
    WORK.mkdir(parents=True, exist_ok=True)
    seed = WORK / "seed.jsonl"
    if not seed.exists():
        with seed.open("w", encoding="utf-8") as out:
            for record in corpus_records(shared):
                out.write(json.dumps(record, ensure_ascii=False) + "\n")
    name = WORK / f"bulk-{records}{f'-{change:g}' if change else ''}.jsonl.gz"
    if not name.exists():
        command = [PYTHON, str(shared / "bench" / "make_bulk.py"), str(seed), str(records), str(name)]
        subprocess.run([*command, *(["--change", str(change)] if change else [])], check=True)
    return name


def newer_copy(path: Path) -> Path:
    """The same records in a file of other bytes: what a night without changes brings."""
    copy = path.with_name(path.name.replace(".jsonl.gz", "-again.jsonl.gz"))
    if not copy.exists():
        with gzip.open(path, "rb") as source, gzip.open(copy, "wb", compresslevel=5) as out:
            shutil.copyfileobj(source, out)
    return copy


def measure_once(command: Sequence[str]) -> tuple[float, float]:
    """Seconds and peak megabytes of one run of a command with all its children."""
    started = time.perf_counter()
    with (WORK / "output.txt").open("w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        watched = psutil.Process(process.pid)
        peak = 0
        while process.poll() is None:
            peak = max(peak, tree_memory(watched))
            time.sleep(SAMPLE_SECONDS)
    seconds = time.perf_counter() - started
    if process.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{(WORK / 'output.txt').read_text()}")
    return seconds, peak / 1e6


def tree_memory(process: psutil.Process) -> int:
    """Bytes that a process and its children hold, shared pages counted once."""
    total = 0
    with suppress(psutil.Error):
        for member in (process, *process.children(recursive=True)):
            with suppress(psutil.Error):
                total += member.memory_full_info().pss
    return total


def measure(contender: Contender, runs: int) -> Measured:
    """The medians of several runs, each from the same start."""
    seconds, peaks = [], []
    for _ in range(runs):
        contender.prepare()
        taken, peak = measure_once(contender.command)
        seconds.append(taken)
        peaks.append(peak)
    return Measured(contender.name, statistics.median(seconds), max(peaks))


def remove_database(path: Path) -> None:
    """Take a database away, with what lies beside it."""
    for suffix in ("", "-wal", "-shm", ".lock"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def contenders(shared: Path, records: int, postgresql: str | None) -> list[Contender]:
    """Everything that is measured, the floor first."""
    full, changed = make_file(shared, records), make_file(shared, records, change=0.01)
    again = newer_copy(full)
    floor_db, ours, filled, other = (WORK / f"{name}.db" for name in ("floor", "ours", "filled", "other"))

    def sync(file: Path, url: str) -> list[str]:
        return [PYTHON, "-m", "indexer", "sync", "--from-file", str(file), "--database-url", url, "--quiet"]

    def fresh(path: Path) -> Callable[[], None]:
        return lambda: remove_database(path)

    def refill() -> None:
        """Our database as the first sync left it."""
        if not filled.exists():
            remove_database(ours)
            subprocess.run(sync(full, f"sqlite:///{ours}"), check=True, stdout=subprocess.DEVNULL)
            remove_database(filled)
            subprocess.run(["sqlite3", str(ours), f"VACUUM INTO '{filled}'"], check=True)
        remove_database(ours)
        shutil.copyfile(filled, ours)

    remove_database(filled)
    plain = WORK / "plain.jsonl"
    if not plain.exists():
        with gzip.open(full, "rb") as source, plain.open("wb") as out:
            shutil.copyfileobj(source, out)
    url = f"sqlite:///{ours}"
    listed = [
        Contender("floor", [PYTHON, str(shared / "bench" / "floor.py"), str(full), str(floor_db)], fresh(floor_db)),
        Contender("first sync", sync(full, url), fresh(ours)),
        Contender("nightly, 1 % changed", sync(changed, url), refill),
        Contender("new file, nothing changed", sync(again, url), refill),
        Contender("same file again", sync(full, url), refill),
        Contender("indexer --help", [PYTHON, "-m", "indexer", "--help"]),
    ]
    if postgresql:
        listed += [
            Contender("PostgreSQL, first sync", sync(full, postgresql), lambda: empty_postgresql(postgresql)),
            Contender("PostgreSQL, nothing changed", sync(again, postgresql), lambda: forget_file(postgresql)),
        ]
    if utils_program := shutil.which("sqlite-utils", path=str(Path(PYTHON).parent)):
        utils = [utils_program, "insert", str(other), "cards", str(plain), "--nl", "--pk", "id", "--alter"]
        listed.append(Contender("sqlite-utils insert", utils, fresh(other)))
    reading = f"read_json('{full}', format='newline_delimited', maximum_object_size=1000000)"
    query = f"create table cards as select * from {reading}"
    script = f"import duckdb; duckdb.connect({str(other)!r}).execute({query!r})"
    listed.append(Contender("DuckDB read_json", [PYTHON, "-c", script], fresh(other)))
    if shutil.which("jq") and shutil.which("sqlite3"):
        columns = '[.oracle_id, .name, .mana_cost, .cmc, .type_line, .oracle_text, (.color_identity | join(""))] | @csv'
        pipe = (
            f"gzip -dc {full} | jq -r '{columns}' > {WORK}/cards.csv && sqlite3 {other} "
            "'create table cards(oracle_id, name, mana_cost, cmc, type_line, oracle_text, color_identity)' "
            f"'.import --csv {WORK}/cards.csv cards'"
        )
        listed.append(Contender("jq + sqlite3", ["sh", "-c", pipe], fresh(other)))
    return listed


def empty_postgresql(url: str) -> None:
    """Drop everything that an earlier run left in this database."""
    import sqlalchemy

    engine = sqlalchemy.create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE")
        connection.exec_driver_sql("CREATE SCHEMA public")
    engine.dispose()


def forget_file(url: str) -> None:
    """Let the pool not know which file it comes from, so that the same one is looked through again."""
    import sqlalchemy

    engine = sqlalchemy.create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE sync_runs SET sha256 = NULL")
    engine.dispose()


def growth(shared: Path, records: int, runs: int) -> Iterator[tuple[int, Measured]]:
    """First syncs of the file at several sizes."""
    database = WORK / "growth.db"
    for factor in (1, 5, 10, 14):
        file = make_file(shared, records * factor)
        command = [PYTHON, "-m", "indexer", "sync", "--from-file", str(file), "--quiet"]
        command += ["--database-url", f"sqlite:///{database}"]
        yield records * factor, measure(Contender(f"{factor} x", command, lambda: remove_database(database)), runs)
        remove_database(database)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--records", type=int, default=38_634)
    parser.add_argument("--growth", action="store_true", help="the curve over file sizes instead")
    parser.add_argument(
        "--postgresql", metavar="URL", help="an empty database of a real server; start: a server for now"
    )
    parser.add_argument("--only", nargs="*", metavar="NAME", help="contenders whose name begins so; the floor always")
    arguments = parser.parse_args()
    shared = shared_dir()
    print(f"{date.today()}, {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")  # noqa: DTZ011
    if arguments.growth:
        print("| records | seconds | microseconds a record | peak MB |\n|--:|--:|--:|--:|")
        for count, measured in growth(shared, arguments.records, min(arguments.runs, 3)):
            each = measured.seconds / count * 1e6
            print(f"| {count:,} | {measured.seconds:.2f} | {each:.0f} | {measured.peak_mb:.0f} |", flush=True)
        return
    print(f"{arguments.records:,} records, median of {arguments.runs} whole processes\n")
    with ExitStack() as stack:
        postgresql = arguments.postgresql
        if postgresql == "start":
            programs = find_server_programs()
            if programs is None:
                sys.exit("no PostgreSQL server is installed here")
            postgresql = stack.enter_context(fresh_database(stack.enter_context(running_server(programs))))
        print_table(contenders(shared, arguments.records, postgresql), arguments.runs, arguments.only)


def print_table(listed: Sequence[Contender], runs: int, only: Sequence[str] | None) -> None:
    """Measure one contender after another, the floor first, and print a line each."""
    print("| what | seconds | x floor | peak MB |\n|---|--:|--:|--:|")
    floor = 0.0
    for contender in listed:
        wanted = not only or any(contender.name.startswith(name) for name in only)
        if contender.name != "floor" and not wanted:
            continue
        measured = measure(contender, runs)
        floor = floor or measured.seconds
        ratio = measured.seconds / floor
        print(f"| {measured.name} | {measured.seconds:.2f} | {ratio:.2f} | {measured.peak_mb:.0f} |", flush=True)


if __name__ == "__main__":
    main()
