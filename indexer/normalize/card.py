"""One raw record -> the card that the rules engine reads, and the facts that are only stored.

The only place that knows where Scryfall puts which field, by layout (SCRYFALL.md's table).
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass

from indexer.normalize.fields import (
    optional_colors,
    optional_flag,
    optional_integer,
    optional_mana_types,
    optional_number,
    optional_text,
    record_list,
    required_text,
    text_list,
    text_map,
    wrong_field,
)
from indexer.normalize.layouts import ARRANGEMENTS, object_kind
from indexer.rules.card import Arrangement, Card, Face
from indexer.rules.colors import ColorSet
from indexer.rules.meld import FRONTS_OF
from indexer.rules.type_line import parse_type_line
from indexer.scryfall.types import RawRecord

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_FUNNY_SET_TYPES = frozenset({"funny", "memorabilia"})
_WHOLE = ("id", "set", "released_at")
"""Fields that every record has as Scryfall sends it. One without them was cut down and may lack others too."""


@dataclass(frozen=True, slots=True)
class NormalizedFace:
    """What of one face is stored beside the rules' characteristics."""

    power: str | None
    toughness: str | None
    loyalty: str | None
    defense: str | None
    published_mana_value: float | None
    published_colors: ColorSet | None


@dataclass(frozen=True, slots=True)
class RelatedObject:
    """One entry of the list of related objects."""

    component: str
    name: str
    type_line: str | None
    scryfall_id: str | None


@dataclass(frozen=True, slots=True)
class NormalizedCard:
    """One record, checked and in the project's own terms."""

    card: Card
    faces: tuple[NormalizedFace, ...]
    oracle_id: str
    scryfall_id: str | None
    layout: str
    mana_cost: str | None
    """The cost as the record shows it for the whole card (`{1}{R} // {W}` for two halves), else the first face's."""
    type_line: str
    oracle_text: str | None
    """The record's text, or the faces' texts with a line `//` between."""
    published_mana_value: float | None
    published_colors: ColorSet | None
    published_color_identity: ColorSet | None
    published_produced_mana: str | None
    set_code: str | None
    set_name: str | None
    set_type: str | None
    collector_number: str | None
    rarity: str | None
    released_at: str | None
    edhrec_rank: int | None
    reserved: bool | None
    digital: bool | None
    funny: bool | None
    """Whether the rules leave the card out (CR 100.7): an acorn card, a funny or memorabilia set; None if not told."""
    game_changer: bool | None
    scryfall_uri: str | None
    keywords: tuple[str, ...]
    legalities: dict[str, str]
    parts: tuple[RelatedObject, ...]
    meld_front_names: tuple[str, ...]
    """For a melded result: the names of the two cards that meld into it; empty for everything else."""
    is_whole: bool
    """False for a record that was cut down since Scryfall sent it, so that a missing color indicator proves nothing."""


def normalize_record(raw: RawRecord) -> NormalizedCard:
    """The card of one raw record.

    Raises:
        NormalizeError: a field of a wrong type, no usable name, layout, type line or oracle id.
    """
    name = required_text(raw, "name")
    layout = required_text(raw, "layout")
    raw_faces = record_list(raw, "card_faces")
    faces_raw = raw_faces or [raw]
    oracle_id = _oracle_id(raw, faces_raw)
    parts = _parts(raw)
    faces = tuple(_face(raw, face_raw, index, name) for index, face_raw in enumerate(faces_raw))
    first = faces[0]
    arrangement = arrangement_of(layout, name, faces, parts)
    fronts = meld_front_names(name, parts) if arrangement is Arrangement.MELDED else ()
    mana_cost = optional_text(raw, "mana_cost")
    return NormalizedCard(
        card=Card(name, arrangement, object_kind(layout, parse_type_line(first.type_line)), faces),
        faces=tuple(_normalized_face(face_raw, is_root=face_raw is raw) for face_raw in faces_raw),
        oracle_id=oracle_id,
        scryfall_id=optional_text(raw, "id"),
        layout=layout,
        mana_cost=first.mana_cost if mana_cost is None else mana_cost,
        type_line=optional_text(raw, "type_line") or " // ".join(face.type_line for face in faces),
        oracle_text=_oracle_text(raw, faces),
        published_mana_value=optional_number(raw, "cmc"),
        published_colors=optional_colors(raw, "colors"),
        published_color_identity=optional_colors(raw, "color_identity"),
        published_produced_mana=optional_mana_types(raw, "produced_mana"),
        set_code=optional_text(raw, "set"),
        set_name=optional_text(raw, "set_name"),
        set_type=optional_text(raw, "set_type"),
        collector_number=optional_text(raw, "collector_number"),
        rarity=optional_text(raw, "rarity"),
        released_at=_date(raw, "released_at"),
        edhrec_rank=optional_integer(raw, "edhrec_rank"),
        reserved=optional_flag(raw, "reserved"),
        digital=optional_flag(raw, "digital"),
        funny=_funny(raw),
        game_changer=optional_flag(raw, "game_changer"),
        scryfall_uri=optional_text(raw, "scryfall_uri"),
        # The order of first appearance, without repeats: they are keys of a table.
        keywords=tuple(dict.fromkeys(text_list(raw, "keywords"))),
        legalities=text_map(raw, "legalities"),
        parts=parts,
        meld_front_names=fronts,
        is_whole=all(field in raw for field in _WHOLE),
    )


