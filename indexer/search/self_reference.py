"""Rules texts as a search reads them: without reminder text, and with `~` where a card speaks of itself."""

from __future__ import annotations

import re

SELF_NOUNS = (
    "spell",
    "permanent",
    "card",
    "creature",
    "land",
    "artifact",
    "enchantment",
    "planeswalker",
    "battle",
    "token",
    "Aura",
    "Background",
    "Case",
    "Class",
    "Contraption",
    "Equipment",
    "Fortification",
    "Mount",
    "Room",
    "Saga",
    "Shrine",
    "Siege",
    "Spacecraft",
    "Vehicle",
    "emblem",
    "scheme",
)
"""What a card calls itself after "this" (CR 201.5 and the templates of Oracle texts)."""

_THIS = re.compile(rf"\bthis (?:{'|'.join(SELF_NOUNS)})\b", re.IGNORECASE)
_REMINDER = re.compile(r" ?\([^()]*\) ?")
_LINES = re.compile(r"\n+")
FACES_AT_MOST = 5
"""How many halves a card's name is taken apart into."""


def plain_text(text: str) -> str:
    r"""The text without reminder text and the gaps it leaves.

    >>> plain_text("Flying (It can't be blocked.)\nHaste")
    'Flying\nHaste'
    """
    if "(" not in text:
        return text
    # Twice, for a parenthesis within a parenthesis. PostgreSQL does the same with the same expressions.
    return _LINES.sub("\n", _REMINDER.sub("\n", _REMINDER.sub("\n", text))).strip("\n ")


def self_text(text: str, name: str) -> str:
    """The text with `~` for the card's name, a face's name, the part of it before a comma, and "this creature".

    >>> self_text("When Sidisi enters, sacrifice this creature.", "Sidisi, Undead Vizier")
    'When ~ enters, sacrifice ~.'
    """
    for face in name.split(" // ")[:FACES_AT_MOST]:
        text = text.replace(face, "~")
        short, comma, _ = face.partition(", ")
        if comma and short:
            text = text.replace(short, "~")
    return _THIS.sub("~", text)
