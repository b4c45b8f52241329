"""The pool for scripts and notebooks: `open_pool()`, then `pool.search(...)`, `pool.card(...)`, `pool.mismatches()`.

Everything read is a frozen value of plain types; nothing refers back to the database. Each call reads one state of the
pool, the newest there is. `docs/python.md` shows it at work.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from sqlalchemy import Connection, Engine, event, inspect, select

from indexer.config import Settings
from indexer.errors import CardNotFound, SearchSyntaxError, StorageError
from indexer.search.compile import compile_search
from indexer.search.run import run_search
from indexer.storage.engine import display_url, open_engine, parse_url, sqlite_file, storage_errors
from indexer.storage.lookup import find_oracle_id
from indexer.storage.models import Card, CardFace, Keyword, Legality, Mismatch

if TYPE_CHECKING:
    import pandas as pd

_AT_ONCE = 500
"""How many cards one query names. SQLite takes 32,766 parameters, old ones 999."""
_FIRST_SYNC = "run 'indexer sync' first"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PoolFace:
    """One face of a card, with our own values."""

    name: str
    mana_cost: str | None
    """`""` is no mana cost; None: the record doesn't say."""
    mana_value: float | None
    colors: str | None
    """Letters in WUBRG order; `""` is colorless, None undecided."""
    color_indicator: str | None
    """None if there is none."""
    type_line: str | None
    oracle_text: str | None
    power: str | None
    """As printed, which may be `*`; None if the face has none. So are the next three."""
    toughness: str | None
    loyalty: str | None
    defense: str | None


@dataclass(frozen=True, slots=True)
class PoolCard:
    """One card, with our own values. None is a value that isn't there, or that the rules don't give from the record."""

    oracle_id: str
    name: str
    layout: str
    object_kind: str
    """card, token, nontraditional or other."""
    mana_cost: str | None
    mana_value: float | None
    colors: str | None
    """Letters in WUBRG order; `""` is colorless. So are the next two (with C for colorless mana)."""
    color_identity: str | None
    produced_mana: str | None
    type_line: str | None
    oracle_text: str | None
    power: str | None
    toughness: str | None
    loyalty: str | None
    defense: str | None
    set_code: str | None
    set_name: str | None
    collector_number: str | None
    rarity: str | None
    released_at: dt.date | None
    edhrec_rank: int | None
    reserved: bool | None
    scryfall_id: str | None
    scryfall_uri: str | None
    keywords: tuple[str, ...]
    """Keyword abilities, keyword actions and ability words that Scryfall lists."""
    faces: tuple[PoolFace, ...]
    """At least one."""


@dataclass(frozen=True, slots=True)
class PoolMismatch:
    """A published value that the rules contradict."""

    id: int
    card: str
    oracle_id: str
    face: str | None
    """The face's name; None if the value is the card's."""
    field: str
    published: str
    computed: str | None
    """None exactly if the category is `undecided`."""
    category: str
    rule: str
    explanation: str
    status: str
    first_seen_run_id: int
    last_seen_run_id: int


