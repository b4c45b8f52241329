"""Names as people type them: without accents, punctuation and case.

The tables serve both the Python function (which SQLite calls) and the SQL that PostgreSQL runs, so that the two agree.
"""

from __future__ import annotations

import unicodedata

_SPACED = '-,/:;!?()*&+_"“”„«»‐‑–—…®™¡¿'
"""Characters that part words."""
FOLD_DELETED = ".'’‘‛"
"""Characters that stand within words and are left out."""
FOLD_EXPANDED = {"Æ": "ae", "æ": "ae", "Œ": "oe", "œ": "oe", "ß": "ss", "Þ": "th", "þ": "th"}
"""Letters that become two."""


def _accented_letters() -> dict[str, str]:
    letters = {"ø": "o", "Ø": "o", "ł": "l", "Ł": "l", "đ": "d", "Đ": "d", "ð": "d", "Ð": "d", "ı": "i"}
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)):
        base = unicodedata.normalize("NFD", chr(code))[0]
        if base.isascii() and base.isalpha():
            letters[chr(code)] = base.lower()
    return letters


_LETTERS = _accented_letters()
FOLD_FROM = "".join(_LETTERS) + _SPACED
"""Characters with one replacement each, `FOLD_TO` at the same place."""
FOLD_TO = "".join(_LETTERS.values()) + " " * len(_SPACED)

_TABLE = str.maketrans(FOLD_FROM, FOLD_TO, FOLD_DELETED) | {ord(k): v for k, v in FOLD_EXPANDED.items()}


def fold_name(name: str) -> str:
    """The name in lower case without accents and punctuation; hyphens and slashes part words.

    >>> fold_name("Lim-Dûl's Vault"), fold_name("Fire // Ice"), fold_name("Æther Vial")
    ('lim duls vault', 'fire ice', 'aether vial')
    """
    return " ".join(name.translate(_TABLE).lower().split())
