"""Where on a face mana is added, by what words, and whose ability it is.

CR 106.3: mana comes from mana abilities (605), from other abilities and from spells; whatever produces mana tells a
player to "add" it. CR 305.6: a land with a basic land type has the ability of that type without saying so. Two more
rules add mana without the word: firebending (702.189a) and doubling unspent mana (701.10f). A text that replaces mana
which something else produces (106.12b, "it produces ... instead") adds none itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from indexer.rules.card import Face
from indexer.rules.colors import MANA_OF_ANY_COLOR, MANA_OF_ANY_TYPE, NO_MANA, ManaTypes
from indexer.rules.holders import Bearer, Holder, holder_of, who, with_name_marked
from indexer.rules.mana_phrases import colors_to_choose, read_mana_phrase
from indexer.rules.rules_text import without_reminder_text
from indexer.rules.type_line import BASIC_LAND_TYPES, parse_type_line


class Addition(NamedTuple):
    """One place of a face that adds mana."""

    types: ManaTypes | None
    """What it may add; None if the words can't be read."""
    holder: Holder
    """Whose ability it is."""
    rule: str
    meaning: str
    """In short own words."""
    words: str
    """The words it rests on."""
    place: str = "rules text"
    any_type: bool = False
    """Whether the words say "any type" or the like, rather than colors or symbols."""


# --- the type line ------------------------------------------------------------------------------------------------


def intrinsic_mana(type_line: str) -> ManaTypes:
    """What the land types of this type line add by themselves (CR 305.6); nothing if it is no land.

    >>> intrinsic_mana("Land Creature — Forest Dryad"), intrinsic_mana("Creature — Forest Dryad")
    (ManaTypes('G'), ManaTypes(''))
    """
    if "Land" not in type_line:
        return NO_MANA
    parts = parse_type_line(type_line)
    if not parts.is_land:
        return NO_MANA
    return ManaTypes.from_letters(BASIC_LAND_TYPES[name] for name in parts.subtypes if name in BASIC_LAND_TYPES)


def _find_intrinsic(type_line: str) -> Iterator[Addition]:
    types = intrinsic_mana(type_line)
    if types:
        words = " ".join(name for name, letter in BASIC_LAND_TYPES.items() if letter in types)
        meaning = "a land has the mana ability of each of its basic land types"
        yield Addition(types, Holder.OWN, "305.6", meaning, words, "type line")


# --- texts that say "add" -----------------------------------------------------------------------------------------

_ADD = re.compile(r"(?<![-\w])adds?(?= )", re.IGNORECASE)
_NO_EFFECT = re.compile(
    r"(?:\b(?:when(?:ever)?|if|each time|unless|until|as) (?:[\w’']+ )?(?:you|they|players?|opponents?)"  # a condition
    r"|\bcauses? (?:[\w’']+ ){1,3}to"
    r"|\b(?:that|which|who)(?: would)?|\bwould(?: \w+)?"  # something that adds or would
    r"|n['’]t|\bnot|\bnever) $",
    re.IGNORECASE,
)
"""What in front of "add" in its sentence makes it no instruction to add mana."""
_INSTEAD = re.compile(r"\binstead(?: \w+){0,3} $", re.IGNORECASE)
_WOULD_ADD = re.compile(r"\bwould add\b", re.IGNORECASE)
_NEAR = 100
"""So many characters in front of "add" hold any words that those patterns look for: without a limit, a text of nothing
but "add" takes time by the square of its length."""
_POOL = re.compile(r" to (?:[\w’']+ ){1,4}mana pools?\b", re.IGNORECASE)
"""Where the mana goes, said by texts older than CR 106.4's errata."""


def _find_added(text: str, chosen: ManaTypes, holder: Holder) -> Iterator[Addition]:
    """The places where this text, taken as one holder's, tells a player to add mana."""
    if "mana pool" in text:
        text = _POOL.sub("", text)
    sentence = seen = 0
    for add in _ADD.finditer(text):
        sentence = max(sentence, text.rfind(". ", seen, add.start()) + 1)
        seen = add.start()
        near = text[max(sentence, seen - _NEAR) : seen]
        # The last is about mana that something else adds, replaced.
        if _NO_EFFECT.search(near) or (_INSTEAD.search(near) and _WOULD_ADD.search(text, sentence, seen)):
            continue
        phrase = read_mana_phrase(text, add.end(), chosen)
        if phrase is not None:
            words = text[add.start() : phrase.end].strip()
            yield Addition(phrase.types, holder, phrase.rule, phrase.meaning, words, any_type=phrase.any_type)
    if "ouble" in text:
        yield from _find_doubled(text, holder)


