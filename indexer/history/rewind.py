"""One card's rows as they were, from its rows of today and what `card_changes` says of the runs since.

What history does not record stays as it is today: the popularity rank, which moves every day, and all of a related
object but its name. Symbols, typed words and sources of color identity follow from costs, types and texts, and are
worked out again from those of the time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from indexer.batches import CARD_COLUMNS
from indexer.normalize.card import NormalizedCard, NormalizedFace, RelatedObject, arrangement_of, meld_front_names
from indexer.recompute import build_record
from indexer.records import FaceRow, LegalityRow, ManaValueRow
from indexer.rules.card import Arrangement, Card, Face, ObjectKind
from indexer.rules.colors import MANA_LETTERS, ColorSet

Row = dict[str, Any]
"""A row by column."""

_NUMBERS = frozenset({"mana_value", "published_mana_value"})
_FLAGS = frozenset({"reserved", "digital", "funny", "game_changer"})
_LETTERS = tuple(column.removesuffix("_mask") for column in CARD_COLUMNS if column.endswith("_mask"))
_FACE_LETTERS = tuple(column.removesuffix("_mask") for column in FaceRow._fields if column.endswith("_mask"))
_SHARED = tuple(
    column
    for column in FaceRow._fields
    if column in CARD_COLUMNS and column != "oracle_id" and not column.startswith("published_")
)
"""Columns of a card's only face that repeat the card's own; history tells them of the card alone."""
_DECISIVE = frozenset({"layout", "name", "mana_cost", "type_line", "oracle_text", "color_indicator", "parts", "faces"})
"""Fields from which symbols, types and sources of color identity follow."""
_FIELD = re.compile(r"faces\.(\d+)(?:\.(\w+))?")


@dataclass(slots=True)
class CardRows:
    """A card's row and the rows of its child tables, by the name of the table."""

    card: Row
    children: dict[str, list[Row]] = field(default_factory=dict)
    melded: bool = False
    """It is a melded card, which `finish_melded` has still to give what it takes from two others."""


def rewind(now: CardRows, old: Mapping[str, str | None]) -> CardRows:
    """The rows with these fields as they were: field of `card_changes` -> its value then, None for none."""
    then = CardRows(dict(now.card), {table: [dict(row) for row in rows] for table, rows in now.children.items()})
    for name, value in old.items():
        if name in then.card:
            then.card[name] = _parse(name, value)
    _set_masks(then.card, _LETTERS)
    _rewind_faces(then, old)
    _rewind_lists(then, old)
    if then.card["layout"] == "meld" or any(name.split(".")[0] in _DECISIVE for name in old):
        _work_out_again(then)
    return then


def _parse(column: str, value: str | None) -> object:
    if value is None:
        return None
    if column in _NUMBERS:
        return float(value)
    if column in _FLAGS:
        return value == "true"
    return value


def _set_masks(row: Row, columns: Sequence[str]) -> None:
    for column in columns:
        letters = row[column]
        row[f"{column}_mask"] = (
            None if letters is None else sum(1 << i for i, letter in enumerate(MANA_LETTERS) if letter in letters)
        )


def _rewind_faces(then: CardRows, old: Mapping[str, str | None]) -> None:
    faces = {row["face_index"]: row for row in then.children.get("card_faces", ())}
    told = [(int(match[1]), match[2], value) for name, value in old.items() if (match := _FIELD.fullmatch(name))]
    for index, column, value in told:
        if column is None and value is None:
            faces.pop(index, None)
        elif column is None:
            blank = dict.fromkeys(FaceRow._fields)
            faces[index] = {**blank, "oracle_id": then.card["oracle_id"], "face_index": index, "name": value}
    for index, column, value in told:
        if column is not None and index in faces:
            faces[index][column] = _parse(column, value)
    if len(faces) == 1 and 0 in faces:
        faces[0].update((column, then.card[column]) for column in _SHARED if column in old)
    for face in faces.values():
        _set_masks(face, _FACE_LETTERS)
    then.children["card_faces"] = [faces[index] for index in sorted(faces)]


