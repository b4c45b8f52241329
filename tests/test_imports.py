"""The direction of imports: data moves one way, so no stage knows a later one, and the rules know nothing but rules."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import PROJECT_ROOT

PACKAGE = PROJECT_ROOT / "indexer"

EVERYTHING = frozenset({"*"})

MAY_IMPORT: dict[str, frozenset[str]] = {
    "errors": frozenset(),
    "config": frozenset({"errors"}),
    "rules": frozenset({"errors"}),
    "records": frozenset({"rules"}),
    "scryfall": frozenset({"errors", "config"}),
    "normalize": frozenset({"errors", "rules", "records", "scryfall"}),
    "compare": frozenset({"errors", "rules", "records", "normalize"}),
    "recompute": frozenset({"errors", "rules", "records", "scryfall", "normalize", "compare"}),
    "batches": frozenset({"records"}),
    "pipeline": frozenset({"errors", "records", "scryfall", "recompute", "batches"}),
    "storage": frozenset({"errors", "records", "batches"}),
    "acceptances": frozenset({"errors", "storage"}),
    "gates": frozenset({"errors"}),
    "summary": frozenset(),
    "reports": frozenset({"errors", "records", "rules", "storage"}),
    "search": frozenset({"errors", "records", "rules", "storage"}),
    "explain": frozenset({"errors", "rules", "normalize", "storage"}),
    "query": frozenset({"errors", "search", "storage"}),
    "export": frozenset({"errors", "storage"}),
    "serve": frozenset({"errors", "storage"}),
    # The pool as of a date is made of the old records, computed anew.
    "history": frozenset({"errors", "rules", "records", "normalize", "recompute", "batches", "storage"}),
    # The half of a sync that talks to the database.
    "store": EVERYTHING,
    "sync": EVERYTHING,
    "pool": EVERYTHING,
    "cli": EVERYTHING,
    "__main__": frozenset({"cli"}),
    "__init__": EVERYTHING,
}
"""Each module or folder of the package, and which others it may import (its own always). A new one is added here, where
its place in the order is thought about once."""

LAST = {
    "store": frozenset({"cli", "pool", "sync"}),
    "sync": frozenset({"cli", "pool"}),
    "pool": frozenset({"cli", "sync"}),
}
"""What even those that see everything leave alone."""

HEAVY = {"alembic", "duckdb", "jinja2", "lark", "pandas", "psycopg", "pyarrow", "requests", "rich", "sqlalchemy"}


def modules() -> Iterator[tuple[str, Path]]:
    """Every module of the package by its dotted name."""
    for path in sorted(PACKAGE.rglob("*.py")):
        yield ".".join(path.relative_to(PROJECT_ROOT).with_suffix("").parts), path


def imports(path: Path) -> Iterator[str]:
    """The dotted names a module imports, wherever in it the statement stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            yield from (f"{module}.{alias.name}" for alias in node.names) if module == "indexer" else (module,)


def unit(name: str) -> str:
    """The module or folder of the package that a dotted name is in: `storage` for `indexer.storage.models`."""
    return name.split(".")[1] if "." in name else "__init__"


@pytest.mark.parametrize(("name", "path"), list(modules()), ids=lambda value: value if isinstance(value, str) else "")
def test_no_stage_imports_a_later_one(name: str, path: Path) -> None:
    own = unit(name)
    assert own in MAY_IMPORT, f"indexer/{own} has no place in the order of imports yet: give it one in {__file__}"
    allowed = MAY_IMPORT[own]
    for imported in imports(path):
        if not imported.startswith("indexer"):
            continue
        other = unit(imported)
        if other in (own, "__version__", "__init__"):
            continue
        assert allowed is EVERYTHING or other in allowed, f"{name} imports {imported}"
        assert other not in LAST.get(own, ()), f"{name} imports {imported}"


@pytest.mark.parametrize("folder", ["rules", "records"])
def test_the_rules_need_the_standard_library_only(folder: str) -> None:
    for name, path in modules():
        if unit(name) == folder:
            outside = {
                imported
                for imported in imports(path)
                if imported.split(".")[0] not in sys.stdlib_module_names | {"indexer"}
            }
            assert not outside, f"{name} imports {outside}"


def loaded_by(statement: str) -> set[str]:
    """The top-level modules that a fresh interpreter has loaded after the statement."""
    code = f"import sys, json; {statement}; print(json.dumps(sorted({{m.split('.')[0] for m in sys.modules}})))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=PROJECT_ROOT,
        stdin=subprocess.DEVNULL,
    )
    return set(json.loads(done.stdout))


@pytest.mark.parametrize("statement", ["import indexer", "import indexer.cli, indexer.config, indexer.errors"])
def test_starting_is_quick_because_heavy_modules_wait(statement: str) -> None:
    assert not loaded_by(statement) & HEAVY
