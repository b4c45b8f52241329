"""A card of the pool by the words that somebody has for it."""

from __future__ import annotations

import difflib

from sqlalchemy import Connection, Row, case, func, or_, select

from indexer.errors import CardNotFound
from indexer.storage.models import Card, CardFace

_KIND_ORDER = case({"card": 0, "nontraditional": 1, "token": 2}, value=Card.object_kind, else_=3)
_SUGGESTIONS = 5


def find_oracle_id(connection: Connection, words: str) -> str:
    """The oracle id of the card that these words mean.

    Tried in turn: the oracle id, the exact name, the name of a face, an unambiguous start of a name, each without
    regard to case. Cards go before tokens and other objects of the same name, cards in the export before removed ones.

    Raises:
        CardNotFound: nothing or several cards answer; `suggestions` are near names, or the candidates' names and ids.
    """
    words = " ".join(words.split())
    if not words:
        raise CardNotFound("no card was named; give a name or an oracle id")
    by_id = connection.execute(select(Card.oracle_id).where(Card.oracle_id == words.lower())).scalar()
    if by_id is not None:
        return by_id
    folded = words.lower()
    for condition in (
        Card.name == words,
        func.lower(Card.name) == folded,
        Card.oracle_id.in_(select(CardFace.oracle_id).where(func.lower(CardFace.name) == folded)),
    ):
        rows = _candidates(connection, condition)
        if rows:
            return _the_one(words, rows)
    start = func.lower(Card.name).startswith(folded, autoescape=True)
    rows = _candidates(connection, start)
    if rows:
        return _the_one(words, rows)
    names = [str(name) for name in connection.execute(select(Card.name).distinct()).scalars()]
    near = tuple(difflib.get_close_matches(words, names, n=_SUGGESTIONS, cutoff=0.6))
    hint = f"; did you mean {' or '.join(repr(name) for name in near)}?" if near else ""
    raise CardNotFound(f"no card is named {words!r}{hint}", suggestions=near)


def _candidates(connection: Connection, condition: object) -> list[Row[tuple[str, str, str, int]]]:
    removed = case((Card.removed_run_id.is_(None), 0), else_=1)
    statement = (
        select(Card.oracle_id, Card.name, Card.object_kind, (_KIND_ORDER + 4 * removed).label("rank"))
        .where(or_(condition))  # type: ignore[arg-type]  # any SQL expression
        .order_by("rank", Card.name, Card.oracle_id)
        .limit(50)
    )
    return list(connection.execute(statement))


def _the_one(words: str, rows: list[Row[tuple[str, str, str, int]]]) -> str:
    best = [row for row in rows if row.rank == rows[0].rank]
    if len(best) == 1:
        return str(best[0].oracle_id)
    names = [row.name for row in best]
    if len(set(names)) == len(names):
        listed = ", ".join(repr(name) for name in names[:_SUGGESTIONS])
        more = f" and {len(names) - _SUGGESTIONS} more" if len(names) > _SUGGESTIONS else ""
        raise CardNotFound(f"{words!r} may be {listed}{more}; give the whole name", suggestions=tuple(names))
    listed = ", ".join(f"{row.name!r} {row.oracle_id}" for row in best[:_SUGGESTIONS])
    more = f" and {len(best) - _SUGGESTIONS} more" if len(best) > _SUGGESTIONS else ""
    raise CardNotFound(
        f"{len(best)} objects are named {words!r}; give an oracle id: {listed}{more}",
        suggestions=tuple(row.oracle_id for row in best),
    )
