"""Untrusted bytes or text made fit to be shown or stored: short, and nothing in it that a terminal acts on."""

from __future__ import annotations

import reprlib

EXCERPT_BYTES = 2048
"""How much of a rejected record is kept."""

_PRINTABLE_SPACE = " "


def safe_excerpt(raw: bytes | str, limit: int = EXCERPT_BYTES) -> str:
    r"""The first `limit` bytes (or characters) as one line of plain text, with `…` where something was cut off.

    Bytes that aren't UTF-8, control characters, lone surrogates and invisible formatting characters (bidirectional
    overrides among them) come out as backslash escapes. Quotes and markup stay: escaping those is the writer's part.

    >>> safe_excerpt(b'{"name":"\x1b[31mIsland\xff"}')
    '{"name":"\\x1b[31mIsland\\xff"}'
    >>> safe_excerpt("abc\u202edef\n", 5)
    'abc\\u202ed…'
    """
    cut = raw[:limit]
    text = cut.decode("utf-8", "backslashreplace") if isinstance(cut, bytes) else cut
    if not text.isprintable():
        # str.isprintable is false for the Unicode categories "Other" and "Separator" (the space excepted), which
        # covers controls, surrogates, formatting characters and line separators.
        text = "".join(c if c.isprintable() or c == _PRINTABLE_SPACE else _escape(c) for c in text)
    return text + "…" if len(raw) > limit else text


def shown(value: object, limit: int = 200) -> str:
    r"""Any value from outside as part of a message: text in quotes, other things as Python writes them, cut short.

    >>> shown("a\x07b"), shown({"a": [1, 2]})
    ("'a\\x07b'", "{'a': [1, 2]}")
    """
    if isinstance(value, str | bytes):
        return f"'{safe_excerpt(value, limit)}'"
    return safe_excerpt(reprlib.repr(value), limit)  # reprlib: the plain one may recurse too deep


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
