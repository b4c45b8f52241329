"""The tables, as SQLAlchemy 2 mapped classes. `docs/schema.md` tells each column's meaning; `migrations/` builds them.

Conventions: text ids; colors as text in WUBRG order (`''` colorless, NULL not applicable or not published) with a
`…_mask` beside (W=1 U=2 B=4 R=8 G=16, and C=32 for produced mana); a mana value is a number, halves exist; the prefix
`published_` marks the source's value, the plain name is ours. Child tables of `cards` have no row ids on SQLite: their
key is what they are looked up by.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Date,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from indexer.storage.types import UtcDateTime

NAMING_CONVENTION = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
NO_ROWID = {"sqlite_with_rowid": False}


class Base(DeclarativeBase):
    """Declarative base with the naming convention for constraints."""

    metadata = MetaData(naming_convention=NAMING_CONVENTION)
    type_annotation_map = {  # noqa: RUF012  # SQLAlchemy reads a plain class attribute
        str: Text,
        dt.datetime: UtcDateTime,
        dt.date: Date,
        float: Float,
        bool: Boolean(create_constraint=False),
    }


def _card_key(**options: Any) -> Mapped[str]:
    return mapped_column(ForeignKey("cards.oracle_id", ondelete="CASCADE"), primary_key=True, **options)


class SyncRun(Base):
    """One run of the sync that came as far as the database, whatever its outcome."""

    __tablename__ = "sync_runs"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    started_at: Mapped[dt.datetime]
    finished_at: Mapped[dt.datetime | None]
    outcome: Mapped[str] = mapped_column(String(16))
    """`stored`, `up_to_date` (nothing newer was there), `refused` (by a gate) or `failed`."""
    message: Mapped[str | None]
    """Why it was refused or failed; NULL for the others."""
    source: Mapped[str]
    source_updated_at: Mapped[dt.datetime | None] = mapped_column("updated_at")
    size: Mapped[int | None] = mapped_column(BigInteger)
    sha256: Mapped[str | None]
    records_read: Mapped[int] = mapped_column(default=0)
    records_rejected: Mapped[int] = mapped_column(default=0)
    cards_total: Mapped[int] = mapped_column(default=0)
    cards_added: Mapped[int] = mapped_column(default=0)
    cards_changed: Mapped[int] = mapped_column(default=0)
    cards_unchanged: Mapped[int] = mapped_column(default=0)
    cards_removed: Mapped[int] = mapped_column(default=0)
    cards_restored: Mapped[int] = mapped_column(default=0)
    mismatches_open: Mapped[int] = mapped_column(default=0)
    mismatches_new: Mapped[int] = mapped_column(default=0)
    mismatches_reopened: Mapped[int] = mapped_column(default=0)
    mismatches_resolved: Mapped[int] = mapped_column(default=0)
    values_undecided: Mapped[int] = mapped_column(default=0)
    warnings: Mapped[str | None]
    """What the run noticed, one remark a line: unknown layouts and symbols, a gate that was overridden."""
    rules_edition: Mapped[str]
    engine_version: Mapped[str]
    program_version: Mapped[str]
    download_seconds: Mapped[float | None]
    read_seconds: Mapped[float | None]
    write_seconds: Mapped[float | None]
    total_seconds: Mapped[float | None]


class Card(Base):
    """One Oracle card (or other object of the export) with its values as a card."""

    __tablename__ = "cards"
    __table_args__ = (
        Index("ix_cards_name", "name"),
        Index("ix_cards_mana_value", "mana_value"),
        Index("ix_cards_colors_mask", "colors_mask"),
        Index("ix_cards_color_identity_mask", "color_identity_mask"),
        Index("ix_cards_produced_mana_mask", "produced_mana_mask"),
        Index("ix_cards_edhrec_rank", "edhrec_rank"),
        Index("ix_cards_set_code", "set_code"),
        Index("ix_cards_layout", "layout"),
    )

    oracle_id: Mapped[str] = mapped_column(primary_key=True)
    search_id: Mapped[int] = mapped_column(Integer, unique=True)
    """A stable small number that the full-text index refers to."""
    scryfall_id: Mapped[str | None]
    name: Mapped[str]
    layout: Mapped[str]
    object_kind: Mapped[str]
    mana_cost: Mapped[str | None]
    mana_value: Mapped[float | None]
    colors: Mapped[str | None]
    colors_mask: Mapped[int | None]
    color_identity: Mapped[str | None]
    color_identity_mask: Mapped[int | None]
    produced_mana: Mapped[str | None]
    produced_mana_mask: Mapped[int | None]
    mana_value_decision: Mapped[str]
    colors_decision: Mapped[str]
    color_identity_decision: Mapped[str]
    produced_mana_decision: Mapped[str]
    published_mana_value: Mapped[float | None]
    published_colors: Mapped[str | None]
    published_colors_mask: Mapped[int | None]
    published_color_identity: Mapped[str | None]
    published_color_identity_mask: Mapped[int | None]
    published_produced_mana: Mapped[str | None]
    published_produced_mana_mask: Mapped[int | None]
    type_line: Mapped[str | None]
    oracle_text: Mapped[str | None]
    power: Mapped[str | None]
    toughness: Mapped[str | None]
    loyalty: Mapped[str | None]
    defense: Mapped[str | None]
    set_code: Mapped[str | None]
    set_name: Mapped[str | None]
    set_type: Mapped[str | None]
    collector_number: Mapped[str | None]
    rarity: Mapped[str | None]
    released_at: Mapped[dt.date | None]
    edhrec_rank: Mapped[int | None]
    reserved: Mapped[bool | None]
    digital: Mapped[bool | None]
    funny: Mapped[bool | None]
    game_changer: Mapped[bool | None]
    scryfall_uri: Mapped[str | None]
    record_hash: Mapped[bytes | None]
    """Hash of the raw record's bytes without its prices; NULL makes the next sync look at the record again."""
    first_seen_run_id: Mapped[int] = mapped_column(ForeignKey("sync_runs.id"))
    last_changed_run_id: Mapped[int] = mapped_column(ForeignKey("sync_runs.id"))
    removed_run_id: Mapped[int | None] = mapped_column(ForeignKey("sync_runs.id"))


