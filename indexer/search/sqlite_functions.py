"""Functions that a search calls and SQLite lacks. A connection gets them once, before the first search."""

from __future__ import annotations

import re
import sqlite3
from functools import lru_cache

import regex

from indexer.search.keyword_abilities import keywords_only_pattern
from indexer.search.names import fold_name
from indexer.search.regex import FLAGS, compile_pattern
from indexer.search.self_reference import plain_text, self_text

REGEX_SECONDS = 0.25
"""What one text may cost a regular expression. Ordinary ones take microseconds."""

_PLAIN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]")
_REPEATS = re.compile(r"(?<!\()[*+?]|\{\d")


def register(connection: sqlite3.Connection) -> None:
    """Add `fold_name`, `plain_text`, `self_text` and the operator REGEXP to a connection.

    A regular expression that takes longer than `REGEX_SECONDS` on one text ends the statement with an
    `OperationalError`.
    """
    connection.create_function("fold_name", 1, _fold_name, deterministic=True)
    connection.create_function("plain_text", 1, _plain_text, deterministic=True)
    connection.create_function("self_text", 2, _self_text, deterministic=True)
    connection.create_function("regexp", 2, _regexp, deterministic=True)


def _fold_name(name: str | None) -> str | None:
    return None if name is None else fold_name(name)


def _plain_text(text: str | None) -> str | None:
    return None if text is None else plain_text(text)


def _self_text(text: str | None, name: str | None) -> str | None:
    return text if text is None or name is None else self_text(text, name)


def _regexp(pattern: str, text: str | None) -> bool | None:
    if text is None:
        return None
    compiled, may_run_away = _compiled(pattern)
    # Watching the clock costs more than an ordinary search: only where two repeats can play against each other.
    found = compiled.search(text, timeout=REGEX_SECONDS) if may_run_away else compiled.search(text)
    return found is not None


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> tuple[regex.Pattern[str], bool]:
    # A pattern may come from anybody's SQL: whatever is not our own must be one that the engine can bear.
    checked = pattern if pattern == keywords_only_pattern() else compile_pattern(pattern).sqlite
    repeats = _REPEATS.findall(_PLAIN.sub("", checked))
    return regex.compile(checked, FLAGS), len(repeats) > 1
