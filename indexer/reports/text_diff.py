"""Two versions of a text as one text with marks: which words went and which came."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from enum import Enum
from typing import NamedTuple

_TOKEN = re.compile(r"\{[^{}\s]*\}|\w+|\s+|[^\w\s]")
_WORDS_AROUND = 5


class Mark(Enum):
    """What became of a piece of text."""

    SAME = "same"
    GONE = "gone"
    NEW = "new"


class Piece(NamedTuple):
    """Some words with the same fate."""

    mark: Mark
    text: str


def diff_text(old: str, new: str) -> list[Piece]:
    """The words of both texts in order. Without the new ones they are the old text, without the gone ones the new.

    Changes with only a space or a sign between them are told as one, which reads better than many small ones.

    >>> [(piece.mark.value, piece.text) for piece in diff_text("Draw a card.", "Draw two cards.")]
    [('same', 'Draw '), ('gone', 'a card'), ('new', 'two cards'), ('same', '.')]
    """
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    pieces: list[Piece] = []
    gone: list[str] = []
    fresh: list[str] = []

    def flush() -> None:
        if gone:
            pieces.append(Piece(Mark.GONE, "".join(gone)))
        if fresh:
            pieces.append(Piece(Mark.NEW, "".join(fresh)))
        gone.clear()
        fresh.clear()

    operations = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    for number, (operation, i1, i2, j1, j2) in enumerate(operations):
        if operation != "equal":
            gone += before[i1:i2]
            fresh += after[j1:j2]
            continue
        same = "".join(before[i1:i2])
        if 0 < number < len(operations) - 1 and i2 - i1 <= 2 and not re.search(r"\w{2}|\{|\n", same):
            gone.append(same)
            fresh.append(same)
            continue
        flush()
        pieces.append(Piece(Mark.SAME, same))
    flush()
    return pieces


def shorten(pieces: Sequence[Piece], words: int = _WORDS_AROUND) -> list[Piece]:
    """The pieces with at most so many unchanged words around each change, and an ellipsis for what is left out.

    >>> long = Piece(Mark.SAME, "one two three four five six ")
    >>> shorten([long, Piece(Mark.NEW, "x "), long], 2)[0].text, shorten([Piece(Mark.NEW, "x "), long], 2)[-1].text
    ('… five six ', 'one two …')
    """
    shortened = []
    for place, piece in enumerate(pieces):
        if piece.mark is not Mark.SAME:
            shortened.append(piece)
            continue
        parts = re.findall(r"^\s*\S+\s*|\S+\s*|^\s+$", piece.text)
        before = words if place > 0 else 0
        after = words if place < len(pieces) - 1 else 0
        if len(parts) > before + after + 1:
            head, tail = "".join(parts[:before]), "".join(parts[len(parts) - after :])
            piece = Piece(Mark.SAME, f"{head}…{'' if not after else ' '}{tail}")
        shortened.append(piece)
    return shortened


def marked_text(pieces: Iterable[Piece]) -> str:
    """The pieces as plain text, the way `wdiff` writes them.

    >>> marked_text(diff_text("Draw a card.", "Draw two cards."))
    'Draw [-a card-]{+two cards+}.'
    """
    signs = {Mark.SAME: ("", ""), Mark.GONE: ("[-", "-]"), Mark.NEW: ("{+", "+}")}
    return "".join(signs[piece.mark][0] + piece.text + signs[piece.mark][1] for piece in pieces)