_DOUBLE = re.compile(r"\bdoubles? (?P<what>[^.;:\"]*?\bmana\b[^.;:\"]*)", re.IGNORECASE)
_UNSPENT = re.compile(r"\b(?:unspent|mana pool)\b|^(?:your|their) (?:\w+ )?mana", re.IGNORECASE)
_MANA_NAMES = {"white": "W", "blue": "U", "black": "B", "red": "R", "green": "G", "colorless": "C"}


def _find_doubled(text: str, holder: Holder) -> Iterator[Addition]:
    """CR 701.10f: to double unspent mana of a type is to add as much again."""
    for double in _DOUBLE.finditer(text):
        what = double["what"].lower()
        if not _UNSPENT.search(what):
            continue
        named = ManaTypes.from_letters(
            letter for name, letter in _MANA_NAMES.items() if re.search(rf"\b{name}\b", what)
        )
        meaning = "doubling unspent mana adds as much again of that type"
        words = double[0].strip()
        yield Addition(named or MANA_OF_ANY_TYPE, holder, "701.10f", meaning, words, any_type=not named)


# --- firebending --------------------------------------------------------------------------------------------------

_FIREBENDING = re.compile(r"\bfirebending (?:\d+|X)\b", re.IGNORECASE)
_GIVEN = re.compile(r"\b(?:has|have|gains?|with)\b[^.:;]*$")
_FIREBENDING_MANA = ManaTypes.from_letters("R")


def _find_firebending(text: str, bearer: Bearer) -> Iterator[Addition]:
    """CR 702.189a: firebending N adds N red mana whenever the creature attacks."""
    for keyword in _FIREBENDING.finditer(text):
        before = text[: keyword.start()]
        given = _GIVEN.search(before)
        holder = holder_of(before, bearer) if given else Holder.OWN
        if holder is Holder.UNKNOWN and given and given[0].startswith("with"):
            continue  # "creatures with firebending 1" speaks of the ability and gives it to nobody
        meaning = "firebending adds red mana whenever the creature attacks"
        yield Addition(_FIREBENDING_MANA, holder, "702.189a", meaning, keyword[0])


# --- land types that a text gives to its own object ---------------------------------------------------------------

_BASIC = "|".join(BASIC_LAND_TYPES)
_GIVES_TYPE = re.compile(
    rf"(?:\b(?:is|are|becomes?|gains?)\b|(?<=\w)['’](?:s|re)\b)"
    rf"(?P<rest>(?P<before>[^.:;\"]*?)\b(?:(?:{_BASIC})s?|basic land types?|(?P<chosen>chosen types?))\b[^.:;\"]*)"
)
_NOT_A_TYPE_GIVEN = re.compile(r"\b(?:number|each|control|search|cards?|where|with|protection|of|for|by|from)\b")
_REST_ENDS = re.compile(r"\b(?:in addition|until|as long as|for|where|with|while)\b")
_NAMES_TYPE = re.compile(rf"\b(?:(?:{_BASIC})s?|basic land types?|chosen types?)\b")
_CLAUSE_END = re.compile(r"[.,:;—•]")
_COMPARES = re.compile(r"\b(?:if|when|whenever|as long as|unless|search|controls?|for each)\b", re.IGNORECASE)


def _may_give_land_type(type_line: str, text: str) -> bool:
    return (
        " land" in text
        and ("Land" in type_line or " lands in addition" in text or " land in addition" in text)
        and _NAMES_TYPE.search(text) is not None
    )


def _find_given_types(text: str, face: Face, bearer: Bearer) -> Iterator[Addition]:
    """Basic land types that a text gives to its own object, with the abilities that come with them (CR 305.6)."""
    for gives in _GIVES_TYPE.finditer(text):
        if _NOT_A_TYPE_GIVEN.search(gives["before"]):
            continue
        rest = _REST_ENDS.split(gives["rest"])[0]
        start = 0
        for clause in _CLAUSE_END.finditer(text, 0, gives.start()):
            start = clause.end()
        subject = text[start : gives.start()].strip()
        if _COMPARES.search(subject.replace("you control", "")) or not ("Land" in face.type_line or "land" in rest):
            continue
        if gives["chosen"] and "basic land type" not in (face.rules_text or ""):
            continue
        if who(subject, text[:start], bearer) is not Holder.OWN:
            continue
        named = ManaTypes.from_letters(
            letter for name, letter in BASIC_LAND_TYPES.items() if re.search(rf"\b{name}s?\b", rest)
        )
        meaning = "gives itself a basic land type, and with it that type's ability"
        words = text[start : gives.end()].strip()
        yield Addition(named or MANA_OF_ANY_COLOR, Holder.OWN, "305.6", meaning, words)


