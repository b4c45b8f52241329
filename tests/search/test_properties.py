"""What must hold for any expression: printing and parsing, and the algebra of sets."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.errors import SearchSyntaxError
from indexer.search.names import fold_name
from indexer.search.self_reference import plain_text
from indexer.search.syntax import (
    And,
    ExactName,
    Node,
    Not,
    Or,
    Term,
    Value,
    ValueKind,
    Words,
    format_expression,
    parse_expression,
)

Find = Callable[[str], list[str]]

ATOMS = [
    "c:r", "c>=ub", "c=0", "c:m", "id<=wug", "id:c", "produces:g", "produces<m", "m:{W}", "m<=2R", "m!=R",
    "devotion:{u}",
    "mv>=4", "mv:odd", "mv=0.5", "pow>tou", "tou<2", "pow=*", "pt>5", "loy>=3", "def=3", "t:creature", "t:god",
    't:"legendary creature"', "o:draw", 'o:"~ deals"', "fo:{W/B}", "o:/^{T}:/", "kw:flying", "layout:split", "fire",
    '"of the"',
    "name:/g/", "!fire", "f:modern", "banned:legacy", "is:spell", "is:permanent", "is:vanilla", "is:frenchvanilla",
    "is:commander", "is:hybrid", "not:spell", "has:indicator", "e:lea", "r>=r", "cn>100", "year<=1994", "date>=2020-06",
    "mismatch:any", "changed>=2026-11-01", "changed<2026", "is:token", "st:funny",
]  # fmt: skip
"""One term or more of every kind, some of which many cards can't answer (no power, no cost, no colors)."""

names = st.sampled_from(ATOMS)
trees: st.SearchStrategy[object] = st.recursive(
    names,
    lambda inner: st.one_of(
        st.tuples(st.just("-"), inner),
        st.tuples(st.just("and"), inner, inner),
        st.tuples(st.just("or"), inner, inner),
    ),
    max_leaves=6,
)


def written(tree: object) -> str:
    match tree:
        case ("-", inner):
            return f"-({written(inner)})"
        case (word, left, right):
            return f"({written(left)} {'or ' if word == 'or' else ''}{written(right)})"
    return str(tree)


class Pool:
    """Results of single terms, each asked once."""

    def __init__(self, find: Find) -> None:
        self.find = find
        self.everything = frozenset(find("include:extras"))
        self._known: dict[str, frozenset[str]] = {}

    def single(self, atom: str) -> frozenset[str]:
        if atom not in self._known:
            self._known[atom] = frozenset(self.find(f"{atom} include:extras"))
        return self._known[atom]

    def combined(self, tree: object) -> frozenset[str]:
        match tree:
            case ("-", inner):
                return self.everything - self.combined(inner)
            case ("and", left, right):
                return self.combined(left) & self.combined(right)
            case ("or", left, right):
                return self.combined(left) | self.combined(right)
        return self.single(str(tree))


@pytest.fixture(scope="session")
def pool(find: Find) -> Pool:
    return Pool(find)


@pytest.mark.parametrize("atom", ATOMS)
def test_a_term_and_its_opposite_part_the_pool(pool: Pool, atom: str) -> None:
    found = pool.single(atom)
    opposite = frozenset(pool.find(f"-{atom} include:extras"))
    assert found | opposite == pool.everything
    assert not found & opposite
    assert frozenset(pool.find(f"--{atom} include:extras")) == found


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tree=trees)
def test_terms_combine_as_sets_do(pool: Pool, tree: object) -> None:
    assert frozenset(pool.find(f"{written(tree)} include:extras")) == pool.combined(tree)


words = st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1, max_size=8).filter(
    lambda text: text.lower() not in ("or", "and")
)
texts = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"], exclude_characters='\\"“”„‘’'), max_size=12
)
values = st.one_of(
    words.map(lambda text: Value(ValueKind.WORD, text, (0, 0))),
    texts.map(lambda text: Value(ValueKind.QUOTED, text, (0, 0))),
    texts.map(lambda text: Value(ValueKind.REGEX, text.replace("/", r"\/"), (0, 0))),
)
plain_values = values.filter(lambda value: value.kind is not ValueKind.REGEX)
leaves: st.SearchStrategy[Node] = st.one_of(
    st.builds(Words, plain_values),
    st.builds(ExactName, plain_values),
    st.builds(
        lambda keyword, operator, value: Term(keyword, operator, value, "", (0, 0)),
        st.from_regex(r"[a-z][a-z_]{0,6}", fullmatch=True),
        st.sampled_from([":", "=", "!=", "<", "<=", ">", ">="]),
        values,
    ),
)
nodes: st.SearchStrategy[Node] = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(lambda parts: And(tuple(parts)), st.lists(inner, min_size=2, max_size=3)),
        st.builds(lambda parts: Or(tuple(parts)), st.lists(inner, min_size=2, max_size=3)),
    ),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(node=nodes)
def test_what_is_printed_parses_to_the_same_tree(node: Node) -> None:
    assert parse_expression(format_expression(node)) == node


def refusal(text: str) -> SearchSyntaxError | None:
    try:
        parse_expression(text)
    except SearchSyntaxError as error:
        return error
    return None


@given(text=st.text(max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_text_parses_or_is_refused_with_a_place(text: str) -> None:
    error = refusal(text)
    if error is not None:
        start, end = error.span
        assert 0 <= start <= end <= len(text)
        assert str(error)


@given(name=st.text(max_size=30))
def test_folding_a_name_twice_changes_nothing(name: str) -> None:
    assert fold_name(fold_name(name)) == fold_name(name)


@given(text=st.text("ab ()\n.", max_size=40))
def test_text_without_reminder_text_has_no_closed_parentheses_left_open_to_search(text: str) -> None:
    plain = plain_text(text)
    # Whatever is left stood in one piece in the text.
    assert all(line.strip("\n ") in text for line in plain.split("\n"))
