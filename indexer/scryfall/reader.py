"""A bulk file -> one raw record at a time, never the whole file in memory.

JSON Lines, or a JSON array with one record a line, pretty-printed or on a single line; each plain or gzipped. The
content tells which. What can't be a record is rejected with its line number and reason, and the rest goes on; only a
file that isn't whole or isn't JSON at all raises, at its end, so that nothing is taken for complete that is not.

`iter_lines` gives bytes, for callers who know most records already by their hash; `iter_records` wraps it for others.
"""

from __future__ import annotations

import itertools
import re
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeAlias

import orjson

from indexer.errors import BulkFormatError
from indexer.scryfall.arrays import iter_elements
from indexer.scryfall.excerpt import safe_excerpt
from indexer.scryfall.gunzip import MAX_UNPACKED_BYTES
from indexer.scryfall.rejected import RejectedRecord, too_long
from indexer.scryfall.types import RawRecord
from indexer.scryfall.unpacked import iter_blocks

__all__ = [
    "MAX_DEPTH",
    "MAX_RECORD_BYTES",
    "RecordItem",
    "RecordLine",
    "RejectedRecord",
    "iter_lines",
    "iter_records",
    "parse_record",
]

MAX_RECORD_BYTES = 8 << 20
"""The longest real records, with hundreds of related cards, stay under 200 kB."""

MAX_DEPTH = 32
"""A card nests four levels deep. Far deeper values would exhaust the stack of whatever walks through them later."""

_BOM = b"\xef\xbb\xbf"
_EDGES = b" \t\r,"
_DECIDE_WITHIN = 1 << 20
_HOPELESS_LINES = 1000  # with no record among them: a web page, a CSV file
_ALL_BUT_OPENING_BRACKETS = bytes(set(range(256)) - set(b"{["))
_ESCAPED_NUL = re.compile(rb"\\u0000")


class RecordLine(NamedTuple):
    """One record, not parsed yet. It is also the pair that `iter_lines` gives."""

    line_number: int
    """Counted from 1; of an array element, the line that it begins on."""
    data: bytes
    """The object from brace to brace, as it stands in the file."""

    def parse(self) -> RawRecord:
        """The record as a dictionary.

        Raises:
            BulkFormatError: it isn't a JSON object. The message is the reason alone; `line` is the line number.
        """
        return parse_record(self.data, line_number=self.line_number)


RecordItem: TypeAlias = RecordLine | RejectedRecord


def parse_record(data: bytes, *, line_number: int | None = None) -> RawRecord:
    r"""One JSON object as a dictionary; of a repeated key, the last value.

    Valid JSON that could harm what comes later is refused too: nesting deeper than 32 levels, the character U+0000
    (which PostgreSQL can't store and C libraries stop at), and, as orjson does, lone surrogates and numbers too large
    for a double.

    >>> parse_record(b'{"name":"Island","name":"Forest"}')
    {'name': 'Forest'}

    Raises:
        BulkFormatError: with the reason alone as message.
    """
    try:
        record: object = orjson.loads(data)
    except orjson.JSONDecodeError as e:
        raise BulkFormatError(f"not JSON: {e}", line=line_number) from e
    if not isinstance(record, dict):
        raise BulkFormatError("not a JSON object", line=line_number)
    # Both looks are at the bytes and cost an eighth of the parsing each; only what they suspect is walked through.
    # (One translate is quicker than counting twice, and a compiled pattern than `in`.)
    if len(data.translate(None, _ALL_BUT_OPENING_BRACKETS)) > MAX_DEPTH and _deeper_than(record, MAX_DEPTH):
        raise BulkFormatError(f"nested deeper than {MAX_DEPTH} levels", line=line_number)
    if _ESCAPED_NUL.search(data) and _holds_nul(record):
        raise BulkFormatError("holds the character U+0000", line=line_number)
    return record


def iter_records(
    source: Path | BinaryIO,
    *,
    max_record_bytes: int = MAX_RECORD_BYTES,
    max_total_bytes: int = MAX_UNPACKED_BYTES,
) -> Iterator[RecordItem]:
    """Every record of a bulk file in its order, as a `RecordLine` or, where there can be none, a `RejectedRecord`.

    A `RecordLine` may still turn out not to be JSON when it is parsed. An empty file holds no records.

    Raises:
        BulkFormatError: see `iter_lines`; what was rejected before comes first.
    """
    rejected: deque[RejectedRecord] = deque()
    lines = iter_lines(
        source, on_reject=rejected.append, max_record_bytes=max_record_bytes, max_total_bytes=max_total_bytes
    )
    try:
        for line_number, data in lines:
            if rejected:
                yield from rejected
                rejected.clear()
            yield RecordLine(line_number, data)
    except BulkFormatError:
        yield from rejected
        raise
    yield from rejected


