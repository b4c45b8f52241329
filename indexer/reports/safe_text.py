"""Text of unknown origin made safe for where it is shown: a terminal, a spreadsheet, a Markdown page.

Card text comes from a file somebody else wrote. Shown as it is, a control sequence may rewrite the reader's terminal,
a right-to-left override may turn a name around, a leading `=` may run as a formula, and `|` or `<` may break a page.
"""

from __future__ import annotations

import re
import unicodedata

_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_PLAIN_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?", re.ASCII)
_MARKDOWN_SPECIAL = re.compile(r"[\\`*_\[\]|~$]")
_MARKDOWN_REFERENCE = re.compile(r"(?<!\w)([@#])(?=\w)")
_HTML_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def visible(text: str, *, keep: str = "") -> str:
    r"""The text with every control, format (bidirectional, zero-width) and unassigned character as an escape.

    Spaces of all kinds stay. Characters in `keep` stay too.

    >>> visible("Bolt\x1b[2J\u202e")
    'Bolt\\x1b[2J\\u202e'
    """
    if text.isprintable():
        return text
    return "".join(
        c
        if c in keep or unicodedata.category(c) not in _HIDDEN_CATEGORIES
        else c.encode("unicode_escape").decode("ascii")
        for c in text
    )


def one_line(text: str) -> str:
    r"""Safe text in one line: line breaks become ` / `, tabs become spaces.

    >>> one_line("Flying\nHaste")
    'Flying / Haste'
    """
    if text.isprintable():
        return text
    lines = [line.strip(" ") for line in text.replace("\t", " ").replace("\r", "\n").split("\n")]
    return visible(" / ".join(line for line in lines if line))


def spreadsheet_cell(text: str) -> str:
    """Text that no spreadsheet takes for a formula: a leading apostrophe where it might. Numbers stay as they are.

    >>> spreadsheet_cell("=1+1"), spreadsheet_cell("-1"), spreadsheet_cell("+1: Draw a card.")
    ("'=1+1", '-1', "'+1: Draw a card.")
    """
    text = visible(text, keep="\t\r\n")
    if text.startswith(_FORMULA_STARTS) and not _PLAIN_NUMBER.fullmatch(text):
        return "'" + text
    return text


def markdown_cell(text: str) -> str:
    """Text as a cell of a GitHub table: nothing in it is markup, a mention or a reference; line breaks become `<br>`.

    >>> markdown_cell("Fire | <b>Ice</b> @all")
    'Fire \\\\| &lt;b&gt;Ice&lt;/b&gt; @<!-- -->all'
    """
    text = visible(text, keep="\n").translate(_HTML_ESCAPES)
    text = _MARKDOWN_SPECIAL.sub(r"\\\g<0>", text)
    text = _MARKDOWN_REFERENCE.sub(r"\1<!-- -->", text)
    return text.replace("\n", "<br>")
