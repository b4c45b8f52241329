"""The index of rules: complete, true to the Comprehensive Rules, in words of its own, and told in `docs/rules.md`."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from indexer.rules import edition
from indexer.rules.index import EDITION, RULES, RuleEntry, subject_of
from tests.conftest import PROJECT_ROOT
from tools import rule_index
from tools.rule_citations import Citation, Kind, collect, in_order, numbers_in_prose, of_python, of_text, section

OLDER_TEXT = "comprehensive-rules-2026-02-27.txt"
NEW_SECTION = frozenset({"722", "722.1", "722.2", "722.2c", "722.3", "722.3c", "722.4"})
"""What is known of section 722, Preparation Cards, in the cited edition; the older text doesn't have it."""
MOVED_UP = range(723, 734)
"""Sections that had a number less by one before section 722 came in; nothing below it was renumbered."""


def older_number(number: str) -> str:
    """The number of a rule in the older text."""
    head, dot, tail = number.partition(".")
    return f"{int(head) - 1}{dot}{tail}" if int(head) in MOVED_UP else number


@pytest.fixture(scope="module")
def citations() -> list[Citation]:
    return collect(PROJECT_ROOT)


@pytest.fixture(scope="module")
def older_rules(shared_dir: Path) -> dict[str, str]:
    """Number -> text of every section and rule of the older edition."""
    text = (shared_dir / "rules" / OLDER_TEXT).read_text(encoding="utf-8-sig")
    return dict(re.findall(r"^([1-9]\d\d(?:\.\d+[a-z]?)?)\.? (.+?)\s*$", text, re.MULTILINE))


def not_in(older_rules: dict[str, str], numbers: set[str]) -> set[str]:
    return {
        number
        for number in numbers
        if (number not in NEW_SECTION if section(number) == "722" else older_number(number) not in older_rules)
    }


class TestTheIndex:
    def test_is_of_the_edition_that_the_engine_names(self) -> None:
        assert edition.EFFECTIVE == EDITION

    def test_is_in_the_order_of_the_rules(self) -> None:
        assert list(RULES) == sorted(RULES, key=in_order)
        assert all(entry.number == number for number, entry in RULES.items())

    def test_has_a_subject_for_each_rule(self) -> None:
        subjects = [entry.subject for entry in RULES.values()]
        assert all(subject and subject[-1] != "." and len(subject) <= 110 for subject in subjects)
        assert subject_of("202.3") == RULES["202.3"].subject
        with pytest.raises(KeyError):
            subject_of("202.9")

    @pytest.mark.corpus
    def test_names_only_rules_that_exist(self, older_rules: dict[str, str]) -> None:
        assert len(older_rules) > 3000
        assert not_in(older_rules, set(RULES)) == set()

    @pytest.mark.corpus
    def test_a_number_that_does_not_exist_is_found(self, older_rules: dict[str, str]) -> None:
        invented = {"202.3h", "202.9", "115.0", "722.9", "199", "733.9"}
        assert not_in(older_rules, {*invented, "202.3g", "730.2a", "733.1"}) == invented

    @pytest.mark.corpus
    def test_speaks_in_words_of_its_own(self, older_rules: dict[str, str]) -> None:
        def runs(text: str, length: int = 7) -> set[tuple[str, ...]]:
            words = re.findall(r"[\w{}’']+", text.lower())
            return {tuple(words[i : i + length]) for i in range(len(words) - length + 1)}

        borrowed = {
            number: entry.subject
            for number, entry in RULES.items()
            if runs(entry.subject) & runs(older_rules.get(older_number(number), ""))
        }
        assert borrowed == {}


class TestTheCitations:
    def test_every_citation_is_in_the_index_and_every_entry_is_cited(self, citations: list[Citation]) -> None:
        assert list(rule_index.problems(citations, RULES)) == []

    def test_a_citation_that_is_not_in_the_index_is_told_with_its_place(self) -> None:
        cited = [Citation("202.9", "indexer/x.py", 7, "f", Kind.CODE), Citation("202.3", "a.md", 1, "", Kind.TEXT)]
        index = {"202.3": RuleEntry("202.3", "x"), "204": RuleEntry("204", "y")}
        unknown, uncited = rule_index.problems(cited, index)
        assert unknown.startswith("indexer/x.py:7: rule 202.9 is not in ")
        assert "nothing cites rule 204" in uncited

    def test_every_rule_that_a_value_rests_on_is_proven_by_a_test(self, citations: list[Citation]) -> None:
        by_number = defaultdict(list)
        for each in citations:
            by_number[each.number].append(each)
        tests = rule_index.ProvingTests(PROJECT_ROOT)
        unproven = {
            number: {each.path for each in places}
            for number, places in by_number.items()
            if any(each.kind is Kind.CODE and each.path.startswith("indexer/rules/") for each in places)
            and not tests.proving(places)
        }
        assert unproven == {}


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("CR 202.3f: a hybrid symbol", ["202.3f"]),
        ("Colors (CR 202.2, 204, 604.3, 702.114).", ["202.2", "204", "604.3", "702.114"]),
        ("CR 709.4 (split), 710.2 (flip, too), 712.8a", ["709.4", "710.2", "712.8a"]),
        ("(CR 107.4a, e, f); a symbol", ["107.4a", "107.4e", "107.4f"]),
        ("CR 202.3a-202.3g with 107.3 and 707.2.", ["202.3a", "202.3g", "107.3", "707.2"]),
        ("CR 202.3a-g, and CR 106.8–106.11", ["202.3a", "202.3g", "106.8", "106.11"]),
        ("CR 105.1: the five colors. CR 106.1b: six types.", ["105.1", "106.1b"]),
        ("CR 106.3: from mana abilities (605) and more (106.12b, instead)", ["106.3", "605", "106.12b"]),
        ("CR 107.4e, f (colors), 204, a thing", ["107.4e", "107.4f", "204"]),
        ("as CR\n    202.1 says", ["202.1"]),
        ("127.0.0.1 took 120.5 seconds; version 202.3f1", []),
        ("202.3e without its source", []),
        ("CR 205.3 took 120.5.1 seconds", ["205.3"]),
    ],
)
def test_prose_cites(text: str, numbers: list[str]) -> None:
    assert [number for _, number in numbers_in_prose(text)] == numbers


