"""Every format, and every way for one to be damaged, with what comes of it."""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, cast

import pytest

from indexer.errors import BulkFormatError
from indexer.scryfall.reader import RecordItem, RecordLine, RejectedRecord, iter_lines, iter_records, parse_record

ISLAND = {"name": "Island", "faces": [{"t": "a } , { b"}, {"t": 'quote " \\ and \u2014 dash'}], "cmc": 0.0}
FOREST = {"name": "Forest", "text": "({T}: Add {G}.)\nline", "parts": []}
SWAMP = {"name": "Swamp"}
RECORDS = [ISLAND, FOREST, SWAMP]


def one_line(record: object) -> bytes:
    return json.dumps(record, separators=(",", ":")).encode()


LINES = [one_line(r) for r in RECORDS]

FORMATS: dict[str, bytes] = {
    "lines": b"\n".join(LINES) + b"\n",
    "lines-no-last-newline": b"\n".join(LINES),
    "lines-crlf": b"\r\n".join(LINES) + b"\r\n",
    "lines-bom": b"\xef\xbb\xbf" + b"\n".join(LINES),
    "lines-two-files-with-bom-joined": b"\n".join([b"\xef\xbb\xbf" + LINES[0], b"\xef\xbb\xbf" + LINES[1], LINES[2]]),
    "lines-blank-between": b"\n\n  \n" + b"\n \t\n\n".join(LINES) + b"\n\n",
    "array-by-line": b"[\n" + b",\n".join(LINES) + b"\n]\n",
    "array-by-line-crlf-bom": b"\xef\xbb\xbf[\r\n" + b",\r\n".join(LINES) + b"\r\n]",
    "array-by-line-brackets-on-record-lines": b"[" + b",\n".join(LINES) + b"]",
    "array-by-line-indented": b"[\n  " + b" ,\n  ".join(LINES) + b"\n]",
    "array-by-line-leading-commas": b"[\n" + b"\n,".join(LINES) + b"\n]",
    "array-by-line-some-lines-shared": b"[\n" + LINES[0] + b",\n" + LINES[1] + b", " + LINES[2] + b"\n]",
    "array-one-line": b"[" + b",".join(LINES) + b"]",
    "array-one-line-spaced": json.dumps(RECORDS).encode() + b"\n",
    "array-pretty": json.dumps(RECORDS, indent=2).encode(),
    "array-pretty-indent-0": json.dumps(RECORDS, indent=0).encode() + b"\n",
    "array-pretty-crlf": json.dumps(RECORDS, indent=1).replace("\n", "\r\n").encode(),
    "array-first-record-only-spread": b"["
    + json.dumps(ISLAND, indent=4).encode()
    + b","
    + b",\n".join(LINES[1:])
    + b"]",
}


def read(data: bytes, **limits: int) -> tuple[list[object], list[RejectedRecord]]:
    """Parsed records, and those rejected by the reader or the parser."""
    records: list[object] = []
    rejected: list[RejectedRecord] = []
    for item in iter_records(io.BytesIO(data), **limits):
        if isinstance(item, RejectedRecord):
            rejected.append(item)
            continue
        try:
            records.append(item.parse())
        except BulkFormatError as e:
            rejected.append(RejectedRecord(e.line or 0, str(e), ""))
    return records, rejected


def unexpected(rejected: RejectedRecord) -> None:
    raise AssertionError(rejected)


def gzip_members(data: bytes) -> bytes:
    third = len(data) // 3
    return gzip.compress(data[:third]) + gzip.compress(data[third : 2 * third]) + gzip.compress(data[2 * third :])


