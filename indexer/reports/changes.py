"""What changed between two runs of the sync: cards that came and went, and fields, published and computed apart."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlalchemy import Connection, select

from indexer.errors import StorageError
from indexer.reports.mismatches import MismatchFilter, MismatchReportRow, load_mismatches
from indexer.reports.runs import last_run, run_numbers
from indexer.reports.values import OBJECT_KINDS
from indexer.storage.models import Card, CardChange, CardFace, SyncRun


class Group(NamedTuple):
    """Fields that are one thing to a reader, and how a summary counts cards in which it changed."""

    key: str
    one: str
    many: str
    fields: tuple[str, ...]


GROUPS = (
    Group("color_identity", "identity changed", "identities changed", ("color_identity", "published_color_identity")),
    Group("mana_value", "mana value changed", "mana values changed", ("mana_value", "published_mana_value")),
    Group(
        "colors", "card's colors changed", "cards' colors changed", ("colors", "published_colors", "color_indicator")
    ),
    Group(
        "produced_mana",
        "card's produced mana changed",
        "cards' produced mana changed",
        ("produced_mana", "published_produced_mana"),
    ),
    Group("mana_cost", "cost changed", "costs changed", ("mana_cost",)),
    Group("text", "text changed", "texts changed", ("oracle_text",)),
    Group("type_line", "type line changed", "type lines changed", ("type_line",)),
    Group("name", "name changed", "names changed", ("name",)),
    Group("stats", "card's stats changed", "cards' stats changed", ("power", "toughness", "loyalty", "defense")),
    Group(
        "faces", "card's faces or layout changed", "cards' faces or layout changed", ("layout", "object_kind", "faces")
    ),
    Group("keywords", "card's keywords changed", "cards' keywords changed", ("keywords",)),
    Group("legality", "card's legality changed", "cards' legality changed", ("legalities", "game_changer", "reserved")),
    Group("other", "card changed otherwise", "cards changed otherwise", ("parts", "digital", "funny")),
    Group(
        "printing",
        "card shown by another printing",
        "cards shown by another printing",
        (
            *("scryfall_id", "set_code", "set_name", "set_type", "collector_number", "rarity", "released_at"),
            "scryfall_uri",
        ),
    ),
)
"""In the order in which a reader wants to know of them."""

_GROUP_OF = {name: group for group in GROUPS for name in group.fields}
_OTHER = _GROUP_OF["parts"]
_COMPUTED = frozenset({"mana_value", "colors", "color_identity", "produced_mana", "mana_values"})
_EVENTS = frozenset({"added", "removed", "restored"})


@dataclass(frozen=True, slots=True)
class CardRef:
    """A card as a list of changes names it."""

    oracle_id: str
    name: str
    url: str | None
    type_line: str | None
    object_kind: str
    edhrec_rank: int | None


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field of one card, as it was before the first run of the span and as it is after the last."""

    card: CardRef
    field: str
    """As `card_changes` names it."""
    face: str | None
    """The face's name; None for the card itself."""
    old: str | None
    new: str | None
    run_id: int
    """The last run that changed it."""

    @property
    def column(self) -> str:
        """The field without the face it is on: `oracle_text`, `legalities`."""
        parts = self.field.split(".")
        return parts[2] if parts[0] == "faces" and len(parts) > 2 else parts[0]

    @property
    def computed(self) -> bool:
        """Whether the value is one of ours rather than a published one."""
        return self.column in _COMPUTED or self.column.endswith("_decision")

    @property
    def group(self) -> Group:
        """What it counts as."""
        column = self.column.removesuffix("_decision").replace("mana_values", "mana_value")
        return _GROUP_OF.get(column, _OTHER)

    @property
    def label(self) -> str:
        """The field in words: `published colors`, `legality in modern`, `rules text of Ice`."""
        parts = self.field.split(".")
        words = {"oracle_text": "rules text", "legalities": "legality", "faces": "face", "parts": "related cards"}
        label = words.get(self.column, self.column.replace("_", " "))
        if parts[0] == "legalities":
            return f"{label} in {parts[-1]}"
        if parts[0] == "mana_values":
            return f"mana value {parts[-1].replace('_', ' ')}"
        return f"{label} of {self.face}" if self.face else label


