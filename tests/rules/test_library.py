"""`indexer.rules` as other programs use it: its public names, its cost, and the page that shows how."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys

import pytest

import indexer.rules
from tests.conftest import PROJECT_ROOT

PAGE = PROJECT_ROOT / "docs" / "engine.md"


def run(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=PROJECT_ROOT,
        stdin=subprocess.DEVNULL,
    )
    return done.stdout.strip()


def test_every_public_name_is_there() -> None:
    for name in indexer.rules.__all__:
        assert name in dir(indexer.rules)
        assert not isinstance(getattr(indexer.rules, name), type(sys)), f"{name} is a module"
    assert sorted(indexer.rules._MODULE_OF) == sorted(indexer.rules.__all__)
    assert not hasattr(indexer.rules, "nothing_of_this_name")


def test_the_names_that_a_type_checker_sees_are_those_that_are_loaded() -> None:
    source = (PROJECT_ROOT / "indexer" / "rules" / "__init__.py").read_text(encoding="utf-8")
    block = re.search(r"^if TYPE_CHECKING:\n((?:    .*\n|\n)+)", source, re.MULTILINE)
    assert block is not None
    imports = re.findall(r"from (\S+) import (?:\(([^)]*)\)|(.*))", block[1])
    seen = {
        name: module
        for module, lines, line in imports
        for name in (part.strip() for part in (lines or line).split(","))
        if name
    }
    assert seen == indexer.rules._MODULE_OF


@pytest.mark.parametrize("name", ["evaluate", "color_identity"])
@pytest.mark.parametrize("first", ["", "import indexer.rules.{0}; ", "from indexer.rules.{0} import {0} as other; "])
def test_a_function_is_not_hidden_by_the_module_of_its_name(name: str, first: str) -> None:
    code = "{first}from indexer.rules import {name}; import indexer.rules.{name}; import indexer.rules as r; "
    told = "print({name}.__name__, {name} is r.{name} is sys.modules['indexer.rules.{name}'].{name})"
    assert run("import sys; " + (code + told).format(first=first.format(name), name=name)) == f"{name} True"


def test_a_part_does_not_load_the_rest() -> None:
    code = "import sys, indexer.rules.{}; print(sorted(m for m in sys.modules if m.startswith('indexer')))"
    assert run(code.format("edition")) == str(["indexer", "indexer.rules", "indexer.rules.edition"])
    assert "indexer.rules.evaluate" not in run(code.format("mana_cost"))


def test_the_engine_needs_the_standard_library_only() -> None:
    code = (
        "import sys, indexer.rules as r; [getattr(r, name) for name in r.__all__];"
        "print(sorted({m.split('.')[0] for m in sys.modules} - set(sys.stdlib_module_names) - {'indexer', '__main__'}))"
    )
    foreign = set(re.findall(r"'(\w+)'", run(code)))
    # What an editable installation and its site files bring along is not the engine's.
    without = set(re.findall(r"'(\w+)'", run(code.replace("[getattr(r, name) for name in r.__all__];", ""))))
    assert foreign - without == set()


def test_the_examples_of_the_page_are_true() -> None:
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) > 10
    # One session: the examples build on each other.
    session = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "docs/engine.md", str(PAGE), 0)
    failures: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(session, out=failures.append)
    assert result.attempted > 40
    assert result.failed == 0, "".join(failures)


def test_the_page_names_each_function_to_ask_with() -> None:
    text = PAGE.read_text(encoding="utf-8")
    functions = {name for name in indexer.rules.__all__ if name.islower()}
    assert {name for name in functions if f"`{name}`" not in text and f"{name}(" not in text} == {
        "format_mana_cost",
        "parse_symbol",
        "parse_type_line",
    }
