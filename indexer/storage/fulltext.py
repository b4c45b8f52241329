"""The full-text index over name, type line and text: FTS5 on SQLite, a generated tsvector on PostgreSQL.

On SQLite the index keeps no copy of the text (external content), so a row can be taken out of it only by someone who
knows the old text: the writer, which has compared old and new anyway. Triggers would do the same a row at a time.
"""

from __future__ import annotations

from collections.abc import Sequence

FTS_TABLE = "cards_fts"
FTS_COLUMNS = ("name", "type_line", "oracle_text")
VECTOR_COLUMN = "search_vector"

_SQLITE = (
    f"CREATE VIRTUAL TABLE {FTS_TABLE} USING fts5({', '.join(FTS_COLUMNS)}, "
    "content='cards', content_rowid='search_id', tokenize='unicode61 remove_diacritics 2')"
)
_TEXT = "name || ' ' || coalesce(type_line, '') || ' ' || coalesce(oracle_text, '')"
_POSTGRESQL = (
    f"ALTER TABLE cards ADD COLUMN {VECTOR_COLUMN} tsvector "
    f"GENERATED ALWAYS AS (to_tsvector('simple'::regconfig, {_TEXT})) STORED"
)
_POSTGRESQL_INDEX = f"CREATE INDEX ix_cards_{VECTOR_COLUMN} ON cards USING gin ({VECTOR_COLUMN})"


def full_text_statements(dialect: str) -> Sequence[str]:
    """What makes the index, once the table `cards` is there."""
    return (_SQLITE,) if dialect == "sqlite" else (_POSTGRESQL, _POSTGRESQL_INDEX)


def is_part_of_index(name: str | None) -> bool:
    """Whether a table, column or index belongs to the full-text index, which the mapped classes don't describe."""
    return name is not None and (name.startswith(FTS_TABLE) or VECTOR_COLUMN in name)
