"""Colors: from mana cost, color indicator and characteristic-defining abilities (CR 202.2, 204, 604.3, 702.114)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from indexer.rules.card import Arrangement, Card, Face, ObjectKind
from indexer.rules.colors import ALL_COLORS, COLOR_NAMES, COLORLESS, ColorSet
from indexer.rules.derivation import Decision, Derived, Trace, Undecidable
from indexer.rules.faces import arrangement_rule, has_cost_of_inset, mana_cost_of_face, place_of, trace_outside_play
from indexer.rules.rules_text import without_quotations, without_reminder_text
from indexer.rules.type_line import parse_type_line

_LETTER_OF = {name: letter for letter, name in COLOR_NAMES.items()}
_COLOR = "|".join(_LETTER_OF)


class DefiningAbility(NamedTuple):
    """A characteristic-defining ability that gives an object its color (CR 604.3)."""

    colors: ColorSet
    rule: str
    words: str
    adds: bool
    """True if it adds to the object's other colors instead of setting them."""
    affects_identity: bool
    """False if the card says that this ability leaves its color identity alone (CR 101.1)."""


# The whole first sentence of a line: nothing before the subject, nothing after the colors. So a condition ("as long
# as", "if"), an activated or triggered ability, or an effect on something else never fits (CR 604.3a).
_SENTENCE = re.compile(
    rf"(?:[^.:—]{{1,40}} — )?(?P<subject>[^.:]+?) (?:is|are) "
    rf"(?P<colors>all colors|every color|colorless|(?:{_COLOR})(?:(?:, and |, | and )(?:{_COLOR}))*)"
    rf"(?P<adds> in addition to (?:its|their) other colors)?(?:\.|$)"
)
_SELF = re.compile(r"[Tt]his (?:card|spell|permanent|object|token|[a-z]+)$")
_NO_EFFECT_ON_IDENTITY = re.compile(
    r"(?:doesn[’']t|does not) (?:affect|change|count toward) (?:its|this card[’']s|[^.]{1,60}[’']s) color identity"
)
_LATER_SECTION = re.compile(r"(?:LEVEL|STATION)\b|\d+\+|.*: Level \d", re.DOTALL)
_HINTS = ("evoid", "all colors", "every color", " is colorless", *(f" is {name}" for name in _LETTER_OF))


def defining_ability(face: Face) -> DefiningAbility | None:
    """The ability of this face that defines its color, if it has one.

    Raises:
        Undecidable: two that contradict each other.
    """
    text = face.rules_text
    if not text:
        return None
    # Few texts have one of these words; a plain loop costs a third of `any` with a generator (measured).
    for hint in _HINTS:
        if hint in text:
            break
    else:
        return None
    found = _find_defining_abilities(face.name, text)
    if len({(ability.colors, ability.adds) for ability in found}) > 1:
        words = " / ".join(ability.words for ability in found)
        raise Undecidable("604.3", f"abilities of {face.name!r} define different colors: {words}")
    return found[0] if found else None


@lru_cache(maxsize=1024)
def _find_defining_abilities(name: str, text: str) -> tuple[DefiningAbility, ...]:
    found = []
    for line in without_quotations(without_reminder_text(text)).splitlines():
        line = line.strip()
        if _LATER_SECTION.match(line):
            # What stands under a level or station bar holds only from that level on: conditional (CR 604.3a).
            break
        if _is_keyword(line, "devoid"):
            found.append(DefiningAbility(COLORLESS, "702.114a", "Devoid", adds=False, affects_identity=True))
            continue
        match = _SENTENCE.match(line)
        if match is None or not names_itself(match["subject"], name):
            continue
        words = match["colors"]
        if words in ("all colors", "every color"):
            colors = ALL_COLORS
        else:
            colors = ColorSet.from_letters(_LETTER_OF[word] for word in re.findall(_COLOR, words))
        found.append(
            DefiningAbility(
                colors,
                "604.3",
                match.group().rstrip("."),
                adds=match["adds"] is not None,
                affects_identity=_NO_EFFECT_ON_IDENTITY.search(line) is None,
            )
        )
    return tuple(found)


def _is_keyword(line: str, keyword: str) -> bool:
    """Whether a line is a list of keywords with this one among them, and not a sentence that speaks of it."""
    if keyword not in line.lower() or "." in line:
        return False
    words = [word.strip().lower() for word in re.split(r"[,;]", line)]
    return keyword in words and all(len(word.split()) <= 4 for word in words)


def names_itself(subject: str, name: str) -> bool:
    """Whether these words of a card's text mean the card: its name, the start of it, or "this creature" and the like.

    >>> names_itself("Fallaji Wayfarer", "Fallaji Wayfarer"), names_itself("Target creature", "Fallaji Wayfarer")
    (True, False)
    """
    if _SELF.match(subject):
        return True
    full = name.removeprefix("A-")
    # A legend's text uses a short form of its name: the words before the comma or the first ones.
    return subject in (full, name) or (full.startswith(subject) and full[len(subject)] in ", ")


