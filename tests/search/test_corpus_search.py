"""Real cards: what a search finds against what plain Python finds in the published records.

Cards whose published values our rules contradict, or can't decide, are left out: the search reads our values.
"""

from __future__ import annotations

import gzip
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from sqlalchemy import select

from indexer.search.compile import compile_search
from indexer.search.run import run_search
from indexer.storage.engine import open_engine
from indexer.storage.models import Card, Mismatch, UndecidedValue
from tests.support.sample_pool import fill_pool

pytestmark = pytest.mark.corpus

Raw = dict[str, Any]
EVERY = 12
"""Of the corpus, so that the test takes a few seconds."""
PERMANENTS = ("Artifact", "Battle", "Creature", "Enchantment", "Land", "Planeswalker")


def faces(raw: Raw) -> list[Raw]:
    return raw.get("card_faces") or [raw]


def sides(raw: Raw) -> list[set[str]]:
    return [set(raw["colors"])] if "colors" in raw else [set(face["colors"]) for face in raw["card_faces"]]


def mana_value(raw: Raw) -> float:
    value: float = raw.get("cmc", raw.get("card_faces", [{}])[0].get("cmc", 0))
    return value


def words(raw: Raw) -> str:
    # A few records have their line ends doubly escaped.
    return "\n//\n".join(face.get("oracle_text") or "" for face in faces(raw)).replace("\\n", "\n")


def plain(raw: Raw) -> str:
    return re.sub(r"\([^()]*\)", "\n", words(raw))


def types(raw: Raw) -> set[str]:
    return {word for face in faces(raw) for word in (face.get("type_line") or "").split()}


def cost(face: Raw) -> Counter[str]:
    counted: Counter[str] = Counter()
    for symbol in re.findall(r"\{([^}]*)\}", face.get("mana_cost") or ""):
        if symbol.isdigit():
            counted["generic"] += int(symbol)
        else:
            counted[symbol] += 1
    return counted


def has_cost(face: Raw) -> bool:
    return bool(face.get("mana_cost"))


def number(text: str | None) -> float | None:
    if text is None:
        return None
    match = re.match(r"[+-]?(\d+(\.\d+)?|\.\d+)", text)
    return float(match.group()) if match else 0.0


def stat(face: Raw, name: str) -> float:
    value = number(face.get(name))
    return float("nan") if value is None else value


def devotion(face: Raw, colors: str) -> int:
    if not any(name in (face.get("type_line") or "") for name in PERMANENTS):
        return 0
    return sum(
        1 for symbol in re.findall(r"\{([^}]*)\}", face.get("mana_cost") or "") if set(symbol.split("/")) & set(colors)
    )


