"""Whatever stands in a record: it becomes rows that a database takes, or it is refused with the field named."""

from __future__ import annotations

import copy
import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from indexer.errors import NormalizeError
from indexer.normalize.fields import MAX_INTEGER
from indexer.recompute import Recomputer
from indexer.records import CardRecord, LegalityRow
from tests.support.sample_pool import sample_records

SAMPLES = sample_records()
ODD_TEXTS = ["", "\0", "{", "{{{}", "(" * 50, ")", "‮evil", "\x1b[31m", "<script>", '"', "a" * 5000, "{FOO}", "//", "—"]

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=True)
    | st.sampled_from(ODD_TEXTS)
    | st.text(max_size=20)
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


@st.composite
def damaged_records(draw: st.DrawFn) -> dict[str, Any]:
    """A real-looking record in which up to four values, at any depth, were exchanged or taken away."""
    record: dict[str, Any] = copy.deepcopy(draw(st.sampled_from(SAMPLES)))
    for _ in range(draw(st.integers(1, 4))):
        place: Any = record
        while True:
            keys: list[Any] = list(place) if isinstance(place, dict) else list(range(len(place)))
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            inner = place[key]
            if isinstance(inner, dict | list) and inner and draw(st.booleans()):
                place = inner
                continue
            if draw(st.integers(0, 3)) == 0:
                del place[key]
            else:
                place[key] = draw(values)
            break
    return record


def rows_of(record: CardRecord) -> list[tuple[Any, ...]]:
    """All rows of a record, of whatever table."""
    children = (
        record.faces,
        record.identity_sources,
        record.mana_values,
        record.symbols,
        record.types,
        record.keywords,
        [LegalityRow(record.card.oracle_id, *each) for each in record.legalities],
        record.parts,
        record.undecided,
        record.mismatches,
    )
    return [record.card, *(row for rows in children for row in rows)]


def is_storable(value: object) -> bool:
    """Whether every supported database takes the value in a column."""
    if value is None or isinstance(value, bool):
        return True
    if isinstance(value, int):
        return abs(value) <= MAX_INTEGER
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, str) and "\0" not in value


@given(damaged_records())
def test_a_damaged_record_is_stored_or_refused_with_its_field(raw: dict[str, Any]) -> None:
    recomputer = Recomputer()
    refused: NormalizeError | None = None
    made: CardRecord | None = None
    try:
        made = recomputer.process(raw, 1)
    except NormalizeError as error:
        refused = error
    if refused is not None:
        assert refused.field
        assert repr(refused.field) in str(refused)
        return
    records = [made] if made is not None else [result for _line, result in recomputer.finish()]
    for record in records:
        assert isinstance(record, CardRecord)
        rows = rows_of(record)
        assert all(is_storable(value) for row in rows for value in row)
        assert all(row[0] == record.card.oracle_id for row in rows)


@given(st.dictionaries(st.text(max_size=10), values, max_size=8))
def test_any_object_is_refused_or_stored(raw: dict[str, Any]) -> None:
    try:
        made = Recomputer().process(raw, 1)
    except NormalizeError:
        return
    assert isinstance(made, CardRecord)


def test_keys_of_child_rows_are_distinct() -> None:
    """What a table's key is made of occurs once a card, so that no record can break a constraint."""
    recomputer = Recomputer()
    made = [recomputer.process(raw, n) for n, raw in enumerate(SAMPLES)]
    records = [r for r in made if r] + [r for _n, r in recomputer.finish() if isinstance(r, CardRecord)]
    assert len(records) == len(SAMPLES)
    for record in records:
        for rows, width in (
            (record.faces, 2),
            (record.identity_sources, 4),
            (record.mana_values, 3),
            (record.symbols, 4),
            (record.types, 4),
            (record.keywords, 2),
            (record.legalities, 2),
            (record.parts, 2),
        ):
            keys = [tuple(row)[:width] for row in rows]
            assert len(set(keys)) == len(keys)
