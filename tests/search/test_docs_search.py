"""docs/search.md says what the program does: its tables are complete, its examples compile."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from indexer.errors import SearchSyntaxError
from indexer.search.compile import DISPLAY_KEYWORDS, KEYWORDS_BY_NAME, MISSING, build_search
from indexer.search.keywords import COMPARISONS
from indexer.search.nicknames import COLOR_NICKNAMES
from indexer.search.ordering import ORDERS_BY_NAME
from indexer.search.terms_flags import FLAGS_BY_NAME
from tests.conftest import PROJECT_ROOT

PAGE = (PROJECT_ROOT / "docs" / "search.md").read_text(encoding="utf-8")


def examples() -> Iterator[str]:
    for block in re.findall(r"^```search\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            yield re.split(r"\s{3,}", line, maxsplit=1)[0]


def table(heading: str) -> dict[str, str]:
    """The names in the first column of the table under a heading, each with the rest of its row."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    return {name: row for row in rows for name in re.findall(r"`([^`]+)`", row.split(" | ")[0])}


@pytest.mark.parametrize("expression", list(examples()))
def test_every_example_compiles(expression: str) -> None:
    build_search(expression)


def test_there_are_examples_of_every_keyword() -> None:
    text = " ".join(examples())
    for name in {keyword.name for keyword in KEYWORDS_BY_NAME.values()}:
        aliases = [alias for alias, keyword in KEYWORDS_BY_NAME.items() if keyword.name == name]
        assert any(re.search(rf"(?<!\w){alias}(?:[:=<>]|!=)", text) for alias in aliases), name


def test_the_table_of_keywords_is_complete() -> None:
    assert set(table("Keywords")) == {*KEYWORDS_BY_NAME, *DISPLAY_KEYWORDS}


def test_the_table_of_keywords_tells_what_compares() -> None:
    for name, row in table("Keywords").items():
        keyword = KEYWORDS_BY_NAME.get(name)
        assert row.endswith("| yes |") is (keyword is not None and keyword.operators == COMPARISONS), name


def test_the_table_of_questions_is_complete() -> None:
    assert set(table("Yes-or-no questions")) == set(FLAGS_BY_NAME)


def test_the_table_of_orders_is_complete() -> None:
    assert set(table("Sorting")) == set(ORDERS_BY_NAME)


def test_the_table_of_missing_fields_is_complete() -> None:
    documented = table("What the pool doesn't hold")
    assert set(documented) == set(MISSING)
    for name, row in documented.items():
        assert MISSING[name] in row
        with pytest.raises(SearchSyntaxError, match=re.escape(f"the pool doesn't hold {MISSING[name]}")):
            build_search(f"{name}:x")


def test_the_names_of_colors_are_complete() -> None:
    section = PAGE.split("\n## Colors and color identity\n")[1].split("\n## ")[0]
    assert set(COLOR_NICKNAMES) - {"white", "blue", "black", "red", "green"} <= set(re.findall(r"`([^`]+)`", section))


@pytest.mark.parametrize("expression", ["is:foil", "is:promo", "is:reprint", "is:fullart", "is:universesbeyond"])
def test_questions_that_the_pool_cannot_answer(expression: str) -> None:
    with pytest.raises(SearchSyntaxError, match="the pool doesn't hold"):
        build_search(expression)


@pytest.mark.parametrize("expression", ["t:elf order:usd", "t:elf unique:prints", "t:elf unique:art"])
def test_displays_that_the_pool_cannot_give(expression: str) -> None:
    with pytest.raises(SearchSyntaxError, match=r"the pool (doesn't hold|holds one)"):
        build_search(expression)
