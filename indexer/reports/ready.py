"""Ready-to-send corrections: for each card one message that says what is published, what the rules give, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Literal, TextIO

from indexer.reports.mismatch_formats import PoolFacts, StepsFor, no_steps
from indexer.reports.mismatches import MismatchReportRow, card_url
from indexer.reports.safe_text import markdown_cell, one_line
from indexer.reports.values import FIELD_NAMES, shown_value
from indexer.rules.derivation import Step

ReadyFormat = Literal["text", "markdown"]
RULES_URL = "https://magic.wizards.com/en/rules"


def write_corrections(
    rows: Sequence[MismatchReportRow],
    facts: PoolFacts,
    fmt: ReadyFormat,
    stream: TextIO,
    *,
    steps_for: StepsFor = no_steps,
) -> int:
    """Write one message for each card, in the order of the rows, and tell how many. Undecided values make none."""
    count = 0
    for card_rows in _by_card(rows):
        if count:
            stream.write("\n---\n\n" if fmt == "markdown" else "\n" + "-" * 72 + "\n\n")
        stream.write("\n".join(correction_lines(card_rows, facts, fmt, steps_for=steps_for)) + "\n")
        count += 1
    return count


def correction_lines(
    rows: Sequence[MismatchReportRow], facts: PoolFacts, fmt: ReadyFormat, *, steps_for: StepsFor = no_steps
) -> Iterator[str]:
    """The message for one card, whose mismatches the rows are."""
    markdown = fmt == "markdown"
    escape = markdown_cell if markdown else one_line
    first = rows[0]
    link = card_url(first)
    yield ("### " if markdown else "") + f"Correction: {escape(first.card)}"
    yield ""
    yield f"{'- ' if markdown else ''}Card: {f'<{link}>' if markdown else link}"
    yield f"{'- ' if markdown else ''}Oracle id: {escape(first.oracle_id)}"
    if facts.source_updated_at:
        yield f"{'- ' if markdown else ''}Seen in the bulk data of {facts.source_updated_at:%Y-%m-%d %H:%M} UTC"
    for row in rows:
        of_face = f" of the face {escape(row.face)}" if row.face is not None and row.face != row.card else ""
        published, computed = (escape(shown_value(row.field, value)) for value in (row.published, row.computed))
        if markdown:
            published, computed = f"**{published}**", f"**{computed}**"
        yield ""
        derivation = steps_for(row.oracle_id, row.field, row.face_index)
        remark = derivation.remark(row.explanation)
        verb, pronoun = ("are", "they") if row.field == "colors" else ("is", "it")
        yield f"The {FIELD_NAMES[row.field]}{of_face} {verb} published as {published}."
        yield f"By rule {escape(row.rule)} {pronoun} {verb} {computed}."
        if remark:
            yield escape(_sentence(remark))
        if steps := [_step_line(step, markdown) for step in derivation.steps]:
            yield ""
            yield "Step by step:"
            if markdown:
                yield ""
            yield from steps
    yield ""
    rules = f"Comprehensive Rules of {facts.rules_edition}"
    yield f"Rules: [{rules}]({RULES_URL})" if markdown else f"Rules: {rules}, {RULES_URL}"


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else text + "."


def _step_line(step: Step, markdown: bool) -> str:
    escape = markdown_cell if markdown else one_line
    place = f" ({escape(step.place)})" if step.place else ""
    basis = f"{escape(step.basis)}{place}: " if step.basis else f"{escape(step.place)}: " if step.place else ""
    return f"{'-' if markdown else '  -'} {basis}{escape(step.meaning)} [{step.rule}]"


def _by_card(rows: Iterable[MismatchReportRow]) -> Iterator[list[MismatchReportRow]]:
    """The decided rows, those of one card together, cards in the order of their first row."""
    decided = [row for row in rows if row.computed is not None]
    order: dict[str, int] = {}
    for row in decided:
        order.setdefault(row.oracle_id, len(order))
    decided.sort(key=lambda row: order[row.oracle_id])
    for _, group in groupby(decided, key=attrgetter("oracle_id")):
        yield list(group)
