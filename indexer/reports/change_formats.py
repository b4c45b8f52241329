"""The changes as a table, JSON, CSV, Markdown or a page: the morning digest."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, TextIO

from indexer.reports.changes import CardRef, ChangeDigest, FieldChange
from indexer.reports.mana_markup import color_discs, mana_text
from indexer.reports.mismatches import MismatchReportRow, card_url
from indexer.reports.safe_text import markdown_cell, one_line
from indexer.reports.tabular import Link, json_line, write_rows
from indexer.reports.templating import write_template
from indexer.reports.text_diff import Mark, Piece, diff_text, marked_text, shorten
from indexer.reports.values import FIELD_NAMES, shown_value

JSON_FORMAT = "card-indexer/changes"
JSON_VERSION = 1
LINES = 50
"""So many lines of each part are shown to people unless they ask for more."""

_TEXTS = frozenset({"oracle_text", "type_line", "name", "keywords", "parts"})
_COLOR_SETS = frozenset({"colors", "color_identity", "produced_mana", "color_indicator"})
_ALIKE = 4
"""From so many cards on, the same change is told once for all of them."""
_NAMED = 3
_CSV_COLUMNS = ("run_id", "oracle_id", "card", "field", "face", "kind", "old", "new")


class ChangeLine(NamedTuple):
    """One change of one card, or the same change of many."""

    cards: Sequence[CardRef]
    label: str
    column: str
    old: str | None
    new: str | None
    pieces: Sequence[Piece]
    """The words that went and came; empty if old and new are short enough to stand side by side."""

    @property
    def named(self) -> str:
        """The card, or some of the cards and how many more."""
        names = [card.name for card in self.cards[:_NAMED]]
        more = len(self.cards) - len(names)
        return "; ".join(names) + (f"; and {more:,} more" if more else "")


class Section(NamedTuple):
    """One part of the digest."""

    title: str
    number: int
    """How many there are; the lines may be fewer."""
    cards: Sequence[CardRef] = ()
    changes: Sequence[ChangeLine] = ()
    mismatches: Sequence[MismatchReportRow] = ()
    left_out: int = 0
    """Lines beyond the limit."""


def change_lines(changes: Iterable[FieldChange]) -> list[ChangeLine]:
    """The changes in order, those that many cards share told once. The printing that shows a card is only counted."""
    lines: dict[object, list[tuple[FieldChange, list[Piece]]]] = {}
    for change in changes:
        if change.group.key == "printing":
            continue
        pieces = diff_text(change.old, change.new) if change.column in _TEXTS and change.old and change.new else []
        core: object = tuple(piece for piece in pieces if piece.mark is not Mark.SAME) or (change.old, change.new)
        lines.setdefault((change.column, change.label if not change.face else "", core), []).append((change, pieces))
    told: list[ChangeLine] = []
    for alike in lines.values():
        groups = [alike] if len(alike) >= _ALIKE else [[one] for one in alike]
        for group in groups:
            change, pieces = group[0]
            label = (
                change.label if len(group) == 1 or not change.face else change.label.removesuffix(f" of {change.face}")
            )
            told.append(
                ChangeLine([one.card for one, _ in group], label, change.column, change.old, change.new, pieces)
            )
    return told


def sections(digest: ChangeDigest, limit: int | None = LINES) -> list[Section]:
    """The parts of the digest that hold anything, each with at most so many lines."""
    parts: list[Section] = []
    for title, changes in (
        ("Published values and texts", digest.published),
        ("Values by the rules", digest.computed),
    ):
        if lines := change_lines(changes):
            parts.append(Section(title, len(lines), changes=lines[:limit], left_out=len(lines) - len(lines[:limit])))
    for title, cards in (("New cards", digest.added), ("Back", digest.restored), ("Removed", digest.removed)):
        if cards:
            parts.append(Section(title, len(cards), cards=cards[:limit], left_out=len(cards) - len(cards[:limit])))
    for title, rows in (("New mismatches", digest.new_mismatches), ("Mismatches gone", digest.gone_mismatches)):
        if rows:
            parts.append(Section(title, len(rows), mismatches=rows[:limit], left_out=len(rows) - len(rows[:limit])))
    order = ("New mismatches", "Mismatches gone", "New cards", "Back", "Removed")
    return sorted(parts, key=lambda part: order.index(part.title) if part.title in order else len(order))


def head_line(digest: ChangeDigest) -> str:
    """`Run 12 of 2026-10-12, compared with run 11: 3 new cards, …`."""
    base = f"run {digest.since_run_id}" if digest.since_run_id else "the beginning"
    against = "" if digest.is_first and not digest.since_run_id else f", compared with {base}"
    return f"Run {digest.until_run_id} of {digest.until:%Y-%m-%d}{against}: {digest.summary()}"


def write_changes(digest: ChangeDigest, fmt: Literal["table", "markdown"], stream: TextIO, limit: int | None) -> None:
    """Write the digest for people: a line that sums it up, then each part."""
    head = head_line(digest)
    stream.write(f"# {markdown_cell(head)}\n" if fmt == "markdown" else one_line(head) + "\n")
    for version in digest.versions:
        stream.write(f"\n{markdown_cell(version) if fmt == 'markdown' else one_line(version)}\n")
    for part in sections(digest, limit):
        stream.write("\n")
        columns, rows = _rows_of(part)
        write_rows(columns, rows, fmt, stream, title=f"{part.title} ({part.number:,})")
        if part.left_out:
            stream.write(f"\n… and {part.left_out:,} more (--limit)\n")


def _rows_of(part: Section) -> tuple[Sequence[str], Iterator[Sequence[object]]]:
    if part.cards:
        return ("card", "type"), ((Link(card.name, card.url), card.type_line) for card in part.cards)
    if part.mismatches:
        columns = ("card", "field", "published", "by the rules", "category", "rule")
        return columns, (
            (
                Link(row.label, card_url(row)),
                FIELD_NAMES[row.field],
                shown_value(row.field, row.published),
                shown_value(row.field, row.computed),
                row.category.replace("_", " "),
                row.rule,
            )
            for row in part.mismatches
        )
    return ("card", "field", "change"), (
        (Link(line.named, line.cards[0].url if len(line.cards) == 1 else None), line.label, change_words(line))
        for line in part.changes
    )


def change_words(line: ChangeLine) -> str:
    """The change as plain text: `W -> WU`, or the text with its changed words marked."""
    if line.pieces:
        return marked_text(shorten(line.pieces))
    return f"{_value(line.column, line.old)} -> {_value(line.column, line.new)}"


def _value(column: str, value: str | None) -> str:
    if value is None:
        return "not published" if column.startswith("published_") else "none"
    if column == "legalities":
        return value.replace("_", " ")
    plain = column.removeprefix("published_")
    return shown_value(plain, value) if plain in _COLOR_SETS else value or "empty"


def write_changes_csv(digest: ChangeDigest, stream: TextIO) -> None:
    """Write every change as a row: the fields of cards, and `added`, `removed`, `restored` for the cards themselves."""

    def rows() -> Iterator[Sequence[object]]:
        for event in ("added", "removed", "restored"):
            for card in getattr(digest, event):
                yield None, card.oracle_id, card.name, event, None, "card", None, None
        for kind in ("published", "computed"):
            for change in getattr(digest, kind):
                yield (
                    *(change.run_id, change.card.oracle_id, change.card.name, change.field, change.face),
                    *(kind, change.old, change.new),
                )

    write_rows(_CSV_COLUMNS, rows(), "csv", stream)


def write_changes_json(digest: ChangeDigest, stream: TextIO, *, now: dt.datetime) -> None:
    """Write the document that `docs/report-json.md` describes: every change, also those left out for people."""
    head = {
        "format": JSON_FORMAT,
        "version": JSON_VERSION,
        "generated_at": now,
        "since_run_id": digest.since_run_id,
        "until_run_id": digest.until_run_id,
        "summary": digest.summary(),
        "counts": digest.counts,
        "versions": digest.versions,
    }
    stream.write(json_line(head)[:-1])
    lists: tuple[tuple[str, Iterable[dict[str, Any]]], ...] = (
        *((name, map(_card_json, getattr(digest, name))) for name in ("added", "removed", "restored")),
        *((name, map(_change_json, getattr(digest, name))) for name in ("published", "computed")),
        *((name, map(_mismatch_json, getattr(digest, name))) for name in ("new_mismatches", "gone_mismatches")),
    )
    for name, items in lists:
        stream.write(f',\n"{name}":[')
        for number, item in enumerate(items):
            stream.write((",\n" if number else "\n") + json_line(item))
        stream.write("]")
    stream.write("}\n")


def _card_json(card: CardRef) -> dict[str, Any]:
    return {
        "oracle_id": card.oracle_id,
        "card": card.name,
        "scryfall_uri": card.url,
        "type_line": card.type_line,
        "object_kind": card.object_kind,
    }


def _change_json(change: FieldChange) -> dict[str, Any]:
    return {
        "oracle_id": change.card.oracle_id,
        "card": change.card.name,
        "field": change.field,
        "face": change.face,
        "old": change.old,
        "new": change.new,
        "run_id": change.run_id,
    }


def _mismatch_json(row: MismatchReportRow) -> dict[str, Any]:
    keys = ("id", "oracle_id", "card", "face_index", "field", "published", "computed", "category", "rule", "status")
    return {key: getattr(row, key) for key in keys}


def write_changes_page(digest: ChangeDigest, stream: TextIO, *, now: dt.datetime, limit: int | None) -> None:
    """Write the digest as one self-contained page."""
    values = {
        "digest": digest,
        "head": head_line(digest),
        "parts": sections(digest, limit),
        "field_names": FIELD_NAMES,
        "shown": _value,
        "short": lambda line: shorten(line.pieces),
        "mana": mana_text,
        "discs": color_discs,
        "is_colors": lambda line: line.column.removeprefix("published_") in _COLOR_SETS,
        "value": shown_value,
        "mismatch_url": card_url,
        "card_url": lambda card: Link(card.name, card.url).safe_url,
    }
    write_template("changes.html.j2", values, stream, now=now)
