"""A rules text taken apart: reminder text, quotations, symbols (CR 207.2a, 113.1a)."""

from __future__ import annotations

import re
from functools import lru_cache

from indexer.rules.symbols import SYMBOLS, ManaSymbol, parse_symbol

_INNERMOST = re.compile(r"\([^()]*\)")
_UNCLOSED = re.compile(r"\([^\n]*")
_QUOTED = re.compile(r'"[^"\n]*"|“[^”\n]*”')
_TOKEN = re.compile(r"\{([^{}\n]*)\}")


# The values of one card are computed one after another from the same few texts.
@lru_cache(maxsize=64)
def without_reminder_text(text: str) -> str:
    """The text without its reminder text: everything in parentheses, nested ones included (CR 207.2a).

    A parenthesis that is never closed takes the rest of its line with it, not the abilities below.

    >>> without_reminder_text("Extort (You may pay {W/B} (once).)")
    'Extort '
    """
    while "(" in text:
        text, count = _INNERMOST.subn("", text)
        if not count:
            return _UNCLOSED.sub("", text)
    return text


def without_quotations(text: str) -> str:
    """The text with every quotation emptied: abilities that it grants to something, not its own (CR 113.1a)."""
    return _QUOTED.sub('""', text) if '"' in text or "“" in text else text


def symbol_tokens(text: str) -> list[str]:
    """The symbols of a text in order, without braces, known or not.

    >>> symbol_tokens("{2}{W/P}, {T}: Draw a card.")
    ['2', 'W/P', 'T']
    """
    return _TOKEN.findall(text)


def symbol_of_token(token: str) -> ManaSymbol:
    """The symbol of a token without braces. Raises `InvalidManaSymbol` if there is none."""
    return SYMBOLS.get(token) or parse_symbol(f"{{{token}}}")


def has_broken_brace(text: str) -> bool:
    """Whether a brace of the text belongs to no symbol, so that a symbol may have been lost."""
    return "{" in text and text.count("{") != len(_TOKEN.findall(text))
