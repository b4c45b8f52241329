"""Color identity (CR 903.4): which colors, and for each the place that puts it there.

Cost, rules text without reminder text (903.4c), color indicator, defining abilities, every face (903.4d, 903.4e).
A basic land type's intrinsic mana ability (CR 305.6) is a source of its own: published practice and the deck rule
903.5d count it, a strict reading of 903.4 does not.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from indexer.errors import InvalidManaSymbol
from indexer.rules.card import Arrangement, Card, Face, ObjectKind
from indexer.rules.card_colors import DefiningAbility, defining_ability, face_colors, has_given_colors
from indexer.rules.colors import COLOR_NAMES, COLORLESS, ColorSet
from indexer.rules.derivation import Decision, Derived, Trace, Undecidable, undecided
from indexer.rules.faces import arrangement_rule, mana_cost_of_face, place_of
from indexer.rules.rules_text import has_broken_brace, symbol_of_token, symbol_tokens, without_reminder_text
from indexer.rules.type_line import BASIC_LAND_TYPES, parse_type_line


class IdentitySource(Enum):
    """Where a color of a color identity comes from."""

    MANA_COST = "mana_cost"
    RULES_TEXT = "rules_text"
    COLOR_INDICATOR = "color_indicator"
    DEFINING_ABILITY = "defining_ability"
    BASIC_LAND_TYPE = "basic_land_type"
    GIVEN = "given"


class SourcedColors(NamedTuple):
    """The colors that one place of one face gives to the color identity."""

    face_index: int
    """For a melded card's fronts, which are no faces of its own, 0."""
    colors: ColorSet
    source: IdentitySource
    rule: str


class ColorIdentity(NamedTuple):
    """A color identity with its sources, none of which is empty."""

    colors: Derived[ColorSet]
    sources: tuple[SourcedColors, ...]


_SINGLE_FACE_RULE = "903.4"
_FACE_RULES = {
    Arrangement.TRANSFORMING: ("903.4d", "the back face counts too"),
    Arrangement.MODAL: ("903.4d", "the back face counts too"),
    Arrangement.SPLIT: ("709.4c", "both halves count"),
    Arrangement.FLIP: ("903.4e", "the alternative characteristics count too"),
    Arrangement.ADVENTURER: ("903.4e", "the alternative characteristics count too"),
    Arrangement.OMEN: ("903.4e", "the alternative characteristics count too"),
    Arrangement.PREPARATION: ("903.4e", "the alternative characteristics count too"),
}


def color_identity(card: Card, trace: Trace | None = None) -> ColorIdentity:
    """The color identity of a card, as it is established before a game (CR 903.4a).

    A token or emblem is no card and has none by the rules: its given colors stand in (`Decision.GIVEN`). For a melded
    card it is the two cards' together. Undecided if a text is missing or unreadable, or has an unknown symbol that
    might have a color.
    """
    try:
        arrangement_rule(card)
        if has_given_colors(card, card.faces[0]) and card.kind is not ObjectKind.NONTRADITIONAL:
            return _given(card, trace)
        sources: list[SourcedColors] = []
        if card.arrangement is Arrangement.MELDED:
            if len(card.meld_fronts) < 2:
                raise Undecidable(
                    "903.4a", f"the two cards that meld into {card.name!r} are not in the data", missing=True
                )
            for front in card.meld_fronts:
                _collect(card, front, 0, sources, trace)
        other = _FACE_RULES.get(card.arrangement)
        for index, face in enumerate(card.faces):
            if index and trace is not None and other is not None:
                trace.add(other[0], other[1], face.name, "card")
            _collect(card, face, index, sources, trace)
    except Undecidable as reason:
        return ColorIdentity(reason.derived(), ())
    colors = COLORLESS
    for source in sources:
        colors |= source.colors
    if trace is not None:
        words = ", ".join(COLOR_NAMES[letter] for letter in colors) or "colorless"
        trace.add("903.4", f"the color identity: {words}", "", "card")
    return ColorIdentity(Derived(colors, _deciding_rule(card, sources, colors)), tuple(sources))


def _deciding_rule(card: Card, sources: list[SourcedColors], colors: ColorSet) -> str:
    """The most particular rule that the whole identity needs: that of another face if a color comes only from it."""
    if card.arrangement is Arrangement.MELDED:
        return "903.4a"
    front = COLORLESS
    for source in sources:
        if source.face_index == 0:
            front |= source.colors
    if colors != front:
        return _FACE_RULES.get(card.arrangement, (_SINGLE_FACE_RULE,))[0]
    return sources[0].rule if len({source.rule for source in sources}) == 1 else _SINGLE_FACE_RULE


