"""Searching again and again on one connection, as a notebook does."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import text

from indexer.search.compile import compile_search
from indexer.search.run import run_search
from indexer.storage.fulltext import FTS_TABLE
from indexer.storage.models import Card
from tests.support.sample_pool import fill_pool, sample_records


def test_a_connection_answers_while_the_full_text_index_is_being_read(tmp_path: Path) -> None:
    """SQLite refuses to replace a function while a statement over FTS5 is under way."""
    engine = fill_pool(f"sqlite:///{(tmp_path / 'cards.db').as_posix()}", sample_records())
    with engine.connect() as connection:
        first = run_search(connection, compile_search('o:"add one mana"', columns=[Card.name]))
        reading = connection.execute(text(f"SELECT rowid FROM {FTS_TABLE} WHERE {FTS_TABLE} MATCH 'add'"))
        assert reading.fetchone() is not None
        again = run_search(connection, compile_search('o:"add one mana"', columns=[Card.name]))
        assert first
        assert again == first
    engine.dispose()
