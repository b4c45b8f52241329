"""Mismatches that somebody has looked at and accepted, from a file under version control.

The file is TOML, one `[[accept]]` table an entry: the card (its Oracle id or exact name), the field, the face if the
value stands on one, the published value that is accepted, the reason, who answers for it, and the last day it holds:

    [[accept]]
    card = "Goblin War Party"
    field = "mana_value"
    published = "2"
    reason = "Reported on 1 May, fix announced."
    who = "ana@example.org"
    expires = 2027-06-30

An acceptance is of one published value for a limited time. When the value changes or the day has passed, the mismatch
is open again and says why.
"""

from __future__ import annotations

import datetime as dt
import math
import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.errors import ConfigError

if TYPE_CHECKING:
    from sqlalchemy import Connection

ENV_ACCEPTED = "INDEXER_ACCEPTED"
DEFAULT_ACCEPTED_NAME = "accepted.toml"

_FIELDS = ("mana_value", "colors", "color_identity", "produced_mana")
_REQUIRED = ("card", "field", "published", "reason", "who", "expires")
_ORACLE_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)
_COLOR_ORDER = "WUBRGC"


@dataclass(frozen=True, slots=True)
class Acceptance:
    """One entry of the file."""

    entry: int
    """Its place in the file, counted from 1."""
    card: str
    """An Oracle id or the card's exact name."""
    field: str
    face: int | str | None
    """The face's index (0 is the front) or exact name; None: the value stands on the card itself."""
    published: str
    """In the table's own form: `2`, `0.5`, `WU`, `` for colorless."""
    reason: str
    who: str
    expires: dt.date
    """The last day on which it holds."""

    def covers(self, oracle_id: str, name: str, face_index: int | None, face_name: str | None, field_name: str) -> bool:
        """Whether it is about this place, whatever value stands there."""
        if self.field != field_name or self.card not in (oracle_id, name):
            return False
        return self.face in (face_index, face_name) if face_index is not None else self.face is None

    def objection(self, published: str, today: dt.date) -> str | None:
        """Why it does not hold for this published value on this day; None if it holds."""
        if published != self.published:
            return (
                f"accepted by {self.who} for the published value {self.published or 'none'!r}, "
                f"which is now {published or 'none'!r}"
            )
        if today > self.expires:
            return f"the acceptance by {self.who} ended on {self.expires.isoformat()} ({self.reason})"
        return None


@dataclass(slots=True)
class AcceptanceOutcome:
    """What applying the file did, in lines for people."""

    accepted: list[str] = field(default_factory=list)
    """Mismatches that are accepted now and were open before."""
    still_accepted: int = 0
    reopened: list[str] = field(default_factory=list)
    """Mismatches that are open again, each with the reason."""
    unused: list[str] = field(default_factory=list)
    """Entries that no mismatch needs any more, or that name none: they can go."""

    @property
    def changed(self) -> bool:
        """Whether any row was written."""
        return bool(self.accepted or self.reopened)


