"""`order` and `direction`: how the results are sorted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from sqlalchemy import SQLColumnExpression, func

from indexer.search.sql import leading_number, sort_name
from indexer.search.terms_printing import rarity_rank
from indexer.storage.models import Card


class Order(NamedTuple):
    """One way to sort."""

    names: tuple[str, ...]
    summary: str
    columns: Callable[[], tuple[SQLColumnExpression[Any], ...]]
    descending: bool = False
    """The direction that is taken if none is asked for."""


ORDERS = (
    Order(("name",), "name", lambda: ()),
    Order(("cmc", "mv", "manavalue"), "mana value", lambda: (Card.mana_value,)),
    Order(("power", "pow"), "power, greatest first", lambda: (leading_number(Card.power),), descending=True),
    Order(
        ("toughness", "tou"), "toughness, greatest first", lambda: (leading_number(Card.toughness),), descending=True
    ),
    Order(
        ("color", "colors"),
        "number of colors, then white, blue, black, red, green",
        lambda: (func.length(Card.colors), Card.colors_mask),
    ),
    Order(("rarity",), "rarity, rarest first", lambda: (rarity_rank(),), descending=True),
    Order(
        ("set",),
        "code of the set, then collector number",
        lambda: (Card.set_code, leading_number(Card.collector_number), Card.collector_number),
    ),
    Order(("released", "date"), "day of release, newest first", lambda: (Card.released_at,), descending=True),
    Order(("edhrec",), "rank at EDHREC, most played first", lambda: (Card.edhrec_rank,)),
)
ORDERS_BY_NAME = {name: order for order in ORDERS for name in order.names}
MISSING_ORDERS: dict[str, str] = {
    **dict.fromkeys(("usd", "eur", "tix"), "prices"),
    "artist": "artists",
    "penny": "ranks of Penny Dreadful",
    "cube": "cube lists",
    "spoiled": "preview dates",
    "review": "reviews",
}
"""Orders that Scryfall has and the pool can't give -> what it doesn't hold."""
DIRECTIONS = {"asc": False, "ascending": False, "desc": True, "descending": True, "auto": None}


def ordering(order: Order, *, descending: bool | None) -> list[SQLColumnExpression[Any]]:
    """The ORDER BY: the order's own columns, rows without a value last, then by name."""
    down = order.descending if descending is None else descending
    keys = [(column.desc() if down else column.asc()).nulls_last() for column in order.columns()]
    name = sort_name(Card.name)
    by_name_down = down and not keys
    return [*keys, name.desc() if by_name_down else name, Card.oracle_id]
