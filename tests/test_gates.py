"""Gates: what passes, what is refused with which figure, and what an option lets through."""

from __future__ import annotations

import datetime as dt

import pytest

from indexer.errors import GateRefused
from indexer.gates import GATES, Figures, check_gates

MONDAY = dt.datetime(2026, 11, 2, 9, 0, tzinfo=dt.UTC)
TUESDAY = MONDAY + dt.timedelta(days=1)

PASSES = {
    "first-run": Figures(cards_after=30000, records=30000, mismatches_after={"colors": 5000}),
    "two-percent-fewer": Figures(cards_before=1000, cards_after=980),
    "few-of-a-small-pool": Figures(cards_before=12, cards_after=9),
    "half-of-a-tiny-pool": Figures(cards_before=2, cards_after=1),
    "growth": Figures(cards_before=1000, cards_after=9000),
    "half-a-percent-rejected": Figures(records=10000, rejected=50),
    "few-rejected-of-a-small-file": Figures(records=20, rejected=10),
    "mismatches-rise-a-little": Figures(
        cards_before=1000, cards_after=1000, mismatches_before={"colors": 5}, mismatches_after={"colors": 105}
    ),
    "mismatches-rise-in-a-large-pool": Figures(
        cards_before=30000, cards_after=30000, mismatches_after={"colors": 300, "mana_value": 300}
    ),
    "mismatches-fall": Figures(cards_before=1000, cards_after=1000, mismatches_before={"colors": 500}),
    "a-rare-field-vanishes": Figures(vanished_fields={"defense": 19}),
    "same-age": Figures(updated_at_before=MONDAY, updated_at=MONDAY),
    "newer": Figures(updated_at_before=MONDAY, updated_at=TUESDAY),
    "age-unknown": Figures(updated_at_before=None, updated_at=MONDAY),
}

REFUSED = {
    "shrink": (Figures(cards_before=1000, cards_after=979), "from 1000 to 979 cards (2.1% fewer, the limit is 2%)"),
    "shrink-to-nothing": (Figures(cards_before=5, cards_after=0), "from 5 to 0 cards (100.0% fewer"),
    "shrink-empty-first-file": (Figures(is_empty=True), "the file holds no records at all"),
    "rejects-why": (
        Figures(records=1, rejected=1, first_rejected="line 1: no name"),
        "1 of 1 records were rejected (100.0%, the limit is 0.5%), the first one because of: line 1: no name",
    ),
    "rejects": (Figures(records=10000, rejected=51), "51 of 10000 records were rejected (0.5%, the limit is 0.5%)"),
    "rejects-all": (Figures(records=2, rejected=2), "2 of 2 records were rejected (100.0%"),
    "mismatches": (
        Figures(cards_before=1000, cards_after=1000, mismatches_before={"colors": 5}, mismatches_after={"colors": 506}),
        "the mismatches in colors jumped from 5 to 506 (the limit is 500 more)",
    ),
    "fields": (
        Figures(vanished_fields={"oracle_text": 800}),
        "no card has the field 'oracle_text' any more (800 had it)",
    ),
    "age": (
        Figures(updated_at_before=TUESDAY, updated_at=MONDAY),
        "the export of 2026-11-02 09:00:00 UTC is older than that of 2026-11-03 09:00:00 UTC",
    ),
}


@pytest.mark.parametrize("figures", PASSES.values(), ids=PASSES.keys())
def test_passes(figures: Figures) -> None:
    assert check_gates(figures) == []


@pytest.mark.parametrize(("name", "figures", "words"), [(k.split("-")[0], *v) for k, v in REFUSED.items()], ids=REFUSED)
def test_refused_with_its_figure_unless_allowed(name: str, figures: Figures, words: str) -> None:
    with pytest.raises(GateRefused) as caught:
        check_gates(figures)
    option = {gate.name: gate.option for gate in GATES}[name]
    assert caught.value.gate == name
    assert caught.value.exit_status == 3
    assert words in str(caught.value)
    assert str(caught.value).endswith(f"run again with {option}")
    (remark,) = check_gates(figures, allowed={name})
    assert words in remark
    assert remark.endswith(f"(allowed by {option})")


def test_one_option_does_not_open_another_gate() -> None:
    figures = Figures(cards_before=1000, cards_after=500, records=500, rejected=400)
    with pytest.raises(GateRefused) as caught:
        check_gates(figures, allowed={"shrink"})
    assert caught.value.gate == "rejects"


def test_names_and_options_are_each_of_one_gate() -> None:
    assert len({gate.name for gate in GATES}) == len({gate.option for gate in GATES}) == len(GATES)