def load_acceptances(path: Path, *, missing_ok: bool = True) -> tuple[Acceptance, ...]:
    """The entries of an acceptance file; none if there is no file and `missing_ok`.

    Raises:
        ConfigError: the file can't be read, isn't TOML, or an entry is not right; the message says which and how.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        if missing_ok:
            return ()
        raise ConfigError(f"no acceptance file {str(path)!r}") from error
    except OSError as error:
        raise ConfigError(f"can't read the acceptance file {str(path)!r}: {error.strerror}") from error
    try:
        document = tomllib.loads(content.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{path}: not a TOML file: {error}") from error
    return parse_acceptances(document, str(path))


def parse_acceptances(document: dict[str, object], source: str) -> tuple[Acceptance, ...]:
    """The entries of a parsed document; `source` names it in messages.

    Raises:
        ConfigError: an unknown or missing key, a value of the wrong kind, or two entries for the same value.
    """
    if unknown := sorted(set(document) - {"accept"}):
        raise ConfigError(f"{source}: unknown table {unknown[0]!r}; entries are written as [[accept]]")
    entries = document.get("accept", [])
    if not isinstance(entries, list):
        raise ConfigError(f"{source}: write [[accept]] with two brackets, one for each entry")
    seen: dict[tuple[str, str, int | str | None, str], int] = {}
    acceptances = []
    for number, entry in enumerate(entries, 1):
        acceptance = _parse_entry(number, entry, f"{source}: entry {number}")
        key = (acceptance.card, acceptance.field, acceptance.face, acceptance.published)
        if key in seen:
            raise ConfigError(
                f"{source}: entries {seen[key]} and {number} accept the same value of {acceptance.card!r}"
            )
        seen[key] = number
        acceptances.append(acceptance)
    return tuple(acceptances)


def _parse_entry(number: int, entry: object, where: str) -> Acceptance:
    if not isinstance(entry, dict):
        raise ConfigError(f"{where} is not a table of keys and values")
    if isinstance(entry.get("card"), str):
        where = f"{where} ({entry['card']!r})"
    for key in entry:
        if key not in (*_REQUIRED, "face"):
            raise ConfigError(f"{where}: unknown key {key!r}; the keys are {', '.join((*_REQUIRED, 'face'))}")
    for key in _REQUIRED:
        if key not in entry:
            raise ConfigError(f"{where}: {key!r} is missing")
    for key in ("card", "field", "reason", "who"):
        if not isinstance(entry[key], str) or not entry[key].strip():
            raise ConfigError(f"{where}: {key!r} must be text that isn't empty, is {entry[key]!r}")
    if entry["field"] not in _FIELDS:
        raise ConfigError(f"{where}: unknown field {entry['field']!r}; the fields are {', '.join(_FIELDS)}")
    expires = entry["expires"]
    if not isinstance(expires, dt.date) or isinstance(expires, dt.datetime):
        raise ConfigError(f"{where}: 'expires' must be a date without quotes, such as 2027-06-30, is {expires!r}")
    face = entry.get("face")
    if face is not None and (isinstance(face, bool) or not isinstance(face, int | str)):
        raise ConfigError(f"{where}: 'face' must be a number (0 is the front) or the face's name, is {face!r}")
    card = entry["card"].strip()
    return Acceptance(
        entry=number,
        card=card.lower() if _ORACLE_ID.fullmatch(card.lower()) else card,
        field=entry["field"],
        face=face,
        published=_parse_published(entry["field"], entry["published"], where),
        reason=entry["reason"].strip(),
        who=entry["who"].strip(),
        expires=expires,
    )


def _parse_published(field_name: str, value: object, where: str) -> str:
    if field_name == "mana_value":
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise ConfigError(f"{where}: 'published' must be a number, is {value!r}")
        try:
            number = float(value)
        except ValueError as error:
            raise ConfigError(f"{where}: 'published' must be a number, is {value!r}") from error
        if not math.isfinite(number):
            raise ConfigError(f"{where}: 'published' must be a number, is {value!r}")
        return str(int(number)) if number.is_integer() else str(number)
    allowed = _COLOR_ORDER if field_name == "produced_mana" else _COLOR_ORDER[:5]
    if not isinstance(value, str) or set(value) - set(allowed):
        raise ConfigError(f"{where}: 'published' must be letters of {allowed} ('' for none), is {value!r}")
    return "".join(sorted(set(value), key=_COLOR_ORDER.index))


def apply_acceptances(
    connection: Connection, acceptances: Sequence[Acceptance], *, today: dt.date, run_id: int | None = None
) -> AcceptanceOutcome:
    """Set the status of every unresolved mismatch by the entries, inside the caller's transaction.

    A mismatch is accepted if an entry for its place has its published value and has not expired on `today`. One that
    was accepted and no longer is becomes open, with the reason in `status_reason` and `run_id` in `reopened_run_id`.
    Rows that are right already are not touched. An entry whose name fits several cards with that mismatch accepts none.
    """
    from sqlalchemy import select, update

    from indexer.storage.models import Card, CardFace, Mismatch

    rows = connection.execute(
        select(
            Mismatch.id,
            Mismatch.oracle_id,
            Card.name,
            Mismatch.face_index,
            CardFace.name.label("face_name"),
            Mismatch.field,
            Mismatch.published,
            Mismatch.status,
            Mismatch.status_reason,
        )
        .join(Card, Card.oracle_id == Mismatch.oracle_id)
        .outerjoin(CardFace, (CardFace.oracle_id == Mismatch.oracle_id) & (CardFace.face_index == Mismatch.face_index))
        .where(Mismatch.status.in_(("open", "accepted")))
        .order_by(Mismatch.id)
    ).all()
    outcome = AcceptanceOutcome()
    by_card: dict[str, list[Acceptance]] = {}
    for acceptance in acceptances:
        by_card.setdefault(acceptance.card, []).append(acceptance)
    places: dict[int, set[str]] = {}
    covering: dict[int, list[Acceptance]] = {}
    for row in rows:
        for entry in (*by_card.get(row.oracle_id, ()), *by_card.get(row.name, ())):
            if entry.covers(row.oracle_id, row.name, row.face_index, row.face_name, row.field):
                places.setdefault(entry.entry, set()).add(row.oracle_id)
                covering.setdefault(row.id, []).append(entry)
    ambiguous = {number for number, cards in places.items() if len(cards) > 1}
    for row in rows:
        entries = [entry for entry in covering.get(row.id, ()) if entry.entry not in ambiguous]
        status, reason = _verdict(row.status, row.status_reason, row.published, entries, today)
        label = f"{row.name}{f' ({row.face_name})' if row.face_name else ''}, {row.field}"
        if status == "accepted" and row.status == "accepted":
            outcome.still_accepted += 1
        elif status == "accepted":
            outcome.accepted.append(f"{label}: {reason}")
        elif row.status == "accepted":
            outcome.reopened.append(f"{label}: {reason}")
        if (status, reason) != (row.status, row.status_reason):
            values: dict[str, object] = {"status": status, "status_reason": reason}
            if status == "open" and row.status == "accepted" and run_id is not None:
                values["reopened_run_id"] = run_id
            connection.execute(update(Mismatch).where(Mismatch.id == row.id).values(**values))
    outcome.unused.extend(_unused_lines(acceptances, places, ambiguous))
    return outcome


def _verdict(
    status: str, reason: str | None, published: str, entries: Iterable[Acceptance], today: dt.date
) -> tuple[str, str | None]:
    """The status that a mismatch should have, and the words for it."""
    objection = None
    for entry in entries:
        objection = entry.objection(published, today)
        if objection is None:
            return "accepted", f"accepted by {entry.who} until {entry.expires.isoformat()}: {entry.reason}"
    if objection is not None:
        return "open", objection
    if status == "accepted":
        return "open", "the acceptance was taken out of the file"
    return "open", reason


def _unused_lines(acceptances: Iterable[Acceptance], places: dict[int, set[str]], ambiguous: set[int]) -> Iterable[str]:
    for entry in acceptances:
        label = f"entry {entry.entry} ({entry.card!r}, {entry.field})"
        if entry.entry in ambiguous:
            yield f"{label} fits several cards of that name: give the oracle id"
        elif entry.entry not in places:
            face = "" if entry.face is None else f" on face {entry.face!r}"
            yield f"{label} has no open mismatch{face}: it can be removed"
