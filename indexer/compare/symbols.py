"""Our symbols against the list of symbols that is published: value, colors, kind.

The published list describes what is printed, ours what the rules say, so not every difference contradicts: `0` is
published as the value of a symbol that is no mana and has no number; "appears in mana costs" says that a card has it
there now, which no rule decides; and a number is called funny if only funny cards show it, though the rules have all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import NamedTuple

from indexer.errors import InvalidManaSymbol
from indexer.records import CardSymbolRow
from indexer.rules.colors import COLOR_LETTERS, COLORLESS, ColorSet
from indexer.rules.mana_value import format_number
from indexer.rules.symbols import SYMBOLS, ManaSymbol, Number, SymbolKind, parse_symbol

RawSymbol = Mapping[str, object]
"""One entry of the published list, under its own field names: nothing about it is taken for granted."""


class SymbolStatus(Enum):
    """What comparing one symbol gave."""

    AGREES = "agrees"
    DIFFERS = "differs"
    """The published value, colors or kind contradict the rules."""
    UNDECIDED = "undecided"
    """A symbol that the engine doesn't know, or an entry that can't be read."""
    UNLISTED = "unlisted"
    """A symbol that the engine knows and the list doesn't have. No mistake of anybody's."""


class SymbolFacts(NamedTuple):
    """What is said of a symbol by one side. In what is published, None is "not said"."""

    has_value: bool
    mana_value: Number | float | None
    """None: no number, if there is a value at all."""
    colors: ColorSet | None
    represents_mana: bool | None
    appears_in_mana_costs: bool | None
    """Ours: whether it can."""
    hybrid: bool | None
    phyrexian: bool | None
    funny: bool | None


_HYBRID = frozenset(
    {
        SymbolKind.HYBRID,
        SymbolKind.MONOCOLORED_HYBRID,
        SymbolKind.COLORLESS_HYBRID,
        SymbolKind.HYBRID_PHYREXIAN,
    }
)
_PHYREXIAN = frozenset({SymbolKind.PHYREXIAN, SymbolKind.HYBRID_PHYREXIAN, SymbolKind.COLORLESS_PHYREXIAN})
_NOT_MANA = frozenset({SymbolKind.NOT_MANA, SymbolKind.LAND_DROP})
_ANY_PHYREXIAN = "{H}"
_COLORS = frozenset(COLOR_LETTERS)
_HIGHEST = 10**12
_LONGEST = 80


def facts_of(symbol: ManaSymbol) -> SymbolFacts:
    """What the rules say of a symbol.

    CR 107.4g: {H} stands for any Phyrexian symbol, so what is true of each of those is true of it: it is mana, it is
    Phyrexian and it is worth 1 (CR 202.3g); it has no color of its own and stands in no cost.
    """
    if symbol.text == _ANY_PHYREXIAN:
        return SymbolFacts(True, 1, COLORLESS, True, False, False, True, symbol.funny)
    return SymbolFacts(
        has_value=symbol.is_mana,
        mana_value=symbol.mana_value,
        colors=symbol.colors,
        represents_mana=symbol.kind not in _NOT_MANA,
        appears_in_mana_costs=symbol.is_mana,
        hybrid=symbol.kind in _HYBRID,
        phyrexian=symbol.kind in _PHYREXIAN,
        funny=symbol.funny,
    )


def compare_symbols(entries: Iterable[RawSymbol]) -> list[CardSymbolRow]:
    """A row for each published symbol, in their order, then one for each that only the engine knows.

    An entry without a symbol in printable text, or with one that was listed before, is left out.
    """
    rows: dict[str, CardSymbolRow] = {}
    for entry in entries:
        text = _printable(entry.get("symbol"))
        if text and text not in rows:
            rows[text] = _compare(text, entry)
    listed = {_halves(text) for text in rows}
    for symbol in SYMBOLS.values():
        # The two orders of a pair are one symbol; the first of them in our table is the rules' own.
        if _halves(symbol.text) not in listed:
            listed.add(_halves(symbol.text))
            rows[symbol.text] = _row(symbol.text, None, symbol, None, SymbolStatus.UNLISTED, "")
    return list(rows.values())


def _printable(value: object) -> str | None:
    """A short text that every database takes; None for anything else."""
    return value if isinstance(value, str) and value.isprintable() and len(value) <= _LONGEST else None


def _halves(text: str) -> frozenset[str]:
    return frozenset(text.strip("{}").split("/"))


def _compare(text: str, entry: RawSymbol) -> CardSymbolRow:
    english = _printable(entry.get("english"))
    try:
        symbol = parse_symbol(text)
    except InvalidManaSymbol:
        symbol = None
    try:
        published = _read(entry)
    except _Unreadable as problem:
        return _row(text, english, symbol, None, SymbolStatus.UNDECIDED, f"the published {problem}")
    if symbol is None:
        return _row(text, english, None, published, SymbolStatus.UNDECIDED, "the engine doesn't know this symbol")
    differences = list(_differences(symbol, facts_of(symbol), published))
    status = SymbolStatus.DIFFERS if differences else SymbolStatus.AGREES
    return _row(text, english, symbol, published, status, "; ".join(differences))


def _differences(symbol: ManaSymbol, ours: SymbolFacts, published: SymbolFacts) -> Iterator[str]:
    """Each contradiction, in words that name both sides and the rule."""
    if published.has_value and published.mana_value != ours.mana_value and (ours.has_value or published.mana_value):
        theirs = _number(published.mana_value)
        yield f"mana value: published {theirs}, {_number(ours.mana_value)} by {symbol.value_rule}"
    if published.colors is not None and published.colors != ours.colors:
        theirs = str(published.colors) or "colorless"
        yield f"colors: published {theirs}, {str(ours.colors) or 'colorless'} by {symbol.rule}"
    for name, said, true in (
        ("mana", published.represents_mana, ours.represents_mana),
        ("hybrid", published.hybrid, ours.hybrid),
        ("Phyrexian", published.phyrexian, ours.phyrexian),
    ):
        if said is not None and said != true:
            yield f"{name}: published {_yes(said)}, {_yes(not said)} by {symbol.rule}"
    if published.appears_in_mana_costs and not ours.appears_in_mana_costs:
        yield f"in mana costs: published yes, but it can't stand there by {symbol.rule}"
    if published.funny is not None and published.funny != ours.funny and symbol.kind is not SymbolKind.GENERIC:
        yield f"funny: published {_yes(published.funny)}, {_yes(not published.funny)} by {symbol.rule}"


class _Unreadable(Exception):  # never leaves the module
    """A published field of a wrong type."""


def _read(entry: RawSymbol) -> SymbolFacts:
    # `cmc` is the field's older name.
    field = "mana_value" if "mana_value" in entry else "cmc"
    return SymbolFacts(
        has_value=field in entry,
        mana_value=_value(field, entry.get(field)),
        colors=_colors(entry.get("colors")),
        represents_mana=_flag(entry, "represents_mana"),
        appears_in_mana_costs=_flag(entry, "appears_in_mana_costs"),
        hybrid=_flag(entry, "hybrid"),
        phyrexian=_flag(entry, "phyrexian"),
        funny=_flag(entry, "funny"),
    )


def _value(field: str, value: object) -> int | float | None:
    if value is None:
        return None
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _HIGHEST:
        return value
    raise _Unreadable(f"{field} is no amount of mana: {value!r:.40}")


def _colors(value: object) -> ColorSet | None:
    if value is None:
        return None
    if isinstance(value, list) and all(isinstance(each, str) and each in _COLORS for each in value):
        return ColorSet.from_letters(value)
    raise _Unreadable(f"colors are no list of color letters: {value!r:.40}")


def _flag(entry: RawSymbol, field: str) -> bool | None:
    value = entry.get(field)
    if value is not None and not isinstance(value, bool):
        raise _Unreadable(f"{field} is neither true nor false: {value!r:.40}")
    return value


def _row(
    text: str,
    english: str | None,
    symbol: ManaSymbol | None,
    published: SymbolFacts | None,
    status: SymbolStatus,
    explanation: str,
) -> CardSymbolRow:
    ours = facts_of(symbol) if symbol is not None else None
    return CardSymbolRow(
        symbol=text,
        english=english,
        kind=symbol.kind.value if symbol is not None else None,
        mana_value=_stored(ours and ours.mana_value),
        colors=_letters(ours),
        colors_mask=_mask(ours),
        represents_mana=ours and ours.represents_mana,
        appears_in_mana_costs=ours and ours.appears_in_mana_costs,
        hybrid=ours and ours.hybrid,
        phyrexian=ours and ours.phyrexian,
        funny=ours and ours.funny,
        published_mana_value=_stored(published and published.mana_value),
        published_colors=_letters(published),
        published_colors_mask=_mask(published),
        published_represents_mana=published and published.represents_mana,
        published_appears_in_mana_costs=published and published.appears_in_mana_costs,
        published_hybrid=published and published.hybrid,
        published_phyrexian=published and published.phyrexian,
        published_funny=published and published.funny,
        status=status.value,
        explanation=explanation or None,
    )


def _stored(value: Number | float | None) -> float | None:
    return None if value is None else float(value)


def _letters(facts: SymbolFacts | None) -> str | None:
    return None if facts is None or facts.colors is None else str(facts.colors)


def _mask(facts: SymbolFacts | None) -> int | None:
    return None if facts is None or facts.colors is None else facts.colors.mask


def _number(value: Number | float | None) -> str:
    return "none" if value is None else format_number(value)


def _yes(value: bool) -> str:
    return "yes" if value else "no"
