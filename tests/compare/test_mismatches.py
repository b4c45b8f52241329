"""What is a mismatch and what is not: published, contradicted, decided; one mistake, one row."""

from __future__ import annotations

from typing import Any

import pytest

from indexer.normalize.card import normalize_record
from indexer.recompute import build_record
from indexer.records import CardRecord, MismatchRow

OID = "e86b1a86-a220-4a20-ad07-2ab773744d36"


def made(*, whole: bool = True, **fields: Any) -> CardRecord:
    record: dict[str, Any] = {
        "oracle_id": OID,
        "name": "Test",
        "layout": "normal",
        "mana_cost": "{1}{G}",
        "type_line": "Creature",
        "oracle_text": "",
        **({"id": OID, "set": "tst", "released_at": "2026-01-02"} if whole else {}),
        **fields,
    }
    return build_record(normalize_record({key: value for key, value in record.items() if value is not ...}))


def rows(record: CardRecord) -> list[tuple[str, int | None, str, str | None, str, str]]:
    return [(r.field, r.face_index, r.published, r.computed, r.category, r.rule) for r in record.mismatches]


RIGHT: dict[str, Any] = {"cmc": 2.0, "colors": ["G"], "color_identity": ["G"]}


def test_what_agrees_or_is_not_published_is_none() -> None:
    assert rows(made(**RIGHT)) == []
    assert rows(made()) == []


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"cmc": 3.0}, [("mana_value", None, "3", "2", "published_error", "202.3")]),
        ({"cmc": 0.5}, [("mana_value", None, "0.5", "2", "published_error", "202.3")]),
        ({"colors": []}, [("colors", None, "", "G", "published_error", "202.2")]),
        ({"color_identity": ["R", "G"]}, [("color_identity", None, "RG", "G", "published_error", "903.4")]),
        ({"produced_mana": ["U"]}, [("produced_mana", None, "U", "", "published_error", "106.3")]),
    ],
)
def test_a_published_value_that_differs_is_one_row(fields: dict[str, Any], expected: object) -> None:
    assert rows(made(**(RIGHT | fields))) == expected


def test_the_explanation_has_steps_with_rules() -> None:
    row: MismatchRow = made(cmc=3.0).mismatches[0]
    assert row.explanation == (
        "mana cost {1}: counts 1 (202.3); mana cost {G}: counts 1 (202.3); "
        "mana cost {1}{G}: the mana value is the total: 2 (202.3)"
    )


def test_one_mistake_in_colors_and_identity_is_one_row() -> None:
    record = made(mana_cost="", colors=["B"], color_identity=["B"])
    assert rows(record) == [("colors", None, "B", "", "published_error", "202.2b")]
    assert "the color identity is published with the same mistake (B)" in record.mismatches[0].explanation


def test_two_mistakes_are_two_rows() -> None:
    record = made(colors=["B"], color_identity=["G", "U"])
    assert [row[0] for row in rows(record)] == ["colors", "color_identity"]


def test_a_missing_input_is_undecided_and_no_row() -> None:
    record = made(mana_cost=..., **RIGHT)
    assert rows(record) == []
    assert {row.field for row in record.undecided} == {"mana_value", "colors", "color_identity"}
    assert record.card.mana_value is None
    assert record.card.mana_value_decision == "undecided"


def test_an_unknown_symbol_is_one_row_of_its_own_category() -> None:
    record = made(mana_cost="{1}{FOO}", **RIGHT)
    assert rows(record) == [("mana_value", None, "2", None, "undecided", "107.4")]
    assert "{FOO}" in record.mismatches[0].explanation


def test_an_unknown_layout_is_one_row_of_its_own_category() -> None:
    record = made(layout="brand_new", **RIGHT)
    assert [(row[0], row[3], row[4]) for row in rows(record)] == [("mana_value", None, "undecided")]


def test_a_tokens_given_values_are_no_rows() -> None:
    record = made(layout="token", mana_cost="", type_line="Token Creature", colors=["R"], color_identity=["B"], cmc=0.0)
    assert rows(record) == []
    assert record.card.colors_decision == "given"


def test_a_melded_card_without_its_fronts_is_undecided() -> None:
    record = made(
        layout="meld", name="Brisela, Voice of Nightmares", mana_cost="", cmc=11.0, colors=[], color_identity=["W"]
    )
    assert rows(record) == []


def test_a_cut_down_record_may_have_lost_its_indicator() -> None:
    lost: dict[str, Any] = {"mana_cost": "", "colors": ["B"], "color_identity": ["B"]}
    assert rows(made(**lost))
    record = made(whole=False, **lost)
    assert rows(record) == []
    assert {row.field for row in record.undecided} == {"colors", "color_identity"}
    # A color that is missing from what is published can't be explained so.
    assert rows(made(whole=False, mana_cost="", oracle_text="{R}: x", colors=[], color_identity=[]))


def test_a_cost_that_cant_be_read_is_undecided_in_a_cut_down_record_too() -> None:
    record = made(whole=False, mana_cost="{NEW}", colors=["B"], cmc=1.0)
    assert {row.category for row in record.mismatches} <= {"undecided"}
    assert {"colors", "mana_value"} <= {row.field for row in record.undecided}


def test_a_planes_identity_is_a_policy_that_is_named() -> None:
    record = made(layout="planar", mana_cost="", type_line="Plane — X", oracle_text="Add {G}.", color_identity=[])
    assert rows(record) == [("color_identity", None, "", "G", "policy", "903.4")]
    assert "planes" in record.mismatches[0].explanation


def test_produced_mana_of_tokens_is_a_policy_that_is_named() -> None:
    text = 'Create a token with "{T}: Add {C}."'
    record = made(oracle_text=text, produced_mana=["C"])
    assert rows(record) == [("produced_mana", None, "C", "", "policy", "106.3")]
    assert rows(made(oracle_text=text, produced_mana=["U"]))[0][4] == "published_error"


def test_values_of_faces_are_looked_at_where_they_are_published() -> None:
    faces = [
        {"name": "A", "mana_cost": "{U}", "type_line": "Creature", "oracle_text": "", "colors": ["U"]},
        {
            "name": "B",
            "mana_cost": "",
            "type_line": "Creature",
            "oracle_text": "",
            "colors": [],
            "color_indicator": ["R"],
        },
    ]
    record = made(layout="transform", mana_cost=..., oracle_text=..., card_faces=faces, color_identity=["U", "R"])
    assert rows(record) == [("colors", 1, "", "R", "published_error", "202.2e")]


def test_a_land_with_its_insets_cost_is_one_row() -> None:
    faces = [
        {"name": "A", "mana_cost": "{4}{U}", "type_line": "Land — Town", "oracle_text": "{T}: Add {U}."},
        {"name": "B", "mana_cost": "{4}{U}", "type_line": "Sorcery — Adventure", "oracle_text": "Draw."},
    ]
    record = made(layout="adventure", card_faces=faces, oracle_text=..., cmc=0.0, colors=[], color_identity=["U"])
    assert len(record.mismatches) == 1
    assert rows(record) == [("mana_value", None, "0", "5", "published_error", "715.4")]
    assert "202.1b" in record.mismatches[0].explanation
