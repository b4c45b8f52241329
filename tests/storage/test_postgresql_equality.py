"""The same syncs into SQLite and PostgreSQL give the same rows in every table and view, and say the same to people."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import Engine, text

from indexer.cli import cli
from indexer.storage.engine import open_engine
from indexer.summary import SyncSummary
from tests.support.pools import raw_card
from tests.support.runs import sync_records
from tests.support.sample_pool import sample_records
from tools.compare_databases import compare_pools
from tools.falsify import draw, falsified, load, oracle_id_of, places

pytestmark = [pytest.mark.corpus, pytest.mark.postgresql]

EVERY = 10
"""Of the corpus, each so-many-th oracle id is taken; of the layouts that this leaves out, one each."""

WRONG_VALUES = 60
ALLOWED = frozenset({"mismatches", "shrink", "fields"})
STRANGE_IN_TEXT = "quotes ' \" and a back\\slash, a\ttab, two\nlines, \\N, Æther, 龍, 🐉"
CURVE = "SELECT * FROM mana_curve ORDER BY format, colors NULLS FIRST, mana_value NULLS FIRST"
MOMENT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:[\d.]+\+00:00"

Raw = dict[str, Any]


def corpus_nights(shared: Path) -> Iterator[list[Raw]]:
    """Three exports: some values wrong; newer records, some gone, some in another order; and everything back again."""
    rng = random.Random(5)
    records: dict[str, Raw] = {}
    layouts: set[str] = set()
    for raw in load(shared / "corpus" / "scryfall-oracle-real.jsonl.gz", EVERY):
        records.setdefault(oracle_id_of(raw), raw)
        layouts.add(raw["layout"])
    for raw in load(shared / "corpus" / "scryfall-oracle-real.jsonl.gz"):
        if raw["layout"] not in layouts:
            layouts.add(raw["layout"])
            records[oracle_id_of(raw)] = raw
    newer = {oracle_id_of(raw): raw for raw in load(shared / "corpus" / "scryfall-trimmed-2026.jsonl.gz", EVERY)}
    good = [*records.values(), raw_card("Strange", "{1}{Ω}", text=STRANGE_IN_TEXT, layout="mobius", cmc=1.5)]
    wrong = draw(places(good)[0], WRONG_VALUES, rng)
    yield [*falsified(good, wrong, rng), {"object": "card", "name": "No identity"}]
    second = [newer.get(oracle_id_of(raw), raw) for number, raw in enumerate(good) if number % 40]
    rng.shuffle(second)
    yield [*second, *second[:2], *(raw for key, raw in newer.items() if key not in records)]
    yield good


@pytest.fixture
def engines(tmp_path: Path, postgresql_url: str) -> Iterator[list[Engine]]:
    opened = [open_engine(f"sqlite:///{tmp_path / 'cards.db'}"), open_engine(postgresql_url)]
    yield opened
    for engine in opened:
        engine.dispose()


def url_of(engine: Engine) -> str:
    return engine.url.render_as_string(hide_password=False)


def differences(engines: list[Engine]) -> dict[str, Any]:
    first, second = engines
    with first.connect() as ours, second.connect() as theirs:
        return {
            compared.name: (compared.only_first[:2], compared.only_second[:2])
            for compared in compare_pools(ours, theirs)
            if not compared.same
        }


def told(engine: Engine, *arguments: str) -> str:
    """What a command prints, without the moments of the runs."""
    result = CliRunner().invoke(cli, [*arguments, "--database-url", url_of(engine)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return re.sub(MOMENT, "(a moment)", result.output)


def test_three_nights_give_the_same_rows(shared_dir: Path, engines: list[Engine], tmp_path: Path) -> None:
    summaries: list[SyncSummary] = []
    for number, records in enumerate(corpus_nights(shared_dir), 1):
        both = [
            sync_records(tmp_path, records, database_url=url_of(engine), allowed=ALLOWED, workers=number % 2)
            for engine in engines
        ]
        assert both[0].warnings == both[1].warnings
        assert differences(engines) == {}, f"night {number}"
        summaries.append(both[0])
    first, second, third = summaries
    assert first.cards_added > 1500
    assert first.mismatches_new >= WRONG_VALUES
    assert (first.records_rejected, second.records_rejected) == (1, 2)
    assert second.cards_changed > WRONG_VALUES
    assert second.cards_removed > 20
    assert second.mismatches_resolved >= WRONG_VALUES / 2
    assert third.cards_restored > 20
    with engines[1].connect() as connection:
        assert connection.scalar(text("SELECT oracle_text FROM cards WHERE name = 'Strange'")) == STRANGE_IN_TEXT
    for command in (
        ("report", "--status", "all", "--format", "csv"),
        ("changes", "--since", "1", "--format", "csv"),
        ("search", "id<=wu t:creature mv<=3", "--format", "csv"),
        ("query", CURVE, "--format", "csv"),
    ):
        ours, theirs = (told(engine, *command) for engine in engines)
        assert ours.splitlines() == theirs.splitlines(), command
        assert len(ours.splitlines()) > 5, command


def test_a_difference_is_seen(engines: list[Engine], tmp_path: Path) -> None:
    """The comparison is no proof if it can't fail."""
    for engine in engines:
        sync_records(tmp_path, sample_records(), database_url=url_of(engine))
    assert differences(engines) == {}
    with engines[1].begin() as connection:
        connection.execute(
            text("UPDATE cards SET reserved = NOT reserved WHERE search_id = 1 AND reserved IS NOT NULL")
        )
        connection.execute(text("UPDATE cards SET released_at = released_at + 1 WHERE search_id = 2"))
        connection.execute(text("DELETE FROM legalities WHERE oracle_id = (SELECT max(oracle_id) FROM legalities)"))
        connection.execute(text("UPDATE mana_values SET mana_value = mana_value + 0.5 WHERE mana_value = 1"))
    assert {"cards", "legalities", "mana_values"} <= differences(engines).keys()
