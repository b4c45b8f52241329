"""Whose ability it is: the object's own, or one that it gives to something else.

CR 113.7: the source of an ability is the object that has it. A text that says who "has" or "gains" an ability gives it
to that object, which may be the one that bears the text: "this creature has ...", its name, a pronoun for it, or a
group that it belongs to ("all Slivers have ..." on a Sliver). What is aimed at a target or made as a token is something
else, even if the target could be the object itself.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from typing import NamedTuple


class Holder(Enum):
    """Who has an ability that stands on a card."""

    OWN = "own"
    """The object itself."""
    OTHER = "other"
    """Something else: a token, an emblem, the enchanted permanent, a target, a group that it isn't part of."""
    UNKNOWN = "unknown"
    """The words don't say, or not in a way that can be read."""


class Bearer(NamedTuple):
    """What of an object's characteristics decides whether words refer to it."""

    name: str
    type_line: str


# --- groups -------------------------------------------------------------------------------------------------------

_PERMANENT_TYPES = frozenset(("Artifact", "Battle", "Creature", "Enchantment", "Land", "Planeswalker"))
_LOWER_TYPES = frozenset(name.lower() for name in _PERMANENT_TYPES)
_SUPERTYPES = frozenset(("basic", "legendary", "ongoing", "snow", "token", "world"))
_STATES = frozenset(
    "all any attacking blocked blocking commander crewed each every exerted face-down face-up goaded modified monstrous"
    " renowned saddled suspected tapped transformed unblocked untapped your".split()
)
"""Words that a permanent may or may not fit at a given time: they never rule it out."""
_UNSEEN = frozenset("black blue colored colorless green historic monocolored multicolored red white".split())
"""Words that rest on characteristics which aren't looked at here."""
_ODD_PLURALS = {"Mouse": "Mice", "Ox": "Oxen"}

