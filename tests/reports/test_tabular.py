"""Every format of `write_rows`, with text that means harm."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import math
from collections.abc import Iterator, Sequence
from decimal import Decimal

import pytest

from indexer.reports.tabular import TABULAR_FORMATS, Link, TabularFormat, write_rows

HOSTILE = "Evil\x1b[31m\u202e|<script>\n=cmd"


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def written(
    columns: Sequence[str], rows: Sequence[Sequence[object]], fmt: TabularFormat, title: str | None = None
) -> str:
    stream = io.StringIO(newline="")
    assert write_rows(columns, rows, fmt, stream, title=title) == len(rows)
    return stream.getvalue()


def test_plain_table_is_aligned_and_complete() -> None:
    text = written(["name", "mana value"], [["Fireball" * 40, 1.0], ["Jötun 山", 0.5]], "table", title="Cards")
    assert text.splitlines() == [
        "Cards",
        f"{'name':<320}  mana value",
        f"{'-' * 320}  ----------",
        f"{'Fireball' * 40}           1",
        f"{'Jötun 山':<319}         0.5",
    ]


def test_plain_table_keeps_a_row_on_one_line_without_control_characters() -> None:
    text = written(["text", "n"], [[HOSTILE, None]], "table")
    assert text.splitlines()[-1] == "Evil\\x1b[31m\\u202e|<script> / =cmd"


def test_terminal_table_folds_to_the_width_and_shows_escapes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("LINES", "25")
    monkeypatch.setenv("TERM", "dumb")
    stream = Terminal()
    write_rows(["name", "rules"], [[HOSTILE, "[bold]words[/bold] :smile: " * 5]], "table", stream, title="[red]t")
    text = stream.getvalue()
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "Evil\\x1b[31m\\" in text.replace("\n", "")
    assert "[bold]" in text
    assert "[red]t" in text
    assert max(map(len, text.splitlines())) <= 40


def test_terminal_table_links_a_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    stream = Terminal()
    write_rows(["name"], [[Link("Bolt", "https://example.test/bolt")]], "table", stream)
    assert "]8;" in stream.getvalue()
    assert "https://example.test/bolt" in stream.getvalue()


def test_json_keeps_types_and_both_of_two_equal_names() -> None:
    row = [1, 0.5, None, True, dt.date(2026, 10, 1), b"\x01\xff", Decimal("2"), math.nan, Link("x", None), HOSTILE]
    names = ["a", "a", "none", "flag", "day", "raw", "whole", "nan", "link", "text"]
    text = written(names, [row, row], "json")
    first, second = json.loads(text)
    assert first == second
    assert first == {
        "a": 1,
        "a_2": 0.5,
        "none": None,
        "flag": True,
        "day": "2026-10-01",
        "raw": "01ff",
        "whole": 2,
        "nan": None,
        "link": "x",
        "text": HOSTILE,
    }
    assert "\u202e" not in text
    assert len(text.splitlines()) == 4


@pytest.mark.parametrize("fmt", ["json", "csv", "markdown"])
def test_long_results_are_written_while_they_are_read(fmt: TabularFormat) -> None:
    stream = io.StringIO()
    sizes: list[int] = []

    def rows() -> Iterator[Sequence[object]]:
        for number in range(3):
            sizes.append(len(stream.getvalue()))
            yield [number, "x" * 50]

    assert write_rows(["n", "text"], rows(), fmt, stream) == 3
    assert sizes[2] > sizes[1] + 50


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("=1+1", "'=1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("+U -R", "'+U -R"),
        ("\tx", "'\tx"),
        ("\rx", "'\rx"),
        ("＝1", "'＝1"),
        ("-1", "-1"),
        ("+2.5", "+2.5"),
        (-1.0, "-1"),
        (0.5, "0.5"),
        (None, ""),
        ('1 | 2, "3"\nnext', '1 | 2, "3"\nnext'),
        ("a\x1b]0;t\x07", "a\\x1b]0;t\\x07"),
    ],
)
def test_csv_is_safe_in_a_spreadsheet(value: object, expected: str) -> None:
    text = written(["=name", "n"], [[value, 1]], "csv")
    assert list(csv.reader(io.StringIO(text, newline=""))) == [["'=name", "n"], [expected, "1"]]
    assert text.endswith("\r\n")


def test_markdown_escapes_markup_mentions_and_line_breaks() -> None:
    text = written(
        ["card", "text"],
        [[Link("Fire | Ice", "https://example.test/(a b)"), "*_x_* @team #12 `c`\n<b>&"]],
        "markdown",
        title="*T*",
    )
    assert text == (
        "## \\*T\\*\n\n"
        "| card | text |\n"
        "| --- | --- |\n"
        "| [Fire \\| Ice](https://example.test/%28a%20b%29) | "
        "\\*\\_x\\_\\* @<!-- -->team #<!-- -->12 \\`c\\`<br>&lt;b&gt;&amp; |\n"
    )


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "https://a\n.test", None, ""])
def test_only_web_addresses_become_links(url: str | None) -> None:
    assert written(["c"], [[Link("x", url)]], "markdown").splitlines()[-1] == "| x |"


def test_no_rows() -> None:
    assert written(["a", "b"], [], "table") == "a  b\n-  -\n"
    assert written(["a", "b"], [], "json") == "[]\n"
    assert written(["a", "b"], [], "csv") == "a,b\r\n"
    assert written(["a", "b"], [], "markdown") == "| a | b |\n| --- | --- |\n"
    assert set(TABULAR_FORMATS) == {"table", "json", "csv", "markdown"}
