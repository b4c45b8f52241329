"""Published values made wrong at random, so that a sync can be asked to find every one of them.

    python tools/falsify.py CARDS.jsonl[.gz] FALSE.jsonl [--count 300] [--seed 1]

A value can be found wrong only where the source publishes it and the rules give it: a token's colors are given, what
the engine calls undecided proves nothing, and of a record that was cut down a card of no cost may have lost its color
indicator, so that no color there is wrong for sure. From all other places those that are made wrong are drawn evenly,
at most one a card. A place that is wrong already is left alone, or the count would not tell anything.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from indexer.errors import NormalizeError
from indexer.normalize.card import normalize_record
from indexer.recompute import Recomputer
from indexer.records import CardRecord
from indexer.rules.card_colors import may_have_indicator
from indexer.rules.derivation import Decision
from indexer.scryfall.reader import iter_records
from indexer.scryfall.rejected import RejectedRecord

FIELDS = {"mana_value": "cmc", "colors": "colors", "color_identity": "color_identity", "produced_mana": "produced_mana"}
"""A field of the table of mismatches, and the key of a record that publishes it."""

_ORACLE_ID = re.compile(rb'"oracle_id":\s*"([^"]+)"')
_LETTERS = {"produced_mana": "WUBRGC"}


class Place(NamedTuple):
    """One published value."""

    oracle_id: str
    face_index: int | None
    field: str


def places(raw_records: Iterable[dict[str, Any]]) -> tuple[list[Place], int]:
    """Every place whose value can be found wrong, and how many published values the rules can say nothing about."""
    found: list[Place] = []
    beyond = 0
    records = list(raw_records)
    unsure = {oracle_id_of(raw) for raw in records if _may_have_lost_an_indicator(raw)}
    for record in computed(records):
        card = record.card
        wrong = {(row.face_index, row.field) for row in record.mismatches}
        for field in FIELDS:
            if getattr(card, f"published_{field}") is None:
                continue
            of_color = field in ("colors", "color_identity") and card.oracle_id in unsure
            if of_color or getattr(card, f"{field}_decision") != Decision.DERIVED.value:
                beyond += 1
            elif (None, field) not in wrong:
                found.append(Place(card.oracle_id, None, field))
        if len(record.faces) > 1:
            undecided = {row.face_index for row in record.undecided}
            for face in record.faces:
                if face.published_colors is None:
                    continue
                if card.object_kind != "card" or face.face_index in undecided or card.oracle_id in unsure:
                    beyond += 1
                elif (face.face_index, "colors") not in wrong:
                    found.append(Place(card.oracle_id, face.face_index, "colors"))
    return found, beyond


def _may_have_lost_an_indicator(raw: dict[str, Any]) -> bool:
    try:
        card = normalize_record(raw)
    except NormalizeError:
        return False
    return not card.is_whole and any(may_have_indicator(face) for face in card.card.faces)


def computed(raw_records: Iterable[dict[str, Any]]) -> Iterator[CardRecord]:
    """What the engine makes of the records that can be stored."""
    recomputer = Recomputer()
    for number, raw in enumerate(raw_records, 1):
        try:
            record = recomputer.process(raw, number)
        except NormalizeError:
            continue
        if record is not None:
            yield record
    for _, result in recomputer.finish():
        if isinstance(result, CardRecord):
            yield result


def draw(choice: Sequence[Place], count: int, rng: random.Random) -> list[Place]:
    """Some of the places, no two of one card."""
    shuffled = list(choice)
    rng.shuffle(shuffled)
    drawn: dict[str, Place] = {}
    for place in shuffled:
        if len(drawn) == count:
            break
        drawn.setdefault(place.oracle_id, place)
    return list(drawn.values())


def falsified(
    raw_records: Iterable[dict[str, Any]], wanted: Iterable[Place], rng: random.Random
) -> Iterator[dict[str, Any]]:
    """The records, those of the wanted places with another value there."""
    by_card = {place.oracle_id: place for place in wanted}
    for raw in raw_records:
        place = by_card.get(oracle_id_of(raw))
        yield raw if place is None else _with_false_value(raw, place, rng)


def oracle_id_of(raw: dict[str, Any]) -> str:
    """The oracle id of a record, wherever it stands."""
    return str(raw.get("oracle_id") or raw["card_faces"][0]["oracle_id"])


def _with_false_value(raw: dict[str, Any], place: Place, rng: random.Random) -> dict[str, Any]:
    key = FIELDS[place.field]
    if place.face_index is not None:
        faces = [dict(face) for face in raw["card_faces"]]
        faces[place.face_index][key] = _another(place.field, faces[place.face_index][key], rng)
        return raw | {"card_faces": faces}
    return raw | {key: _another(place.field, raw[key], rng)}


def _another(field: str, value: Any, rng: random.Random) -> Any:
    if field == "mana_value":
        return value + rng.choice([1, 2, -1] if value >= 1 else [1, 2])
    letters = set(value)
    # Never to nothing: a list of no mana would be a missing one.
    toggled = rng.choice([letter for letter in _LETTERS.get(field, "WUBRG") if letters != {letter}])
    return sorted(letters ^ {toggled})


def load(path: Path, every: int = 1) -> list[dict[str, Any]]:
    """The records of a bulk file, without its bad lines; of every Nth oracle id only, the same ids in every file."""
    return [
        item.parse()
        for item in iter_records(path)
        if not isinstance(item, RejectedRecord) and (every == 1 or _lot(item.data) % every == 0)
    ]


def _lot(data: bytes) -> int:
    match = _ORACLE_ID.search(data)
    return zlib.crc32(match[1]) if match else 0


def main() -> int:
    """Write a falsified copy of a file and tell what was done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    records = load(arguments.source)
    choice, beyond = places(records)
    drawn = draw(choice, arguments.count, rng)
    with arguments.target.open("wb") as target:
        for raw in falsified(records, drawn, rng):
            target.write(orjson.dumps(raw) + b"\n")
    print(f"{len(drawn)} of {len(choice)} values made wrong; {beyond} more are given or undecided by the rules")
    for place in sorted(drawn):
        print(*(part for part in place if part is not None))
    return 0


if __name__ == "__main__":
    sys.exit(main())