def face_colors(card: Card, index: int, trace: Trace | None = None) -> Derived[ColorSet]:
    """The colors of an object that uses this face.

    Tokens, emblems and other things that are no cards have given colors (CR 111.3); a flipped half keeps the card's
    (CR 710.1c). Undecided if the cost or the text is missing or unreadable.
    """
    try:
        arrangement_rule(card)
        if card.arrangement is Arrangement.FLIP and index:
            if trace is not None:
                trace.add("710.1c", "flipping doesn't change the color", card.faces[0].name, "card")
            front = _colors(card, card.faces[0], trace)
            return front._replace(rule="710.1c")
        return _colors(card, card.faces[index], trace)
    except Undecidable as reason:
        return reason.derived()


def card_colors(card: Card, trace: Trace | None = None) -> Derived[ColorSet]:
    """The colors of the card outside the game: of its front, its normal characteristics, or all split halves."""
    try:
        rule = arrangement_rule(card)
        trace_outside_play(card, rule, trace)
        if not rule.every_face:
            return _colors(card, card.faces[0], trace)
        colors = COLORLESS
        for face in card.faces:
            part = _colors(card, face, trace)
            if part.value is None:
                return part
            colors |= part.value
    except Undecidable as reason:
        return reason.derived()
    if trace is not None:
        trace.add("709.4b", f"the halves together: {_words(colors)}", card.name, "mana costs")
    return Derived(colors, "709.4b")


def has_given_colors(card: Card, face: Face) -> bool:
    """Whether this object's colors are stated with it instead of following from a cost.

    Always so for tokens (CR 111.3) and what is no card at all; for a vanguard, which has no cost either, if its colors
    are stated.
    """
    if card.kind is ObjectKind.CARD:
        return False
    return card.kind is not ObjectKind.NONTRADITIONAL or (
        face.given_colors is not None and "Vanguard" in parse_type_line(face.type_line).types
    )


def _colors(card: Card, face: Face, trace: Trace | None) -> Derived[ColorSet]:
    if has_given_colors(card, face):
        return _given_colors(card, face, trace)
    cost = mana_cost_of_face(face)
    if cost and has_cost_of_inset(card, face):
        raise Undecidable(
            "202.1b", f"{face.name!r} is a land, and its inset's mana cost {cost} stands on its face too", missing=True
        )
    colors, rule = cost.colors, cost.color_rule
    if trace is not None:
        place = place_of(card, face, "mana cost")
        if not cost:
            trace.add("202.2b", "no mana cost has no colored symbols", "", place)
        else:
            trace.add(rule, f"the symbols of the mana cost: {_words(colors)}", str(cost), place)
    if face.color_indicator is not None:
        colors, rule = colors | face.color_indicator, "202.2e"
        if trace is not None:
            words = _words(face.color_indicator)
            trace.add("202.2e", f"a color indicator: {words}", words, place_of(card, face, "color indicator"))
    if face.rules_text is None:
        raise Undecidable("604.3", f"the record has no rules text field for {face.name!r}", missing=True)
    ability = defining_ability(face)
    if ability is not None:
        colors, rule = (colors | ability.colors if ability.adds else ability.colors), ability.rule
        if trace is not None:
            verb = "adds to" if ability.adds else "overrides"
            meaning = f"a characteristic-defining ability {verb} the cost's colors: {_words(ability.colors)}"
            trace.add(ability.rule, meaning, ability.words, place_of(card, face, "rules text"))
    return Derived(colors, rule)


def may_have_indicator(face: Face) -> bool:
    """Whether a face is of the kind that color indicators are printed on, and none is stated.

    CR 204.1: they are found on nonland cards without a mana cost; a few with {0} have one too. For a source that may
    have dropped indicators, the colors of such a face are then not known.
    """
    if face.color_indicator is not None or face.mana_cost is None:
        return False
    try:
        cost = mana_cost_of_face(face)
    except Undecidable:
        return False  # unknown as well, but not for want of an indicator
    plain_land = parse_type_line(face.type_line).types == ("Land",)
    return not cost.colors and not cost.mana_value and not cost.variables and not plain_land


def _given_colors(card: Card, face: Face, trace: Trace | None) -> Derived[ColorSet]:
    rule = "111.3" if card.kind is ObjectKind.TOKEN else "105.2"
    if face.given_colors is None:
        raise Undecidable(rule, f"the record does not say the colors of {face.name!r}", missing=True)
    if trace is not None:
        place = place_of(card, face, "given colors")
        trace.add(rule, f"stated with the object, not derived: {_words(face.given_colors)}", "", place)
    return Derived(face.given_colors, rule, Decision.GIVEN)


def _words(colors: ColorSet) -> str:
    return ", ".join(COLOR_NAMES[letter] for letter in colors) or "colorless"