def _rewind_lists(then: CardRows, old: Mapping[str, str | None]) -> None:
    key = then.card["oracle_id"]
    if "keywords" in old:
        then.children["keywords"] = [{"oracle_id": key, "keyword": word} for word in _listed(old["keywords"])]
    if "parts" in old:
        names = set(_listed(old["parts"]))
        then.children["card_parts"] = [row for row in then.children.get("card_parts", ()) if row["name"] in names]
    legalities = {row["format"]: row for row in then.children.get("legalities", ())}
    values = {(row["face_index"], row["situation"]): row for row in then.children.get("mana_values", ())}
    for name, value in old.items():
        table, _, rest = name.partition(".")
        if table == "legalities":
            legalities.pop(rest, None)
            if value is not None:
                legalities[rest] = LegalityRow(key, rest, value)._asdict()
        elif table == "mana_values":
            index, situation = rest.split(".", 1)
            before = values.pop((int(index), situation), None)
            if value is not None:
                rule = before["rule"] if before else ""
                row = ManaValueRow(key, int(index), situation, float(value), rule)
                values[row.face_index, situation] = row._asdict()
    then.children["legalities"] = list(legalities.values())
    then.children["mana_values"] = list(values.values())


def _listed(text: str | None) -> list[str]:
    return text.split(", ") if text else []


def _work_out_again(then: CardRows, meld_fronts: tuple[Face, ...] = ()) -> None:
    card = _normalized(then)
    record = build_record(card, meld_fronts)
    then.melded = card.card.arrangement is Arrangement.MELDED
    for table, rows in (
        ("face_symbols", record.symbols),
        ("face_types", record.types),
        ("color_identity_sources", record.identity_sources),
    ):
        then.children[table] = [row._asdict() for row in rows]
    rules = {(row.face_index, row.situation): row.rule for row in record.mana_values}
    for value in then.children["mana_values"]:
        value["rule"] = rules.get((value["face_index"], value["situation"]), value["rule"])


def finish_melded(cards: Sequence[CardRows]) -> None:
    """Give each melded card among these what it takes from the two that meld into it, if these are here too."""
    fronts = {
        rows.card["name"]: _face(rows.children["card_faces"][0], None)
        for rows in cards
        if not rows.melded and rows.card["removed_run_id"] is None and rows.children["card_faces"]
    }
    for rows in cards:
        if rows.melded:
            names = meld_front_names(rows.card["name"], _parts(rows))
            _work_out_again(rows, tuple(fronts[name] for name in names if name in fronts))


def _normalized(then: CardRows) -> NormalizedCard:
    row, face_rows = then.card, then.children["card_faces"]
    parts = _parts(then)
    faces = tuple(_face(face, None if face["face_index"] else row["published_colors"]) for face in face_rows)
    arrangement = arrangement_of(row["layout"], row["name"], faces, parts)
    own = {"card", "faces", "keywords", "legalities", "parts", "meld_front_names", "is_whole"}
    same = {item.name: row[item.name] for item in fields(NormalizedCard) if item.name not in own}
    same["published_colors"] = _colors(row["published_colors"])
    same["published_color_identity"] = _colors(row["published_color_identity"])
    return NormalizedCard(
        card=Card(row["name"], arrangement, ObjectKind(row["object_kind"]), faces),
        faces=tuple(
            NormalizedFace(
                **{name: face[name] for name in ("power", "toughness", "loyalty", "defense", "published_mana_value")},
                published_colors=_colors(face["published_colors"]),
            )
            for face in face_rows
        ),
        keywords=(),
        legalities={},
        parts=parts,
        meld_front_names=(),
        is_whole=True,
        **same,
    )


def _parts(rows: CardRows) -> tuple[RelatedObject, ...]:
    parts = sorted(rows.children.get("card_parts", ()), key=lambda part: part["part_index"])
    return tuple(
        RelatedObject(part["component"], part["name"], part["type_line"], part["scryfall_id"]) for part in parts
    )


def _face(row: Row, card_colors: str | None) -> Face:
    published = row["published_colors"]
    return Face(
        name=row["name"],
        mana_cost=row["mana_cost"],
        type_line=row["type_line"] or "",
        rules_text=row["oracle_text"],
        color_indicator=_colors(row["color_indicator"]),
        given_colors=_colors(card_colors if published is None else published),
    )


def _colors(letters: str | None) -> ColorSet | None:
    return None if letters is None else ColorSet.from_letters(letters)
