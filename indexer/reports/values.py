"""Values of the compared fields as people read them: `colorless`, `+U -R`, `2 -> 4`."""

from __future__ import annotations

from typing import NamedTuple

FIELDS = ("mana_value", "colors", "color_identity", "produced_mana")
"""The fields that are compared, in the order in which reports show them."""
FIELD_NAMES = {
    "mana_value": "mana value",
    "colors": "colors",
    "color_identity": "color identity",
    "produced_mana": "produced mana",
}
CATEGORIES = ("published_error", "policy", "undecided")
CATEGORY_NAMES = {"published_error": "published error", "policy": "policy", "undecided": "undecided"}
STATUSES = ("open", "accepted", "resolved")
OBJECT_KINDS = ("card", "token", "nontraditional", "other")


class SetDifference(NamedTuple):
    """What to change in a published set of colors to get the computed one."""

    add: str
    remove: str


def shown_value(field: str, value: str | None) -> str:
    """A stored value in words where the stored form is empty.

    >>> shown_value("colors", ""), shown_value("produced_mana", ""), shown_value("mana_value", "4")
    ('colorless', 'none', '4')
    >>> shown_value("colors", None)
    'undecided'
    """
    if value is None:
        return "undecided"
    if value:
        return value
    return "none" if field == "produced_mana" else "colorless"


def set_difference(published: str, computed: str) -> SetDifference:
    """The letters to add and to take away, each in the order in which they stand.

    >>> set_difference("WR", "WU")
    SetDifference(add='U', remove='R')
    """
    return SetDifference(
        "".join(c for c in computed if c not in published), "".join(c for c in published if c not in computed)
    )


def difference_text(field: str, published: str, computed: str | None) -> str:
    """What the correction changes: `+U -R` for colors, `+2` for a mana value; empty if `computed` is None.

    >>> difference_text("colors", "WR", "WU"), difference_text("mana_value", "2", "4")
    ('+U -R', '+2')
    >>> difference_text("mana_value", "3", "2.5"), difference_text("colors", "W", None)
    ('-0.5', '')
    """
    if computed is None:
        return ""
    if field == "mana_value":
        return f"{float(computed) - float(published):+g}"
    add, remove = set_difference(published, computed)
    return " ".join(part for part in (add and f"+{add}", remove and f"-{remove}") if part)