class CardFace(Base):
    """One set of characteristics of a card. Every card has at least face 0."""

    __tablename__ = "card_faces"
    __table_args__ = (Index("ix_card_faces_name", "name"), NO_ROWID)

    oracle_id: Mapped[str] = _card_key()
    face_index: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    name: Mapped[str]
    mana_cost: Mapped[str | None]
    mana_value: Mapped[float | None]
    colors: Mapped[str | None]
    colors_mask: Mapped[int | None]
    color_indicator: Mapped[str | None]
    color_indicator_mask: Mapped[int | None]
    type_line: Mapped[str | None]
    oracle_text: Mapped[str | None]
    power: Mapped[str | None]
    toughness: Mapped[str | None]
    loyalty: Mapped[str | None]
    defense: Mapped[str | None]
    published_mana_value: Mapped[float | None]
    published_colors: Mapped[str | None]
    published_colors_mask: Mapped[int | None]


class ColorIdentitySource(Base):
    """Why a color is in a card's color identity: one row a color, face and source."""

    __tablename__ = "color_identity_sources"
    __table_args__ = (Index("ix_color_identity_sources_source", "source"), NO_ROWID)

    oracle_id: Mapped[str] = _card_key()
    face_index: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    color: Mapped[str] = mapped_column(primary_key=True)
    source: Mapped[str] = mapped_column(primary_key=True)
    rule: Mapped[str]


class ManaValue(Base):
    """What a face is worth in each situation it can be in."""

    __tablename__ = "mana_values"
    __table_args__ = (NO_ROWID,)

    oracle_id: Mapped[str] = _card_key()
    face_index: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    situation: Mapped[str] = mapped_column(primary_key=True)
    mana_value: Mapped[float]
    rule: Mapped[str]


class FaceSymbol(Base):
    """How often a symbol stands in a face's mana cost or text."""

    __tablename__ = "face_symbols"
    __table_args__ = (Index("ix_face_symbols_symbol_place", "symbol", "place"), NO_ROWID)

    oracle_id: Mapped[str] = _card_key()
    face_index: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    place: Mapped[str] = mapped_column(primary_key=True)
    symbol: Mapped[str] = mapped_column(primary_key=True)
    count: Mapped[int]


class FaceType(Base):
    """One word of a face's type line with its kind."""

    __tablename__ = "face_types"
    __table_args__ = (Index("ix_face_types_name", "name"), NO_ROWID)

    oracle_id: Mapped[str] = _card_key()
    face_index: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    kind: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(primary_key=True)


class Keyword(Base):
    """A keyword ability or action that the source lists for the card."""

    __tablename__ = "keywords"
    __table_args__ = (Index("ix_keywords_keyword", "keyword"), NO_ROWID)

    oracle_id: Mapped[str] = _card_key()
    keyword: Mapped[str] = mapped_column(primary_key=True)


class Legality(Base):
    """A card's status in a format: legal, not_legal, banned or restricted."""

    __tablename__ = "legalities"
    __table_args__ = (NO_ROWID,)

    oracle_id: Mapped[str] = _card_key()
    format: Mapped[str] = mapped_column(primary_key=True)
    status: Mapped[str]


class CardPart(Base):
    """A related object (token, meld part or result, combo piece) that the source lists for the card."""

    __tablename__ = "card_parts"
    __table_args__ = (Index("ix_card_parts_name", "name"), NO_ROWID)

    oracle_id: Mapped[str] = _card_key()
    part_index: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    component: Mapped[str]
    name: Mapped[str]
    type_line: Mapped[str | None]
    scryfall_id: Mapped[str | None]
    """The printing that the source names; it need not be the one stored in `cards`."""