@dataclass(slots=True)
class ChangeDigest:
    """All that changed after one run and up to another."""

    since_run_id: int
    """0: since the pool began."""
    until_run_id: int
    until: dt.datetime
    is_first: bool
    """The span holds the run that filled the pool: there is nothing to compare that one with."""
    cards: int
    """Objects in the export after the last run."""
    versions: list[str] = field(default_factory=list)
    """What changed in the program itself: it explains computed changes without published ones."""
    added: list[CardRef] = field(default_factory=list)
    removed: list[CardRef] = field(default_factory=list)
    restored: list[CardRef] = field(default_factory=list)
    published: list[FieldChange] = field(default_factory=list)
    computed: list[FieldChange] = field(default_factory=list)
    new_mismatches: list[MismatchReportRow] = field(default_factory=list)
    gone_mismatches: list[MismatchReportRow] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, int]:
        """How many cards each group of fields changed on, and the other lists' lengths. Zeros are left out."""
        cards_of: dict[str, set[str]] = {group.key: set() for group in GROUPS}
        for change in (*self.published, *self.computed):
            cards_of[change.group.key].add(change.card.oracle_id)
        counts = {
            "added": len(self.added),
            "removed": len(self.removed),
            "restored": len(self.restored),
            **{key: len(cards) for key, cards in cards_of.items()},
            "new_mismatches": len(self.new_mismatches),
            "gone_mismatches": len(self.gone_mismatches),
        }
        return {key: count for key, count in counts.items() if count}

    def summary(self) -> str:
        """One line: `3 new cards, 12 texts changed, 1 identity changed, 2 mismatches gone`."""
        words = {
            "added": ("new card", "new cards"),
            "removed": ("card removed", "cards removed"),
            "restored": ("card back", "cards back"),
            **{group.key: (group.one, group.many) for group in GROUPS},
            "new_mismatches": ("new mismatch", "new mismatches"),
            "gone_mismatches": ("mismatch gone", "mismatches gone"),
        }
        parts = [f"{count:,} {words[key][count != 1]}" for key, count in self.counts.items()]
        if parts:
            return ", ".join(parts)
        return f"the pool was filled with {self.cards:,} cards" if self.is_first else "nothing changed"


def load_changes(connection: Connection, *, since: int | None = None, until: int | None = None) -> ChangeDigest:
    """What changed after run `since` (None: after the last but one) and up to run `until` (None: the last).

    A field that changed several times counts once, from its first value to its last, and not at all if these are equal.
    Of a card that is new, only that is told. The weightiest groups come first, well-known cards before others.

    Raises:
        StorageError: no run has filled the pool yet.
    """
    last = last_run(connection)
    if last is None:
        raise StorageError("no sync has filled the card pool yet: run 'indexer sync' first")
    runs = run_numbers(connection)
    until = last.run_id if until is None else until
    if since is None:
        since = max((number for number in runs if number < until), default=0)
    digest = ChangeDigest(
        since_run_id=since,
        until_run_id=until,
        until=connection.execute(select(SyncRun.started_at).where(SyncRun.id == until)).scalar_one(),
        is_first=since < runs[0] <= until,
        cards=connection.execute(select(SyncRun.cards_total).where(SyncRun.id == until)).scalar_one(),
        versions=_version_changes(connection, since, until),
    )
    _load_fields(connection, digest)
    _load_mismatches(connection, digest)
    return digest


