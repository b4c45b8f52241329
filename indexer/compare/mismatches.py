"""Our values against the published ones: what the rules contradict, and what they can't decide.

A mismatch is a value that is published at that place and differs from what the rules give. What the source leaves out
is never one, nor what the rules can't derive from the record (tokens' colors, a lost mana cost).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from indexer.normalize.card import NormalizedCard
from indexer.records import MismatchRow, UndecidedRow
from indexer.rules.card import ObjectKind
from indexer.rules.card_colors import may_have_indicator
from indexer.rules.colors import MANA_LETTERS, ColorSet, ManaTypes
from indexer.rules.derivation import Decision, Derived, Step, undecided
from indexer.rules.evaluate import CardValues, format_value, steps_of
from indexer.rules.mana_value import format_number
from indexer.rules.produced_mana import ManaReading, reading_of
from indexer.rules.symbols import Number


class Category(Enum):
    """Why a published value and ours differ."""

    PUBLISHED_ERROR = "published_error"
    """The rules are clear."""
    POLICY = "policy"
    """A known practice of the publisher differs from the rules; the explanation names it."""
    UNDECIDED = "undecided"
    """The engine can't read something it would have to: an unknown symbol, layout or wording."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What comparing one card gives."""

    values: CardValues
    """Our values; those that may rest on a color indicator lost by the source are marked undecided here."""
    mismatches: list[MismatchRow]
    undecided: list[UndecidedRow]


def compare(card: NormalizedCard, values: CardValues) -> Comparison:
    """Hold our values of a card against its record."""
    # A record that was cut down since it was published may have lost its color indicator: colors that only such an
    # indicator could explain are then no mistake of the publisher's.
    lost_indicator = not card.is_whole and any(may_have_indicator(face) for face in card.card.faces)
    if lost_indicator:
        values = _without_lost_indicator(card, values)
    found = _Findings(card)
    number = card.published_mana_value
    if values.mana_value.value != number or number is None:
        found.look("mana_value", None, None if number is None else format_number(number), values.mana_value)
    colors = card.published_colors
    if values.colors.value != colors or colors is None:
        found.look("colors", None, None if colors is None else str(colors), values.colors)
    identity = card.published_color_identity
    if values.color_identity.value != identity or identity is None:
        found.look("color_identity", None, None if identity is None else str(identity), values.color_identity)
    mana = card.published_produced_mana
    if mana is not None or values.produced_mana.value is None:
        found.look("produced_mana", None, mana, values.produced_mana)
    for index, face in enumerate(card.faces):
        if face.published_mana_value is not None:
            published = format_number(face.published_mana_value)
            found.look("mana_value", index, published, values.faces[index].mana_value)
        if face.published_colors is not None:
            found.look("colors", index, str(face.published_colors), values.faces[index].colors)
    return Comparison(values, _fold(found.mismatches), found.undecided)


_PRACTICES = {
    ManaReading.WRITTEN: "Mana of tokens, granted abilities and reminder text is published as the card's own. ",
    ManaReading.WRITTEN_COLORS: "Mana of any type is published as mana of any color. ",
}


class _Findings:
    """What was found about one card."""

    def __init__(self, card: NormalizedCard) -> None:
        self.card = card
        self.mismatches: list[MismatchRow] = []
        self.undecided: list[UndecidedRow] = []

    def look(
        self, field: str, face_index: int | None, published: str | None, ours: Derived[Number | ColorSet | ManaTypes]
    ) -> None:
        """Note one value if it is undecided or differs."""
        if ours.value is None:
            self.undecided.append(UndecidedRow(self.card.oracle_id, face_index, field, ours.rule, ours.reason))
            # One row a card: what can't be read about it is one fact, whichever values hang on it.
            if published is not None and not ours.missing and not any(row.computed is None for row in self.mismatches):
                self._add(field, face_index, published, None, Category.UNDECIDED, ours.rule, ours.reason)
            return
        if published is None or ours.decision is Decision.GIVEN:
            return
        computed = format_value(ours.value)
        if computed != published:
            category, note = self._category(field, published)
            explanation = note + explain_steps(steps_of(self.card.card, field, face_index))
            self._add(field, face_index, published, computed, category, ours.rule, explanation)

    def _category(self, field: str, published: str) -> tuple[Category, str]:
        """The category of a difference, and for a known practice what it is, as a sentence to put first."""
        card = self.card.card
        if field == "color_identity" and card.kind is ObjectKind.NONTRADITIONAL:
            practice = "Symbols in the text of planes, vanguards and the like are published as identity or left out. "
            return Category.POLICY, practice
        if field == "produced_mana":
            if not set(published) <= set(MANA_LETTERS):
                return Category.POLICY, "Symbols that are no type of mana are published as produced. "
            reading = reading_of(card, ManaTypes.from_letters(published))
            if reading in _PRACTICES:
                return Category.POLICY, _PRACTICES[reading]
        return Category.PUBLISHED_ERROR, ""

    def _add(
        self,
        field: str,
        face_index: int | None,
        published: str,
        computed: str | None,
        category: Category,
        rule: str,
        explanation: str,
    ) -> None:
        row = MismatchRow(
            self.card.oracle_id, face_index, field, published, computed, category.value, rule, explanation
        )
        self.mismatches.append(row)


def explain_steps(steps: tuple[Step, ...]) -> str:
    """The steps of a derivation in one line: `mana cost {3}{R}: counts 3 (202.3); …`."""
    parts = []
    for step in steps:
        where = " ".join(word for word in (step.place, step.basis) if word)
        parts.append(f"{where}: {step.meaning} ({step.rule})" if where else f"{step.meaning} ({step.rule})")
    return "; ".join(parts).replace("\n", " ")


def _fold(mismatches: list[MismatchRow]) -> list[MismatchRow]:
    """One mistake, one row: an identity that is off by the very letters that the colors are off by goes with them."""
    identity = next((row for row in mismatches if row.field == "color_identity" and row.computed is not None), None)
    if identity is None or len(mismatches) < 2:
        return mismatches
    for place, row in enumerate(mismatches):
        if row.field == "colors" and row.computed is not None and _difference(row) == _difference(identity):
            told = f"{row.explanation}; the color identity is published with the same mistake"
            others = [other for other in mismatches if other is not identity and other is not row]
            others.insert(place, row._replace(explanation=f"{told} ({identity.published or 'none'})"))
            return others
    return mismatches


def _difference(row: MismatchRow) -> tuple[set[str], set[str]]:
    published, computed = set(row.published), set(row.computed or "")
    return published - computed, computed - published


def _without_lost_indicator(card: NormalizedCard, values: CardValues) -> CardValues:
    reason = "the record was cut down and may have lost the color indicator"

    def settle(ours: Derived[ColorSet], published: ColorSet | None) -> Derived[ColorSet]:
        if ours.value is None or published is None or ours.decision is Decision.GIVEN:
            return ours
        only_more = ours.value != published and ours.value.issubset(published)
        return undecided("204.1", reason, missing=True) if only_more else ours

    faces = tuple(
        replace(ours, colors=settle(ours.colors, face.published_colors))
        for ours, face in zip(values.faces, card.faces, strict=True)
    )
    colors = settle(values.colors, card.published_colors)
    if len(faces) == 1:
        faces = (replace(faces[0], colors=colors),)
    identity = settle(values.color_identity, card.published_color_identity)
    return replace(values, colors=colors, color_identity=identity, faces=faces)