# --- a paragraph --------------------------------------------------------------------------------------------------

_QUOTE = re.compile(r"[\"“”]")
_INNER_QUOTE = re.compile(r"(?<![\w’'])['‘](?=[{A-Z\d])(.*?)['’](?!\w)")


def _speaks_of_adding(text: str) -> bool:
    return "dd" in text or "irebending" in text or "ouble" in text


def _choice(paragraph: str, face: Face) -> ManaTypes:
    """What "the chosen color" or "that color" can be in this paragraph of the face."""
    text = face.rules_text or ""
    if "hoos" not in text:
        return MANA_OF_ANY_COLOR
    return colors_to_choose(paragraph) or colors_to_choose(text) or MANA_OF_ANY_COLOR


def _find_in_paragraph(paragraph: str, face: Face) -> Iterator[Addition]:
    """The additions of one paragraph, its reminder text taken out before."""
    bearer = Bearer(face.name, face.type_line)
    chosen = _choice(paragraph, face)
    # CR 123.7: a sticker's ability is had by what the sticker is put on.
    holder = Holder.OTHER if face.type_line == "Stickers" else Holder.OWN
    if not _QUOTE.search(paragraph) and "irebending" not in paragraph:
        yield from _find_added(paragraph, chosen, holder)
        return
    pieces = _QUOTE.split(with_name_marked(paragraph, bearer))
    own = pieces[0]
    for quoted, after in zip(pieces[1::2], [*pieces[2::2], ""], strict=False):
        if _speaks_of_adding(quoted):
            yield from _find_in_quotation(quoted, own, chosen, bearer, holder)
        own += '""' + after
    yield from _find_added(own, chosen, holder)
    if "irebending" in own:
        yield from _find_firebending(own, bearer)


def _find_in_quotation(
    quoted: str, before: str, chosen: ManaTypes, bearer: Bearer, bearer_holder: Holder
) -> Iterator[Addition]:
    """The additions of one quoted ability, and of those that it quotes in turn if it is the object's own."""
    holder = bearer_holder
    if holder is Holder.OWN:
        names_a_token = "this token" in quoted.lower() and "Token" not in bearer.type_line
        holder = Holder.OTHER if names_a_token else holder_of(before, bearer)
    yield from _find_added(_INNER_QUOTE.sub("''", quoted), chosen, holder)
    for inner in _INNER_QUOTE.finditer(quoted):
        inner_holder = holder_of(quoted[: inner.start()], bearer) if holder is Holder.OWN else holder
        yield from _find_added(inner[1], chosen, inner_holder)


# --- the face -----------------------------------------------------------------------------------------------------

_SAYS_ADD = re.compile(r"\b[Aa]dds?\b")


def says_nothing_of_mana(type_line: str, text: str) -> bool:
    """Whether the text surely adds no mana and gives no land type: the quick way out for most cards."""
    return not (
        ("dd" in text and _SAYS_ADD.search(text))
        or "irebending" in text
        or ("ouble" in text and "mana" in text)
        or _may_give_land_type(type_line, text)
    )


def find_additions(face: Face) -> list[Addition]:
    """Every place of a face that adds mana, type line first; reminder text is left out.

    The rules text must be known.
    """
    found = list(_find_intrinsic(face.type_line))
    text = face.rules_text or ""
    if says_nothing_of_mana(face.type_line, text):
        return found
    gives_types = _may_give_land_type(face.type_line, text)
    bearer = Bearer(face.name, face.type_line)
    for line in text.split("\n"):
        if gives_types or _speaks_of_adding(line):
            paragraph = without_reminder_text(line)
            if _speaks_of_adding(paragraph):
                found.extend(_find_in_paragraph(paragraph, face))
            if gives_types and _NAMES_TYPE.search(paragraph):
                outside_quotes = "".join(_QUOTE.split(with_name_marked(paragraph, bearer))[::2])
                found.extend(_find_given_types(outside_quotes, face, bearer))
    return [each._replace(words=each.words.replace("~", face.name)) if "~" in each.words else each for each in found]


def find_written(face: Face) -> list[Addition]:
    """Every place of a face that adds mana, whoever would have the ability, reminder text and quotations included."""
    found = list(_find_intrinsic(face.type_line))
    for line in (face.rules_text or "").split("\n"):
        if _speaks_of_adding(line):
            flat = re.sub(r"[\"“”()]|(?<!\w)['‘]|['’](?!\w)", " ", line)
            found.extend(_find_added(flat, _choice(line, face), Holder.UNKNOWN))
            found.extend(_find_firebending(flat, Bearer(face.name, face.type_line)))
    return found
