"""The page `docs/rules.md`: each cited rule, its subject, where it is implemented, which tests prove it.

`python tools/rule_index.py` writes the page anew. With `--check` it changes nothing, but fails if the page is stale, a
cited rule is not in the index, or an entry of the index is not cited.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from indexer.rules.index import EDITION, RULES, RuleEntry  # noqa: E402  # found by the line above
from tools.rule_citations import Citation, Kind, collect, in_order, section  # noqa: E402

PAGE = ROOT / "docs" / "rules.md"

_CHAPTERS = {
    "1": "Game concepts",
    "2": "Parts of a card",
    "3": "Card types",
    "4": "Zones",
    "5": "Turn structure",
    "6": "Spells, abilities, and effects",
    "7": "Additional rules",
    "8": "Multiplayer rules",
    "9": "Casual variants",
}


def problems(citations: Iterable[Citation], rules: Mapping[str, RuleEntry]) -> Iterator[str]:
    """What is wrong between the index and the citations, one line each; nothing if they agree."""
    cited: set[str] = set()
    for each in citations:
        cited.add(each.number)
        if each.number not in rules:
            yield f"{each.path}:{each.line}: rule {each.number} is not in indexer/rules/index.py; add its subject there"
    for number in rules:
        if number not in cited:
            yield f"indexer/rules/index.py: nothing cites rule {number}; take it out"


def implemented_in(citations: Iterable[Citation]) -> list[str]:
    """`module:name` for each place in the package; a module alone if nothing more particular in it cites the rule."""
    places: dict[str, set[str]] = defaultdict(set)
    for each in citations:
        if each.path.startswith("indexer/") and each.path.endswith(".py"):
            module = each.path.removeprefix("indexer/").removesuffix(".py").replace("/", ".")
            places[module.removesuffix(".__init__")].add(each.owner)
    return [
        f"{module}:{owner}" if owner else module
        for module, owners in sorted(places.items())
        for owner in (sorted(owners - {""}) or [""])
    ]


class ProvingTests:
    """Which test functions rest on the names of their modules, such as a table of cases."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._users: dict[str, dict[str, set[str]]] = {}

    def proving(self, citations: Iterable[Citation]) -> dict[tuple[str, str], int]:
        """(test file, test function) -> in how many of its cases' ids the rule stands."""
        found: dict[tuple[str, str], int] = defaultdict(int)
        for each in citations:
            if each.path.startswith("tests/") and each.kind is not Kind.COMMENT and each.owner:
                for test in self._tests_of(each.path, each.owner):
                    found[each.path, test] += each.kind is Kind.TEST_ID
        return dict(sorted(found.items()))

    def _tests_of(self, path: str, owner: str) -> Iterable[str]:
        if _is_test(owner):
            return (owner,)
        if path not in self._users:
            self._users[path] = _users_of_names(ast.parse((self._root / path).read_text(encoding="utf-8")))
        return sorted(self._users[path].get(owner, ()))


def _is_test(owner: str) -> bool:
    return owner.rpartition(".")[2].startswith("test_")


def _users_of_names(tree: ast.Module) -> dict[str, set[str]]:
    users: dict[str, set[str]] = defaultdict(set)

    parametrized: dict[str, set[str]] = defaultdict(set)

    def visit(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef):
                visit(node.body, f"{node.name}.")
            elif isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for name in _names(node):
                    users[name].add(prefix + node.name)
                for name in (name for decorator in node.decorator_list for name in _names(decorator)):
                    parametrized[name].add(prefix + node.name)

    visit(tree.body, "")
    # A table is proven by the test that has a case for each row, not by one that only looks whether it is complete.
    return {**users, **parametrized}


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def page(citations: Iterable[Citation], rules: Mapping[str, RuleEntry], tests: ProvingTests) -> str:
    """The text of the page."""
    by_number: dict[str, list[Citation]] = defaultdict(list)
    for each in citations:
        by_number[each.number].append(each)
    lines = [
        "# The rules behind the values",
        "",
        "<!-- Written by tools/rule_index.py; change indexer/rules/index.py or the code, not this page. -->",
        "",
        "Every rule that the project cites, by its number in the Comprehensive Rules effective",
        f"{EDITION.day} {EDITION:%B %Y}: its subject in own words, where in the package `indexer` it is put to use,",
        "and the tests whose ids, names or expected values carry the number (and in how many ids it stands).",
    ]
    for chapter, numbers in groupby(sorted(rules, key=in_order), key=lambda number: number[0]):
        lines += ["", f"## {chapter}. {_CHAPTERS[chapter]}", ""]
        lines += ["| rule | subject | where | tests |", "|---|---|---|---|"]
        for number in numbers:
            where = ", ".join(f"`{place}`" for place in implemented_in(by_number[number]))
            proofs = tests.proving(by_number[number])
            proven = ", ".join(_cell(path, test, count) for (path, test), count in proofs.items())
            lines.append(f"| {number} | {_escaped(rules[number].subject)} | {where} | {proven} |")
    sections = {section(number) for number in rules}
    lines += ["", f"{len(rules)} numbers of {len(sections)} sections.", ""]
    return "\n".join(lines)


def _cell(path: str, test: str, count: int) -> str:
    module = path.removeprefix("tests/").removesuffix(".py").replace("/", ".")
    times = f" ({count})" if count else ""
    return f"`{module}:{test}`{times}"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


def main(arguments: list[str] | None = None) -> int:
    """Exit status: 0 done, 1 something is wrong."""
    parser = argparse.ArgumentParser(description="Write docs/rules.md, or check it.")
    parser.add_argument("--check", action="store_true", help="change nothing; fail if something would have to change")
    options = parser.parse_args(arguments)
    citations = collect(ROOT)
    wrong = list(problems(citations, RULES))
    if wrong:
        print("\n".join(wrong), file=sys.stderr)
        return 1
    text = page(citations, RULES, ProvingTests(ROOT))
    if not options.check:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        print("docs/rules.md is not up to date; run: python tools/rule_index.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
