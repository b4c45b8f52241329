"""Views for what people ask most.

A card in one row, the legal cards of a format, commanders and what fits them, mana curves, devotion, and the open
mismatches with the cards' names. They hold no rows of their own, so that making and dropping them costs nothing.

Revision ID: 0002
Revises: 0001
Create Date: 2026-11-29
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

WORDS = {
    "sqlite": {"joined": "group_concat", "true": "1", "false": "0"},
    "postgresql": {"joined": "string_agg", "true": "true", "false": "false"},
}
"""What the two databases call differently."""

VIEWS = {
    "card_overview": """
        SELECT cards.name, cards.mana_cost, cards.mana_value, cards.type_line, (
            SELECT {joined}(words.name, ', ') AS aggregate_strings_1
            FROM (
                SELECT face_types.name AS name
                FROM face_types
                WHERE face_types.oracle_id = cards.oracle_id AND face_types.kind = 'type'
                GROUP BY face_types.name
                ORDER BY min(face_types.face_index), face_types.name
            ) AS words
        ) AS types, (
            SELECT {joined}(words.name, ', ') AS aggregate_strings_2
            FROM (
                SELECT face_types.name AS name
                FROM face_types
                WHERE face_types.oracle_id = cards.oracle_id AND face_types.kind = 'subtype'
                GROUP BY face_types.name
                ORDER BY min(face_types.face_index), face_types.name
            ) AS words
        ) AS subtypes, cards.oracle_text, cards.power, cards.toughness, cards.loyalty, cards.defense,
            cards.colors, cards.color_identity, (
            SELECT {joined}(words.source, ', ') AS aggregate_strings_3
            FROM (
                SELECT color_identity_sources.color || ' ' || color_identity_sources.source AS source
                FROM color_identity_sources
                WHERE color_identity_sources.oracle_id = cards.oracle_id
                GROUP BY color_identity_sources.color, color_identity_sources.source
                ORDER BY CASE color_identity_sources.color WHEN 'W' THEN 0 WHEN 'U' THEN 1 WHEN 'B' THEN 2 WHEN
                    'R' THEN 3 WHEN 'G' THEN 4 END, color_identity_sources.source
            ) AS words
        ) AS color_identity_sources, cards.produced_mana, (
            SELECT {joined}(words.keyword, ', ') AS aggregate_strings_4
            FROM (
                SELECT keywords.keyword AS keyword
                FROM keywords
                WHERE keywords.oracle_id = cards.oracle_id
                ORDER BY keywords.keyword
            ) AS words
        ) AS keywords, (
            SELECT {joined}(words.format, ', ') AS aggregate_strings_5
            FROM (
                SELECT legalities.format AS format
                FROM legalities
                WHERE legalities.oracle_id = cards.oracle_id AND legalities.status IN ('legal', 'restricted')
                ORDER BY legalities.format
            ) AS words
        ) AS legal_in, cards.rarity, cards.set_code, cards.set_name, cards.released_at, cards.edhrec_rank,
            cards.reserved, cards.funny, cards.game_changer, cards.object_kind, cards.layout, (
            SELECT count(*) AS count_1
            FROM card_faces
            WHERE card_faces.oracle_id = cards.oracle_id
        ) AS faces, (
            SELECT count(*) AS count_2
            FROM mismatches
            WHERE mismatches.oracle_id = cards.oracle_id AND mismatches.status = 'open'
        ) AS open_mismatches, cards.colors_mask, cards.color_identity_mask, cards.produced_mana_mask,
            cards.scryfall_uri, cards.oracle_id, cards.search_id
        FROM cards
        WHERE cards.removed_run_id IS NULL
    """,
    "legal_cards": """
        SELECT legalities.format, legalities.status, cards.name, cards.mana_cost, cards.mana_value,
            cards.type_line, cards.colors, cards.colors_mask, cards.color_identity, cards.color_identity_mask,
            cards.rarity, cards.released_at, cards.edhrec_rank, cards.oracle_id
        FROM legalities
        JOIN cards ON cards.oracle_id = legalities.oracle_id
        WHERE legalities.status IN ('legal', 'restricted') AND cards.removed_run_id IS NULL AND NOT (
            cards.layout = 'meld' AND (EXISTS (
            SELECT 1
            FROM mana_values
            WHERE mana_values.oracle_id = cards.oracle_id AND mana_values.face_index = 0 AND
                mana_values.situation = 'melded'
        )))
    """,
    "commanders": """
        SELECT cards.name, cards.mana_cost, cards.mana_value, cards.type_line, cards.colors, cards.colors_mask,
            cards.color_identity, cards.color_identity_mask, cards.rarity, cards.released_at, cards.edhrec_rank,
            cards.oracle_id, CASE WHEN ((EXISTS (
            SELECT 1
            FROM face_types AS word
            WHERE word.oracle_id = cards.oracle_id AND word.face_index = 0 AND word.name IN ('Creature',
                'Vehicle')
        )) OR (EXISTS (
            SELECT 1
            FROM face_types AS word
            WHERE word.oracle_id = cards.oracle_id AND word.face_index = 0 AND word.name IN ('Spacecraft')
        )) AND cards.power IS NOT NULL OR lower(card_faces.oracle_text) LIKE '%can be your commander.%') THEN {true}
            ELSE {false} END AS alone, (
            SELECT {joined}(words.keyword, ', ') AS aggregate_strings_1
            FROM (
                SELECT keywords.keyword AS keyword
                FROM keywords
                WHERE keywords.oracle_id = cards.oracle_id AND keywords.keyword IN ('Partner', 'Partner with',
                    'Friends forever', 'Choose a background', 'Doctor''s companion')
                ORDER BY keywords.keyword
            ) AS words
        ) AS pairing, legalities.status AS commander_status
        FROM face_types
        JOIN cards ON cards.oracle_id = face_types.oracle_id
        JOIN card_faces ON card_faces.oracle_id = cards.oracle_id AND card_faces.face_index = 0
        LEFT OUTER JOIN legalities ON legalities.oracle_id = cards.oracle_id AND legalities.format = 'commander'
        WHERE face_types.kind = 'supertype' AND face_types.name = 'Legendary' AND face_types.face_index = 0 AND
            cards.object_kind = 'card' AND cards.removed_run_id IS NULL AND ((EXISTS (
            SELECT 1
            FROM face_types AS word
            WHERE word.oracle_id = cards.oracle_id AND word.face_index = 0 AND word.name IN ('Creature',
                'Vehicle')
        )) OR (EXISTS (
            SELECT 1
            FROM face_types AS word
            WHERE word.oracle_id = cards.oracle_id AND word.face_index = 0 AND word.name IN ('Spacecraft')
        )) AND cards.power IS NOT NULL OR lower(card_faces.oracle_text) LIKE '%can be your commander.%' OR (EXISTS (
            SELECT 1
            FROM face_types AS word
            WHERE word.oracle_id = cards.oracle_id AND word.face_index = 0 AND word.name IN ('Background')
        ))) AND NOT (cards.layout = 'meld' AND (EXISTS (
            SELECT 1
            FROM mana_values
            WHERE mana_values.oracle_id = cards.oracle_id AND mana_values.face_index = 0 AND
                mana_values.situation = 'melded'
        )))
    """,
    "commander_cards": """
        SELECT commander.name AS commander, cards.name, cards.mana_cost, cards.mana_value, cards.type_line,
            cards.colors, cards.colors_mask, cards.color_identity, cards.color_identity_mask, cards.rarity,
            cards.released_at, cards.edhrec_rank, cards.oracle_id, commander.oracle_id AS commander_id
        FROM commanders AS commander
        JOIN cards ON cards.color_identity_mask & ~commander.color_identity_mask = 0
        JOIN legalities ON legalities.oracle_id = cards.oracle_id AND legalities.format = 'commander'
        WHERE legalities.status = 'legal' AND cards.object_kind = 'card' AND cards.removed_run_id IS NULL AND
            NOT (cards.layout = 'meld' AND (EXISTS (
            SELECT 1
            FROM mana_values
            WHERE mana_values.oracle_id = cards.oracle_id AND mana_values.face_index = 0 AND
                mana_values.situation = 'melded'
        ))) AND cards.oracle_id != commander.oracle_id
    """,
    "mana_curve": """
        SELECT legalities.format, cards.colors, cards.colors_mask, cards.mana_value, count(*) AS cards, sum(CASE
            WHEN (EXISTS (
            SELECT 1
            FROM face_types AS word
            WHERE word.oracle_id = cards.oracle_id AND word.face_index = 0 AND word.name IN ('Creature')
        )) THEN 1 ELSE 0 END) AS creatures
        FROM legalities
        JOIN cards ON cards.oracle_id = legalities.oracle_id
        WHERE legalities.status IN ('legal', 'restricted') AND cards.removed_run_id IS NULL AND NOT (EXISTS (
            SELECT 1
            FROM face_types AS word
            WHERE word.oracle_id = cards.oracle_id AND word.face_index = 0 AND word.name IN ('Land')
        )) AND NOT (cards.layout = 'meld' AND (EXISTS (
            SELECT 1
            FROM mana_values
            WHERE mana_values.oracle_id = cards.oracle_id AND mana_values.face_index = 0 AND
                mana_values.situation = 'melded'
        )))
        GROUP BY legalities.format, cards.colors, cards.colors_mask, cards.mana_value
    """,
    "devotion": """
        SELECT card_faces.name, colors.color, sum(face_symbols.count) AS pips, CASE WHEN (EXISTS (
            SELECT 1
            FROM face_types AS spell
            WHERE spell.oracle_id = card_faces.oracle_id AND spell.face_index = card_faces.face_index AND
                spell.kind = 'type' AND spell.name IN ('Instant', 'Sorcery')
        )) THEN {false} ELSE {true} END AS permanent, card_faces.oracle_id, card_faces.face_index
        FROM (
            SELECT 'W' AS color UNION ALL SELECT 'U' AS color UNION ALL SELECT 'B' AS color UNION ALL SELECT 'R'
                AS color UNION ALL SELECT 'G' AS color
        ) AS colors
        JOIN face_symbols ON face_symbols.place = 'cost' AND face_symbols.symbol LIKE ('%' || colors.color ||
            '%')
        JOIN card_faces ON card_faces.oracle_id = face_symbols.oracle_id AND card_faces.face_index =
            face_symbols.face_index
        JOIN cards ON cards.oracle_id = card_faces.oracle_id
        WHERE cards.removed_run_id IS NULL
        GROUP BY card_faces.oracle_id, card_faces.face_index, card_faces.name, colors.color
    """,
    "situations": """
        SELECT cards.name, card_faces.name AS face, mana_values.situation, mana_values.mana_value,
            mana_values.rule, mana_values.oracle_id, mana_values.face_index
        FROM mana_values
        JOIN cards ON cards.oracle_id = mana_values.oracle_id
        JOIN card_faces ON card_faces.oracle_id = mana_values.oracle_id AND card_faces.face_index =
            mana_values.face_index
        WHERE cards.removed_run_id IS NULL
    """,
    "open_mismatches": """
        SELECT cards.name, face.name AS face, mismatches.field, mismatches.published, mismatches.computed,
            mismatches.category, mismatches.rule, mismatches.explanation, cards.object_kind, cards.layout,
            cards.edhrec_rank, sync_runs.started_at AS first_seen_at, cards.scryfall_uri, mismatches.id,
            cards.oracle_id, mismatches.face_index, mismatches.first_seen_run_id
        FROM mismatches
        JOIN cards ON cards.oracle_id = mismatches.oracle_id
        JOIN sync_runs ON sync_runs.id = mismatches.first_seen_run_id
        LEFT OUTER JOIN card_faces AS face ON face.oracle_id = mismatches.oracle_id AND face.face_index =
            mismatches.face_index
        WHERE mismatches.status = 'open'
    """,
}
"""Each view and its SELECT, in the order in which they build upon each other."""


def upgrade() -> None:
    """Make the views."""
    words = WORDS[op.get_context().dialect.name]
    for name, definition in VIEWS.items():
        op.execute(sa.text(f"CREATE VIEW {name} AS {definition.format(**words)}"))


def downgrade() -> None:
    """Drop the views. No data is lost."""
    for name in reversed(VIEWS):
        op.execute(f"DROP VIEW {name}")