def _oracle_id(raw: RawRecord, faces: list[RawRecord]) -> str:
    oracle_id = optional_text(raw, "oracle_id") or optional_text(faces[0], "oracle_id")
    if oracle_id is None:
        raise wrong_field(raw, "oracle_id", "is missing, on the card and on its first face")
    if not _UUID.fullmatch(oracle_id):
        raise wrong_field(raw, "oracle_id", f"is not an id: {oracle_id!r:.60}")
    return oracle_id.lower()


def _face(root: RawRecord, raw: RawRecord, index: int, card_name: str) -> Face:
    # Scryfall states colors of tokens, emblems and art cards, whose cost doesn't give them.
    given = optional_colors(raw, "colors")
    if given is None and index == 0:
        given = optional_colors(root, "colors")
    type_line = optional_text(raw, "type_line")
    if type_line is None:
        # Art cards of old records have one type line for both faces.
        type_line = optional_text(root, "type_line")
        if type_line is None:
            raise wrong_field(raw, "type_line", f"is missing on face {index} of {card_name!r:.80}")
    return Face(
        name=required_text(raw, "name"),
        mana_cost=optional_text(raw, "mana_cost"),
        type_line=type_line,
        rules_text=_rules_text(raw),
        color_indicator=optional_colors(raw, "color_indicator"),
        given_colors=given,
    )


def _rules_text(raw: RawRecord) -> str | None:
    text = optional_text(raw, "oracle_text")
    # Some stored records were escaped twice: a backslash and an n where a line ends. No card prints a backslash.
    return text.replace("\\n", "\n") if text is not None and "\\" in text else text


def _normalized_face(raw: RawRecord, *, is_root: bool) -> NormalizedFace:
    return NormalizedFace(
        power=optional_text(raw, "power"),
        toughness=optional_text(raw, "toughness"),
        loyalty=optional_text(raw, "loyalty"),
        defense=optional_text(raw, "defense"),
        # The root's values are the card's; only what a face itself carries is published of the face.
        published_mana_value=None if is_root else optional_number(raw, "cmc"),
        published_colors=None if is_root else optional_colors(raw, "colors"),
    )


def arrangement_of(layout: str, name: str, faces: tuple[Face, ...], parts: tuple[RelatedObject, ...]) -> Arrangement:
    """How the faces share a card: by the layout, and by what the layout leaves open (melded results, omens)."""
    arrangement = ARRANGEMENTS.get(layout, Arrangement.UNKNOWN)
    if arrangement is Arrangement.MELD_PART and _is_meld_result(name, parts):
        return Arrangement.MELDED
    if arrangement is Arrangement.ADVENTURER and any(
        "Omen" in parse_type_line(face.type_line).subtypes for face in faces[1:]
    ):
        return Arrangement.OMEN
    return arrangement


def _is_meld_result(name: str, parts: tuple[RelatedObject, ...]) -> bool:
    results = [part.name for part in parts if part.component == "meld_result"]
    # Without the list of related objects (cut-down records), the rules' own list of meld pairs tells (CR 712.5).
    return name in results if results else name in FRONTS_OF


def meld_front_names(name: str, parts: tuple[RelatedObject, ...]) -> tuple[str, ...]:
    """The names of the two cards that meld into this one: as the source links them, else by CR 712.5."""
    return tuple(part.name for part in parts if part.component == "meld_part") or FRONTS_OF.get(name, ())


def _parts(raw: RawRecord) -> tuple[RelatedObject, ...]:
    entries = record_list(raw, "all_parts")
    if not entries:
        return ()
    return tuple(
        RelatedObject(
            component=required_text(entry, "component"),
            name=required_text(entry, "name"),
            type_line=optional_text(entry, "type_line"),
            scryfall_id=optional_text(entry, "id"),
        )
        for entry in entries
    )


def _oracle_text(raw: RawRecord, faces: tuple[Face, ...]) -> str | None:
    if len(faces) == 1:
        return faces[0].rules_text
    text = _rules_text(raw)
    if text is not None:
        return text
    texts = [face.rules_text for face in faces if face.rules_text is not None]
    return "\n//\n".join(texts) if texts else None


def _date(raw: RawRecord, field: str) -> str | None:
    value = optional_text(raw, field)
    if value is None:
        return None
    try:
        return dt.date.fromisoformat(value).isoformat()
    except ValueError:
        raise wrong_field(raw, field, f"is no date: {value!r:.40}") from None


def _funny(raw: RawRecord) -> bool | None:
    set_type = raw.get("set_type")
    stamp = raw.get("security_stamp")
    if set_type is None and stamp is None and "border_color" not in raw:
        return None
    # Before Unfinity's acorn stamp, funny cards had silver borders.
    return set_type in _FUNNY_SET_TYPES or stamp == "acorn" or raw.get("border_color") == "silver"
