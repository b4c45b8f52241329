"""The tables of the first release.

`sync` makes a new database from the mapped classes; this revision makes the same for developers, and is the ground that
later revisions stand on.

Revision ID: 0001
Revises:
Create Date: 2026-11-29
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

FULL_TEXT_SQLITE = (
    "CREATE VIRTUAL TABLE cards_fts USING fts5(name, type_line, oracle_text, "
    "content='cards', content_rowid='search_id', tokenize='unicode61 remove_diacritics 2')"
)
FULL_TEXT_POSTGRESQL = (
    "ALTER TABLE cards ADD COLUMN search_vector tsvector GENERATED ALWAYS AS (to_tsvector('simple'::regconfig, "
    "name || ' ' || coalesce(type_line, '') || ' ' || coalesce(oracle_text, ''))) STORED"
)

TABLES = [
    "sync_runs",
    "cards",
    "rejected_records",
    "card_changes",
    "card_faces",
    "card_parts",
    "color_identity_sources",
    "face_symbols",
    "face_types",
    "keywords",
    "legalities",
    "mana_values",
    "mismatches",
    "undecided_values",
]
"""In the order in which they refer to each other."""


def upgrade() -> None:
    """Make every table of an empty database, and the full-text index."""
    op.create_table(
        "sync_runs",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("outcome", sa.String(length=16), nullable=False),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("size", sa.BigInteger(), nullable=True),
        sa.Column("sha256", sa.Text(), nullable=True),
        sa.Column("records_read", sa.Integer(), nullable=False),
        sa.Column("records_rejected", sa.Integer(), nullable=False),
        sa.Column("cards_total", sa.Integer(), nullable=False),
        sa.Column("cards_added", sa.Integer(), nullable=False),
        sa.Column("cards_changed", sa.Integer(), nullable=False),
        sa.Column("cards_unchanged", sa.Integer(), nullable=False),
        sa.Column("cards_removed", sa.Integer(), nullable=False),
        sa.Column("cards_restored", sa.Integer(), nullable=False),
        sa.Column("mismatches_open", sa.Integer(), nullable=False),
        sa.Column("mismatches_new", sa.Integer(), nullable=False),
        sa.Column("mismatches_reopened", sa.Integer(), nullable=False),
        sa.Column("mismatches_resolved", sa.Integer(), nullable=False),
        sa.Column("values_undecided", sa.Integer(), nullable=False),
        sa.Column("warnings", sa.Text(), nullable=True),
        sa.Column("rules_edition", sa.Text(), nullable=False),
        sa.Column("engine_version", sa.Text(), nullable=False),
        sa.Column("program_version", sa.Text(), nullable=False),
        sa.Column("download_seconds", sa.Float(), nullable=True),
        sa.Column("read_seconds", sa.Float(), nullable=True),
        sa.Column("write_seconds", sa.Float(), nullable=True),
        sa.Column("total_seconds", sa.Float(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_sync_runs"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "cards",
        sa.Column("oracle_id", sa.Text(), nullable=False),
        sa.Column("search_id", sa.Integer(), nullable=False),
        sa.Column("scryfall_id", sa.Text(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("layout", sa.Text(), nullable=False),
        sa.Column("object_kind", sa.Text(), nullable=False),
        sa.Column("mana_cost", sa.Text(), nullable=True),
        sa.Column("mana_value", sa.Float(), nullable=True),
        sa.Column("colors", sa.Text(), nullable=True),
        sa.Column("colors_mask", sa.Integer(), nullable=True),
        sa.Column("color_identity", sa.Text(), nullable=True),
        sa.Column("color_identity_mask", sa.Integer(), nullable=True),
        sa.Column("produced_mana", sa.Text(), nullable=True),
        sa.Column("produced_mana_mask", sa.Integer(), nullable=True),
        sa.Column("mana_value_decision", sa.Text(), nullable=False),
        sa.Column("colors_decision", sa.Text(), nullable=False),
        sa.Column("color_identity_decision", sa.Text(), nullable=False),
        sa.Column("produced_mana_decision", sa.Text(), nullable=False),
        sa.Column("published_mana_value", sa.Float(), nullable=True),
        sa.Column("published_colors", sa.Text(), nullable=True),
        sa.Column("published_colors_mask", sa.Integer(), nullable=True),
        sa.Column("published_color_identity", sa.Text(), nullable=True),
        sa.Column("published_color_identity_mask", sa.Integer(), nullable=True),
        sa.Column("published_produced_mana", sa.Text(), nullable=True),
        sa.Column("published_produced_mana_mask", sa.Integer(), nullable=True),
        sa.Column("type_line", sa.Text(), nullable=True),
        sa.Column("oracle_text", sa.Text(), nullable=True),
        sa.Column("power", sa.Text(), nullable=True),
        sa.Column("toughness", sa.Text(), nullable=True),
        sa.Column("loyalty", sa.Text(), nullable=True),
        sa.Column("defense", sa.Text(), nullable=True),
        sa.Column("set_code", sa.Text(), nullable=True),
        sa.Column("set_name", sa.Text(), nullable=True),
        sa.Column("set_type", sa.Text(), nullable=True),
        sa.Column("collector_number", sa.Text(), nullable=True),
        sa.Column("rarity", sa.Text(), nullable=True),
        sa.Column("released_at", sa.Date(), nullable=True),
        sa.Column("edhrec_rank", sa.Integer(), nullable=True),
        sa.Column("reserved", sa.Boolean(), nullable=True),
        sa.Column("digital", sa.Boolean(), nullable=True),
        sa.Column("funny", sa.Boolean(), nullable=True),
        sa.Column("game_changer", sa.Boolean(), nullable=True),
        sa.Column("scryfall_uri", sa.Text(), nullable=True),
        sa.Column("record_hash", sa.LargeBinary(), nullable=True),
        sa.Column("first_seen_run_id", sa.Integer(), nullable=False),
        sa.Column("last_changed_run_id", sa.Integer(), nullable=False),
        sa.Column("removed_run_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["first_seen_run_id"], ["sync_runs.id"], name="fk_cards_first_seen_run_id_sync_runs"),
        sa.ForeignKeyConstraint(
            ["last_changed_run_id"], ["sync_runs.id"], name="fk_cards_last_changed_run_id_sync_runs"
        ),
        sa.ForeignKeyConstraint(["removed_run_id"], ["sync_runs.id"], name="fk_cards_removed_run_id_sync_runs"),
        sa.PrimaryKeyConstraint("oracle_id", name="pk_cards"),
        sa.UniqueConstraint("search_id", name="uq_cards_search_id"),
    )
    op.create_index("ix_cards_color_identity_mask", "cards", ["color_identity_mask"])
    op.create_index("ix_cards_colors_mask", "cards", ["colors_mask"])
    op.create_index("ix_cards_edhrec_rank", "cards", ["edhrec_rank"])
    op.create_index("ix_cards_layout", "cards", ["layout"])
    op.create_index("ix_cards_mana_value", "cards", ["mana_value"])
    op.create_index("ix_cards_name", "cards", ["name"])
    op.create_index("ix_cards_produced_mana_mask", "cards", ["produced_mana_mask"])
    op.create_index("ix_cards_set_code", "cards", ["set_code"])
    op.create_table(
        "rejected_records",
        sa.Column("run_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("line_number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("nth", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("raw", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["sync_runs.id"], name="fk_rejected_records_run_id_sync_runs", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", "line_number", "nth", name="pk_rejected_records"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "card_changes",
        sa.Column("run_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("oracle_id", sa.Text(), nullable=False),
        sa.Column("field", sa.Text(), nullable=False),
        sa.Column("old", sa.Text(), nullable=True),
        sa.Column("new", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["oracle_id"], ["cards.oracle_id"], name="fk_card_changes_oracle_id_cards", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["run_id"], ["sync_runs.id"], name="fk_card_changes_run_id_sync_runs"),
        sa.PrimaryKeyConstraint("run_id", "oracle_id", "field", name="pk_card_changes"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_card_changes_oracle_id", "card_changes", ["oracle_id"])
    op.create_table(
        "card_faces",
        sa.Column("oracle_id", sa.Text(), nullable=False),
        sa.Column("face_index", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("mana_cost", sa.Text(), nullable=True),
        sa.Column("mana_value", sa.Float(), nullable=True),
        sa.Column("colors", sa.Text(), nullable=True),
        sa.Column("colors_mask", sa.Integer(), nullable=True),
        sa.Column("color_indicator", sa.Text(), nullable=True),
        sa.Column("color_indicator_mask", sa.Integer(), nullable=True),
        sa.Column("type_line", sa.Text(), nullable=True),
        sa.Column("oracle_text", sa.Text(), nullable=True),
        sa.Column("power", sa.Text(), nullable=True),
        sa.Column("toughness", sa.Text(), nullable=True),
        sa.Column("loyalty", sa.Text(), nullable=True),
        sa.Column("defense", sa.Text(), nullable=True),
        sa.Column("published_mana_value", sa.Float(), nullable=True),
        sa.Column("published_colors", sa.Text(), nullable=True),
        sa.Column("published_colors_mask", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["oracle_id"], ["cards.oracle_id"], name="fk_card_faces_oracle_id_cards", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("oracle_id", "face_index", name="pk_card_faces"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_card_faces_name", "card_faces", ["name"])
    op.create_table(
        "card_parts",
        sa.Column("oracle_id", sa.Text(), nullable=False),
        sa.Column("part_index", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("component", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("type_line", sa.Text(), nullable=True),
        sa.Column("scryfall_id", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["oracle_id"], ["cards.oracle_id"], name="fk_card_parts_oracle_id_cards", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("oracle_id", "part_index", name="pk_card_parts"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_card_parts_name", "card_parts", ["name"])
    op.create_table(
        "color_identity_sources",
        sa.Column("oracle_id", sa.Text(), nullable=False),
        sa.Column("face_index", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("color", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["oracle_id"], ["cards.oracle_id"], name="fk_color_identity_sources_oracle_id_cards", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("oracle_id", "face_index", "color", "source", name="pk_color_identity_sources"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_color_identity_sources_source", "color_identity_sources", ["source"])
    op.create_table(
        "face_symbols",
        sa.Column("oracle_id", sa.Text(), nullable=False),
        sa.Column("face_index", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("symbol", sa.Text(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["oracle_id"], ["cards.oracle_id"], name="fk_face_symbols_oracle_id_cards", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("oracle_id", "face_index", "place", "symbol", name="pk_face_symbols"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_face_symbols_symbol_place", "face_symbols", ["symbol", "place"])
    op.create_table(
        "face_types",
        sa.Column("oracle_id", sa.Text(), nullable=False),
        sa.Column("face_index", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["oracle_id"], ["cards.oracle_id"], name="fk_face_types_oracle_id_cards", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("oracle_id", "face_index", "kind", "name", name="pk_face_types"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_face_types_name", "face_types", ["name"])
    op.create_table(
        "keywords",
        sa.Column("oracle_id", sa.Text(), nullable=False),
        sa.Column("keyword", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["oracle_id"], ["cards.oracle_id"], name="fk_keywords_oracle_id_cards", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("oracle_id", "keyword", name="pk_keywords"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_keywords_keyword", "keywords", ["keyword"])
    op.create_table(
        "legalities",
        sa.Column("oracle_id", sa.Text(), nullable=False),
        sa.Column("format", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["oracle_id"], ["cards.oracle_id"], name="fk_legalities_oracle_id_cards", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("oracle_id", "format", name="pk_legalities"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "mana_values",
        sa.Column("oracle_id", sa.Text(), nullable=False),
        sa.Column("face_index", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("situation", sa.Text(), nullable=False),
        sa.Column("mana_value", sa.Float(), nullable=False),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["oracle_id"], ["cards.oracle_id"], name="fk_mana_values_oracle_id_cards", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("oracle_id", "face_index", "situation", name="pk_mana_values"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "mismatches",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("oracle_id", sa.Text(), nullable=False),
        sa.Column("face_index", sa.Integer(), nullable=True),
        sa.Column("field", sa.Text(), nullable=False),
        sa.Column("published", sa.Text(), nullable=False),
        sa.Column("computed", sa.Text(), nullable=True),
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("explanation", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("first_seen_run_id", sa.Integer(), nullable=False),
        sa.Column("last_seen_run_id", sa.Integer(), nullable=False),
        sa.Column("resolved_run_id", sa.Integer(), nullable=True),
        sa.Column("reopened_run_id", sa.Integer(), nullable=True),
        sa.Column("status_reason", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "category IN ('published_error', 'policy', 'undecided')", name=op.f("ck_mismatches_category")
        ),
        sa.CheckConstraint(
            "field IN ('mana_value', 'colors', 'color_identity', 'produced_mana')", name=op.f("ck_mismatches_field")
        ),
        sa.CheckConstraint("status IN ('open', 'resolved', 'accepted')", name=op.f("ck_mismatches_status")),
        sa.ForeignKeyConstraint(
            ["first_seen_run_id"], ["sync_runs.id"], name="fk_mismatches_first_seen_run_id_sync_runs"
        ),
        sa.ForeignKeyConstraint(
            ["last_seen_run_id"], ["sync_runs.id"], name="fk_mismatches_last_seen_run_id_sync_runs"
        ),
        sa.ForeignKeyConstraint(
            ["oracle_id"], ["cards.oracle_id"], name="fk_mismatches_oracle_id_cards", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["reopened_run_id"], ["sync_runs.id"], name="fk_mismatches_reopened_run_id_sync_runs"),
        sa.ForeignKeyConstraint(["resolved_run_id"], ["sync_runs.id"], name="fk_mismatches_resolved_run_id_sync_runs"),
        sa.PrimaryKeyConstraint("id", name="pk_mismatches"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_mismatches_oracle_id", "mismatches", ["oracle_id"])
    op.create_index("ix_mismatches_status_field", "mismatches", ["status", "field"])
    op.create_table(
        "undecided_values",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("oracle_id", sa.Text(), nullable=False),
        sa.Column("face_index", sa.Integer(), nullable=True),
        sa.Column("field", sa.Text(), nullable=False),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["oracle_id"], ["cards.oracle_id"], name="fk_undecided_values_oracle_id_cards", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_undecided_values"),
    )
    op.create_index("ix_undecided_values_oracle_id", "undecided_values", ["oracle_id"])
    if op.get_bind().dialect.name == "sqlite":
        op.execute(FULL_TEXT_SQLITE)
    else:
        op.execute(FULL_TEXT_POSTGRESQL)
        op.execute("CREATE INDEX ix_cards_search_vector ON cards USING gin (search_vector)")


def downgrade() -> None:
    """Leave the database empty."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TABLE cards_fts")
    for table in reversed(TABLES):
        op.drop_table(table)
