"""Whatever the bytes, the reader gives the records that are there, and nothing but the project's own errors."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from typing import NamedTuple

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from indexer.errors import BulkFormatError
from indexer.scryfall.reader import RecordLine, iter_records

JsonObject = dict[str, object]

texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12) | st.sampled_from(
    ["{T}: Add {G}.", '}, {"object":"card"', "a\nb", '\\"', "[", "]", "\u2028", "\u202e", "\\u0000", ""]
)
values: st.SearchStrategy[object] = st.recursive(
    texts | st.integers(-(2**53), 2**53) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
records: st.SearchStrategy[JsonObject] = st.dictionaries(texts, values, max_size=4)

WRITERS: dict[str, Callable[[list[JsonObject]], str]] = {
    "lines": lambda rs: "".join(json.dumps(r) + "\n" for r in rs),
    "lines-unescaped": lambda rs: "\n".join(json.dumps(r, ensure_ascii=False, separators=(",", ":")) for r in rs),
    "array-by-line": lambda rs: "[\n" + ",\n".join(json.dumps(r, ensure_ascii=False) for r in rs) + "\n]\n",
    "array-one-line": lambda rs: json.dumps(rs),
    "array-compact": lambda rs: json.dumps(rs, ensure_ascii=False, separators=(",", ":")),
    "array-pretty": lambda rs: json.dumps(rs, indent=2),
    "array-indent-0": lambda rs: json.dumps(rs, indent=0, ensure_ascii=False),
    "array-tabs": lambda rs: json.dumps(rs, indent="\t") + "\n",
}


class Pieces(io.BytesIO):
    """A stream that gives at most `size` bytes at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        super().__init__(data)
        self._size = size

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(self._size if size is None or size < 0 else min(size, self._size))


@given(
    wanted=st.lists(records, max_size=5),
    write=st.sampled_from(list(WRITERS.values())),
    packed=st.booleans(),
    piece=st.integers(1, 200),
)
def test_array_lines_and_gzip_give_the_same_records(
    wanted: list[JsonObject], write: Callable[[list[JsonObject]], str], packed: bool, piece: int
) -> None:
    data = write(wanted).encode()
    items = list(iter_records(Pieces(gzip.compress(data, 1) if packed else data, piece)))
    assert all(isinstance(i, RecordLine) for i in items)
    assert [i.parse() for i in items if isinstance(i, RecordLine)] == wanted


def named(index: int) -> bytes:
    """A record that is like a card's, and recognisable."""
    card = {
        "object": "card",
        "name": f"Card {index}",
        "text": "{T}: Add {G}.\nIt's \u201cgood\u201d.",
        "cmc": 0.0,
        "faces": [{"name": "a"}, {"name": "b"}],
    }
    return json.dumps(card, ensure_ascii=False, separators=(",", ":")).encode()


@st.composite
def mutations(draw: st.DrawFn, data: bytes) -> tuple[bytes, int, int]:
    """The data with one stretch replaced, and the stretch (start, end)."""
    start = draw(st.integers(0, len(data)))
    end = min(len(data), start + draw(st.integers(0, 6)))
    put = draw(st.binary(max_size=6) | st.text('"\\{}[],:\n\r\t \0a1', max_size=4).map(str.encode))
    return data[:start] + put + data[end:], start, end


class Outcome(NamedTuple):
    good: list[object]
    """The names in the good records."""
    rejected: int
    refusal: str
    """Why the file was refused in the end; empty if it was not."""


def parse_all(data: bytes) -> Outcome:
    """What comes of a file. Any exception but the project's own escapes."""
    good: list[object] = []
    rejected = 0
    try:
        for item in iter_records(io.BytesIO(data)):
            try:
                if isinstance(item, RecordLine):
                    good.append(item.parse().get("name"))
                else:
                    rejected += 1
            except BulkFormatError:
                rejected += 1
    except BulkFormatError as e:
        return Outcome(good, rejected, str(e))
    return Outcome(good, rejected, "")


LINES = [named(i) for i in range(8)]
JSON_LINES = b"\n".join(LINES) + b"\n"
BY_LINE = b"[\n" + b",\n".join(LINES) + b"\n]\n"
COMPACT = b"[" + b",".join(LINES) + b"]"
PRETTY = json.dumps([json.loads(line) for line in LINES], indent=2).encode()


def untouched(data: bytes, start: int, end: int) -> list[str]:
    """Names of the records whose own line no byte of the stretch belongs to."""
    names, position = [], 0
    for line in data.split(b"\n"):
        line_end = position + len(line)
        if (end < position or start > line_end) and b'"name":"Card' in line:
            names.append(str(json.loads(line.strip(b"[],"))["name"]))
        position = line_end + 1
    return names


@settings(max_examples=300)
@given(st.data())
def test_a_mutation_costs_only_the_lines_it_touches(data: st.DataObject) -> None:
    source = data.draw(st.sampled_from([JSON_LINES, BY_LINE]))
    mutated, start, end = data.draw(mutations(source))
    outcome = parse_all(mutated)
    assume("not JSON Lines or a JSON array" not in outcome.refusal)  # the magic number of another format
    assume("gzip" not in outcome.refusal)  # likewise
    expected = untouched(source, start, end)
    first_element_touched = source is BY_LINE and "Card 0" not in expected
    assert [n for n in outcome.good if n in expected] == expected or (first_element_touched and outcome.refusal)


@settings(max_examples=300)
@given(st.data())
def test_a_mutation_of_a_pretty_array_costs_at_most_its_neighbours(data: st.DataObject) -> None:
    mutated, start, end = data.draw(mutations(PRETTY))
    outcome = parse_all(mutated)
    starts = [m for m in range(len(PRETTY)) if PRETTY.startswith(b"\n  {\n", m)]
    touched = {sum(s < position for s in starts) - 1 for position in (start, end)}
    near = {i + d for i in touched for d in (-1, 0, 1)}
    lost = {f"Card {i}" for i in range(8) if i not in near} - set(outcome.good)
    assert not lost or outcome.refusal or outcome.rejected > len(lost)  # never in silence


@settings(max_examples=200)
@given(st.data())
def test_no_mutation_escapes_as_a_foreign_exception(data: st.DataObject) -> None:
    packed = data.draw(st.sampled_from([gzip.compress(JSON_LINES), gzip.compress(BY_LINE) * 2, COMPACT, PRETTY, b""]))
    mutated, _, _ = data.draw(mutations(packed))
    parse_all(mutated)


@given(st.binary(max_size=200))
def test_no_bytes_at_all_escape_as_a_foreign_exception(data: bytes) -> None:
    parse_all(data)
    parse_all(b"[" + data)
    parse_all(b"\x1f\x8b\x08" + data)
