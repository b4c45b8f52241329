"""What normalizing and computing yield and what storage takes: one `CardRecord` a card, made of table rows.

A row is a named tuple whose fields are columns of the table of the same subject (`indexer/storage/models.py`), in the
order in which they are written; a test holds the two together. Rows know nothing of runs: the writer adds those.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias


class CardRow(NamedTuple):
    """A row of `cards`, without the columns that belong to the run that writes it."""

    oracle_id: str
    scryfall_id: str | None
    name: str
    layout: str
    object_kind: str
    mana_cost: str | None
    mana_value: float | None
    colors: str | None
    colors_mask: int | None
    color_identity: str | None
    color_identity_mask: int | None
    produced_mana: str | None
    produced_mana_mask: int | None
    mana_value_decision: str
    colors_decision: str
    color_identity_decision: str
    produced_mana_decision: str
    published_mana_value: float | None
    published_colors: str | None
    published_colors_mask: int | None
    published_color_identity: str | None
    published_color_identity_mask: int | None
    published_produced_mana: str | None
    published_produced_mana_mask: int | None
    type_line: str | None
    oracle_text: str | None
    power: str | None
    toughness: str | None
    loyalty: str | None
    defense: str | None
    set_code: str | None
    set_name: str | None
    set_type: str | None
    collector_number: str | None
    rarity: str | None
    released_at: str | None
    """ISO date text; storage turns it into its own type."""
    edhrec_rank: int | None
    reserved: bool | None
    digital: bool | None
    funny: bool | None
    game_changer: bool | None
    scryfall_uri: str | None


class FaceRow(NamedTuple):
    """A row of `card_faces`."""

    oracle_id: str
    face_index: int
    name: str
    mana_cost: str | None
    mana_value: float | None
    colors: str | None
    colors_mask: int | None
    color_indicator: str | None
    color_indicator_mask: int | None
    type_line: str | None
    oracle_text: str | None
    power: str | None
    toughness: str | None
    loyalty: str | None
    defense: str | None
    published_mana_value: float | None
    published_colors: str | None
    published_colors_mask: int | None


class IdentitySourceRow(NamedTuple):
    """A row of `color_identity_sources`."""

    oracle_id: str
    face_index: int
    color: str
    source: str
    rule: str


class ManaValueRow(NamedTuple):
    """A row of `mana_values`."""

    oracle_id: str
    face_index: int
    situation: str
    mana_value: float
    rule: str


class SymbolRow(NamedTuple):
    """A row of `face_symbols`."""

    oracle_id: str
    face_index: int
    place: str
    symbol: str
    count: int  # type: ignore[assignment]  # the column's name; the method of tuple is not needed here


class TypeRow(NamedTuple):
    """A row of `face_types`."""

    oracle_id: str
    face_index: int
    kind: str
    name: str


class KeywordRow(NamedTuple):
    """A row of `keywords`."""

    oracle_id: str
    keyword: str


class LegalityRow(NamedTuple):
    """A row of `legalities`."""

    oracle_id: str
    format: str
    status: str


Legalities: TypeAlias = tuple[tuple[str, str], ...]
"""The formats and statuses of one card, in the order of the formats' names.

Thirty thousand cards have but some hundred such tuples between them, so cards share them: as rows they would be two
thirds of all rows that there are.
"""


class PartRow(NamedTuple):
    """A row of `card_parts`."""

    oracle_id: str
    part_index: int
    component: str
    name: str
    type_line: str | None
    scryfall_id: str | None


class UndecidedRow(NamedTuple):
    """A row of `undecided_values`."""

    oracle_id: str
    face_index: int | None
    field: str
    rule: str
    reason: str


class MismatchRow(NamedTuple):
    """What the comparison found: the content of a row of `mismatches`, without its life (status and runs)."""

    oracle_id: str
    face_index: int | None
    field: str
    published: str
    computed: str | None
    category: str
    rule: str
    explanation: str


class CardSymbolRow(NamedTuple):
    """A row of `symbols`, without the columns that belong to the run that writes it.

    Ours is None where the engine doesn't know the symbol, published where the source doesn't list it or doesn't say.
    """

    symbol: str
    english: str | None
    kind: str | None
    mana_value: float | None
    colors: str | None
    colors_mask: int | None
    represents_mana: bool | None
    appears_in_mana_costs: bool | None
    hybrid: bool | None
    phyrexian: bool | None
    funny: bool | None
    published_mana_value: float | None
    published_colors: str | None
    published_colors_mask: int | None
    published_represents_mana: bool | None
    published_appears_in_mana_costs: bool | None
    published_hybrid: bool | None
    published_phyrexian: bool | None
    published_funny: bool | None
    status: str
    explanation: str | None


@dataclass(slots=True)
class CardRecord:
    """Everything to store of one card."""

    card: CardRow
    faces: list[FaceRow]
    identity_sources: list[IdentitySourceRow] = field(default_factory=list)
    mana_values: list[ManaValueRow] = field(default_factory=list)
    symbols: list[SymbolRow] = field(default_factory=list)
    types: list[TypeRow] = field(default_factory=list)
    keywords: list[KeywordRow] = field(default_factory=list)
    legalities: Legalities = ()
    parts: list[PartRow] = field(default_factory=list)
    undecided: list[UndecidedRow] = field(default_factory=list)
    mismatches: list[MismatchRow] = field(default_factory=list)
