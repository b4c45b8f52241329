"""`manavalue`, `power`, `toughness`, `loyalty`, `defense`, `powtou`: numbers, also against each other."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from sqlalchemy import Integer, SQLColumnExpression, and_, cast, func

from indexer.search.comparisons import COMPARE
from indexer.search.faces import any_face
from indexer.search.keywords import COMPARISONS, Compiler, Context, Keyword, suggestion
from indexer.search.sql import Condition, contains, leading_number
from indexer.search.syntax import Term
from indexer.storage.models import Card

_NUMBER = re.compile(r"[+-]?(?:\d{1,12}(?:\.\d{1,6})?|\.\d{1,6})")


class Quantity(NamedTuple):
    """A number that a card or a face has."""

    names: tuple[str, ...]
    summary: str
    of_face: Callable[[Any], SQLColumnExpression[Any]]
    printed: Callable[[Any], SQLColumnExpression[Any]] | None
    """The printed text, which may hold a `*`; None for the mana value, which is always a number."""


QUANTITIES = (
    Quantity(("manavalue", "mv", "cmc"), "mana value", lambda face: Card.mana_value, None),
    Quantity(("power", "pow"), "power", lambda face: leading_number(face.power), lambda face: face.power),
    Quantity(
        ("toughness", "tou"), "toughness", lambda face: leading_number(face.toughness), lambda face: face.toughness
    ),
    Quantity(
        ("powtou", "pt"),
        "power and toughness together",
        lambda face: leading_number(face.power) + leading_number(face.toughness),
        lambda face: face.power + face.toughness,
    ),
    Quantity(
        ("loyalty", "loy"), "starting loyalty", lambda face: leading_number(face.loyalty), lambda face: face.loyalty
    ),
    Quantity(("defense", "def"), "defense", lambda face: leading_number(face.defense), lambda face: face.defense),
)
_BY_NAME = {name: quantity for quantity in QUANTITIES for name in quantity.names}


def _compiler(quantity: Quantity) -> Compiler:
    def compile_quantity(term: Term, _: Context) -> Condition:
        text = term.value.text.strip().lower()
        compare = COMPARE[term.operator]
        if text in ("even", "odd"):
            return _parity(term, quantity, remainder=text == "odd")
        if text == "*" and quantity.printed and term.operator in (":", "="):
            printed = quantity.printed
            return any_face(lambda face: contains(printed(face), "*"))
        if text in _BY_NAME:
            other = _BY_NAME[text].of_face
            return any_face(lambda face: compare(quantity.of_face(face), other(face)))
        if not _NUMBER.fullmatch(text):
            term.bad_value(f"{term.value.text!r} is no number" + suggestion(text, [*_BY_NAME, "even", "odd"]))
        number = float(text)
        if quantity.printed is None:
            return compare(Card.mana_value, number)  # type: ignore[no-any-return]
        return any_face(lambda face: compare(quantity.of_face(face), number))

    return compile_quantity


def _parity(term: Term, quantity: Quantity, *, remainder: bool) -> Condition:
    if term.operator not in (":", "="):
        term.bad_value(f"{term.value.text!r} can't be more or less: write {term.keyword}:{term.value.text}")

    def fits(face: Any) -> Condition:
        number = quantity.of_face(face)
        # Half a mana is neither even nor odd.
        whole = cast(number, Integer)
        return and_(number == whole, func.abs(whole) % 2 == int(remainder))

    return fits(Card) if quantity.printed is None else any_face(fits)


KEYWORDS = tuple(
    Keyword(quantity.names[0], _compiler(quantity), quantity.summary, quantity.names[1:], COMPARISONS)
    for quantity in QUANTITIES
)