ORACLE: list[tuple[str, Callable[[Raw], bool]]] = [
    ("c:r", lambda c: any("R" in s for s in sides(c))),
    ("c=ub", lambda c: any(s == {"U", "B"} for s in sides(c))),
    ("c<=gw", lambda c: any(s <= {"G", "W"} for s in sides(c))),
    ("c>w", lambda c: any(s > {"W"} for s in sides(c))),
    ("c>=3", lambda c: any(len(s) >= 3 for s in sides(c))),
    ("c:m", lambda c: any(len(s) >= 2 for s in sides(c))),
    ("id<=esper", lambda c: set(c["color_identity"]) <= set("WUB")),
    ("id=temur", lambda c: set(c["color_identity"]) == set("GUR")),
    ("id:c", lambda c: not c["color_identity"]),
    ("mv>=6", lambda c: mana_value(c) >= 6),
    ("mv:odd", lambda c: mana_value(c) % 2 == 1),
    ("mv=0.5", lambda c: mana_value(c) == 0.5),
    ("m:2WW", lambda c: any(cost(f)["generic"] >= 2 and cost(f)["W"] >= 2 for f in faces(c))),
    ("m=1G", lambda c: any(cost(f) == Counter(generic=1, G=1) for f in faces(c))),
    ("m<=3U", lambda c: any(has_cost(f) and cost(f) <= Counter(generic=3, U=1) for f in faces(c))),
    ("m>UU", lambda c: any(cost(f) > Counter(U=2) for f in faces(c))),
    ("m:{G/W}", lambda c: any(cost(f)["G/W"] >= 1 for f in faces(c))),
    ("m:x", lambda c: any(cost(f)["X"] >= 1 for f in faces(c))),
    ("devotion:{b}{b}{b}", lambda c: any(devotion(f, "B") >= 3 for f in faces(c))),
    ("devotion:{r/g}{r/g}", lambda c: any(devotion(f, "RG") >= 2 for f in faces(c))),
    ("pow>=7", lambda c: any(stat(f, "power") >= 7 for f in faces(c))),
    ("pow>tou", lambda c: any(stat(f, "power") > stat(f, "toughness") for f in faces(c))),
    ("tou=0", lambda c: any(stat(f, "toughness") == 0 for f in faces(c))),
    ("pt<=2", lambda c: any(stat(f, "power") + stat(f, "toughness") <= 2 for f in faces(c))),
    ("pow=*", lambda c: any("*" in (f.get("power") or "") for f in faces(c))),
    ("loy>=5", lambda c: any(stat(f, "loyalty") >= 5 for f in faces(c))),
    ("t:goblin", lambda c: "Goblin" in types(c)),
    ("t:god", lambda c: "God" in types(c)),
    ("t:legend t:elf", lambda c: {"Legendary", "Elf"} <= types(c)),
    ("t:gob", lambda c: any("gob" in word.lower() for word in types(c))),
    ("o:flying", lambda c: "flying" in plain(c).lower()),
    ('o:"target creature gets"', lambda c: "target creature gets" in plain(c).lower()),
    ('o:"draw a card"', lambda c: "draw a card" in plain(c).lower()),
    ('o:"{T}: Add {G}"', lambda c: "{t}: add {g}" in plain(c).lower()),
    ('o:"+1/+1 counter"', lambda c: "+1/+1 counter" in plain(c).lower()),
    ("fo:lifelink", lambda c: "lifelink" in words(c).lower()),
    (r"o:/\bdraws? (two|three) cards\b/", lambda c: bool(re.search(r"\bdraws? (two|three) cards\b", plain(c), re.I))),
    ("o:/^{T}: /", lambda c: bool(re.search(r"^\{T\}: ", plain(c), re.M | re.I))),
    (
        "is:hybrid",
        lambda c: bool(
            re.search(r"\{[WUBRGC2]/[WUBRG](/P)?\}", str([f.get("mana_cost") for f in faces(c)]) + words(c))
        ),
    ),
    ("is:reserved", lambda c: c.get("reserved") is True),
    ("is:vanilla", lambda c: "Creature" in types(c) and words(c) == ""),
    ("layout:split", lambda c: c["layout"] == "split"),
    ("r>=rare", lambda c: c.get("rarity") in ("rare", "special", "mythic", "bonus")),
    ("year<=1996", lambda c: (c.get("released_at") or "9") < "1997"),
    ("f:modern", lambda c: (c.get("legalities") or {}).get("modern") in ("legal", "restricted")),
    ("restricted:vintage", lambda c: (c.get("legalities") or {}).get("vintage") == "restricted"),
    ("kw:flying", lambda c: "Flying" in (c.get("keywords") or ())),
    ("fire", lambda c: "fire" in c["name"].lower()),
    ("-t:creature mv<2", lambda c: "Creature" not in types(c) and mana_value(c) < 2),
]


@pytest.fixture(scope="module")
def corpus(shared_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, dict[str, Raw]]:
    """A connection to a pool of real cards, and those of its records that the rules agree with."""
    records: dict[str, Raw] = {}
    with gzip.open(shared_dir / "corpus" / "scryfall-oracle-real.jsonl.gz", "rb") as lines:
        for place, line in enumerate(lines):
            raw = orjson.loads(line)
            if place % EVERY == 0 or "card_faces" in raw:
                records[raw.get("oracle_id") or raw["card_faces"][0]["oracle_id"]] = raw
    engine = fill_pool(f"sqlite:///{tmp_path_factory.mktemp('corpus')}/cards.db", records.values())
    engine.dispose()
    connection = open_engine(str(engine.url)).connect()
    for column in (Mismatch.oracle_id, UndecidedValue.oracle_id):
        for oracle_id in connection.scalars(select(column)):
            records.pop(oracle_id, None)
    return connection, records


@pytest.mark.parametrize(("expression", "holds"), ORACLE, ids=[expression for expression, _ in ORACLE])
def test_finds_what_plain_python_finds(
    corpus: tuple[Any, dict[str, Raw]], expression: str, holds: Callable[[Raw], bool]
) -> None:
    connection, records = corpus
    search = compile_search(f"{expression} include:extras", columns=[Card.oracle_id])
    found = {row.oracle_id for row in run_search(connection, search)} & records.keys()
    expected = {oracle_id for oracle_id, raw in records.items() if holds(raw)}
    assert {records[i]["name"] for i in found ^ expected} == set()
    assert len(records) > 1000
