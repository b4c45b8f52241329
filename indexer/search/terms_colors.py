"""`color`, `identity`, `produces`: sets of colors (CR 105.2) compared as sets, and how many colors there are."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import SQLColumnExpression, and_, false, func, true

from indexer.rules.colors import COLOR_LETTERS, MANA_LETTERS, ColorSet, ManaTypes
from indexer.search.comparisons import COMPARE
from indexer.search.faces import either_side
from indexer.search.keywords import COMPARISONS, Context, Keyword, suggestion
from indexer.search.nicknames import COLOR_NICKNAMES, COLORLESS_NAMES, MULTICOLOR_NAMES
from indexer.search.sql import Condition
from indexer.search.syntax import Term
from indexer.storage.models import Card

MaskColumn = SQLColumnExpression[Any]


class Letters(NamedTuple):
    """A set of colors or of types of mana."""

    mask: int


class Count(NamedTuple):
    """A number of colors."""

    number: int


class Several(NamedTuple):
    """`multicolor`: more than one color."""


ColorValue = Letters | Count | Several


def color(term: Term, _: Context) -> Condition:
    """The colors of the card, or of one side of a two-sided card; `:` is `>=`."""
    value = _color_value(term, COLOR_LETTERS)
    return either_side(lambda mask: _compare(mask, _operator(term, value, colon=">="), value, COLOR_LETTERS))


def identity(term: Term, _: Context) -> Condition:
    """The color identity (CR 903.4); `:` is `<=`: what fits a commander with that identity."""
    value = _color_value(term, COLOR_LETTERS)
    return _compare(Card.color_identity_mask, _operator(term, value, colon="<="), value, COLOR_LETTERS)


def produces(term: Term, _: Context) -> Condition:
    """The types of mana (CR 106.1b) the card can produce; `:` is `>=`. What is less than a set is still some mana."""
    value = _color_value(term, MANA_LETTERS)
    operator = _operator(term, value, colon=">=")
    mask = func.coalesce(Card.produced_mana_mask, 0)
    condition = _compare(mask, operator, value, MANA_LETTERS)
    if isinstance(value, Count) or operator not in ("<", "<=", "!=") or (operator == "!=" and value != Several()):
        return condition
    return and_(condition, mask > 0)


def _operator(term: Term, value: ColorValue, *, colon: str) -> str:
    if term.operator != ":":
        return term.operator
    # `c:c` and `id:c` are the colorless cards, not all cards; `c:2` are those of exactly two colors.
    return colon if isinstance(value, Letters) and value.mask else "="


def _color_value(term: Term, letters: str) -> ColorValue:
    text = term.value.text.strip().lower()
    of_mana = letters == MANA_LETTERS
    if text in MULTICOLOR_NAMES:
        return Several()
    if text in COLORLESS_NAMES:
        return Letters(ManaTypes.from_letters("C").mask if of_mana else 0)
    if text.isascii() and text.isdigit():
        if int(text) > len(letters):
            term.bad_value(f"there are only {len(letters)} {'types of mana' if of_mana else 'colors'}, not {text}")
        return Count(int(text))
    spelled = COLOR_NICKNAMES.get(text, text.upper())
    if spelled and set(spelled) <= set(letters):
        return Letters((ManaTypes if of_mana else ColorSet).from_letters(spelled).mask)
    if spelled and set(spelled) <= set(COLOR_LETTERS + "CM"):
        odd = "colorless (c)" if "C" in spelled else "multicolor (m)"
        term.bad_value(f"{term.value.text!r} mixes {odd} with other colors: write two terms")
    near = suggestion(text, [*COLOR_NICKNAMES, "colorless", "multicolor"])
    return term.bad_value(f"{term.value.text!r} is no color, set of colors or number of colors{near}")


def _compare(mask: MaskColumn, operator: str, value: ColorValue, letters: str) -> Condition:
    match value:
        case Count(number):
            return _count(mask, operator, number, letters)
        case Several():
            # As Scryfall reads it: fewer and unlike are at most one color, "at most several" is anything.
            if operator == "<=":
                return true()
            return _count(mask, "<", 2, letters) if operator in ("<", "!=") else _count(mask, ">=", 2, letters)
        case Letters(wanted):
            return _compare_sets(mask, operator, wanted, letters)


def _compare_sets(mask: MaskColumn, operator: str, wanted: int, letters: str) -> Condition:
    superset = mask.bitwise_and(wanted) == wanted
    subset = mask.bitwise_and(~wanted & (1 << len(letters)) - 1) == 0
    match operator:
        case ">=":
            return superset
        case ">":
            return and_(superset, mask != wanted)
        case "<=":
            return subset
        case "<":
            return and_(subset, mask != wanted)
    return COMPARE[operator](mask, wanted)  # type: ignore[no-any-return]


def _count(mask: MaskColumn, operator: str, number: int, letters: str) -> Condition:
    """Compare how many letters the mask has: there are few enough masks to list those that fit."""
    fitting = [m for m in range(1 << len(letters)) if COMPARE[operator](m.bit_count(), number)]
    return mask.in_(fitting) if fitting else false()


KEYWORDS = (
    Keyword("color", color, "colors", ("c", "colors", "colour", "colours"), COMPARISONS),
    Keyword(
        "identity",
        identity,
        "color identity",
        ("id", "ci", "commander", "coloridentity", "color_identity"),
        COMPARISONS,
    ),
    Keyword("produces", produces, "types of mana it can produce", (), COMPARISONS),
)
