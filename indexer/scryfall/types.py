"""Scryfall's own field names and value types, as its answers have them. Nothing here is checked at run time.

Every field is optional: fields come, go and move between the card and its faces by layout, so a missing key means "not
pertinent here". A record from outside is a `RawRecord` until the normalizer has looked at every value that it takes.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, TypeAlias, TypedDict

RawRecord: TypeAlias = dict[str, object]
"""One JSON object of a bulk file: any keys, any values."""

ColorLetter: TypeAlias = Literal["W", "U", "B", "R", "G"]
Legality: TypeAlias = Literal["legal", "not_legal", "restricted", "banned"]
PartComponent: TypeAlias = Literal["token", "meld_part", "meld_result", "combo_piece"]


class BulkType(StrEnum):
    """The kinds of bulk file in the catalogue. An open set on Scryfall's side; these are the ones known."""

    ORACLE_CARDS = "oracle_cards"
    UNIQUE_ARTWORK = "unique_artwork"
    DEFAULT_CARDS = "default_cards"
    ALL_CARDS = "all_cards"
    RULINGS = "rulings"
    ART_TAGS = "art_tags"
    ORACLE_TAGS = "oracle_tags"


class BulkDataEntry(TypedDict, total=False):
    """One entry of the catalogue. Both generations of field names: those since 20 July 2026, then the older ones."""

    object: Literal["bulk_data"]
    id: str
    type: str
    updated_at: str
    uri: str
    name: str
    description: str
    jsonl_download_uri: str
    compressed_size: int
    """Bytes of the gzip file at `jsonl_download_uri`."""

    download_uri: str
    size: int
    """Bytes of the unpacked JSON array at `download_uri`: not what goes over the wire."""
    content_type: str
    content_encoding: str


class CardSymbol(TypedDict, total=False):
    """One symbol of `/symbology`."""

    object: Literal["card_symbol"]
    symbol: str
    """With braces: `{W}`."""
    loose_variant: str | None
    english: str
    transposable: bool
    represents_mana: bool
    appears_in_mana_costs: bool
    mana_value: float | None
    hybrid: bool
    phyrexian: bool
    funny: bool
    colors: list[ColorLetter]
    gatherer_alternates: list[str] | None
    svg_uri: str | None


class RelatedCard(TypedDict, total=False):
    """One entry of a card's `all_parts`. `id` is that of a printing, not an oracle id."""

    object: Literal["related_card"]
    id: str
    component: PartComponent
    name: str
    type_line: str
    uri: str


class RawCardFace(TypedDict, total=False):
    """One entry of `card_faces`. Which fields it has depends on the card's layout."""

    object: Literal["card_face"]
    name: str
    printed_name: str
    flavor_name: str
    mana_cost: str
    """`""` is "no mana cost"; a missing key is not pertinent; `{0}` is a cost of zero."""
    type_line: str
    oracle_text: str
    colors: list[ColorLetter]
    color_indicator: list[ColorLetter]
    power: str
    toughness: str
    loyalty: str
    defense: str
    oracle_id: str
    """On reversible cards only, as are `layout`, `cmc` and `produced_mana`."""
    layout: str
    cmc: float
    produced_mana: list[str]
    artist: str
    illustration_id: str
    flavor_text: str
    watermark: str


class RawCard(TypedDict, total=False):
    """One card object, with the fields that bear on rules or that the index keeps."""

    object: Literal["card"]
    id: str
    oracle_id: str
    """Missing on reversible cards, whose faces carry it."""
    name: str
    lang: str
    layout: str
    """An open set: new layouts appear unannounced."""
    mana_cost: str
    cmc: float
    """The published mana value."""
    type_line: str
    oracle_text: str
    colors: list[ColorLetter]
    color_identity: list[ColorLetter]
    color_indicator: list[ColorLetter]
    produced_mana: list[str]
    """Color letters and `C`; funny cards have other values."""
    keywords: list[str]
    legalities: dict[str, Legality]
    power: str
    toughness: str
    loyalty: str
    defense: str
    hand_modifier: str
    life_modifier: str
    card_faces: list[RawCardFace]
    all_parts: list[RelatedCard]
    set: str
    set_id: str
    set_name: str
    set_type: str
    collector_number: str
    rarity: str
    released_at: str
    edhrec_rank: int | None
    penny_rank: int | None
    reserved: bool
    game_changer: bool
    games: list[str]
    finishes: list[str]
    oversized: bool
    promo: bool
    reprint: bool
    digital: bool
    scryfall_uri: str
    uri: str
    rulings_uri: str
    prints_search_uri: str
    border_color: str
    frame: str
    security_stamp: str
    artist: str
    flavor_text: str
    flavor_name: str
    printed_name: str
    printed_text: str
    printed_type_line: str
