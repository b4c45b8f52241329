"""Rows of any query or report as a table, JSON, CSV or Markdown.

The caller gives column names and an iterable of rows; the writer looks at nothing else. JSON, CSV and Markdown are
written row by row, so a result of any length takes the memory of one row. A table must see every row to know how wide
its columns are. Cells may be of any type a database gives back; `Link` gives a cell an address where the format has
addresses.
"""

from __future__ import annotations

import csv
import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, TextIO, get_args

from indexer.reports.safe_text import markdown_cell, one_line, spreadsheet_cell, visible

TabularFormat = Literal["table", "json", "csv", "markdown"]
TABULAR_FORMATS: tuple[str, ...] = get_args(TabularFormat)

# Legal in JSON text, and able to upset the terminal it may be printed on: DEL and C1 controls, zero-width and
# bidirectional characters, line separators.
_JSON_ESCAPES = {
    code: f"\\u{code:04x}"
    for code in (
        *range(0x7F, 0xA0),
        0x61C,
        *range(0x200B, 0x2010),
        *range(0x2028, 0x202F),
        *range(0x2060, 0x2070),
        0xFEFF,
    )
}


@dataclass(frozen=True, slots=True)
class Link:
    """A cell that leads somewhere: a link in Markdown and on terminals that can, the text alone elsewhere."""

    text: str
    url: str | None
    """Only http and https addresses become links; None is no link."""

    @property
    def safe_url(self) -> str | None:
        """The address if it is one that may be followed, otherwise None."""
        if self.url and self.url.startswith(("https://", "http://")) and self.url.isprintable():
            return self.url.replace(" ", "%20").replace("(", "%28").replace(")", "%29").replace("<", "%3C")
        return None


def write_rows(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    fmt: TabularFormat,
    stream: TextIO,
    *,
    title: str | None = None,
    note: str | None = None,
) -> int:
    """Write the rows to the stream in a format and tell how many there were.

    - `table`: for people. On a terminal, fitted to its width and folded; elsewhere plain text, each row one line of any
      length, no escape sequences.
    - `json`: one array of objects. Columns of the same name get `_2`, `_3` … added.
    - `csv`: RFC 4180 (open the file with `newline=""`). Text that a spreadsheet would take for a formula gets a leading
      apostrophe; numbers stay numbers.
    - `markdown`: a GitHub table.

    None is null in JSON and empty elsewhere. `title` stands above a table and is a heading in Markdown. `note` names a
    column of long text, which a terminal shows under each row, over the whole width.
    """
    if fmt == "table":
        return _write_table(columns, rows, stream, title, note)
    return _WRITERS[fmt](columns, rows, stream, title)


def cell_text(value: object) -> str:
    """A value as text: empty for None, `4` for 4.0, ISO for dates, hexadecimal for bytes."""
    match value:
        case None:
            return ""
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case float():
            return str(int(value)) if value.is_integer() else repr(value)
        case Link():
            return value.text
        case dt.datetime() | dt.date():
            return value.isoformat()
        case bytes() | bytearray() | memoryview():
            return bytes(value).hex()
    return str(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _write_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], stream: TextIO, title: str | None, note: str | None
) -> int:
    held = list(rows)
    numeric = [
        any(row[i] is not None for row in held) and all(row[i] is None or _is_number(row[i]) for row in held)
        for i in range(len(columns))
    ]
    if not stream.isatty():
        _write_plain_table(columns, held, numeric, stream, title)
        return len(held)
    from indexer.reports.terminal import write_terminal_table

    cells = [
        [(visible(cell_text(v), keep="\n"), v.safe_url if isinstance(v, Link) else None) for v in row] for row in held
    ]
    write_terminal_table(
        [visible(name) for name in columns],
        cells,
        numeric,
        stream,
        title=None if title is None else visible(title),
        note=None if note is None else columns.index(note),
    )
    return len(held)


def _write_plain_table(
    columns: Sequence[str], rows: list[Sequence[object]], numeric: list[bool], stream: TextIO, title: str | None
) -> None:
    from rich.cells import cell_len, set_cell_size

    lines = [[one_line(name) for name in columns]]
    lines += [[one_line(cell_text(value)) for value in row] for row in rows]
    widths = [max(cell_len(cell) for cell in column) for column in zip(*lines, strict=True)]
    lines.insert(1, ["-" * width for width in widths])
    if title:
        stream.write(one_line(title) + "\n")
    for line in lines:
        padded = [
            " " * (width - cell_len(cell)) + cell if right else set_cell_size(cell, width)
            for cell, width, right in zip(line, widths, numeric, strict=True)
        ]
        stream.write("  ".join(padded).rstrip() + "\n")


def _write_json(columns: Sequence[str], rows: Iterable[Sequence[object]], stream: TextIO, title: str | None) -> int:
    keys = _distinct(columns)
    count = 0
    stream.write("[")
    for count, row in enumerate(rows, 1):
        stream.write(",\n" if count > 1 else "\n")
        stream.write(json_line(dict(zip(keys, row, strict=True))))
    stream.write("\n]\n" if count else "]\n")
    return count


def json_line(value: object) -> str:
    """A value as one line of JSON, without any character that could upset a terminal. NaN and infinities are null."""
    import orjson

    return (
        orjson.dumps(value, default=_json_default, option=orjson.OPT_PASSTHROUGH_DATACLASS)
        .decode()
        .translate(_JSON_ESCAPES)
    )


def _json_default(value: object) -> object:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return cell_text(value)


def _distinct(columns: Sequence[str]) -> list[str]:
    keys: list[str] = []
    for name in columns:
        key, number = name, 1
        while key in keys:
            number += 1
            key = f"{name}_{number}"
        keys.append(key)
    return keys


def _write_csv(columns: Sequence[str], rows: Iterable[Sequence[object]], stream: TextIO, title: str | None) -> int:
    writer = csv.writer(stream)
    writer.writerow([spreadsheet_cell(name) for name in columns])
    count = 0
    for row in rows:
        writer.writerow([cell_text(v) if _is_number(v) else spreadsheet_cell(cell_text(v)) for v in row])
        count += 1
    return count


def _write_markdown(columns: Sequence[str], rows: Iterable[Sequence[object]], stream: TextIO, title: str | None) -> int:
    if title:
        stream.write(f"## {markdown_cell(one_line(title))}\n\n")
    stream.write("| " + " | ".join(markdown_cell(name) for name in columns) + " |\n")
    stream.write("|" + " --- |" * len(columns) + "\n")
    count = 0
    for row in rows:
        stream.write("| " + " | ".join(_markdown_value(value) for value in row) + " |\n")
        count += 1
    return count


def _markdown_value(value: object) -> str:
    text = markdown_cell(cell_text(value))
    url = value.safe_url if isinstance(value, Link) else None
    return f"[{text}]({url})" if url else text


_WRITERS: dict[str, Callable[[Sequence[str], Iterable[Sequence[object]], TextIO, str | None], int]] = {
    "json": _write_json,
    "csv": _write_csv,
    "markdown": _write_markdown,
}