def _collect(card: Card, face: Face, index: int, sources: list[SourcedColors], trace: Trace | None) -> None:
    cost = mana_cost_of_face(face)
    text = face.rules_text
    if text is None:
        raise Undecidable("903.4", f"the record has no rules text field for {face.name!r}", missing=True)
    if cost.colors:
        sources.append(SourcedColors(index, cost.colors, IdentitySource.MANA_COST, "903.4"))
        if trace is not None:
            _note(trace, "903.4", "symbols of the mana cost", cost.colors, str(cost), place_of(card, face, "mana cost"))
    if "{" in text:
        _collect_text(card, face, text, index, sources, trace)
    if face.color_indicator:
        sources.append(SourcedColors(index, face.color_indicator, IdentitySource.COLOR_INDICATOR, "903.4"))
        if trace is not None:
            place = place_of(card, face, "color indicator")
            _note(trace, "903.4", "a color indicator", face.color_indicator, "", place)
    ability = defining_ability(face)
    if ability is not None:
        _collect_ability(card, face, index, ability, sources, trace)
    line = parse_type_line(face.type_line)
    if line.is_land:
        land = ColorSet.from_letters(BASIC_LAND_TYPES[name] for name in line.subtypes if name in BASIC_LAND_TYPES)
        if land:
            sources.append(SourcedColors(index, land, IdentitySource.BASIC_LAND_TYPE, "903.5d"))
            if trace is not None:
                trace.add(
                    "305.6", "a basic land type has the ability to add its mana", " ".join(line.subtypes), "type line"
                )
                _note(
                    trace, "903.5d", "colors of that mana count for a deck", land, "", place_of(card, face, "type line")
                )


def _collect_text(
    card: Card, face: Face, text: str, index: int, sources: list[SourcedColors], trace: Trace | None
) -> None:
    rules_text = without_reminder_text(text)
    if has_broken_brace(rules_text):
        raise Undecidable("107.4", f"a brace in the text of {face.name!r} belongs to no symbol")
    colors = COLORLESS
    symbols = []
    for token in symbol_tokens(rules_text):
        try:
            symbol = symbol_of_token(token)
        except InvalidManaSymbol as error:
            raise Undecidable("107.4", f"unknown symbol {{{token}}} in the text of {face.name!r}") from error
        if symbol.colors:
            colors |= symbol.colors
            symbols.append(symbol.text)
    if trace is not None and rules_text != text:
        trace.add("903.4c", "reminder text is ignored", "", place_of(card, face, "rules text"))
    if colors:
        sources.append(SourcedColors(index, colors, IdentitySource.RULES_TEXT, "903.4"))
        if trace is not None:
            basis = " ".join(dict.fromkeys(symbols))
            _note(trace, "903.4", "symbols of the rules text", colors, basis, place_of(card, face, "rules text"))


def _collect_ability(
    card: Card, face: Face, index: int, ability: DefiningAbility, sources: list[SourcedColors], trace: Trace | None
) -> None:
    place = place_of(card, face, "rules text")
    if not ability.affects_identity:
        if trace is not None:
            trace.add("101.1", "the card says that this leaves its color identity alone", ability.words, place)
        return
    if ability.colors:
        sources.append(SourcedColors(index, ability.colors, IdentitySource.DEFINING_ABILITY, "903.4"))
        if trace is not None:
            _note(trace, "903.4", "a characteristic-defining ability", ability.colors, ability.words, place)
    elif trace is not None:
        trace.add(ability.rule, "being colorless takes no color out of the identity", ability.words, place)


def _given(card: Card, trace: Trace | None) -> ColorIdentity:
    colors = COLORLESS
    sources = []
    for index in range(len(card.faces)):
        part = face_colors(card, index)
        if part.value is None:
            return ColorIdentity(undecided(part.rule, part.reason, missing=part.missing), ())
        colors |= part.value
        if part.value:
            sources.append(SourcedColors(index, part.value, IdentitySource.GIVEN, part.rule))
    if trace is not None:
        meaning = "not a card, so the rules give it no color identity; its given colors stand in"
        _note(trace, "108.2b" if card.kind is ObjectKind.TOKEN else "903.4", meaning, colors, "", "given colors")
    return ColorIdentity(Derived(colors, "903.4", Decision.GIVEN), tuple(sources))


def _note(trace: Trace, rule: str, meaning: str, colors: ColorSet, basis: str, place: str) -> None:
    words = ", ".join(COLOR_NAMES[letter] for letter in colors) or "none"
    trace.add(rule, f"{meaning}: {words}", basis, place)