class PoolList(list[T], Generic[T]):
    """A list that becomes a table."""

    def to_pandas(self) -> pd.DataFrame:
        """A data frame, one row a value: its fields, without `faces`.

        Raises:
            ImportError: pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("to_pandas() needs pandas: pip install pandas") from error
        rows = [{name: getattr(value, name) for name in _field_names(type(value)) if name != "faces"} for value in self]
        return pd.DataFrame(rows)


class CardList(PoolList[PoolCard]):
    """Cards, in the order of the search."""


class MismatchList(PoolList[PoolMismatch]):
    """Mismatches, by card and field."""


def _field_names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


_CARD_FIELDS = tuple(name for name in _field_names(PoolCard) if name not in ("keywords", "faces"))
_FACE_FIELDS = _field_names(PoolFace)


def open_pool(url: str | Path | None = None) -> Pool:
    """Open a pool for reading.

    `url` is the address of a database, or the path of an SQLite file; None is what the command line would take:
    `INDEXER_DATABASE_URL`, otherwise `data/cards.db`. Use it in a `with` statement, or call `close()`.

    Raises:
        ConfigError: the address isn't one of a database.
        StorageError: there is no database, it can't be read, or no sync has filled it yet.
    """
    if url is None:
        address = Settings.from_environment().database_url
    elif isinstance(url, Path) or "://" not in url:
        address = f"sqlite:///{Path(url).as_posix()}"
    else:
        address = url
    return Pool(address)


class Pool:
    """A card pool open for reading. Safe to share between threads: every call has its own connection."""

    def __init__(self, database_url: str) -> None:
        self._url = parse_url(database_url)
        file = sqlite_file(self._url)
        if file is not None and not file.exists():
            raise StorageError(f"no database at {str(file)!r}: {_FIRST_SYNC}")
        self._engine = _reading_engine(database_url)
        with storage_errors(self._url, "read"), self._engine.connect() as connection:
            if not inspect(connection).has_table(Card.__tablename__):
                raise StorageError(f"no card pool in {display_url(self._url)!r} yet: {_FIRST_SYNC}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Pool {display_url(self._url)}>"

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def search(self, expression: str, limit: int | None = None) -> CardList:
        """The cards that an expression of Scryfall's search language finds (`docs/search.md`), sorted as it says.

        Raises:
            SearchSyntaxError: the expression can't be read, or names what the pool doesn't have; `span` says where.
            QueryError: it takes too long.
        """
        search = compile_search(expression, columns=[Card.oracle_id], limit=limit)
        with storage_errors(self._url, "search"), self._engine.connect() as connection:
            return _load_cards(connection, [row.oracle_id for row in run_search(connection, search)])

    def card(self, name: str) -> PoolCard:
        """The one card of this name: the card's, a face's, or an unambiguous beginning; an oracle id will do, too.

        Case, accents and punctuation don't matter. Cards go before tokens of the same name.

        Raises:
            CardNotFound: no card, or more than one; `suggestions` has near names.
        """
        with storage_errors(self._url, "read"), self._engine.connect() as connection:
            try:
                oracle_id = find_oracle_id(connection, name)
            except CardNotFound:
                found = _by_folded_name(connection, name)
                if len(found) != 1:
                    raise
                oracle_id = found[0]
            return _load_cards(connection, [oracle_id])[0]

    def legalities(self, card: PoolCard) -> dict[str, str]:
        """The card's status in each format: legal, not_legal, banned or restricted."""
        statement = select(Legality.format, Legality.status).where(Legality.oracle_id == card.oracle_id)
        with storage_errors(self._url, "read"), self._engine.connect() as connection:
            return {row.format: row.status for row in connection.execute(statement.order_by(Legality.format))}

    def mismatches(self, status: str | None = "open") -> MismatchList:
        """The mismatches of this status (open, resolved, accepted); None for all. Sorted by card and field."""
        statement = (
            select(
                Mismatch.id,
                Card.name.label("card"),
                Mismatch.oracle_id,
                CardFace.name.label("face"),
                Mismatch.field,
                Mismatch.published,
                Mismatch.computed,
                Mismatch.category,
                Mismatch.rule,
                Mismatch.explanation,
                Mismatch.status,
                Mismatch.first_seen_run_id,
                Mismatch.last_seen_run_id,
            )
            .join(Card, Card.oracle_id == Mismatch.oracle_id)
            .outerjoin(
                CardFace, (CardFace.oracle_id == Mismatch.oracle_id) & (CardFace.face_index == Mismatch.face_index)
            )
            .order_by(Card.name, Mismatch.field, Mismatch.id)
        )
        if status is not None:
            statement = statement.where(Mismatch.status == status)
        with storage_errors(self._url, "read"), self._engine.connect() as connection:
            return MismatchList(PoolMismatch(*tuple[Any, ...](row)) for row in connection.execute(statement))


def _reading_engine(database_url: str) -> Engine:
    engine = open_engine(database_url, read_only=True)
    if engine.dialect.name == "sqlite":

        @event.listens_for(engine, "connect")
        def only_read(connection: Any, _record: object) -> None:
            connection.execute("PRAGMA query_only = ON")

        return engine
    return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


def _by_folded_name(connection: Connection, name: str) -> list[str]:
    quoted = name.replace('"', " ").strip()
    try:
        search = compile_search(f'!"{quoted}"', columns=[Card.oracle_id], limit=2)
    except SearchSyntaxError:
        return []
    return [row.oracle_id for row in run_search(connection, search)]


def _load_cards(connection: Connection, oracle_ids: Sequence[str]) -> CardList:
    cards = CardList()
    for start in range(0, len(oracle_ids), _AT_ONCE):
        chunk = oracle_ids[start : start + _AT_ONCE]
        rows = _rows_of(connection, Card, _CARD_FIELDS, chunk)
        faces = _grouped(_rows_of(connection, CardFace, _FACE_FIELDS, chunk, order=CardFace.face_index))
        keywords = _grouped(_rows_of(connection, Keyword, ("keyword",), chunk, order=Keyword.keyword))
        by_id = dict(rows)
        for oracle_id in chunk:
            words = tuple(keyword for (keyword,) in keywords[oracle_id])
            parts = tuple(PoolFace(*values) for values in faces[oracle_id])
            cards.append(PoolCard(*by_id[oracle_id], *[words, parts]))
    return cards


def _rows_of(
    connection: Connection, table: Any, names: Iterable[str], oracle_ids: Sequence[str], *, order: Any = None
) -> list[tuple[str, tuple[Any, ...]]]:
    """The oracle id of each row with the values of the named columns."""
    columns = [getattr(table, name) for name in names]
    statement = select(table.oracle_id, *columns).where(table.oracle_id.in_(oracle_ids))
    if order is not None:
        statement = statement.order_by(table.oracle_id, order)
    return [(row[0], tuple(row[1:])) for row in connection.execute(statement)]


def _grouped(rows: Iterable[tuple[str, tuple[Any, ...]]]) -> defaultdict[str, list[tuple[Any, ...]]]:
    groups: defaultdict[str, list[tuple[Any, ...]]] = defaultdict(list)
    for oracle_id, values in rows:
        groups[oracle_id].append(values)
    return groups
