"""`report --format html`: the mismatches and the state of the pool as one self-contained page."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TextIO

from markupsafe import Markup
from sqlalchemy import Connection

from indexer.reports.mana_markup import color_discs, mana_text
from indexer.reports.mismatch_formats import PoolFacts, StepsFor, no_steps
from indexer.reports.mismatches import MismatchFilter, MismatchReportRow, card_url, load_mismatches, new_alarms
from indexer.reports.page_data import (
    FaceText,
    OpenCount,
    load_agreement,
    load_color_identities,
    load_face_texts,
    load_mana_curve,
    load_open_over_time,
)
from indexer.reports.ready import correction_lines
from indexer.reports.safe_text import visible
from indexer.reports.templating import write_template
from indexer.reports.values import (
    CATEGORIES,
    CATEGORY_NAMES,
    FIELD_NAMES,
    FIELDS,
    OBJECT_KINDS,
    STATUSES,
    set_difference,
    shown_value,
)
from indexer.rules.derivation import Step

CORRECTIONS_ON_PAGE = 1000
"""So many rows, the weightiest, carry a correction ready to send: the page must stay light enough for the mail."""


def write_page(
    connection: Connection,
    rows: Sequence[MismatchReportRow],
    facts: PoolFacts,
    stream: TextIO,
    *,
    now: dt.datetime,
    filtered: bool = False,
    steps_for: StepsFor = no_steps,
) -> None:
    """Write the page about these rows; the figures above and below them are always those of the whole pool.

    `filtered` says that the rows were asked for by a filter, so that an empty table doesn't claim too much.
    """
    unresolved = load_mismatches(connection, MismatchFilter(statuses=frozenset({"open", "accepted"})))
    agreement, layouts = load_agreement(connection)
    faces = load_face_texts(connection, (row.oracle_id for row in rows))

    with_correction = {
        row.id for row in rows[:CORRECTIONS_ON_PAGE] if row.computed is not None and row.status == "open"
    }

    def details(row: MismatchReportRow) -> _Detail:
        correction = ""
        if row.id in with_correction:
            correction = "\n".join(correction_lines([row], facts, "text", steps_for=steps_for))
        derivation = steps_for(row.oracle_id, row.field, row.face_index)
        return _Detail(
            derivation.remark(row.explanation),
            derivation.steps,
            faces.get(row.oracle_id, ()),
            visible(correction, keep="\n"),
        )

    values: dict[str, Any] = {
        "facts": facts,
        "rows": rows,
        "filtered": filtered,
        "tiles": _tiles(unresolved),
        "agreement": agreement,
        "layouts": sorted((item for item in layouts if item.differing), key=lambda item: -item.per_thousand),
        "agreeing_layouts": [item.name for item in layouts if not item.differing],
        "by_field": _by_field(unresolved),
        "line": open_line(load_open_over_time(connection)),
        "curve": load_mana_curve(connection),
        "identities": load_color_identities(connection),
        "selects": _selects(rows),
        "any_new": any(row.new for row in rows),
        "field_names": FIELD_NAMES,
        "category_names": CATEGORY_NAMES,
        "details": details,
        "value": value_markup,
        "change": change_markup,
        "mana": mana_text,
        "link": card_url,
    }
    write_template("report.html.j2", values, stream, now=now)


def value_markup(field: str, value: str | None) -> Markup:
    """A value as the page shows it: discs for colors, digits for a mana value, words for nothing."""
    if value and field != "mana_value":
        return color_discs(value)
    if value:
        return Markup("<span>{}</span>").format(value)
    return Markup('<span class="none">{}</span>').format(shown_value(field, value))


def change_markup(row: MismatchReportRow) -> Markup:
    """What the correction changes, with discs for colors."""
    if row.computed is None or row.field == "mana_value":
        return Markup('<span class="chg">{}</span>').format(row.difference.replace("-", "−"))
    return Markup("").join(
        Markup('<span class="chg"><span role="img" aria-label="{}">{}</span>{}</span>').format(
            word, sign, color_discs(letters)
        )
        for word, sign, letters in zip(
            ("add", "take away"), "+−", set_difference(row.published, row.computed), strict=True
        )
        if letters
    )


class _Detail(NamedTuple):
    """What a row opens to."""

    remark: str
    steps: Sequence[Step]
    faces: Sequence[FaceText]
    correction: str


class _Tile(NamedTuple):
    name: str
    number: int
    kind: str = ""


def _tiles(unresolved: Sequence[MismatchReportRow]) -> list[_Tile]:
    still_open = [row for row in unresolved if row.status == "open"]
    by_category = Counter(row.category for row in still_open)
    alarms = len(new_alarms(still_open))
    return [
        _Tile("open, a published error", by_category["published_error"]),
        _Tile("open, by a known policy", by_category["policy"]),
        _Tile("undecided", by_category["undecided"]),
        _Tile("new in the last run", alarms, "alarm" if alarms else ""),
        _Tile("accepted for now", len(unresolved) - len(still_open)),
    ]


class _FieldBar(NamedTuple):
    label: str
    counts: dict[str, int]
    total: int


def _by_field(unresolved: Sequence[MismatchReportRow]) -> list[_FieldBar]:
    counts = Counter((row.field, row.category) for row in unresolved if row.status == "open")
    bars = []
    for field in FIELDS:
        by_category = {category: counts[field, category] for category in CATEGORIES}
        bars.append(_FieldBar(FIELD_NAMES[field], by_category, sum(by_category.values())))
    return bars


class _Select(NamedTuple):
    key: str
    label: str
    choices: list[tuple[str, str, int]]


def _selects(rows: Sequence[MismatchReportRow]) -> list[_Select]:
    """The filters, each with the values that occur and how often."""

    def select(
        key: str, label: str, of: Callable[[MismatchReportRow], str], order: Sequence[str], names: dict[str, str]
    ) -> _Select:
        counts = Counter(of(row) for row in rows)
        values = [value for value in order if counts[value]]
        return _Select(key, label, [(value, names.get(value, value), counts[value]) for value in values])

    return [
        select("field", "Field", lambda row: row.field, FIELDS, FIELD_NAMES),
        select("category", "Category", lambda row: row.category, CATEGORIES, CATEGORY_NAMES),
        select("status", "Status", lambda row: row.status, STATUSES, {}),
        select("kind", "Kind", lambda row: row.object_kind, OBJECT_KINDS, {}),
    ]


class _Point(NamedTuple):
    x: float
    y: float


class _Tick(NamedTuple):
    number: int
    y: float


class OpenLine(NamedTuple):
    """The line of open mismatches over time, in the coordinates of its drawing (360 by 150)."""

    points: list[_Point]
    polyline: str
    ticks: list[_Tick]
    first: OpenCount | None
    last: OpenCount | None
    top: int


def open_line(counts: Sequence[OpenCount]) -> OpenLine:
    """The counts as a line: time to the right, the axis from 0 to a round number."""
    if not counts:
        return OpenLine([], "", [], None, None, 0)
    left, right, top_y, bottom_y = 40, 352, 12, 124
    begin, end = counts[0].moment, counts[-1].moment
    span = (end - begin).total_seconds() or 1.0
    top = max(count.number for count in counts)
    step = _round_step(top)
    ceiling = max(step * -(-top // step), step)

    def y_of(number: int) -> float:
        return round(bottom_y - (bottom_y - top_y) * number / ceiling, 1)

    points = [
        _Point(round(left + (right - left) * (count.moment - begin).total_seconds() / span, 1), y_of(count.number))
        for count in counts
    ]
    ticks = [_Tick(number, y_of(number)) for number in range(0, ceiling + 1, step)]
    return OpenLine(points, " ".join(f"{p.x},{p.y}" for p in points), ticks, counts[0], counts[-1], top)


def _round_step(top: int) -> int:
    """A step of 1, 2 or 5 times a power of ten that divides an axis up to `top` into at most five."""
    power = 1
    while True:
        for factor in (1, 2, 5):
            if factor * power * 5 >= top:
                return factor * power
        power *= 10