class UndecidedValue(Base):
    """A value that the rules don't give from the record, with the reason. Not an alarm."""

    __tablename__ = "undecided_values"
    __table_args__ = (Index("ix_undecided_values_oracle_id", "oracle_id"),)

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    oracle_id: Mapped[str] = mapped_column(ForeignKey("cards.oracle_id", ondelete="CASCADE"))
    face_index: Mapped[int | None]
    field: Mapped[str]
    rule: Mapped[str]
    reason: Mapped[str]


class Mismatch(Base):
    """A published value that the rules contradict. One mistake, one row, through its whole life."""

    __tablename__ = "mismatches"
    __table_args__ = (
        CheckConstraint("field IN ('mana_value', 'colors', 'color_identity', 'produced_mana')", name="field"),
        CheckConstraint("category IN ('published_error', 'policy', 'undecided')", name="category"),
        CheckConstraint("status IN ('open', 'resolved', 'accepted')", name="status"),
        Index("ix_mismatches_oracle_id", "oracle_id"),
        Index("ix_mismatches_status_field", "status", "field"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    oracle_id: Mapped[str] = mapped_column(ForeignKey("cards.oracle_id", ondelete="CASCADE"))
    face_index: Mapped[int | None]
    field: Mapped[str]
    published: Mapped[str]
    computed: Mapped[str | None]
    """NULL exactly if the category is `undecided`."""
    category: Mapped[str]
    rule: Mapped[str]
    explanation: Mapped[str]
    status: Mapped[str]
    first_seen_run_id: Mapped[int] = mapped_column(ForeignKey("sync_runs.id"))
    last_seen_run_id: Mapped[int] = mapped_column(ForeignKey("sync_runs.id"))
    resolved_run_id: Mapped[int | None] = mapped_column(ForeignKey("sync_runs.id"))
    reopened_run_id: Mapped[int | None] = mapped_column(ForeignKey("sync_runs.id"))
    """The last run in which it came back after being resolved or accepted; NULL if it never did."""
    status_reason: Mapped[str | None]
    """For people: who accepted it, until when and why; or why an acceptance no longer holds. NULL: nothing to say."""


class CardChange(Base):
    """One field of one card that differs from the run before. The first run of a pool writes none."""

    __tablename__ = "card_changes"
    __table_args__ = (Index("ix_card_changes_oracle_id", "oracle_id"), NO_ROWID)

    run_id: Mapped[int] = mapped_column(ForeignKey("sync_runs.id"), primary_key=True, autoincrement=False)
    oracle_id: Mapped[str] = mapped_column(ForeignKey("cards.oracle_id", ondelete="CASCADE"), primary_key=True)
    field: Mapped[str] = mapped_column(primary_key=True)
    """A column of `cards`; `faces.1.oracle_text` for one of a face; `added`, `removed`, `restored` for the card."""
    old: Mapped[str | None]
    new: Mapped[str | None]


class RejectedRecord(Base):
    """A line of a bulk file that did not become a card, with the reason."""

    __tablename__ = "rejected_records"
    __table_args__ = (NO_ROWID,)

    run_id: Mapped[int] = mapped_column(
        ForeignKey("sync_runs.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    line_number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    nth: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    """Counts the rejected records of one line from 1: an array may stand on a single line."""
    reason: Mapped[str]
    raw: Mapped[str]


class CardSymbol(Base):
    """What the rules and the source's own list say of one symbol, as of the last run that could read the list."""

    __tablename__ = "symbols"
    __table_args__ = (
        CheckConstraint("status IN ('agrees', 'differs', 'undecided', 'unlisted')", name="status"),
        NO_ROWID,
    )

    symbol: Mapped[str] = mapped_column(primary_key=True)
    """With braces."""
    english: Mapped[str | None]
    kind: Mapped[str | None]
    """`hybrid`, `generic`, `not mana`, …; NULL, as all of ours, for a symbol that the engine doesn't know."""
    mana_value: Mapped[float | None]
    """NULL also for a symbol without a number."""
    colors: Mapped[str | None]
    colors_mask: Mapped[int | None]
    represents_mana: Mapped[bool | None]
    appears_in_mana_costs: Mapped[bool | None]
    """Whether it can; the published one says whether a card has it there."""
    hybrid: Mapped[bool | None]
    phyrexian: Mapped[bool | None]
    funny: Mapped[bool | None]
    published_mana_value: Mapped[float | None]
    published_colors: Mapped[str | None]
    published_colors_mask: Mapped[int | None]
    published_represents_mana: Mapped[bool | None]
    published_appears_in_mana_costs: Mapped[bool | None]
    published_hybrid: Mapped[bool | None]
    published_phyrexian: Mapped[bool | None]
    published_funny: Mapped[bool | None]
    status: Mapped[str]
    """`agrees`, `differs`, `undecided` (the engine can't read it) or `unlisted` (only the engine knows it)."""
    explanation: Mapped[str | None]
    """What differs, with the rules; or why it is undecided; NULL for the others."""
    first_seen_run_id: Mapped[int] = mapped_column(ForeignKey("sync_runs.id"))
    last_changed_run_id: Mapped[int] = mapped_column(ForeignKey("sync_runs.id"))
