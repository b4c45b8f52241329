"""Where each layout has its fields, and what becomes of them."""

from __future__ import annotations

from typing import Any

import pytest

from indexer.errors import NormalizeError
from indexer.normalize.card import normalize_record
from indexer.normalize.layouts import ARRANGEMENTS, object_kind
from indexer.rules.card import Arrangement, ObjectKind
from indexer.rules.type_line import parse_type_line

OID = "e86b1a86-a220-4a20-ad07-2ab773744d36"


def raw(**fields: Any) -> dict[str, Any]:
    return {
        "object": "card",
        "id": OID,
        "oracle_id": OID,
        "name": "Test",
        "layout": "normal",
        "set": "tst",
        "released_at": "2026-01-02",
        "mana_cost": "{1}",
        "type_line": "Creature",
        "oracle_text": "",
        "cmc": 1.0,
        "colors": [],
        "color_identity": [],
        **fields,
    }


def face(**fields: Any) -> dict[str, Any]:
    return {"object": "card_face", "name": "A", "mana_cost": "{1}", "type_line": "Instant", "oracle_text": "", **fields}


@pytest.mark.parametrize(
    ("layout", "types", "name", "expected"),
    [
        ("adventure", ("Creature", "Instant — Adventure"), "x", Arrangement.ADVENTURER),
        ("adventure", ("Creature", "Instant — Omen"), "x", Arrangement.OMEN),
        ("prepare", ("Creature", "Sorcery"), "x", Arrangement.PREPARATION),
        ("transform", ("Battle — Siege", "Creature"), "x", Arrangement.TRANSFORMING),
        ("brand_new", ("Creature",), "x", Arrangement.UNKNOWN),
        ("meld", ("Creature",), "Brisela, Voice of Nightmares", Arrangement.MELDED),
        ("meld", ("Creature",), "Bruna, the Fading Light", Arrangement.MELD_PART),
    ],
)
def test_layouts_in_the_rules_terms(layout: str, types: tuple[str, ...], name: str, expected: Arrangement) -> None:
    faces = [face(type_line=line) for line in types] if len(types) > 1 else None
    record = raw(layout=layout, name=name, **({"card_faces": faces} if faces else {}))
    assert normalize_record(record).card.arrangement is expected


def test_a_linked_meld_result_needs_no_list_of_pairs() -> None:
    parts = [
        {"component": "meld_part", "name": "New A", "id": "1"},
        {"component": "meld_part", "name": "New B", "id": "2"},
        {"component": "meld_result", "name": "New AB", "id": "3"},
        {"component": "token", "name": "Goblin", "id": "4"},
    ]
    result = normalize_record(raw(layout="meld", name="New AB", all_parts=parts))
    part = normalize_record(raw(layout="meld", name="New A", all_parts=parts))
    assert (result.card.arrangement, result.meld_front_names) == (Arrangement.MELDED, ("New A", "New B"))
    assert (part.card.arrangement, part.meld_front_names) == (Arrangement.MELD_PART, ())


def test_missing_empty_and_zero_costs_stay_three_things() -> None:
    missing = raw()
    del missing["mana_cost"]
    costs = [
        normalize_record(record).card.faces[0].mana_cost
        for record in (missing, raw(mana_cost=""), raw(mana_cost="{0}"))
    ]
    assert costs == [None, "", "{0}"]


def test_faces_carry_what_is_published_of_them() -> None:
    record = raw(
        layout="transform",
        card_faces=[face(colors=["U"], power="1"), face(name="B", mana_cost="", colors=["R"], color_indicator=["R"])],
    )
    for key in ("mana_cost", "colors", "oracle_text"):
        del record[key]
    card = normalize_record(record)
    assert [str(each.published_colors) for each in card.faces] == ["U", "R"]
    assert card.published_colors is None
    assert card.mana_cost == "{1}"
    assert card.oracle_text == "\n//\n"
    assert str(card.card.faces[1].color_indicator) == "R"
    assert card.faces[0].power == "1"


def test_a_reversible_cards_oracle_id_and_value_are_on_its_faces() -> None:
    record: dict[str, Any] = {
        "name": "X // X",
        "layout": "reversible_card",
        "card_faces": [face(oracle_id=OID, cmc=2.0), face(oracle_id=OID, cmc=2.0)],
        "color_identity": [],
    }
    card = normalize_record(record)
    assert card.oracle_id == OID
    assert card.published_mana_value is None
    assert [each.published_mana_value for each in card.faces] == [2.0, 2.0]
    assert card.type_line == "Instant // Instant"


