"""What an expression must not say: each is refused with its reason, its place, and the nearest right word."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pytest
from sqlalchemy import Connection

from indexer.errors import QueryError, SearchSyntaxError
from indexer.search.compile import build_search, compile_search
from indexer.search.run import run_search

TABLE = [
    # Keywords.
    ("foo:bar", "there is no keyword 'foo'", "foo:bar"),
    ("t:elf colr:red", "did you mean 'color'?", "colr:red"),
    ("t:elf -usd<3", "the pool doesn't hold prices", "usd<3"),
    ("(a:avon or t:elf)", "the pool doesn't hold artists", "a:avon"),
    # Operators and kinds of values.
    ("t>elf", "'t' can't be compared with '>'", "t>elf"),
    ("o!=draw", "'o' can't be compared with '!='", "o!=draw"),
    ("is>=spell", "can't be compared", "is>=spell"),
    ("c:/red/", "'c' takes no regular expression", "/red/"),
    ("c: red", "'c:' needs a value right after it", "c:"),
    ("mv>= 3", "'mv>=' needs a value right after it", "mv>="),
    ("(c:) red", "'c:' needs a value right after it", "c:"),
    # Values.
    ("c:purple", "'purple' is no color", "purple"),
    ("c:grren", "did you mean 'green'?", "grren"),
    ("c:cr", "mixes colorless (c) with other colors", "cr"),
    ("id:mw", "mixes multicolor (m) with other colors", "mw"),
    ("c=6", "there are only 5 colors", "6"),
    ("produces=7", "there are only 6 types of mana", "7"),
    ('c:""', "is no color", '""'),
    ("m:foo", "'f' is no mana symbol", "foo"),
    ("m:{T}", "never stands in a mana cost", "{T}"),
    ("m:2W}", "is no row of mana symbols", "2W}"),
    ("m:{W/Q}", "is no mana symbol", "{W/Q}"),
    ("devotion:{r}{g}", "one kind of colored or hybrid symbols", "{r}{g}"),
    ("devotion:2", "one kind of colored or hybrid symbols", "2"),
    ("devotion:{2/w}", "one kind of colored or hybrid symbols", "{2/w}"),
    ("mv=three", "'three' is no number", "three"),
    ("mv>even", "can't be more or less", "even"),
    ("pow>tuo", "did you mean 'tou'?", "tuo"),
    ("mv=*", "is no number", "*"),
    ("mv=99999999999999", "is no number", "99999999999999"),
    ("r:weird", "is no rarity", "weird"),
    ("r:mythc", "did you mean 'mythic'?", "mythc"),
    ("year=94", "is no year of four digits", "94"),
    ("date=2020-13-01", "there is no day", "2020-13-01"),
    ("date=2021-02-29", "there is no day", "2021-02-29"),
    ("date=01/02/2020", "is no date", "01/02/2020"),
    ("date=0000", "there is no day", "0000"),
    ("changed>=yesterday", "is no date", "yesterday"),
    ("cn>1a", "compared with whole numbers", "1a"),
    ("is:shiny", "is nothing that 'is' knows", "shiny"),
    ("is:comander", "did you mean 'commander'?", "comander"),
    ("is:foil", "the pool doesn't hold finishes", "foil"),
    ("mismatch:name", "is no field or category of mismatches", "name"),
    ('o:" "', "the text to look for is empty", '" "'),
    ('t:""', "the type to look for is empty", '""'),
    (r"o:/(a)\1/", "backreference", r"/(a)\1/"),
    ("o:/(a/", "never closed", "/(a/"),
    ("o:/(?i)a/", "option", "/(?i)a/"),
    ("o:/a{300}/", "out of bounds", "/a{300}/"),
    # How to show the results.
    ("order:cmc", "names nothing to search for", "order:cmc"),
    ("t:elf order:cmc order:name", "stands twice", "order:name"),
    ("t:elf sort:cmc order:name", "stands twice", "order:name"),
    ("t:elf order>cmc", "takes order:VALUE", "order>cmc"),
    ("t:elf order:beauty", "can't sort by 'beauty'", "beauty"),
    ("t:elf order:usd", "the pool doesn't hold prices", "usd"),
    ("t:elf direction:up", "is no direction", "up"),
    ("t:elf include:all", "only extras and removed", "all"),
    ("t:elf unique:prints", "the pool holds one of each", "prints"),
    ("t:elf or order:cmc", "'or' and '-' can't go with it", "order:cmc"),
    ("t:elf -order:cmc", "'or' and '-' can't go with it", "order:cmc"),
    ("t:elf display:grid", "the pool doesn't hold", "display:grid"),
]


@pytest.mark.parametrize(("expression", "message", "part"), TABLE, ids=[expression for expression, _, _ in TABLE])
def test_refuses(expression: str, message: str, part: str) -> None:
    with pytest.raises(SearchSyntaxError) as caught:
        build_search(expression)
    start, end = caught.value.span
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert expression[start:end] == part
    assert caught.value.source == expression


@pytest.mark.parametrize(
    ("expression", "message", "part"),
    [
        ("t:elf f:modren", "no card of the pool has the format 'modren'; did you mean 'modern'?", "modren"),
        ("e:xyz", "no card of the pool has the set 'xyz'", "xyz"),
        ('e:"test sett"', "did you mean 'test set'?", '"test sett"'),
        ("kw:flyng", "did you mean 'flying'?", "flyng"),
        ("layout:slpit", "did you mean 'split'?", "slpit"),
        ("st:fuuny", "did you mean 'funny'?", "fuuny"),
        ("date>xyz", "no card of the pool has the set 'xyz'", "xyz"),
        ("-(f:modern or banned:legcy)", "did you mean 'legacy'?", "legcy"),
    ],
)
def test_refuses_names_that_nothing_in_the_pool_bears(
    find: Callable[[str], list[str]], expression: str, message: str, part: str
) -> None:
    with pytest.raises(SearchSyntaxError) as caught:
        find(expression)
    start, end = caught.value.span
    assert message in str(caught.value)
    assert expression[start:end] == part


def test_gives_up_on_what_takes_too_long(pool_connection: Connection) -> None:
    letters = [f"o:/{first}.*{second}.*[{first}{second}]q/" for first in "abcdefghijklm" for second in "nopqrstuvw"]
    search = compile_search(" or ".join(letters))
    with pytest.raises(QueryError, match=r"takes longer than 0\.001 s"):
        run_search(pool_connection, search, seconds=0.001)


def test_gives_up_on_a_hostile_expression(find: Callable[[str], list[str]]) -> None:
    # SQLite's engine gives up after a while; PostgreSQL's doesn't backtrack, so that it may just as well answer.
    with contextlib.suppress(QueryError):
        assert find(r"o:/(?:[a-z ]+[a-z ]*){2,9}q7/") == []