@pytest.mark.parametrize("pack", [bytes, gzip.compress, gzip_members], ids=["plain", "gzip", "members"])
@pytest.mark.parametrize("data", FORMATS.values(), ids=FORMATS)
def test_each_format_gives_the_same_records(data: bytes, pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    assert read(pack(data)) == (RECORDS, [])
    path = tmp_path / "misnamed.txt"
    path.write_bytes(pack(data))
    assert [parse_record(line) for _, line in iter_lines(path, on_reject=unexpected)] == RECORDS


class Trickle(io.BytesIO):
    """A stream that gives one byte at a time, as a slow pipe may."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(1 if size else 0)


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("data", FORMATS.values(), ids=FORMATS)
def test_size_of_the_pieces_read_does_not_matter(data: bytes, pack: Callable[[bytes], bytes]) -> None:
    whole = list(iter_records(io.BytesIO(pack(data))))
    assert list(iter_records(Trickle(pack(data)))) == whole


@pytest.mark.parametrize("name", ["lines", "lines-crlf", "array-by-line", "array-one-line"])
def test_equal_records_give_equal_bytes(name: str) -> None:
    assert [data for _, data in iter_lines(io.BytesIO(FORMATS[name]), on_reject=unexpected)] == LINES


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("lines", [1, 2, 3]),
        ("lines-blank-between", [4, 7, 10]),
        ("array-by-line", [2, 3, 4]),
        ("array-by-line-some-lines-shared", [2, 3, 3]),
        ("array-one-line", [1, 1, 1]),
        ("array-pretty-indent-0", [2, 14, 19]),
    ],
)
def test_line_numbers(name: str, expected: list[int]) -> None:
    items = list(iter_records(io.BytesIO(FORMATS[name])))
    assert [i.line_number for i in items] == expected


@pytest.mark.parametrize(
    "data", [b"", b"\n", b" \n\n", b"\xef\xbb\xbf", b"[]", b"[\n]\n", b" [ ] ", gzip.compress(b"", mtime=0)]
)
def test_no_records(data: bytes) -> None:
    assert read(data) == ([], [])


NOT_JSON, NOT_OBJECT, UNEXPECTED = "not JSON: ", "not a JSON object", "unexpected text between elements"
NO_QUOTE = "a line ends within a string: a quote is missing"
TOO_LONG = "longer than 262144 bytes"

# A line; why it is rejected in JSON Lines; why in an array, where only quotes and brackets can tell its end.
BAD_LINES: dict[str, tuple[bytes, str, str]] = {
    "text": (b"not json", NOT_OBJECT, UNEXPECTED),
    "string": (b'"string"', NOT_OBJECT, NOT_OBJECT),
    "array": (b"[1,2]", NOT_OBJECT, NOT_OBJECT),
    "null": (b"null", NOT_OBJECT, NOT_OBJECT),
    "number": (b"-1.5e3", NOT_OBJECT, NOT_OBJECT),
    "NUL-bytes": (b"\0\0\0\0", NOT_OBJECT, UNEXPECTED),
    "cut-off": (b'{"name":"Isl', "the line ends before the JSON object does", NO_QUOTE),
    "no-quote": (b'{"name":"Isl}', NOT_JSON, NO_QUOTE),
    "no-closing-brace": (b'{"a":[{"b":1}]', "the line ends before the JSON object does", NOT_JSON),
    "one-brace-too-many": (b'{"a":[{"b":1}}]}', NOT_JSON, NOT_JSON),
    "NaN": (b'{"cmc":NaN}', NOT_JSON, NOT_JSON),
    "Infinity": (b'{"cmc":-Infinity}', NOT_JSON, NOT_JSON),
    "number-beyond-double": (b'{"cmc":1e999}', NOT_JSON, NOT_JSON),
    "lone-surrogate": (b'{"name":"\\ud800"}', NOT_JSON, NOT_JSON),
    "surrogate-in-UTF-8": (b'{"name":"\xed\xa0\x80"}', NOT_JSON, NOT_JSON),
    "not-UTF-8": (b'{"name":"\xff"}', NOT_JSON, NOT_JSON),
    "overlong-UTF-8": (b'{"name":"\xc0\xaf"}', NOT_JSON, NOT_JSON),
    "NUL-in-string": (b'{"name":"a\0b"}', NOT_JSON, NOT_JSON),
    "escaped-NUL": (b'{"name":"a\\u0000b"}', "holds the character U+0000", "holds the character U+0000"),
    "escaped-NUL-in-key": (b'{"a":[{"\\u0000":1}]}', "holds the character U+0000", "holds the character U+0000"),
    "single-quotes": (b"{'name':1}", NOT_JSON, NOT_JSON),
    "33-levels": (b'{"a":' * 33 + b"1" + b"}" * 33, "nested deeper than 32", "nested deeper than 32"),
    "5000-levels": (b'{"a":' + b"[" * 5000 + b"]" * 5000 + b"}", NOT_JSON, NOT_JSON),
    "200000-levels-open": (b'{"a":' + b"[" * 200_000 + b"}", NOT_JSON, "it isn't closed"),
    "too-long": (b'{"a":"' + b"x" * 300_000 + b'"}', TOO_LONG, TOO_LONG),
    "much-too-long": (b"x" * 3_000_000, TOO_LONG, UNEXPECTED),
}


@pytest.mark.parametrize("kind", ["lines", "array"])
@pytest.mark.parametrize(("line", "in_lines", "in_array"), BAD_LINES.values(), ids=BAD_LINES)
def test_a_bad_line_is_rejected_alone(line: bytes, in_lines: str, in_array: str, kind: str) -> None:
    lines = [LINES[0], line, LINES[1], LINES[2]]
    data = b"\n".join(lines) if kind == "lines" else b"[\n" + b",\n".join(lines) + b"\n]"
    records, all_rejected = read(data, max_record_bytes=1 << 18)
    assert {r.line_number for r in all_rejected} == {2 if kind == "lines" else 3}
    rejected = all_rejected[0]
    assert rejected.reason.startswith(in_lines if kind == "lines" else in_array)
    assert rejected.reason.isprintable()
    assert len(rejected.raw) <= 4 * 2048 + 1
    assert rejected.raw.isprintable()
    assert records == RECORDS


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b'{"a":1,"a":2}', {"a": 2}),
        (b'{"n":123456789012345678901234567890}', {"n": 1.2345678901234568e29}),
        (b'{"t":"\\\\u0000"}', {"t": "\\u0000"}),
        (b'{"t":"' + b"{" * 100 + b'"}', {"t": "{" * 100}),
        (b'{"t":"\\ud83d\\ude00"}', {"t": "\U0001f600"}),
        (b'{"a":[' + b"[]," * 50 + b"[]]}", {"a": [[]] * 51}),
    ],
    ids=["repeated-key-last-wins", "large-number", "backslash-u0000", "braces-in-text", "surrogate-pair", "wide"],
)
def test_odd_but_good(line: bytes, expected: object) -> None:
    assert parse_record(line) == expected


def test_nesting_up_to_the_limit_is_good() -> None:
    assert parse_record(b'{"a":' * 32 + b"1" + b"}" * 32)


def test_rejected_text_is_safe_for_a_terminal() -> None:
    [rejected] = [
        r
        for r in iter_records(io.BytesIO(b"\x1b[2J\xe2\x80\xae evil \xff\r\n" + LINES[0]))
        if isinstance(r, RejectedRecord)
    ]
    assert rejected.raw == "\\x1b[2J\\u202e evil \\xff"


PRETTY = json.dumps(RECORDS, indent=2).encode()
X400K = b'"' + b"x" * 400_000 + b'"'
BROKEN_ARRAYS: dict[str, tuple[bytes, list[object], str]] = {
    "pretty-lost-quote": (PRETTY.replace(b'"Forest"', b'"Forest'), [ISLAND, SWAMP], "a quote is missing"),
    "pretty-opens-more": (PRETTY.replace(b": []", b": [{"), [ISLAND, SWAMP], "it isn't closed"),
    "pretty-closes-early": (PRETTY.replace(b": []", b": }"), [ISLAND, SWAMP], "not JSON"),
    "pretty-word-between": (PRETTY.replace(b"  },\n  {", b"  }X\n  {", 1), RECORDS, UNEXPECTED),
    "pretty-colon-between": (PRETTY.replace(b"  },\n  {", b"  },:\n  {", 1), RECORDS, "unexpected text"),
    "pretty-bad-value": (PRETTY.replace(b'"cmc": 0.0', b'"cmc": NaN'), [FOREST, SWAMP], "not JSON"),
    "pretty-too-long": (PRETTY.replace(b"[]", X400K), [ISLAND, SWAMP], "longer than"),
    "one-line-values": (
        b"[" + LINES[0] + b', 7, "x, {", null, [{}, [3]], ' + LINES[1] + b"]",
        [ISLAND, FOREST],
        "not a JSON object",
    ),
    "brackets-doubled": (b"[[\n" + b",\n".join(LINES) + b"\n]]", RECORDS, "a second opening bracket"),
    "one-line-bad-value": (b'[{"a":NaN},' + LINES[1] + b"]", [FOREST], "not JSON"),
    "by-line-damaged-first-line": (
        b"[\n" + LINES[0] + b"oops\n" + LINES[1] + b",\n" + LINES[2] + b"\n]",
        RECORDS,
        UNEXPECTED,
    ),
}


@pytest.mark.parametrize(("data", "good", "reason"), BROKEN_ARRAYS.values(), ids=BROKEN_ARRAYS)
def test_a_bad_element_is_rejected_and_the_rest_goes_on(data: bytes, good: list[object], reason: str) -> None:
    if len(data) < 10_000:
        assert list(iter_records(Trickle(data))) == list(iter_records(io.BytesIO(data)))
    records, rejected = read(data, max_record_bytes=1 << 18)
    assert records == good
    assert rejected
    assert reason in rejected[0].reason


GOOD_GZIP = gzip.compress(FORMATS["lines"])
WHOLE_FILE_FAULTS = [
    pytest.param(GOOD_GZIP[:-12], "truncated", id="gzip-truncated"),
    pytest.param(GOOD_GZIP[:12], "truncated", id="gzip-truncated-in-the-header"),
    pytest.param(GOOD_GZIP[:-8] + b"\0\0\0\0" + GOOD_GZIP[-4:], "corrupt", id="gzip-checksum"),
    pytest.param(GOOD_GZIP + b"<html>", "trailing garbage", id="gzip-trailing-garbage"),
    pytest.param(gzip.compress(GOOD_GZIP), "packed once more", id="gzip-in-gzip"),
    pytest.param(b"PK\x03\x04" + b"x" * 50, "a zip archive", id="zip"),
    pytest.param("\ufeff{}".encode("utf-16"), "UTF-16", id="utf-16"),
    pytest.param(b"[\n" + b",\n".join(LINES), "isn't closed", id="array-by-line-cut-off"),
    pytest.param(b"[\n" + LINES[0] + b",\n" + LINES[1][:20], "isn't closed", id="array-by-line-cut-off-in-a-record"),
    pytest.param(b"[" + b",".join(LINES), "isn't closed", id="array-one-line-cut-off"),
    pytest.param(PRETTY[:-40], "isn't closed", id="array-pretty-cut-off"),
    pytest.param(b"[", "isn't closed", id="array-bracket-alone"),
    pytest.param(b"[" + LINES[0] + b',{"a":"},' + LINES[1] + b"]", "can't be cut", id="array-one-line-lost-quote"),
    pytest.param(b"<!DOCTYPE html>\n<html>\n", "neither JSON Lines nor a JSON array", id="html"),
    pytest.param(
        json.dumps(ISLAND, indent=2).encode(), "neither JSON Lines nor a JSON array", id="one-object-over-lines"
    ),
    pytest.param(b"name,cmc\n" * 200_000, "neither JSON Lines nor a JSON array", id="csv"),
]


@pytest.mark.parametrize(("data", "message"), WHOLE_FILE_FAULTS)
def test_a_file_that_is_not_whole_raises(data: bytes, message: str) -> None:
    with pytest.raises(BulkFormatError, match=message) as caught:
        list(iter_records(io.BytesIO(data)))
    assert "\n" not in str(caught.value)


def read_until_error(data: bytes) -> tuple[list[RecordItem], BulkFormatError | None]:
    items: list[RecordItem] = []
    try:
        items.extend(iter_records(io.BytesIO(data)))
    except BulkFormatError as e:
        return items, e
    return items, None


def test_records_before_a_truncation_come_first() -> None:
    items, error = read_until_error(gzip.compress(FORMATS["lines"]) + GOOD_GZIP[:15])
    assert [i.line_number for i in items] == [1, 2, 3]
    assert error is not None
    assert error.line == 4
    assert "truncated" in str(error)


def test_what_was_rejected_comes_before_the_error() -> None:
    items, error = read_until_error(b"[\n" + LINES[0] + b",\noops,\n")
    assert [type(i) for i in items] == [RecordLine, RejectedRecord]
    assert "isn't closed" in str(error)


def test_a_gzip_bomb_stops_early() -> None:
    bomb = gzip.compress(b" " * (8 << 20)) * 40
    stream = io.BytesIO(bomb)
    with pytest.raises(BulkFormatError, match="times as many"):
        list(iter_records(stream))
    assert stream.tell() < len(bomb)


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_the_total_is_limited(pack: Callable[[bytes], bytes]) -> None:
    with pytest.raises(BulkFormatError, match=r"more than .*100"):
        list(iter_records(io.BytesIO(pack(FORMATS["lines"])), max_total_bytes=100))


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(BulkFormatError, match="No such file"):
        list(iter_records(tmp_path / "absent.jsonl"))
    with pytest.raises(BulkFormatError, match="directory"):
        list(iter_records(tmp_path))


def test_a_stream_is_read_from_where_it_stands_and_left_open() -> None:
    stream = io.BytesIO(b"skip" + FORMATS["lines"])
    stream.seek(4)
    assert len(list(iter_records(stream))) == 3
    assert not stream.closed


class Endless(io.RawIOBase):
    """`head`, then `count` times `unit`, made up while it is read."""

    def __init__(self, head: bytes, unit: bytes, count: int, tail: bytes = b"") -> None:
        self._parts = iter([head, *([unit] * count), tail])

    def read(self, size: int = -1, /) -> bytes:
        return next((p for p in self._parts if p), b"")


LONG = b'{"name":"' + b"x" * 4000 + b'"}'
LARGE = [
    pytest.param(b"", (LONG + b"\n") * 30, b"", 200 * 30, id="lines"),
    pytest.param(b"[\n", (LONG + b",\n") * 30, b"]", 200 * 30, id="array-by-line"),
    pytest.param(b"[", (LONG + b",") * 30, b"]", 200 * 30, id="array-one-line"),
    pytest.param(b"[\n", b"  {\n" + LONG[1:-1] + b"\n  },\n", b"]", 200, id="array-pretty"),
    pytest.param(LONG + b"\n", b"y" * 120_000, b"\n", 2, id="one-endless-line"),
    pytest.param(b"[\n  {},\n  {", b'"a":' + b"y" * 120_000, b"\n  {}]", 3, id="one-endless-element"),
    pytest.param(b"[", b" " * 120_000, b"{}]", 1, id="endless-blanks-in-an-array"),
    pytest.param(b"\n", b" " * 120_000, b"\n{}", 2, id="endless-blanks"),
]  # fmt: skip


@pytest.mark.parametrize(("head", "unit", "tail", "items"), LARGE)
def test_memory_stays_bounded(head: bytes, unit: bytes, tail: bytes, items: int) -> None:
    tracemalloc.start()
    try:
        stream = cast("BinaryIO", Endless(head, unit, 200, tail))
        found = sum(1 for _ in iter_records(stream, max_record_bytes=1 << 20))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == items
    assert peak < 6 << 20  # of 24 MB