def test_letters_come_in_any_order_and_print_in_one() -> None:
    card = normalize_record(raw(colors=["G", "W"], produced_mana=["C", "G", "T", "U"]))
    assert str(card.published_colors) == "WG"
    assert card.published_produced_mana == "UGCT"


def test_a_text_that_was_escaped_twice_has_its_lines_back() -> None:
    card = normalize_record(raw(oracle_text="Devoid (x)\\nFlying"))
    assert card.card.faces[0].rules_text == card.oracle_text == "Devoid (x)\nFlying"


@pytest.mark.parametrize(
    ("fields", "funny"),
    [
        ({"set_type": "funny"}, True),
        ({"set_type": "expansion"}, False),
        ({"border_color": "silver"}, True),
        ({"security_stamp": "acorn", "set_type": "draft_innovation"}, True),
        ({}, None),
    ],
)
def test_cards_that_the_rules_leave_out(fields: dict[str, str], funny: bool | None) -> None:
    assert normalize_record(raw(**fields)).funny is funny


@pytest.mark.parametrize("missing", ["id", "set", "released_at"])
def test_a_record_that_was_cut_down_is_not_whole(missing: str) -> None:
    record = raw()
    assert normalize_record(record).is_whole
    del record[missing]
    assert not normalize_record(record).is_whole


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("name", None, "is missing"),
        ("name", "", "is empty"),
        ("name", 7, "should be text, not int"),
        ("oracle_text", "a" * 10_001, "has 10001 characters, which is more than any card's"),
        ("layout", None, "is missing"),
        ("oracle_id", "not-an-id", "is not an id"),
        ("oracle_id", None, "is missing"),
        ("type_line", None, "is missing"),
        ("cmc", "4", "should be a number, not str"),
        ("cmc", True, "should be a number, not bool"),
        ("cmc", -1, "out of range"),
        ("cmc", float("nan"), "out of range"),
        ("colors", ["Purple"], "no color letter"),
        ("colors", ["C"], "no color letter"),
        ("colors", "R", "should be a list"),
        ("color_identity", [["R"]], "no plain text"),
        ("legalities", ["legal"], "should be an object"),
        ("legalities", {"modern": 1}, "no plain text"),
        ("keywords", [1], "no plain text"),
        ("edhrec_rank", 2**40, "out of range"),
        ("edhrec_rank", 1.5, "should be a whole number"),
        ("reserved", "no", "should be true or false"),
        ("released_at", "yesterday", "is no date"),
        ("card_faces", [1], "list of objects"),
        ("all_parts", [{"component": "token"}], "is missing"),
        ("oracle_text", "a\0b", "NUL"),
    ],
)
def test_a_wrong_value_is_refused_with_field_and_card(field: str, value: object, words: str) -> None:
    with pytest.raises(NormalizeError, match=words) as caught:
        normalize_record(raw(**{field: value}))
    assert repr(caught.value.field) in str(caught.value)
    if field not in ("name", "all_parts"):
        assert caught.value.field == field
        assert caught.value.card_name == "Test"


@pytest.mark.parametrize(
    ("layout", "types", "kind"),
    [
        ("normal", "Creature", ObjectKind.CARD),
        ("normal", "Card", ObjectKind.OTHER),
        ("token", "Token Creature — Goblin", ObjectKind.TOKEN),
        ("token", "Card", ObjectKind.OTHER),
        ("token", "Emblem", ObjectKind.OTHER),
        ("double_faced_token", "Token Creature", ObjectKind.TOKEN),
        ("emblem", "Emblem — Garruk", ObjectKind.OTHER),
        ("art_series", "Card", ObjectKind.OTHER),
        ("front_card", "Card", ObjectKind.OTHER),
        ("planar", "Plane — Alara", ObjectKind.NONTRADITIONAL),
        ("vanguard", "Vanguard", ObjectKind.NONTRADITIONAL),
        ("normal", "Dungeon", ObjectKind.NONTRADITIONAL),
        ("normal", "Artifact — Attraction", ObjectKind.NONTRADITIONAL),
        ("normal", "Stickers", ObjectKind.OTHER),
        ("flip", "Token Creature", ObjectKind.TOKEN),
    ],
)
def test_kinds_of_objects(layout: str, types: str, kind: ObjectKind) -> None:
    assert object_kind(layout, parse_type_line(types)) is kind


def test_every_layout_that_is_documented_is_known() -> None:
    documented = (
        "normal split flip transform modal_dfc meld leveler class case saga adventure prepare mutate prototype planar "
        "scheme vanguard token double_faced_token emblem augment host art_series reversible_card front_card battle"
    )
    assert set(documented.split()) == set(ARRANGEMENTS)
