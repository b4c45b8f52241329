"""The catalogue's answer -> `BulkFile`: where the newest file of a type is, how old and how large.

The fields of an entry have changed three times in four years (https://scryfall.com/docs/api/bulk-data), so an entry is
untrusted input: what is needed is checked, and what is missing is named together with what came instead.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from indexer.errors import UnexpectedResponse
from indexer.scryfall.excerpt import safe_excerpt, shown
from indexer.scryfall.types import BulkType

_UNFIT_FOR_URL = re.compile(r"[^!-~]")


@dataclass(frozen=True, slots=True)
class BulkFile:
    """One downloadable export."""

    type: str
    """With underscores: `oracle_cards`."""
    id: str
    """The catalogue's id of this type of file, the same for every export; empty if the entry has none."""
    url: str
    updated_at: datetime
    """When the export was made; always with a time zone."""
    updated_at_text: str
    """The same as it stood in the catalogue."""
    compressed_size: int | None
    """Bytes of the file at `url`; None if the catalogue doesn't say (older entries give the unpacked size only)."""
    description: str = ""


def parse_bulk_entry(raw: object, *, bulk_type: str = BulkType.ORACLE_CARDS) -> BulkFile:
    """The file of `bulk_type` that a catalogue answer announces.

    The answer is one entry, a list object with entries, or a plain list of them.
    `jsonl_download_uri` is taken if it is there, else the older `download_uri`.

    Raises:
        UnexpectedResponse: no entry of that type, no address, or a field of the wrong kind.
    """
    wanted = _normal_type(bulk_type)
    entry = _choose(raw, wanted)
    url = entry.get("jsonl_download_uri")
    current = url is not None
    if not current:
        url = entry.get("download_uri")
        if url is None:
            raise UnexpectedResponse(
                "the bulk data entry has neither 'jsonl_download_uri' nor 'download_uri', "
                f"only {shown(', '.join(sorted(map(str, entry))))}: its format has changed, this program must follow"
            )
    updated_at_text = _text(entry, "updated_at")
    return BulkFile(
        type=wanted,
        id=_text(entry, "id") if "id" in entry else "",
        url=_checked_url(url),
        updated_at=_parse_time(updated_at_text),
        updated_at_text=updated_at_text,
        # The older `size` counts unpacked bytes, and an older `compressed_size` some other form of the file.
        compressed_size=_size(entry) if current else None,
        description=safe_excerpt(_text(entry, "description")) if "description" in entry else "",
    )


def _choose(raw: object, wanted: str) -> Mapping[object, object]:
    if isinstance(raw, Mapping):
        kind = raw.get("object")
        if kind == "error":
            raise UnexpectedResponse(f"the catalogue answered with an error: {shown(raw.get('details'))}")
        if kind != "list" and "data" not in raw:
            if "type" in raw and _normal_type(raw["type"]) != wanted:
                raise UnexpectedResponse(f"asked for bulk data of type {wanted!r}, got {shown(raw['type'])}")
            return raw
        raw = raw.get("data")
    if not isinstance(raw, list):
        raise UnexpectedResponse(f"the catalogue is no list of bulk data entries: {shown(raw)}")
    entries = [entry for entry in raw if isinstance(entry, Mapping)]
    for entry in entries:
        if _normal_type(entry.get("type")) == wanted:
            return entry
    on_offer = ", ".join(sorted(_normal_type(entry.get("type")) for entry in entries))
    raise UnexpectedResponse(f"the catalogue has no bulk data of type {wanted!r}, only {shown(on_offer)}")


def _normal_type(value: object) -> str:
    return value.replace("-", "_") if isinstance(value, str) else ""


def _text(entry: Mapping[object, object], field: str) -> str:
    value = entry.get(field)
    if not isinstance(value, str) or not value.strip():
        raise UnexpectedResponse(f"the bulk data entry's {field!r} must be text, it is {shown(value)}")
    return value.strip()


def _size(entry: Mapping[object, object]) -> int | None:
    value = entry.get("compressed_size")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
        raise UnexpectedResponse(
            f"the bulk data entry's 'compressed_size' must be a number of bytes, it is {shown(value)}"
        )
    return value


def _checked_url(value: object) -> str:
    problem = ""
    if not isinstance(value, str) or not value:
        problem = "is not text"
    elif _UNFIT_FOR_URL.search(value):
        problem = "has characters that don't belong in an address"
    else:
        try:
            parts = urlsplit(value)
            _ = parts.port  # raises if it isn't a number
        except ValueError:
            problem = "can't be read"
        else:
            if parts.scheme not in ("https", "http") or not parts.hostname:
                problem = "is not an absolute https address"
            elif parts.username is not None or parts.password is not None:
                problem = "has a user name in it"
    if problem or not isinstance(value, str):
        raise UnexpectedResponse(f"the bulk data entry's download address {problem}: {shown(value)}")
    return value


def _parse_time(text: str) -> datetime:
    try:
        time = datetime.fromisoformat(text)
    except ValueError as e:
        raise UnexpectedResponse(f"the bulk data entry's 'updated_at' is no ISO 8601 time: {shown(text)}") from e
    if time.utcoffset() is None:
        raise UnexpectedResponse(f"the bulk data entry's 'updated_at' has no time zone: {shown(text)}")
    return time