def iter_lines(
    source: Path | BinaryIO,
    *,
    on_reject: Callable[[RejectedRecord], None],
    max_record_bytes: int = MAX_RECORD_BYTES,
    max_total_bytes: int = MAX_UNPACKED_BYTES,
) -> Iterator[tuple[int, bytes]]:
    """Line number and bytes, brace to brace, of every record; hardly slower than iterating over the unpacked file.

    Equal records give equal bytes whether they stand in JSON Lines or in an array by line, so a hash recognises them.
    `on_reject` is called, in order, for each line that can't be a record: not from brace to brace, or longer than
    `max_record_bytes`. `parse_record` has the last word on the others. For progress, pass an open file and ask its
    `tell()`.

    Raises:
        BulkFormatError: the file can't be read, is truncated or damaged gzip, unpacks to more than `max_total_bytes`,
            is an array that isn't closed, or has no line that looks like a record. All records before the damage have
            come by then.
    """
    blocks = iter_blocks(source, max_bytes=max_total_bytes)
    head = _beginning(blocks)
    blocks = itertools.chain([head], blocks)
    if head.lstrip().startswith(b"["):
        yield from iter_elements(blocks, on_reject=on_reject, max_element_bytes=max_record_bytes)
    else:
        yield from _iter_by_line(blocks, on_reject, max_record_bytes)


def _beginning(blocks: Iterator[bytes]) -> bytes:
    """So many of the blocks as it takes to see the first character, without the byte order mark."""
    head = b""
    for block in blocks:
        head += block
        if len(head) > len(_BOM) and (head.removeprefix(_BOM).lstrip() or len(head) > _DECIDE_WITHIN):
            break
    return head.removeprefix(_BOM)


def _iter_by_line(
    blocks: Iterator[bytes], on_reject: Callable[[RejectedRecord], None], max_bytes: int
) -> Iterator[tuple[int, bytes]]:
    number = 0
    lines = _Lines(on_reject, max_bytes)
    rest = b""
    overlong = False
    try:
        for block in blocks:
            # Splitting whole blocks costs half of what reading line by line does, and keeps a hand on the length.
            whole = (rest + block).split(b"\n")
            rest = whole.pop()
            if overlong and whole:
                overlong = False
                number += 1
                del whole[0]
            for line in whole:
                number += 1
                if line[:1] == b"{" and line[-1:] == b"}" and len(line) <= max_bytes:
                    lines.records += 1
                    yield number, line
                else:
                    record = lines.look_closer(number, line)
                    if record:
                        yield number, record
            if overlong:
                rest = b""
            elif len(rest) > max_bytes:
                lines.reject(number + 1, too_long(max_bytes), rest)
                overlong, rest = True, b""
    except BulkFormatError as e:
        if e.line is not None:
            raise
        raise BulkFormatError(f"{e}; in or after line {number + 1}", line=number + 1, offset=e.offset) from e
    if rest:
        number += 1
        record = lines.look_closer(number, rest)
        if record:
            yield number, record
    lines.finish(number)


class _Lines:
    """The less common lines: blank, with a separator, or no record at all."""

    def __init__(self, on_reject: Callable[[RejectedRecord], None], max_bytes: int) -> None:
        self.records = 0
        self._on_reject = on_reject
        self._max_bytes = max_bytes
        self._rejected = 0

    def look_closer(self, number: int, line: bytes) -> bytes:
        """The record on the line; nothing if it is blank or rejected.

        A comma at its end is passed over: an array by line whose first bytes are damaged is read as lines.
        """
        text = line.strip(_EDGES)
        if text.startswith(_BOM):  # of a second file that was appended
            text = text[len(_BOM) :].lstrip(_EDGES)
        if not text:
            return b""
        if len(text) > self._max_bytes:
            return self.reject(number, too_long(self._max_bytes), text)
        if not text.startswith(b"{"):
            return self.reject(number, "not a JSON object", text)
        if not text.endswith(b"}"):
            return self.reject(number, "the line ends before the JSON object does", text)
        self.records += 1
        return text

    def reject(self, number: int, reason: str, text: bytes) -> bytes:
        self._on_reject(RejectedRecord(number, reason, safe_excerpt(text)))
        self._rejected += 1
        if self._rejected >= _HOPELESS_LINES:
            self._require_a_record(number)
        return b""

    def finish(self, number: int) -> None:
        if self._rejected:
            self._require_a_record(number)

    def _require_a_record(self, number: int) -> None:
        if not self.records:
            raise BulkFormatError(
                f"neither JSON Lines nor a JSON array: not one of {number} lines is a JSON object", line=number
            )


def _deeper_than(record: RawRecord, limit: int) -> bool:
    level: list[dict[str, object] | list[object]] = [record]
    for _ in range(limit):
        values = (v for c in level for v in (c.values() if isinstance(c, dict) else c))
        level = [v for v in values if isinstance(v, (dict, list))]
    return bool(level)


def _holds_nul(record: RawRecord) -> bool:
    # An escaped backslash before "u0000" looks the same in the bytes, hence the look at the values.
    waiting: list[object] = [record]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            if "\0" in value:
                return True
        elif isinstance(value, dict):
            waiting.extend(value)
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
    return False
