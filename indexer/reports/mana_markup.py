"""Mana symbols as HTML: a colored disc with the symbol's letter, and words for those who listen.

The discs are drawn by the page's own style sheet. Without it the letters are still there.
"""

from __future__ import annotations

import re
from functools import lru_cache

from markupsafe import Markup, escape

_SYMBOL = re.compile(r"\{([^{}\s]{1,8})\}")
_NAMES = {
    "W": "white",
    "U": "blue",
    "B": "black",
    "R": "red",
    "G": "green",
    "C": "colorless",
    "S": "snow",
    "P": "2 life",
    "T": "tap",
    "Q": "untap",
    "E": "energy",
}
_COLORED = frozenset("WUBRGC")


def mana_text(text: str | None) -> Markup:
    """Text with each symbol in braces drawn. Everything else is escaped; line breaks stay.

    >>> mana_text("{U} <b>")
    Markup('<span class="p u" role="img" aria-label="blue">U</span> &lt;b&gt;')
    """
    if not text:
        return Markup("")
    parts = _SYMBOL.split(text)
    return Markup("").join(_symbol(part) if i % 2 else escape(part) for i, part in enumerate(parts))


def color_discs(letters: str) -> Markup:
    """A set of colors as a row of discs with one spoken label; the letters are WUBRGC.

    >>> color_discs("WU")
    Markup('<span class="ps" role="img" aria-label="white, blue"><i class="p w">W</i><i class="p u">U</i></span>')
    """
    label = ", ".join(_NAMES.get(letter, letter) for letter in letters)
    discs = Markup("").join(Markup('<i class="p {}">{}</i>').format(letter.lower(), letter) for letter in letters)
    return Markup('<span class="ps" role="img" aria-label="{}">{}</span>').format(label, discs)


@lru_cache(maxsize=512)
def _symbol(symbol: str) -> Markup:
    halves = symbol.upper().split("/")
    label = " or ".join(_NAMES.get(half, half) for half in halves)
    colored = [half.lower() for half in halves if half in _COLORED]
    if len(colored) == 1 and len(halves) == 2 and "P" not in halves:
        colored.insert(0, "c")  # {2/W}: the generic half is gray
    kind = " ".join(["p", *(["hy"] if len(colored) == 2 else []), *_halves(colored)])
    wide = " wide" if len(symbol) > 2 else ""
    return Markup('<span class="{}{}" role="img" aria-label="{}">{}</span>').format(kind, wide, label, symbol)


def _halves(colored: list[str]) -> list[str]:
    if len(colored) == 2:
        return [f"a{colored[0]}", f"b{colored[1]}"]
    return colored[:1]
