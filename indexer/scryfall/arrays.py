"""A JSON array of objects cut into its elements' bytes, in constant memory, however its lines are broken.

Only quotes and brackets are looked at; whether an element is valid JSON is found out when it is parsed, so that one bad
element costs one rejection. An incremental parser such as ijson would give objects instead of bytes (nothing to hash),
and would stop for good at the first bad byte.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import orjson

from indexer.errors import BulkFormatError
from indexer.scryfall.excerpt import EXCERPT_BYTES, safe_excerpt
from indexer.scryfall.rejected import RejectedRecord, too_long

MAX_LOST_ELEMENTS = 100
"""So many elements without a findable end, and the file is given up: each may cost a look at `max_element_bytes`."""

# Everything up to the next bracket outside strings, in one match: whole strings are passed over. A raw newline never
# stands in a JSON string, so a string ends there at the latest; that is how a lost quote shows itself. Possessive
# quantifiers keep the match linear.
_RUN = re.compile(rb'[^"{}\[\]]*+(?:"[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+"[^"{}\[\]]*+)*+')
_UNCLOSED_STRING = re.compile(rb'"[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+')
_SEPARATORS = re.compile(rb"[\s,]*+")
_SCALAR = re.compile(rb'(?:"[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+"|-?[\d.eE+-]++|true|false|null)(?=\s*[,\]])')
_LAST_LINE_CLOSES = re.compile(rb"\n[ \t]*\]\s*\Z")
_OPENING = frozenset(b"{[")

_COMPACT_AFTER = 1 << 18
_LONG_GAP = 1 << 16
_KEPT_FOR_THE_END = 256  # enough for an indented brace, and for the bracket and blanks that end a file


def iter_elements(
    blocks: Iterator[bytes],
    *,
    on_reject: Callable[[RejectedRecord], None],
    max_element_bytes: int,
) -> Iterator[tuple[int, bytes]]:
    """Line number (of its first byte) and bytes of each object in the array that `blocks` hold, its `[` included.

    An element that can't be told from the next one (a lost quote or bracket) is rejected, and reading goes on at the
    next line that begins as the first element's line does. A separator too many or too few is no reason to reject.

    Raises:
        BulkFormatError: the array isn't closed, or an element has no findable end and no line after it begins another.
    """
    return _Elements(blocks, on_reject, max_element_bytes).read()


class _Elements:
    """The window on the stream: `buffer[position:]` is still to be read; what is before it may go at any time."""

    def __init__(self, blocks: Iterator[bytes], on_reject: Callable[[RejectedRecord], None], max_bytes: int) -> None:
        self._blocks = blocks
        self._on_reject = on_reject
        self._max_bytes = max_bytes
        self._buffer = b""
        self._position = 0
        self._line = 1
        self._counted = 0  # newlines before this index of the buffer are in `_line`
        self._element_start = b"\n{"  # newline, indentation and brace of an element's first line
        self._beginning_lines = 0  # how many good elements were seen to begin a line
        self._lost = 0
        self._closed = False

    def read(self) -> Iterator[tuple[int, bytes]]:
        self._closed = True  # so that the opening bracket is one, not an element
        while True:
            gap = self._skip_separators()
            if self._position >= len(self._buffer):
                break
            start = self._position
            character = self._buffer[start : start + 1]
            if character == b"]":
                self._closed = True
                self._position += 1
            elif self._closed and character == b"[":
                self._closed = False
                self._position += 1
            elif character == b"{":
                self._closed = False
                indented = self._indentation(gap)
                end, problem = self._object_end(start)
                if problem:
                    self._recover(start, problem)
                else:
                    self._beginning_lines += indented
                    self._position = end
                    yield self._line_at(start), self._buffer[start:end]
            else:
                self._pass_over(start)
        if not self._closed:
            raise self._not_closed()

    def _fill(self) -> bool:
        """Append the next block; False at the end of the data."""
        block = next(self._blocks, None)
        if block is None:
            return False
        self._buffer += block
        return True

    def _compact(self) -> None:
        if self._position > _COMPACT_AFTER:
            self._line_at(self._position)
            self._buffer = self._buffer[self._position :]
            self._position = self._counted = 0

    def _line_at(self, index: int) -> int:
        if index > self._counted:
            self._line += self._buffer.count(b"\n", self._counted, index)
            self._counted = index
        return self._line

    def _skip_separators(self) -> bytes:
        self._compact()
        start = self._position
        while True:
            end = _end(_SEPARATORS, self._buffer, start)
            if end < len(self._buffer):
                break
            if end - start > _LONG_GAP:  # megabytes of blanks must not be kept
                self._position = start = end
                self._compact()
                start = self._position
            if not self._fill():
                break
        self._position = end
        return self._buffer[start:end]

    def _indentation(self, gap: bytes) -> bool:
        """Whether an element begins a line. The first good one to do so sets the mark for the others."""
        newline = gap.rfind(b"\n")
        if newline < 0 or b"," in gap[newline:]:
            return False
        if not self._beginning_lines:  # and never later: after damage, a part of an element may pass for one
            self._element_start = gap[newline:] + b"{"
        return True

    def _object_end(self, start: int) -> tuple[int, str]:
        end, problem = self._element_end(start)
        if not problem and self._element_start in self._buffer[start:end]:
            # Two damages that make up for each other would swallow the good elements between them.
            try:
                orjson.loads(self._buffer[start:end])
            except orjson.JSONDecodeError as e:
                return -1, f"not JSON: {e}"
        return end, problem

    def _element_end(self, start: int) -> tuple[int, str]:
        """The end of the value at `start` and "", or -1 and what is wrong with it."""
        position, depth = _scan(self._buffer, start, 0)
        while depth:
            if position - start > self._max_bytes:
                return -1, too_long(self._max_bytes)
            if not _at_the_end(self._buffer, position):
                return -1, "a line ends within a string: a quote is missing"
            if not self._fill():
                return -1, "it isn't closed: a bracket or quote is missing"
            position, depth = _scan(self._buffer, position, depth)
        if position - start > self._max_bytes:
            return -1, too_long(self._max_bytes)
        return position, ""

    def _pass_over(self, start: int) -> None:
        """Reject one element that isn't an object."""
        if self._buffer[start : start + 1] == b"[":
            end, problem = self._element_end(start)
            if self._element_start in self._buffer[start:end]:  # it would take good elements with it
                problem = problem or "a second opening bracket"
        else:
            while len(self._buffer) - start < _LONG_GAP and self._fill():
                pass
            match = _SCALAR.match(self._buffer, start)
            end, problem = (match.end(), "") if match else (-1, "unexpected text between elements")
        if problem:
            self._recover(start, problem)
        else:
            self._reject(start, end, "not a JSON object")
            self._position = end

    def _recover(self, start: int, problem: str) -> None:
        """Reject what begins at `start`; go on at the next line that begins as elements do."""
        while len(self._buffer) - start <= EXCERPT_BYTES and self._fill():
            pass  # so that what is kept of it doesn't depend on how the data came in
        self._reject(start, len(self._buffer), problem)
        self._lost += 1
        line = self._line_at(start)
        self._position = start + 1
        while (found := self._buffer.find(self._element_start, self._position)) < 0:
            self._position = max(self._position, len(self._buffer) - _KEPT_FOR_THE_END)
            self._compact()
            if not self._fill():
                break
        if found < 0 and not self._buffer.rstrip().endswith(b"]"):
            raise self._not_closed()
        if self._lost > MAX_LOST_ELEMENTS or (found < 0 and not self._closes_on_its_own_line()):
            raise BulkFormatError(
                f"the JSON array can't be cut into its elements from line {line} on: {problem}", line=line
            )
        self._closed = found < 0
        self._position = len(self._buffer) if found < 0 else found

    def _not_closed(self) -> BulkFormatError:
        line = self._line_at(len(self._buffer))
        return BulkFormatError(f"the JSON array isn't closed: the data is cut off at line {line}", line=line)

    def _closes_on_its_own_line(self) -> bool:
        # If elements begin lines, a bracket alone on the last line is the array's, and only its last element was lost.
        # Two of them at least, lest a damaged first element pass for the pattern of all and the rest go unmissed.
        return self._beginning_lines > 1 and bool(_LAST_LINE_CLOSES.search(self._buffer, self._position))

    def _reject(self, start: int, end: int, problem: str) -> None:
        raw = self._buffer[start : min(end, start + EXCERPT_BYTES + 1)]
        self._on_reject(RejectedRecord(self._line_at(start), problem, safe_excerpt(raw)))


def _scan(buffer: bytes, position: int, depth: int) -> tuple[int, int]:
    """Where the value's last bracket closes, and 0; or where the scan must stop, and the depth there.

    It stops at the end of the buffer, or at the quote of a string that isn't closed before the end of buffer or line.
    """
    size = len(buffer)
    while True:
        position = _end(_RUN, buffer, position)
        if position >= size or buffer[position] == 0x22:
            return position, depth or -1
        depth += 1 if buffer[position] in _OPENING else -1
        position += 1
        if depth <= 0:
            return position, depth


def _at_the_end(buffer: bytes, position: int) -> bool:
    """Whether a scan that stopped at `position` may go on with more data."""
    match = _UNCLOSED_STRING.match(buffer, position)
    end = match.end() if match else position
    return end >= len(buffer) or (buffer[end] == 0x5C and end + 1 == len(buffer))


def _end(pattern: re.Pattern[bytes], buffer: bytes, position: int) -> int:
    match = pattern.match(buffer, position)
    return match.end() if match else position
