r"""Regular expressions as Scryfall documents them, in the spelling of the two engines that run them.

They are PostgreSQL's: case is ignored, anchors meet lines, `.` and negated sets stay within a line, there are no
backreferences and no options. Scryfall adds shorthands: `\sm` is any mana symbol, `\sc` a colored one, `\smr` one twice
in a row, `\smh` a hybrid and `\smp` a Phyrexian one, `\ss` any symbol, `\spt` is 2/2, `\spp` +2/+2, `\smm` -2/-2.

SQLite runs them in the `regex` package, which can give up after a time. Either engine gets only what it can bear.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import regex

MAX_LENGTH = 300
MAX_REPEAT = 255
"""PostgreSQL's limit for `{m,n}`."""
MAX_EXPANSION = 1000
"""How many copies nested repeats may ask for in all: an engine may well write them all out."""
FLAGS = regex.IGNORECASE | regex.MULTILINE

_NUMBER = r"[\dX*]+"
SHORTHANDS: dict[str, str] = {
    "smr": "(?:" + "|".join(rf"\{{{letter}\}}\{{{letter}\}}" for letter in "WUBRGCSX") + ")",
    "smh": r"\{[WUBRG2C]/[WUBRG](?:/P)?\}",
    "smp": r"\{[WUBRGC](?:/[WUBRG])?/P\}",
    "smm": rf"-{_NUMBER}/-{_NUMBER}",
    "spt": rf"{_NUMBER}/{_NUMBER}",
    "spp": rf"\+{_NUMBER}/\+{_NUMBER}",
    "sm": r"\{(?:\d+|[WUBRGCSXYZ½∞]|H[WUBRG]|[WUBRG2C](?:/[WUBRG])?(?:/P)?)\}",
    "sc": r"\{(?:[WUBRG](?:/[WUBRG])?(?:/P)?|[2C]/[WUBRG])\}",
    "ss": r"\{[^{}\n]+\}",
}
"""Shorthand without its backslash -> expression. A longer one stands before the one it begins with."""

