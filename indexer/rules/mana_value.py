"""The mana value of a card and of each of its faces (CR 202.3a-202.3g), outside the game.

`situations.py` has the values that an object takes in a game.
"""

from __future__ import annotations

from indexer.rules.card import Arrangement, Card, Face
from indexer.rules.derivation import Derived, Trace, Undecidable
from indexer.rules.faces import arrangement_rule, has_cost_of_inset, mana_cost_of_face, place_of, trace_outside_play
from indexer.rules.mana_cost import ManaCost
from indexer.rules.symbols import ManaSymbol, Number, SymbolKind


def card_mana_value(card: Card, trace: Trace | None = None) -> Derived[Number]:
    """What the card is worth as a card: outside the stack and the battlefield, X as 0 (CR 202.3e).

    Undecided if a mana cost it rests on is missing or unreadable, the arrangement is unknown, or a melded card's fronts
    are not all there.
    """
    try:
        rule = arrangement_rule(card)
        if card.arrangement is Arrangement.MELDED:
            return Derived(_melded_value(card, trace), "202.3c")
        trace_outside_play(card, rule, trace)
        if rule.every_face:
            return Derived(_sum(card, card.faces, trace), "202.3d")
        face = card.faces[0]
        cost = mana_cost_of_face(face)
        if trace is not None and has_cost_of_inset(card, face):
            meaning = "a land has no mana cost, yet its inset's stands on its face: the cost or the value is wrong"
            trace.add("202.1b", meaning, str(cost), place_of(card, face, "mana cost"))
        value = value_of_cost(cost, face, place_of(card, face, "mana cost"), trace)
    except Undecidable as reason:
        return reason.derived()
    if card.arrangement is Arrangement.SINGLE or not rule.meaning:
        return Derived(value, cost.value_rule)
    return Derived(value, rule.rule)


def face_mana_value(card: Card, index: int, trace: Trace | None = None) -> Derived[Number]:
    """What a spell or permanent that uses this face is worth, X as 0.

    A split half, an Adventure, an Omen, a prepare spell and a modal face have their own cost's value; the back face of
    a nonmodal double-faced card has the front's (CR 202.3b); a flipped half has the card's (CR 710.1c).
    """
    face = card.faces[index]
    arrangement = card.arrangement
    try:
        arrangement_rule(card)
        if arrangement is Arrangement.MELDED:
            return Derived(_melded_value(card, trace), "202.3c")
        rule = _FACE_RULES.get(arrangement) if index else None
        if rule is not None and rule[1]:
            face = card.faces[0]
            if trace is not None:
                trace.add(rule[0], rule[2], face.name, "card")
        cost = mana_cost_of_face(face)
        value = value_of_cost(cost, face, place_of(card, face, "mana cost"), trace)
    except Undecidable as reason:
        return reason.derived()
    return Derived(value, rule[0] if rule is not None else cost.value_rule)


_FACE_RULES: dict[Arrangement, tuple[str, bool, str]] = {
    # arrangement: (rule for a face after the first, whether the first face's cost is used, meaning)
    Arrangement.SPLIT: ("709.3b", False, ""),
    Arrangement.FLIP: ("710.1c", True, "flipping doesn't change the mana cost"),
    Arrangement.TRANSFORMING: ("202.3b", True, "a nonmodal back face counts its front face's mana cost"),
    Arrangement.MODAL: ("712.8f", False, ""),
    Arrangement.ADVENTURER: ("715.3b", False, ""),
    Arrangement.OMEN: ("720.3b", False, ""),
    Arrangement.PREPARATION: ("722.3c", False, ""),
}


def value_of_cost(cost: ManaCost, face: Face, place: str, trace: Trace | None = None, x: Number = 0) -> Number:
    """The value of a parsed cost with `x` for each X; `Undecidable` if a symbol has no number."""
    value = cost.value_with_x(x) if x else cost.mana_value
    if value is None:
        symbol = next(symbol for symbol in cost.symbols if symbol.mana_value is None)
        raise Undecidable("202.3", f"the symbol {symbol} in the mana cost of {face.name!r} has no number")
    if trace is not None:
        _trace_cost(cost, value, place, trace, x)
    return value


def format_number(value: Number | float) -> str:
    """A mana value as text, ours or a published one: `4`, `0.5`, never `4.0` or `1e+06`.

    >>> from fractions import Fraction
    >>> format_number(Fraction(1, 2)), format_number(3), format_number(1000000.0)
    ('0.5', '3', '1000000')
    """
    return str(int(value)) if value == int(value) else str(float(value))


def _trace_cost(cost: ManaCost, value: Number, place: str, trace: Trace, x: Number) -> None:
    if not cost:
        trace.add("202.3a", "no mana cost is worth 0", "", place)
        return
    for symbol in cost.symbols:
        worth = x if symbol.kind is SymbolKind.VARIABLE else symbol.mana_value
        trace.add(symbol.value_rule, _meaning_of(symbol, worth), symbol.text, place)
    trace.add("202.3", f"the mana value is the total: {format_number(value)}", str(cost), place)


def _meaning_of(symbol: ManaSymbol, worth: Number | None) -> str:
    """What a symbol adds to the mana value, in words."""
    counts = format_number(worth or 0)
    if symbol.kind is SymbolKind.VARIABLE:
        letter = symbol.text[1]
        return f"{letter} is the number chosen: {counts}" if worth else f"{letter} is 0 where no number is chosen"
    if symbol.value_rule == "202.3f":
        return f"a hybrid symbol counts its largest part: {counts}"
    if symbol.value_rule == "202.3g":
        return f"a Phyrexian symbol counts {counts}"
    return f"counts {counts}"


def _sum(card: Card, faces: tuple[Face, ...], trace: Trace | None) -> Number:
    total: Number = 0
    for face in faces:
        total += value_of_cost(mana_cost_of_face(face), face, f"mana cost of {face.name}", trace)
    if trace is not None:
        trace.add("202.3d", f"the halves together: {format_number(total)}", card.name, "mana costs")
    return total


def _melded_value(card: Card, trace: Trace | None) -> Number:
    if len(card.meld_fronts) < 2:
        raise Undecidable(
            "202.3c", f"the two front faces that meld into {card.name!r} are not in the data", missing=True
        )
    total: Number = 0
    for face in card.meld_fronts:
        total += value_of_cost(mana_cost_of_face(face), face, f"mana cost of {face.name}", trace)
    if trace is not None:
        trace.add("202.3c", f"a melded permanent counts both fronts' costs: {format_number(total)}", card.name, "card")
    return total
