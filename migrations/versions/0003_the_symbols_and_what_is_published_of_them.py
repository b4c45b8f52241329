"""The symbols, and what is published of them.

One row a symbol: its value, colors and kind by the rules and by the source's own list, and whether the two agree. Empty
until the next sync has read that list.

Revision ID: 0003
Revises: 0002
Create Date: 2026-11-29
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "symbols",
        sa.Column("symbol", sa.Text(), nullable=False),
        sa.Column("english", sa.Text(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=True),
        sa.Column("mana_value", sa.Float(), nullable=True),
        sa.Column("colors", sa.Text(), nullable=True),
        sa.Column("colors_mask", sa.Integer(), nullable=True),
        sa.Column("represents_mana", sa.Boolean(), nullable=True),
        sa.Column("appears_in_mana_costs", sa.Boolean(), nullable=True),
        sa.Column("hybrid", sa.Boolean(), nullable=True),
        sa.Column("phyrexian", sa.Boolean(), nullable=True),
        sa.Column("funny", sa.Boolean(), nullable=True),
        sa.Column("published_mana_value", sa.Float(), nullable=True),
        sa.Column("published_colors", sa.Text(), nullable=True),
        sa.Column("published_colors_mask", sa.Integer(), nullable=True),
        sa.Column("published_represents_mana", sa.Boolean(), nullable=True),
        sa.Column("published_appears_in_mana_costs", sa.Boolean(), nullable=True),
        sa.Column("published_hybrid", sa.Boolean(), nullable=True),
        sa.Column("published_phyrexian", sa.Boolean(), nullable=True),
        sa.Column("published_funny", sa.Boolean(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("explanation", sa.Text(), nullable=True),
        sa.Column("first_seen_run_id", sa.Integer(), nullable=False),
        sa.Column("last_changed_run_id", sa.Integer(), nullable=False),
        sa.CheckConstraint("status IN ('agrees', 'differs', 'undecided', 'unlisted')", name=op.f("ck_symbols_status")),
        sa.ForeignKeyConstraint(["first_seen_run_id"], ["sync_runs.id"], name="fk_symbols_first_seen_run_id_sync_runs"),
        sa.ForeignKeyConstraint(
            ["last_changed_run_id"], ["sync_runs.id"], name="fk_symbols_last_changed_run_id_sync_runs"
        ),
        sa.PrimaryKeyConstraint("symbol", name="pk_symbols"),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    """Drop the table. The next sync that reads the list would fill it again."""
    op.drop_table("symbols")