_TOKENS = re.compile(
    rf"""
    (?P<shorthand>\\(?:{"|".join(SHORTHANDS)}))
    | (?P<escape>\\.)
    | (?P<set>\[\^?\]?(?:\\.|\[:[a-z]+:\]|[^\]\\])*\])
    | (?P<look>\(\?<?[=!])
    | (?P<open>\((?:\?:|(?!\?)))
    | (?P<close>\))
    | (?P<repeat>[*+?]|\{{\d+(?:,\d*)?\}})
    | (?P<plain>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPES = frozenset(r"dDsSwWbBnt" + r"""\/^$.|?*+()[]{}-'"!#%&,:;<=>@_`~ """)
_POSTGRESQL = {r"\b": r"\y", r"\B": r"\Y"}


class InvalidPattern(ValueError):
    """An expression outside the language. `place` is the character where it goes wrong."""

    def __init__(self, message: str, place: int) -> None:
        super().__init__(message)
        self.place = place


@dataclass(frozen=True, slots=True)
class Pattern:
    """One expression, ready for both databases."""

    sqlite: str
    postgresql: str
    literal: str
    """A piece without blanks that every text it matches has; empty if none is certain."""
    mentions_self: bool
    """Whether it has `~`, the card's own name."""


class _Token(NamedTuple):
    kind: str
    text: str


@dataclass(slots=True)
class _Group:
    copies: int = 1
    """How many copies counted repeats make of the dearest part; 0 if there is nothing to repeat."""
    is_look: bool = False


@lru_cache(maxsize=64)
def compile_pattern(text: str) -> Pattern:
    r"""The expression between two slashes.

    >>> compile_pattern(r"\bdraws? (two|three) cards").literal
    'cards'
    >>> compile_pattern(r"^\spp\b").postgresql
    '(?in)^(?:\\+[\\dX*]+/\\+[\\dX*]+)\\y'

    Raises:
        InvalidPattern: a backreference, an option, an unknown escape, an unbalanced group, a repeat out of bounds.
    """
    if len(text) > MAX_LENGTH:
        raise InvalidPattern(f"the regular expression has more than {MAX_LENGTH} characters", MAX_LENGTH)
    tokens = _checked_tokens(text)
    sqlite = "".join(_within_line(token) for token in tokens)
    try:
        regex.compile(sqlite, FLAGS)
    except regex.error as error:
        raise InvalidPattern(f"the regular expression can't be read: {error}", 0) from error
    return Pattern(
        sqlite=sqlite,
        postgresql="(?in)" + "".join(_POSTGRESQL.get(token.text, token.text) for token in tokens),
        literal=_certain_literal(tokens),
        mentions_self="~" in text,
    )


def _within_line(token: _Token) -> str:
    # A negated set never takes a line end in PostgreSQL's line mode.
    return token.text[:-1] + r"\n]" if token.text.startswith("[^") else token.text


def _checked_tokens(text: str) -> list[_Token]:
    groups = [_Group()]
    last = _Group(0)
    """What a repeat would repeat."""
    tokens: list[_Token] = []
    for match in _TOKENS.finditer(text):
        kind, token, place = str(match.lastgroup), match.group(), match.start()
        if kind == "repeat" and last.copies == 0 and token[0] == "{":
            kind, token = "escape", rf"\{token[:-1]}\}}"  # With nothing to repeat, `{2}` is the symbol.
        match kind:
            case "shorthand":
                token, last = f"(?:{SHORTHANDS[token[1:]]})", _Group()
            case "escape":
                _check_escape(token, place)
                last = _Group(0 if token in _POSTGRESQL else 1)
            case "set":
                last = _Group()
            case "open" | "look":
                groups.append(_Group(is_look=kind == "look"))
                last = _Group(0)
            case "close":
                if len(groups) == 1:
                    raise InvalidPattern("a parenthesis in the regular expression closes nothing", place)
                closed = groups.pop()
                last = _Group(0 if closed.is_look else closed.copies)
            case "repeat":
                if token == "?" and tokens and tokens[-1].kind == "repeat":
                    kind = "lazy"
                else:
                    _repeat(token, place, last, groups[-1])
                last = _Group(0)
            case _:
                if token in "[(\\":
                    raise InvalidPattern(_ODD[token], place)
                last = _Group(0 if token in "|^$" else 1)
                if token in "{}":
                    kind, token = "escape", "\\" + token
        tokens.append(_Token(kind, token))
    if len(groups) > 1:
        raise InvalidPattern("a parenthesis in the regular expression is never closed", len(text))
    return tokens


_ODD = {
    "[": "a bracket in the regular expression is never closed",
    "(": "the regular expression has an option or a named group; there are none",
    "\\": "the regular expression ends in a backslash",
}


def _check_escape(token: str, place: int) -> None:
    if token[1] in "123456789":
        raise InvalidPattern(f"the regular expression has a backreference ({token}); there are none", place)
    if token[1] not in _ESCAPES:
        raise InvalidPattern(f"the escape {token} means nothing in a regular expression here", place)


def _repeat(token: str, place: int, repeated: _Group, around: _Group) -> None:
    if repeated.copies == 0:
        raise InvalidPattern(f"{token!r} in the regular expression repeats nothing", place)
    counts = [int(count) for count in re.findall(r"\d+", token)]
    if counts and (max(counts) > MAX_REPEAT or counts != sorted(counts)):
        raise InvalidPattern(f"the repeat {token} is out of bounds (0 to {MAX_REPEAT}, the smaller first)", place)
    copies = repeated.copies * max([1, *counts])
    if copies > MAX_EXPANSION:
        raise InvalidPattern("the repeats in the regular expression multiply to more than can be searched for", place)
    around.copies = max(around.copies, copies)


def _certain_literal(tokens: list[_Token]) -> str:
    """The longest run of plain characters outside groups that every match must contain."""
    depth = 0
    runs = [""]
    for token, follower in zip(tokens, [*tokens[1:], _Token("end", "")], strict=True):
        depth += (token.kind in ("open", "look")) - (token.kind == "close")
        if token == _Token("plain", "|") and depth == 0:
            return ""
        character = _plain_character(token)
        if depth or character is None:
            runs.append("")
        elif follower.kind == "repeat":
            # It may be missing; if it may not, another of its kind may come between it and the next.
            runs[-1] += character if follower.text == "+" else ""
            runs.append("")
        else:
            runs[-1] += character
    return max(runs, key=len)


def _plain_character(token: _Token) -> str | None:
    if token.kind == "plain":
        return None if token.text in ".^$|~" or token.text.isspace() or not token.text.isascii() else token.text
    if token.kind == "escape" and not token.text[1].isalnum():
        return token.text.replace("\\", "", 1).replace("\\}", "}") if token.text[1] != " " else None
    return None
