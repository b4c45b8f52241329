"""What Datasette is told about the pool: words, units, facets, labels, full-text search, and ready-made questions."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

from indexer.storage.dictionary import ColumnEntry, Relation
from tools.worked_queries import WorkedQuery

_CREDIT = (
    "Card data are provided by Scryfall, free of charge. Magic: The Gathering, card names, symbols and texts are "
    "property of Wizards of the Coast LLC. Unofficial fan content, neither produced nor endorsed by Scryfall or "
    "Wizards of the Coast."
)
_UNITS = {"seconds": "s", "bytes": "B"}
"""Units that Datasette writes behind a number, in its own spelling. The others stand in the words."""

_SEARCHED = {"fts_table": "cards_fts", "fts_pk": "search_id"}
_SHOWN: Mapping[str, Mapping[str, Any]] = {
    "cards": {"facets": ["object_kind", "rarity", "colors"], "sort": "name", "label_column": "name", **_SEARCHED},
    "card_overview": {"facets": ["object_kind", "types", "color_identity"], "sort": "name", **_SEARCHED},
    "card_faces": {"label_column": "name"},
    "color_identity_sources": {"facets": ["source", "color"]},
    "mana_values": {"facets": ["situation"]},
    "face_symbols": {"facets": ["place"]},
    "face_types": {"facets": ["kind"]},
    "legalities": {"facets": ["status"]},
    "card_parts": {"facets": ["component"]},
    "keywords": {"facets": ["keyword"]},
    "symbols": {"facets": ["status", "kind"]},
    "mismatches": {"facets": ["status", "field", "category"], "sort_desc": "id"},
    "situations": {"facets": ["situation"]},
    "open_mismatches": {"facets": ["field", "category", "object_kind"]},
    "undecided_values": {"facets": ["field"]},
    "card_changes": {"facets": ["field", "run_id"], "sort_desc": "run_id"},
    "sync_runs": {"facets": ["outcome"], "sort_desc": "id", "label_column": "started_at"},
    "legal_cards": {"facets": ["format", "color_identity"]},
    "commanders": {"facets": ["color_identity", "commander_status"], "sort": "name"},
    "devotion": {"facets": ["color", "pips"]},
}
"""What a page shows beyond its rows. Facets are columns of few values that somebody would choose by."""

_HIDDEN = ("alembic_version",)


def datasette_metadata(tables: Iterable[Relation], queries: Iterable[WorkedQuery]) -> dict[str, Any]:
    """The metadata for a database of the name `cards`."""
    database = {
        "title": "The card pool",
        "description": "Every object that Scryfall publishes, with the values that the Comprehensive Rules give.",
        "queries": {query.name: _query(query) for query in queries if "sqlite" in query.databases},
        "tables": {table.name: _table(table) for table in tables} | {name: {"hidden": True} for name in _HIDDEN},
    }
    return {
        "title": "Card indexer",
        "description": _CREDIT,
        "source": "Scryfall",
        "source_url": "https://scryfall.com",
        "license": "Scryfall's terms",
        "license_url": "https://scryfall.com/docs/terms",
        "databases": {"cards": database},
    }


def _table(table: Relation) -> dict[str, Any]:
    units = {entry.name: _UNITS[entry.unit] for entry in table.columns if entry.unit in _UNITS}
    return {
        "title": table.title,
        "description": _plain(table.meaning),
        "columns": {entry.name: _words(entry) for entry in table.columns},
        **({"units": units} if units else {}),
        **_SHOWN.get(table.name, {}),
    }


def _words(entry: ColumnEntry) -> str:
    words = [entry.meaning]
    if entry.values:
        words.append("; ".join(f"{value}: {meaning}" for value, meaning in entry.values.items()) + ".")
    if entry.unit:
        words.append(f"Unit: {entry.unit}.")
    if entry.null:
        words.append(f"NULL: {entry.null}.")
    if entry.empty:
        words.append(f"Empty: {entry.empty}.")
    return _plain(" ".join(words))


def _query(query: WorkedQuery) -> dict[str, Any]:
    words = [f"For the {query.audience}."]
    if query.note:
        words.append(query.note)
    described = _marked_up(" ".join(words))
    if query.parameters:
        # A form without values gives an empty answer: the link fills it in.
        example = html.escape("?" + urlencode(query.parameters))
        shown = html.escape(", ".join(f"{name} = {value}" for name, value in query.parameters.items()))
        described += f' Try it with <a href="{example}">{shown}</a>.'
    return {
        "title": query.title,
        "description_html": described,
        # Before anything is typed in, a form asks with empty texts. FTS5 takes that for an error, but not an empty
        # phrase, which nothing has.
        "sql": query.sql.replace("MATCH :words", "MATCH coalesce(nullif(:words, ''), '\"\"')"),
        **({"params": list(query.parameters)} if query.parameters else {}),
    }


def _plain(words: str) -> str:
    """Without the marks of Markdown."""
    return words.replace("`", "")


def _marked_up(words: str) -> str:
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(words, quote=False))
