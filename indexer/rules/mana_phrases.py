"""What the words after "add" give: which types of mana they may be.

CR 106.3: an effect that produces mana tells a player to add it. CR 106.1a, 106.1b: "any color" is five, "any type" six.
CR 106.7: what some permanent "could produce" is any of those. Words that speak of mana in another way are left open.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from indexer.rules.colors import (
    COLOR_NAMES,
    COLORLESS_MANA,
    MANA_OF_ANY_COLOR,
    MANA_OF_ANY_TYPE,
    NO_MANA,
    ManaTypes,
)
from indexer.rules.symbol_mana import rule_of_row, types_of_row


class ManaPhrase(NamedTuple):
    """What a phrase after "add" gives."""

    types: ManaTypes | None
    """The types it may give; None if it speaks of mana in a way that can't be read."""
    rule: str
    meaning: str
    """In short own words."""
    end: int
    """Where the phrase ends in the text."""
    any_type: bool = False
    """Whether it is mana of any type, as distinct from colors and symbols."""


class _Item(NamedTuple):
    types: ManaTypes
    rule: str
    meaning: str
    end: int
    any_type: bool = False


_COLOR_WORDS: dict[str, ManaTypes] = {name: ManaTypes.from_letters(letter) for letter, name in COLOR_NAMES.items()}
_TYPE_WORDS: dict[str, ManaTypes] = {**_COLOR_WORDS, "colorless": COLORLESS_MANA}
_TYPE_NAMES = "|".join(_TYPE_WORDS)

_NUMBER_WORDS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty"
).split()
_COUNTING = "|".join(
    (
        *_NUMBER_WORDS,
        r"\d+|[XYZ]|an?|the|that|this|as|of|much|many|amounts?|number|equal|additional|extra|another|more|total",
        r"twice|thrice|times|half|double|triple|up|to|any|either|both|same|exactly|plus|all",
    )
)
_QUANTITY = re.compile(rf"\s*(?:(?:{_COUNTING})\s+)*", re.IGNORECASE)
_ROW = re.compile(r"(?:\{[^{}\s]+\})+")
_OTHER_MANA = r"(?!['’]| (?:values?|costs?|abilit|pools?|symbols?))"
"""After "mana": that it is no word for something else than mana."""
_MANA = re.compile(
    rf"((?:(?:{_TYPE_NAMES})(?: and/or | and | or |, or |, | ))*)mana\b{_OTHER_MANA}",
    re.IGNORECASE,
)
_JOINT = re.compile(r",? (?:and/or|and|or|plus) |, ", re.IGNORECASE)
_OF_SYMBOLS = re.compile(
    r" (?:of|in) (?:(?:any|either|one|combination|combinations|of|the|following) )*(?=\{)", re.IGNORECASE
)
_OF_NAMED = re.compile(
    rf" (?:of|in)\b[^.;:{{\"]*?\b((?:(?:{_TYPE_NAMES})(?:,? and/or |,? or |,? and |, )?)+)(?= |[.,]|$)"
)
_OF_COLOR_OR_TYPE = re.compile(r" (?:of|in|from)\b[^.;:\"{]*?\b(colou?rs?|types?)\b", re.IGNORECASE)
_OTHER_THAN = re.compile(rf"\W*(?:other than|except(?: for)?) (\{{[WUBRGC]\}}|{_TYPE_NAMES})\b", re.IGNORECASE)
_COULD = re.compile(r"[^.;:\"{]*?\b(?:could|can) produce\b", re.IGNORECASE)
_OF_COST = re.compile(r" equal to [^.;:\"]*?\bmana costs?\b", re.IGNORECASE)
_NOTED = re.compile(r"\s*(?:[^\s.,:;\"]+ ){0,3}last noted types? and amounts? of mana\b", re.IGNORECASE)
_LOST = re.compile(r"(?: that player| they| you)? (?:lost|emptied) this way\b", re.IGNORECASE)
_CHOSEN = re.compile(r"\b(chosen|that)\b", re.IGNORECASE)
_UNREAD = re.compile(
    rf"(?:(?:{_COUNTING})\s+)*(?:\{{|(?:{_TYPE_NAMES} )?mana\b{_OTHER_MANA}"
    r"(?! (?:can|may|is|isn|lasts|remains|doesn|won|empties|you|they)\b))",
    re.IGNORECASE,
)
"""After a joint: that the list of mana goes on, and not the sentence ("and that mana can't be ...")."""


def _types_of_words(words: str) -> ManaTypes:
    types = NO_MANA
    for word in re.findall(_TYPE_NAMES, words.lower()):
        types |= _TYPE_WORDS[word]
    return types


_ROW_MEANINGS = {
    "106.3": "adds mana of the symbols' types",
    "106.5": "the symbol is no type of mana, so nothing is added",
    "106.8": "adds mana of either half of the hybrid symbol",
    "106.9": "adds mana of the Phyrexian symbol's color",
    "106.10": "adds colorless mana for the generic symbol",
    "106.11": "adds colorless mana for the snow symbol",
}


def _read_row(text: str, at: int) -> _Item | None:
    """A row of symbols."""
    row = _ROW.match(text, at)
    if row is None:
        return None
    types = types_of_row(row[0])
    if types is None:
        return None
    rule = rule_of_row(row[0])
    return _Item(types, rule, _ROW_MEANINGS[rule], row.end())