def test_prose_about_rules_needs_no_source() -> None:
    assert [number for _, number in numbers_in_prose("see (202.3e), 107.4.", about_rules=True)] == ["202.3e", "107.4"]


SOURCE = '''
"""Sums up (CR 100.7)."""

TABLE = {"a": "202.3f", "b": "1.5"}
"""What CR 204.1 says."""

# CR 105.1: five of them.
LETTERS = 5

class Thing:
    """CR 111.3."""

    x: int
    """CR 107.3."""

    def act(self, rule: str) -> str:
        # (202.3e)
        return f"no (CR 101.1): {rule}"

def test_709_4b_halves(case=("202.3d-half", f"604.3-{SOURCE}")):
    assert case.rule == "202.3"
'''


def test_code_cites_with_the_name_it_stands_in() -> None:
    found = {(each.number, each.owner, each.kind) for each in of_python("tests/rules/x.py", SOURCE)}
    assert found == {
        ("100.7", "", Kind.TEXT),
        ("202.3f", "TABLE", Kind.CODE),
        ("204.1", "TABLE", Kind.TEXT),
        ("105.1", "LETTERS", Kind.COMMENT),
        ("111.3", "Thing", Kind.TEXT),
        ("107.3", "Thing.x", Kind.TEXT),
        ("202.3e", "Thing.act", Kind.COMMENT),
        ("101.1", "Thing.act", Kind.TEXT),
        ("709.4b", "test_709_4b_halves", Kind.TEST_NAME),
        ("202.3d", "test_709_4b_halves", Kind.TEST_ID),
        ("604.3", "test_709_4b_halves", Kind.TEST_ID),
        ("202.3", "test_709_4b_halves", Kind.CODE),
    }


def test_a_number_elsewhere_is_a_rule_only_by_its_letter_or_its_name() -> None:
    source = (
        'row("1", "202.3", "202.3f", rule="107.1")\nassert row.rule == "107.2"\nkeys = {"rule": "107.3", "n": "107.4"}'
    )
    found = {each.number for each in of_python("tests/reports/x.py", source)}
    assert found == {"202.3f", "107.1", "107.2", "107.3"}


def test_a_page_cites_in_paragraphs_that_say_so() -> None:
    found = [
        (each.number, each.line) for each in of_text("x.md", "# A\n\n120.5 MB\n\nby CR 204\nand 202.3f\n\n115.2 s")
    ]
    assert found == [("204", 5), ("202.3f", 6)]


class TestThePage:
    def test_is_up_to_date(self, citations: list[Citation]) -> None:
        text = rule_index.page(citations, RULES, rule_index.ProvingTests(PROJECT_ROOT))
        assert rule_index.PAGE.read_text(encoding="utf-8") == text, "run: python tools/rule_index.py"

    def test_tells_where_a_rule_is_used_and_which_cases_prove_it(self) -> None:
        line = next(line for line in rule_index.PAGE.read_text(encoding="utf-8").splitlines() if "| 202.3f |" in line)
        assert subject_of("202.3f") in line
        assert "`rules.symbols:_VALUE_RULES`" in line
        assert "`rules.test_mana_cost:test_mana_value_of_a_cost` (3)" in line

    def test_a_stale_one_fails_the_check_and_is_left_alone(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        stale = tmp_path / "rules.md"
        monkeypatch.setattr(rule_index, "PAGE", stale)
        assert rule_index.main(["--check"]) == 1
        assert "python tools/rule_index.py" in capsys.readouterr().err
        assert rule_index.main([]) == 0
        assert rule_index.main(["--check"]) == 0
        stale.write_text(stale.read_text(encoding="utf-8") + "x", encoding="utf-8")
        assert rule_index.main(["--check"]) == 1

    def test_is_not_written_while_something_is_missing(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(rule_index, "PAGE", tmp_path / "rules.md")
        monkeypatch.setattr(rule_index, "RULES", {**RULES, "999.9": RuleEntry("999.9", "nothing")})
        assert rule_index.main([]) == 1
        assert "nothing cites rule 999.9" in capsys.readouterr().err
        assert not (tmp_path / "rules.md").exists()
