"""Every place in the project that cites a rule of the Comprehensive Rules by its number.

A citation is a number in a docstring, a comment or a page (`CR 709.4 (split), 710.2` with lists and ranges), a string
in the code that is a rule number (`rule="202.3f"`), the start of a test's id (`202.3f-worked-example`) or a part of a
test's name (`test_709_4b_halves_combine`).
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path


class Kind(Enum):
    """In what form a rule is cited."""

    CODE = "code"
    """A string that the program works with."""
    TEXT = "text"
    """A docstring, or any string that says "CR …"."""
    COMMENT = "comment"
    TEST_ID = "test id"
    TEST_NAME = "test name"


@dataclass(frozen=True, slots=True)
class Citation:
    """One rule, cited at one place."""

    number: str
    path: str
    """Relative to the project, with `/`."""
    line: int
    owner: str
    """The function, class or module-level name it stands in: `_table`, `Situation.x`; empty for the module itself."""
    kind: Kind


PYTHON_FOLDERS = ("indexer", "tests", "tools", "benchmarks", "migrations")
TEXT_PATTERNS = (
    "*.md",
    "docs/*.md",
    "docs/*.toml",
    "data/*.md",
    "indexer/**/*.j2",
    "indexer/**/*.lark",
    "indexer/**/*.toml",
)
LEFT_OUT = frozenset(
    {"docs/rules.md", "indexer/rules/index.py", "tests/rules/test_index.py", "tools/rule_citations.py"}
)
"""What lists the rules instead of resting on them."""

_RULES_CODE = ("indexer/rules/", "indexer/compare/", "tests/rules/", "tests/property/")
"""Where a string such as "107.3" can be nothing but a rule, though it could be a number elsewhere."""

_DOTTED = r"[1-9]\d\d\.\d{1,3}(?:[a-z](?![a-z]))?"
_NUMBER = rf"(?:{_DOTTED}|[1-9]\d\d(?![.\d]\d))"
_ITEM = re.compile(rf"(?P<first>{_NUMBER})(?:[-–](?P<last>{_NUMBER}|[a-z]\b))?(?:\s*\([^()]*\))?")
_LETTER = re.compile(r"(?P<first>[a-z])(?=[,;)]| \(| and | or |$)(?:\s*\([^()]*\))?")
_JOINT = re.compile(r"(?:,\s+and|,|\s+and|\s+or|\s+with|;)\s+", re.IGNORECASE)
_INTRODUCED = re.compile(rf"\bCR\s+(?={_NUMBER})")
_ANYWHERE = re.compile(rf"(?<![\w.]){_DOTTED}(?!\.?\d|\w)|(?<=\()[1-9]\d\d(?=[,)])")
_WHOLE = re.compile(rf"{_DOTTED}$")
_TEST_ID = re.compile(rf"({_DOTTED})-")
_TEST_NAME = re.compile(r"test_([1-9]\d\d)_(\d{1,3}[a-z]?)(?:_|$)")


def section(number: str) -> str:
    """The part of a number before the dot: `202` for `202.3f`."""
    return number.partition(".")[0]


def in_order(number: str) -> tuple[int, int, str]:
    """Sort key: 107.4 before 107.11, a rule before its letters."""
    head, _, tail = number.partition(".")
    digits = tail.rstrip("abcdefghijklmnopqrstuvwxyz")
    return int(head), int(digits or 0), tail[len(digits) :]


def numbers_in_prose(text: str, *, about_rules: bool = False) -> Iterator[tuple[int, str]]:
    """The rules that a piece of prose cites, each with its place: lists after "CR", and numbers such as 202.3f.

    Of a range it cites the two ends. Without any "CR" a number counts only if the text is `about_rules` anyway.

    >>> [number for _, number in numbers_in_prose("CR 107.4a, e, f (colors), 204 and 202.3a-g; see 604.3.")]
    ['107.4a', '107.4e', '107.4f', '204', '202.3a', '202.3g', '604.3']
    """
    found: dict[tuple[int, str], None] = {}
    for start in _INTRODUCED.finditer(text):
        found.update(dict.fromkeys(_list_at(text, start.end())))
    if found or about_rules:
        found.update(dict.fromkeys((match.start(), match.group()) for match in _ANYWHERE.finditer(text)))
    yield from sorted(found)


def _list_at(text: str, place: int) -> Iterator[tuple[int, str]]:
    stem = ""
    while True:
        item = _ITEM.match(text, place)
        if item is None and stem:
            letter = _LETTER.match(text, place)
            if letter is None:
                return
            yield place, stem + letter["first"]
            place = letter.end()
        elif item is None:
            return
        else:
            yield place, item["first"]
            stem = item["first"].rstrip("abcdefghijklmnopqrstuvwxyz")
            if item["last"]:
                yield item.start("last"), item["last"] if item["last"][0].isdigit() else stem + item["last"]
            place = item.end()
        joint = _JOINT.match(text, place)
        if joint is None:
            return
        place = joint.end()


def _spans(tree: ast.Module) -> list[tuple[int, int, str]]:
    """First line, last line and name of everything that has a name, outer before inner."""
    spans: list[tuple[int, int, str]] = []

    def visit(body: list[ast.stmt], prefix: str) -> None:
        before = ""
        for node in body:
            first, last = node.lineno, node.end_lineno or node.lineno
            name = ""
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = prefix + node.name
                first = min([first, *(decorator.lineno for decorator in node.decorator_list)])
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                if isinstance(target, ast.Name):
                    name = prefix + target.id
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                name = before  # the docstring of the assignment above
            if name:
                spans.append((first, last, name))
            before = name
            if isinstance(node, ast.ClassDef):
                visit(node.body, f"{name}.")

    visit(tree.body, "")
    return spans


def _owner(spans: list[tuple[int, int, str]], line: int) -> str:
    inside = [name for first, last, name in spans if first <= line <= last]
    return inside[-1] if inside else ""


def _owner_of_comment(spans: list[tuple[int, int, str]], line: int) -> str:
    """That of the line; between statements, the name that comes next."""
    return _owner(spans, line) or next((name for first, _last, name in spans if first > line), "")


def of_python(path: str, source: str) -> Iterator[Citation]:
    """The citations of a Python module, in no particular order."""
    tree = ast.parse(source)
    spans = _spans(tree)
    about_rules = path.startswith(_RULES_CODE)
    is_test = path.startswith("tests/")
    rules_by_name = {id(node) for node in _values_of_rule_names(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and is_test and (name := _TEST_NAME.match(node.name)):
            yield Citation(f"{name[1]}.{name[2]}", path, node.lineno, _owner(spans, node.lineno), Kind.TEST_NAME)
        if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            continue
        text, owner = node.value, _owner(spans, node.lineno)
        if _WHOLE.match(text):
            if about_rules or text[-1].isalpha() or id(node) in rules_by_name:
                yield Citation(text, path, node.lineno, owner, Kind.CODE)
        elif is_test and (test_id := _TEST_ID.match(text)):
            yield Citation(test_id[1], path, node.lineno, owner, Kind.TEST_ID)
        elif "CR " in text or "CR\n" in text or (about_rules and not is_test):
            for place, number in numbers_in_prose(text, about_rules=about_rules):
                line = node.lineno + text.count("\n", 0, place)
                yield Citation(number, path, line, owner, Kind.TEXT)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            line = token.start[0]
            for _place, number in numbers_in_prose(token.string, about_rules=about_rules):
                yield Citation(number, path, line, _owner_of_comment(spans, line), Kind.COMMENT)


def _values_of_rule_names(tree: ast.Module) -> Iterator[ast.AST]:
    """What is given as `rule=…`, set as a field or a key of that name, or compared with one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "rule":
            yield node.value
        elif isinstance(node, ast.Dict):
            keyed = zip(node.keys, node.values, strict=True)
            yield from (value for key, value in keyed if isinstance(key, ast.Constant) and key.value == "rule")
        elif isinstance(node, ast.Compare) and "rule" in ast.unparse(node.left):
            yield from (part for side in node.comparators for part in ast.walk(side))


def of_text(path: str, text: str) -> Iterator[Citation]:
    """The citations of a page: in paragraphs that say "CR"."""
    line = 1
    for paragraph in re.split(r"(\n\s*\n)", text):
        for place, number in numbers_in_prose(paragraph):
            yield Citation(number, path, line + paragraph.count("\n", 0, place), "", Kind.TEXT)
        line += paragraph.count("\n")


def collect(root: Path) -> list[Citation]:
    """Every citation below the project's root, in order of rule, path and line."""
    found: set[Citation] = set()
    for folder in PYTHON_FOLDERS:
        for path in sorted((root / folder).rglob("*.py")):
            name = path.relative_to(root).as_posix()
            if name not in LEFT_OUT:
                found.update(of_python(name, path.read_text(encoding="utf-8")))
    for pattern in TEXT_PATTERNS:
        for path in sorted(root.glob(pattern)):
            name = path.relative_to(root).as_posix()
            if name not in LEFT_OUT:
                found.update(of_text(name, path.read_text(encoding="utf-8")))
    return sorted(found, key=lambda each: (in_order(each.number), each.path, each.line, each.owner, each.kind.value))