def _version_changes(connection: Connection, since: int, until: int) -> list[str]:
    rows = connection.execute(
        select(SyncRun.rules_edition, SyncRun.engine_version).where(SyncRun.id.in_((since, until))).order_by(SyncRun.id)
    ).all()
    if len(rows) < 2:
        return []
    names = ("rules edition", "engine version")
    return [f"{name} {old} -> {new}" for name, old, new in zip(names, *rows, strict=True) if old != new]


def _load_fields(connection: Connection, digest: ChangeDigest) -> None:
    span = (CardChange.run_id > digest.since_run_id) & (CardChange.run_id <= digest.until_run_id)
    changed = select(CardChange.oracle_id).where(span)
    cards = {
        row.oracle_id: CardRef(*row)
        for row in connection.execute(
            select(
                Card.oracle_id, Card.name, Card.scryfall_uri, Card.type_line, Card.object_kind, Card.edhrec_rank
            ).where(Card.oracle_id.in_(changed))
        )
    }
    faces = {
        (row.oracle_id, row.face_index): row.name
        for row in connection.execute(
            select(CardFace.oracle_id, CardFace.face_index, CardFace.name).where(CardFace.oracle_id.in_(changed))
        )
    }
    events: dict[str, list[str]] = {}
    fields: dict[tuple[str, str], tuple[str | None, str | None, int]] = {}
    for run_id, oracle_id, name, old, new in connection.execute(
        select(CardChange.run_id, CardChange.oracle_id, CardChange.field, CardChange.old, CardChange.new)
        .where(span)
        .order_by(CardChange.run_id)
    ):
        if name in _EVENTS:
            events.setdefault(oracle_id, []).append(name)
            continue
        first = fields[oracle_id, name][0] if (oracle_id, name) in fields else old
        fields[oracle_id, name] = (first, new, run_id)
    for oracle_id, list_ in (("added", digest.added), ("removed", digest.removed), ("restored", digest.restored)):
        list_.extend(cards[card] for card, told in events.items() if _net_event(told) == oracle_id)
        list_.sort(key=_card_weight)
    silent = {card.oracle_id for card in (*digest.added, *digest.removed)}
    for (oracle_id, name), (old, new, run_id) in fields.items():
        if old == new or oracle_id in silent:
            continue
        parts = name.split(".")
        if parts[0] == "faces" and len(parts) > 2 and fields.get((oracle_id, f"faces.{parts[1]}"), ("", ""))[1] is None:
            continue  # That the face is gone says it all.
        face = faces.get((oracle_id, int(parts[1]))) if parts[0] == "faces" else None
        change = FieldChange(cards[oracle_id], name, face, old, new, run_id)
        (digest.computed if change.computed else digest.published).append(change)
    for changes in (digest.published, digest.computed):
        changes.sort(key=lambda change: (GROUPS.index(change.group), *_card_weight(change.card), change.field))


def _net_event(told: Iterable[str]) -> str | None:
    """What a card's comings and goings amount to; None if it is where it was."""
    events = list(told)
    was_there, is_there = events[0] == "removed", events[-1] != "removed"
    if was_there == is_there:
        return None
    if was_there:
        return "removed"
    return "added" if "added" in events else "restored"


def _card_weight(card: CardRef) -> tuple[int, float, str, str]:
    kind = OBJECT_KINDS.index(card.object_kind) if card.object_kind in OBJECT_KINDS else len(OBJECT_KINDS)
    return kind, float("inf") if card.edhrec_rank is None else card.edhrec_rank, card.name, card.oracle_id


def _load_mismatches(connection: Connection, digest: ChangeDigest) -> None:
    since, until = digest.since_run_id, digest.until_run_id
    wanted = MismatchFilter(statuses=frozenset(), between=(since, until))
    for row in load_mismatches(connection, wanted):
        ended = row.resolved_run_id is not None and row.resolved_run_id <= until
        appeared = max(row.first_seen_run_id, row.reopened_run_id or 0)
        if since < appeared <= until and not ended:
            digest.new_mismatches.append(row)
        elif ended and appeared <= since:
            digest.gone_mismatches.append(row)
