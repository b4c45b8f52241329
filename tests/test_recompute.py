"""The engine's part of a run: what is held back, and one card's failure, which is that card's alone."""

from __future__ import annotations

from typing import Any

import pytest

from indexer import recompute
from indexer.errors import NormalizeError
from indexer.recompute import Recomputer
from indexer.records import CardRecord
from tests.support.pools import raw_card

MELDED: dict[str, Any] = {
    "layout": "meld",
    "all_parts": [
        {"object": "related_card", "id": "a", "component": "meld_part", "name": "Left"},
        {"object": "related_card", "id": "b", "component": "meld_part", "name": "Right"},
        {"object": "related_card", "id": "c", "component": "meld_result", "name": "Whole"},
    ],
}


def test_a_melded_card_that_fails_is_told_of_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    build_record = recompute.build_record

    def fails_for_whole(card: Any, *arguments: Any) -> CardRecord:
        if card.card.name == "Whole":
            raise ZeroDivisionError("no sense")
        return build_record(card, *arguments)

    monkeypatch.setattr(recompute, "build_record", fails_for_whole)
    recomputer = Recomputer()
    assert recomputer.process(raw_card("Whole", "", "Artifact", **MELDED), 1) is None
    assert recomputer.process(raw_card("Left", "{2}", "Artifact", cmc=2.0, **MELDED), 2) is not None
    ((line, result),) = recomputer.finish()
    assert line == 1
    assert isinstance(result, NormalizeError)
    assert str(result) == "unexpected ZeroDivisionError: no sense"