_ELSEWHERE = re.compile(
    r"\b(?:another|other|opponents?|enchanted|equipped|fortified|target|cards?|spells?|defending|that player"
    r"|chosen player|hands?|library|libraries|graveyards?|emblem)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(r" (?:with|without|of|that|which|named|whose|from|among|you|your|a|each|in|on)\b.*")
_ALTERNATIVES = re.compile(r",? and/or |,? and |,? or |, ")


@lru_cache(maxsize=4096)
def _plurals(word: str) -> frozenset[str]:
    """The word and whatever its plural may be: `Elf` -> Elf, Elfs, Elves, ..."""
    forms = {word, word + "s", word + "es", _ODD_PLURALS.get(word, word)}
    for ending, plural in (("y", "ies"), ("fe", "ves"), ("f", "ves"), ("us", "i"), ("man", "men")):
        if word.endswith(ending):
            forms.add(word[: -len(ending)] + plural)
    return frozenset(forms)


def _word_fits(word: str, types: frozenset[str]) -> bool | None:
    """Whether one word of a group's description fits an object of these types; None: it can't be told."""
    lower = word.lower()
    if lower in _STATES:
        return True
    if lower in _UNSEEN:
        return None
    single = lower.removesuffix("s")
    if single == "permanent":
        return bool(types & _PERMANENT_TYPES)
    for known in (lower, single):
        if known in _LOWER_TYPES or known in _SUPERTYPES:
            return known.capitalize() in types
    if lower.startswith("non"):
        fits = _word_fits(word[3:].removeprefix("-"), types)
        return None if fits is None else not fits
    return any(word in _plurals(name) for name in types)


def _group_fits(group: str, type_line: str) -> bool | None:
    """Whether an object of this type line is among "creatures you control", "all Slivers", ...; None: can't be told.

    What depends on the game (its counters, its power, a chosen name) counts as fitting, because it could.
    """
    if _ELSEWHERE.search(group):
        return False
    types = frozenset(type_line.split())
    unknown = False
    for alternative in _ALTERNATIVES.split(_CONDITION.sub("", group)):
        fits = [_word_fits(word, types) for word in alternative.split() if word not in ("the", "The")]
        if not fits or False in fits:
            continue
        if None not in fits:
            return True
        unknown = True
    return None if unknown else False


# --- subjects -----------------------------------------------------------------------------------------------------

_PRONOUN = re.compile(r"(?:it|he|she|they)$", re.IGNORECASE)
_LEAD = re.compile(
    r"(?:and|but|except|then|also|instead|where|until end of turn|this turn|until your next turn)\b[ ,]*", re.IGNORECASE
)
_ANTECEDENT = re.compile(
    r"(?P<own>(?:\bthis (?!turn|way|ability|mana|cost|effect|phase|game|combat)[\w’'-]+|~)(?!['’]s\b))"
    r"|\b(?:tokens?|boon|emblem)\b|\b(?:enchanted|equipped|fortified|target|each other|another|that|those) "
    r"(?!players?|turn|many|much|way|ability|mana|cost|damage)[\w’'-]+",
    re.IGNORECASE,
)


def _antecedent(before: str) -> Holder:
    """Whom a pronoun after these words stands for: what was named last."""
    last = None
    for last in _ANTECEDENT.finditer(before):  # noqa: B007  # only the last one counts
        pass
    if last is None:
        return Holder.UNKNOWN
    return Holder.OWN if last["own"] else Holder.OTHER


def _without_lead(subject: str) -> str:
    subject = subject.strip()
    while lead := _LEAD.match(subject):
        subject = subject[lead.end() :]
    return subject


def _is_itself(subject: str) -> bool:
    return subject.startswith(("~", "this ", "This "))


def who(subject: str, before: str, bearer: Bearer) -> Holder:
    """Whom a subject names, in a text with the name marked. `before` is what stands in front, for a pronoun."""
    subject = _without_lead(subject)
    for adverb in (" perpetually", " also", " each", " still"):
        subject = subject.removesuffix(adverb)
    if not subject:
        return Holder.UNKNOWN
    if _is_itself(subject):
        return Holder.OWN
    if _PRONOUN.match(subject):
        return _antecedent(before)
    if subject.lower().startswith(("that ", "those ")):
        return Holder.OTHER
    fits = _group_fits(subject, bearer.type_line)
    if fits is None:
        return Holder.UNKNOWN
    return Holder.OWN if fits else Holder.OTHER


def _replace_word(text: str, old: str) -> str:
    """The text with each `old` that stands as a word of its own written `~`."""
    if not old:
        return text  # the part before the comma of a name that begins with one
    at = text.find(old)
    while at >= 0:
        end = at + len(old)
        if text[at - 1 : at].isalnum() or text[end : end + 1].isalnum():
            at = text.find(old, end)
        else:
            text = f"{text[:at]}~{text[end:]}"
            at = text.find(old, at + 1)
    return text


def with_name_marked(text: str, bearer: Bearer) -> str:
    """The text with the object's own name written `~`: the whole, the part before a comma, a legend's first word.

    CR 201.5: a text that has its object's name means just that object; 201.5c: also a shortened form of a legend's.
    """
    name = bearer.name.removeprefix("A-")  # a rebalanced digital card has the prefix in its name, not in its text
    text = _replace_word(text, bearer.name)
    for short in (name, name.partition(",")[0]):
        text = _replace_word(text, short)
    first = name.partition(" ")[0]
    if "Legendary" in bearer.type_line and first not in ("The", "A", "An"):
        text = _replace_word(text, first.rstrip(","))
    return text


# --- sentences ----------------------------------------------------------------------------------------------------

_BOUNDARY = re.compile(r"[.:;!?] |[—–•|] ?")
_INTRODUCTION = re.compile(
    r"(?:(?:As long as|As|Until|During|At the beginning|When|Whenever|If|Then if|For|Each turn|In|On|After|Before|While"
    r"|Once)\b[^,]*, )+",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"(?:(?<= )|(?<=[’'])|^)"
    r"(?:has|have|had|gains?|gets?|becomes?|is|are|was|loses?|enters?|s|re|can|can['’]t|may)(?=[ ,]|$)"
)
_GIVES = re.compile(r"\b(?:has|have|gains?|with)\b")
_SEPARATOR = re.compile(r", | and | then | that ")
_MAKES = re.compile(
    r"\b(?:creates?|conjures?|emblem|boon)\b|\btokens?\b(?=.* (?:with|that has|that have)\b)", re.IGNORECASE
)
_LET_IT = re.compile(r"(?:You )?may have (this \w+|~) ", re.IGNORECASE)
_ELSEWHERE_NOW = re.compile(
    r"\b(?:is|are|remains) (?:in (?:your|a|the|its owner['’]s) (?:graveyard|hand|exile|library)|exiled)\b"
    r"|\b(?:sacrifice|exile|discard|return)s? (?:this\b|~)[^:]*: ",
    re.IGNORECASE,
)
"""A condition or a cost by which the object isn't on the battlefield, so that it is in no group there."""


def holder_of(before: str, bearer: Bearer) -> Holder:
    """Who has the ability that comes next, by the words in front of it in the same paragraph, the name marked.

    >>> sliver = Bearer("Some Sliver", "Creature — Sliver")
    >>> [holder_of(words, sliver).value for words in ("All Slivers have ", "Enchanted land has ", "~ gains ")]
    ['own', 'other', 'own']
    """
    start = 0
    for boundary in _BOUNDARY.finditer(before):
        if boundary.end() < len(before):
            start = boundary.end()
    if introduction := _INTRODUCTION.match(before, start):
        start = introduction.end()
    main = before[start:]
    if (near := _nearest_subject(main)) is not None:
        at, subject = near
        if _is_itself(subject):
            return Holder.OWN
        found = _antecedent(before[: start + at])
        if found is not Holder.UNKNOWN:
            return found
        main = main[:at] or main
    if _MAKES.search(main):
        return Holder.OTHER
    verb = _VERB.search(main)
    if verb is None:
        return Holder.OTHER if _MAKES.search(before) else Holder.UNKNOWN
    let_it = _LET_IT.match(main)
    subject = let_it[1] if let_it else main[: verb.start()].rstrip("’'")
    found = who(subject, before[:start], bearer)
    if found is Holder.OWN and _ELSEWHERE_NOW.search(before) and not _is_itself(_without_lead(subject)):
        return Holder.OTHER
    return found


def _nearest_subject(main: str) -> tuple[int, str] | None:
    """Where the clause that gives the ability begins, and its subject, if that is the object itself or a pronoun."""
    gives = None
    for gives in _GIVES.finditer(main):  # noqa: B007  # only the last one counts
        pass
    if gives is None:
        return None
    at = 0
    for separator in _SEPARATOR.finditer(main, 0, gives.start()):
        at = separator.end()
    subject = _without_lead(main[at : gives.start()])
    if _PRONOUN.match(subject) or (_is_itself(subject) and len(subject.split()) <= 2):
        return at, subject
    return None
