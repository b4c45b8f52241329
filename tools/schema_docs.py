"""The page `docs/schema.md` and Datasette's metadata, from the data dictionary and the worked queries.

`python tools/schema_docs.py --write` writes the marked parts of the page anew, with the queries' answers from a
database synced from the sample cards, and the metadata that `indexer serve` hands to Datasette. Without `--write` it
changes nothing, but fails if either is stale.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from sqlalchemy import (  # noqa: E402  # all of these are found by the line above
    Boolean,
    Column,
    Connection,
    Date,
    DateTime,
    Float,
    Integer,
    LargeBinary,
    Table,
    text,
)

from indexer.config import Settings  # noqa: E402
from indexer.reports.tabular import write_rows  # noqa: E402
from indexer.storage.dictionary import ColumnEntry, Relation, relations  # noqa: E402
from indexer.storage.engine import open_engine  # noqa: E402
from indexer.storage.types import UtcDateTime  # noqa: E402
from indexer.sync import Sync, SyncOptions  # noqa: E402
from tools.datasette_metadata import datasette_metadata  # noqa: E402
from tools.worked_queries import WorkedQuery, worked_queries  # noqa: E402

PAGE = ROOT / "docs" / "schema.md"
METADATA = ROOT / "indexer" / "serve" / "metadata.json"
SAMPLE = ROOT / "data" / "sample-cards.jsonl"

_TYPES: tuple[tuple[type[Any], str], ...] = (
    (UtcDateTime, "moment"),
    (DateTime, "moment"),
    (Date, "day"),
    (Boolean, "yes or no"),
    (Float, "number"),
    (Integer, "integer"),
    (LargeBinary, "bytes"),
)


def sync_sample(folder: Path) -> str:
    """A database in this folder, synced from the sample cards; gives its address."""
    url = f"sqlite:///{folder / 'cards.db'}"
    Sync(Settings(url, "http://127.0.0.1:9", folder), SyncOptions(from_file=SAMPLE, workers=0)).run()
    return url


def page(source: str, connection: Connection) -> str:
    """The page with its marked parts made anew."""
    parts = {
        "tables": "\n".join(_relation(each) for each in relations().values() if not each.is_view),
        "views": "\n".join(_relation(each) for each in relations().values() if each.is_view),
        "questions": "\n".join(_question(i, each, connection) for i, each in enumerate(worked_queries(), 1)),
    }
    for name, part in parts.items():
        before, begin, rest = source.partition(f"<!-- {name} -->\n")
        _old, end, after = rest.partition("<!-- end -->")
        assert all((begin, end)), f"the page has no part {name!r}"
        source = f"{before}{begin}\n{part}\n{end}{after}"
    return source


def _relation(relation: Relation) -> str:
    lines = [f"### {relation.name}", "", relation.meaning, ""]
    own = [entry for entry in relation.columns if entry.of is None]
    if own:
        lines += ["| column | type | meaning |", "|---|---|---|"]
    for entry in own:
        column = relation.source.columns[entry.name]
        key = isinstance(column, Column) and column.primary_key
        name = f"**{entry.name}**" if key else entry.name
        lines.append(f"| {name} | {_type(column)} | {_meaning(entry, column)} |")
    if own:
        lines.append("")
    for table in dict.fromkeys(entry.of for entry in relation.columns if entry.of):
        names = ", ".join(f"`{entry.name}`" for entry in relation.columns if entry.of == table)
        lines += [f"As in [{table}](#{table}): {names}.", ""]
    if isinstance(relation.source, Table):
        indexes = sorted(", ".join(column.name for column in index.columns) for index in relation.source.indexes)
        if indexes:
            lines += ["Indexed besides the key: " + ", ".join(f"`({columns})`" for columns in indexes) + ".", ""]
    return "\n".join(lines)


def _type(column: Any) -> str:
    return next((name for kind, name in _TYPES if isinstance(column.type, kind)), "text")


def _meaning(entry: ColumnEntry, column: Any) -> str:
    words = [entry.meaning]
    if isinstance(column, Column):
        words += [f"→ [{key.column.table.name}](#{key.column.table.name})." for key in column.foreign_keys]
    if entry.values_as:
        words.append(f"Values as of `{entry.values_as}`.")
    elif entry.values:
        listed = "; ".join(f"`{value}`: {meaning}" for value, meaning in entry.values.items())
        words.append(f"{listed}{'; others may come' if entry.open else ''}.")
    if entry.unit:
        words.append(f"Unit: {entry.unit}.")
    if entry.null:
        words.append(f"NULL: {entry.null}.")
    if entry.empty:
        words.append(f"Empty: {entry.empty}.")
    return " ".join(words).replace("|", "\\|")


def _question(number: int, query: WorkedQuery, connection: Connection) -> str:
    lines = [f"### {number}. {query.title}", ""]
    facts = [f"For the {query.audience}."]
    if query.parameters:
        facts.append(", ".join(f"`:{name}` is `{value}`" for name, value in query.parameters.items()) + ".")
    if query.databases == ("sqlite",):
        facts.append("SQLite only.")
    if query.note:
        facts.append(query.note)
    lines += [" ".join(facts), "", "```sql", query.sql, "```", "", "```text", *answer(query, connection), "```", ""]
    return "\n".join(lines)


def answer(query: WorkedQuery, connection: Connection) -> Sequence[str]:
    """The lines that `indexer query` prints."""
    result = connection.execute(text(query.sql), dict(query.parameters))
    stream = io.StringIO()
    write_rows(list(result.keys()), result, "table", stream)
    return stream.getvalue().splitlines()


def made() -> Iterator[tuple[Path, str]]:
    """Each file and what it should hold."""
    with TemporaryDirectory() as folder:
        engine = open_engine(sync_sample(Path(folder)))
        with engine.connect() as connection:
            yield PAGE, page(PAGE.read_text(encoding="utf-8"), connection)
        engine.dispose()
    metadata = datasette_metadata(relations().values(), worked_queries())
    yield METADATA, json.dumps(metadata, ensure_ascii=False, indent=2) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write, or check and give 1 if something is stale."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the files anew instead of checking them")
    options = parser.parse_args(arguments)
    stale = []
    for path, content in made():
        if options.write:
            path.write_text(content, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != content:
            stale.append(str(path.relative_to(ROOT)))
    if stale:
        print(f"stale: {', '.join(stale)}; run: python tools/schema_docs.py --write", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