def _joined(text: str, first: _Item, read: Callable[[str, int], _Item | None]) -> _Item | None:
    """The list that begins with an item, as one; None if it goes on with an item that can't be read."""
    types, end, any_type = first.types, first.end, first.any_type
    while joint := _JOINT.match(text, end):
        more = read(text, joint.end())
        if more is None:
            if _UNREAD.match(text, joint.end()):
                return None
            break
        types, end, any_type = types | more.types, more.end, any_type or more.any_type
    return first._replace(types=types, end=end, any_type=any_type)


def _read_qualifier(text: str, at: int, chosen: ManaTypes) -> _Item | None:
    """What stands after the word "mana": the types it may be of."""
    if symbols := _OF_SYMBOLS.match(text, at):
        first = _read_row(text, symbols.end())
        rows = _joined(text, first, _read_row) if first else None
        return rows and rows._replace(meaning="adds mana of the symbols' types, in any combination")
    if match := _OF_COLOR_OR_TYPE.match(text, at):
        if match[1].lower().startswith("type"):
            types, rule, meaning = MANA_OF_ANY_TYPE, "106.1b", "the type is open: any of the six"
        elif _CHOSEN.search(match[0]):
            types, rule, meaning = chosen, "106.1a", "the color is whichever was chosen or referred to"
        else:
            types, rule, meaning = MANA_OF_ANY_COLOR, "106.1a", "the color is open: any of the five, never colorless"
        any_type = types == MANA_OF_ANY_TYPE
        if less := _OTHER_THAN.match(text, match.end()):
            types -= _types_of_words(less[1]) or ManaTypes.from_letters(less[1].strip("{}"))
        if could := _COULD.match(text, match.end()):
            return _Item(types, "106.7", "adds what some permanent could produce: " + meaning, could.end(), any_type)
        return _Item(types, rule, meaning, match.end(), any_type)
    if named := _OF_NAMED.match(text, at):
        return _Item(_types_of_words(named[1]), "106.1b", "adds mana of the named types", named.end())
    if cost := _OF_COST.match(text, at):
        return _Item(MANA_OF_ANY_TYPE, "106.10", "adds what a mana cost shows; generic is colorless", cost.end(), True)
    if lost := _LOST.match(text, at):
        return _Item(MANA_OF_ANY_TYPE, "106.13", "moves unspent mana of any type to another pool", lost.end(), True)
    return None


def _read_item(text: str, at: int, chosen: ManaTypes) -> _Item | None:
    if noted := _NOTED.match(text, at):
        return _Item(MANA_OF_ANY_TYPE, "106.1b", "the type is open: any of the six", noted.end(), True)
    quantity = _QUANTITY.match(text, at)
    at = quantity.end() if quantity else at
    if text.startswith("{", at):
        return _read_row(text, at)
    mana = _MANA.match(text, at)
    if mana is None:
        return None
    if mana[1]:
        return _Item(_types_of_words(mana[1]), "106.1b", "adds mana of the named types", mana.end())
    return _read_qualifier(text, mana.end(), chosen)


_SPEAKS_OF_MANA = re.compile(rf"(?:[^\s.,:;\"]+\s+){{0,4}}?(?:mana\b{_OTHER_MANA}|\{{[^{{}}\s]+\}})", re.IGNORECASE)


def read_mana_phrase(text: str, start: int, chosen: ManaTypes = MANA_OF_ANY_COLOR) -> ManaPhrase | None:
    """What the words from `start`, just after "add" or "adds", give; None if they don't speak of mana.

    `chosen` is what "the chosen color" and "that color" can be. CR 106.3: an effect that produces mana tells a player
    to add it.

    >>> read_mana_phrase("Add {R}, {G}, or one mana of the chosen color.", 4).types
    ManaTypes('WUBRG')
    >>> read_mana_phrase("add a lore counter", 3)
    """

    def read(text: str, at: int) -> _Item | None:
        return _read_item(text, at, chosen)

    first = read(text, start)
    item = first and _joined(text, first, read)
    if item is None:
        if unread := _SPEAKS_OF_MANA.match(text, start + 1):
            return ManaPhrase(None, "106.3", "adds mana in words that can't be read", unread.end())
        return None
    return ManaPhrase(item.types, item.rule, item.meaning, item.end, item.any_type)


_NAMED = rf"(?:{_TYPE_NAMES})"
_CHOICE = re.compile(
    rf"\bchoos(?:e|es|ing) (?:(?:a|any|one|two|three|four|another)\b(?: or more)? colors?"
    rf"(?P<less> other than (?:\{{[WUBRG]\}}|{_NAMED}))?|(?P<named>{_NAMED}(?:,? or {_NAMED}|, {_NAMED})+))",
    re.IGNORECASE,
)


def colors_to_choose(text: str) -> ManaTypes:
    """The colors that the text lets a player choose: five, or fewer if it names them or leaves some out.

    Empty: it lets nobody choose a color.

    >>> colors_to_choose("As this land enters, choose a color other than green.")
    ManaTypes('WUBR')
    """
    types = NO_MANA
    for choice in _CHOICE.finditer(text):
        if choice["named"]:
            types |= _types_of_words(choice["named"])
        elif choice["less"]:
            less = choice["less"].rpartition(" ")[2]
            types |= MANA_OF_ANY_COLOR - (_types_of_words(less) or ManaTypes.from_letters(less.strip("{}").upper()))
        else:
            return MANA_OF_ANY_COLOR
    return types
