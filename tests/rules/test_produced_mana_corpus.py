"""Produced mana against what is published, over every record of the shared corpus."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.normalize.card import NormalizedCard, normalize_record
from indexer.rules.card import Face
from indexer.rules.colors import MANA_LETTERS, ManaTypes
from indexer.rules.produced_mana import (
    ManaReading,
    face_produced_mana,
    reading_of,
    written_mana,
)

pytestmark = pytest.mark.corpus

WITH_PUBLISHED = ("scryfall-oracle-real", "mtgjson-derived")
ALL = (*WITH_PUBLISHED, "scryfall-trimmed-2026", "mtgjson-2026-single-faced")


def lines_of(shared_dir: Path, names: tuple[str, ...]) -> Iterator[bytes]:
    for name in names:
        with gzip.open(shared_dir / "corpus" / f"{name}.jsonl.gz") as lines:
            yield from lines


@pytest.fixture(scope="module")
def published(shared_dir: Path) -> list[NormalizedCard]:
    lines = lines_of(shared_dir, WITH_PUBLISHED)
    return [normalize_record(json.loads(line)) for line in lines if b'"produced_mana"' in line]


def test_every_difference_from_what_is_published_has_a_name(published: list[NormalizedCard]) -> None:
    readings: Counter[ManaReading] = Counter()
    no_mana: list[str] = []
    for record in published:
        letters = record.published_produced_mana or ""
        if not set(letters) <= set(MANA_LETTERS):
            no_mana.append(letters)
            continue
        types = ManaTypes.from_letters(letters)
        reading = reading_of(record.card, types)
        assert reading is not None, (record.card.name, letters, written_mana(record.card))
        readings[reading] += 1
        # What is published is always what the whole text says, so the other readings are one practice.
        assert written_mana(record.card, any_type_as_colors=True) == types, record.card.name
    assert no_mana == ["T"], "a funny card adds {T}, which is no type of mana"
    assert readings[ManaReading.OWN] > 6 * readings[ManaReading.WRITTEN] > 0
    assert readings[ManaReading.WRITTEN_COLORS] == 3


def test_the_practice_holds_for_new_records_without_the_field(shared_dir: Path) -> None:
    """A record that has `keywords` is newer than the field, but for one of the months between the two."""
    unpublished = []
    for line in lines_of(shared_dir, WITH_PUBLISHED[:1]):
        if b'"keywords"' in line and b'"produced_mana"' not in line:
            card = normalize_record(json.loads(line)).card
            if written_mana(card) and not any("ouble the amount" in (face.rules_text or "") for face in card.faces):
                unpublished.append(card.name)
    assert len(unpublished) <= 1, unpublished


def test_no_text_of_the_corpus_is_undecided(shared_dir: Path) -> None:
    seen: set[tuple[str, str]] = set()
    undecided: list[str] = []
    with_mana = 0
    for line in lines_of(shared_dir, ALL):
        raw = json.loads(line)
        for face in raw.get("card_faces") or [raw]:
            text, type_line = face.get("oracle_text"), face.get("type_line") or raw.get("type_line") or ""
            if text is None or (text, type_line) in seen:
                continue
            seen.add((text, type_line))
            found = face_produced_mana(Face(face["name"], "", type_line, text))
            if found.value is None:
                undecided.append(f"{face['name']}: {found.reason}")
            with_mana += bool(found.value)
    assert undecided == []
    assert with_mana > 2000
