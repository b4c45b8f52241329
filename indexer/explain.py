"""How a stored card's values follow from the rules, step by step, as a card or in a situation of a game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, select

from indexer.errors import InvalidManaCost
from indexer.normalize.card import RelatedObject, arrangement_of, meld_front_names
from indexer.rules.card import Arrangement, Card, Face, ObjectKind
from indexer.rules.card_colors import card_colors
from indexer.rules.colors import ColorSet
from indexer.rules.derivation import Derived, Step, Trace
from indexer.rules.edition import EFFECTIVE
from indexer.rules.evaluate import CardValues, evaluate, format_value, steps_of
from indexer.rules.mana_cost import parse_mana_cost
from indexer.rules.mana_value import format_number
from indexer.rules.situation_colors import colors_in
from indexer.rules.situations import Situation, Zone, mana_value_in
from indexer.storage import models
from indexer.storage.lookup import find_oracle_id


@dataclass(frozen=True, slots=True)
class StoredCard:
    """A card of the pool, in the engine's terms, with what is published of it."""

    card: Card
    oracle_id: str
    layout: str
    scryfall_uri: str | None
    published: dict[str, str | None]
    """Field -> published value as text; None where nothing is published."""
    published_of_faces: tuple[dict[str, str | None], ...]
    """The same for each face: its mana value and its colors."""


@dataclass(frozen=True, slots=True)
class ExplainedValue:
    """One value with the steps that lead to it."""

    field: str
    face: str | None
    """Name of the face that the value is of; None for the card."""
    value: str | None
    """As text: `4`, `WU`, empty for colorless or none; None if undecided."""
    published: str | None
    """None where nothing is published at that place."""
    decision: str
    rule: str
    reason: str
    """Why it is undecided; empty otherwise."""
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """All that is told about one card or cost."""

    name: str
    oracle_id: str | None
    layout: str | None
    object_kind: str | None
    scryfall_uri: str | None
    situation: str
    """In words; `as a card` by default."""
    rules_edition: str
    """Effective date of the rules cited, ISO."""
    values: tuple[ExplainedValue, ...]

    def to_json(self) -> dict[str, Any]:
        """The explanation as plain values; each step is an object with rule, meaning, basis and place."""
        data = asdict(self)
        data["values"] = [{**asdict(value), "steps": [step._asdict() for step in value.steps]} for value in self.values]
        return {"version": 1, **data}


def load_card(connection: Connection, words: str) -> StoredCard:
    """The stored card that these words mean, ready for the engine.

    Raises:
        CardNotFound: none or several answer to the words.
    """
    return load_card_by_id(connection, find_oracle_id(connection, words))


def load_card_by_id(connection: Connection, oracle_id: str) -> StoredCard:
    """The stored card with this oracle id, which must be in the pool."""
    row = connection.execute(select(models.Card.__table__).where(models.Card.oracle_id == oracle_id)).one()
    face_rows = connection.execute(
        select(models.CardFace.__table__)
        .where(models.CardFace.oracle_id == oracle_id)
        .order_by(models.CardFace.face_index)
    ).all()
    parts = tuple(
        RelatedObject(part.component, part.name, part.type_line, part.scryfall_id)
        for part in connection.execute(
            select(models.CardPart.__table__)
            .where(models.CardPart.oracle_id == oracle_id)
            .order_by(models.CardPart.part_index)
        )
    )
    given = row.published_colors
    faces = tuple(_face(face, given if face.face_index == 0 else None) for face in face_rows)
    arrangement = arrangement_of(row.layout, row.name, faces, parts)
    fronts: tuple[Face, ...] = ()
    if arrangement is Arrangement.MELDED:
        fronts = tuple(_meld_fronts(connection, meld_front_names(row.name, parts)))
    return StoredCard(
        card=Card(row.name, arrangement, ObjectKind(row.object_kind), faces, fronts),
        oracle_id=oracle_id,
        layout=row.layout,
        scryfall_uri=row.scryfall_uri,
        published={
            "mana_value": _published_number(row),
            "colors": row.published_colors,
            "color_identity": row.published_color_identity,
            "produced_mana": row.published_produced_mana,
        },
        published_of_faces=tuple(
            {"mana_value": _published_number(face), "colors": face.published_colors} for face in face_rows
        ),
    )


def load_melded(connection: Connection, part: StoredCard) -> StoredCard:
    """The melded card that a meld part becomes; the card itself if it is none or its result is not in the pool."""
    if part.card.arrangement is not Arrangement.MELD_PART:
        return part
    rows = connection.execute(
        select(models.CardPart.name).where(
            models.CardPart.oracle_id == part.oracle_id, models.CardPart.component == "meld_result"
        )
    ).scalars()
    for name in rows:
        return load_card(connection, name)
    return part


def explain_card(stored: StoredCard) -> Explanation:
    """Every value of the card outside the game, and of its faces where it has several."""
    card = stored.card
    return _explanation(stored, "as a card", tuple(_card_values(stored, card, evaluate(card))))


def explain_in(stored: StoredCard, situation: Situation) -> Explanation:
    """The mana value and the colors of the card in a situation.

    Raises:
        ImpossibleSituation: the card can't be in it.
    """
    card = stored.card
    value_trace, color_trace = Trace(), Trace()
    mana_value = mana_value_in(card, situation, value_trace)
    colors = colors_in(card, situation, color_trace)
    values = (
        _value("mana_value", None, mana_value, None, tuple(value_trace.steps)),
        _value("colors", None, colors, None, tuple(color_trace.steps)),
    )
    return _explanation(stored, describe(card, situation), values)


def explain_cost(text: str, situation: Situation) -> Explanation:
    """The mana value and colors of a bare mana cost.

    Raises:
        InvalidManaCost: it isn't one.
    """
    try:
        parse_mana_cost(text)
    except InvalidManaCost:
        # People type costs in lower case.
        text = str(parse_mana_cost(text.upper()))
    card = Card(text, Arrangement.SINGLE, ObjectKind.CARD, (Face(text, text, "", ""),))
    value_trace, color_trace = Trace(), Trace()
    mana_value = mana_value_in(card, situation, value_trace)
    colors = card_colors(card, color_trace)
    return Explanation(
        name=text or "no mana cost",
        oracle_id=None,
        layout=None,
        object_kind=None,
        scryfall_uri=None,
        situation=describe(card, situation),
        rules_edition=EFFECTIVE.isoformat(),
        values=(
            _value("mana_value", None, mana_value, None, tuple(value_trace.steps)),
            _value("colors", None, colors, None, tuple(color_trace.steps)),
        ),
    )


def describe(card: Card, situation: Situation) -> str:
    """A situation in words.

    >>> from indexer.rules.situations import Zone
    >>> describe(Card("x", Arrangement.SINGLE, ObjectKind.CARD, ()), Situation(Zone.STACK, x=3))
    'on the stack, X = 3'
    """
    words = {Zone.STACK: "on the stack", Zone.BATTLEFIELD: "on the battlefield", Zone.ELSEWHERE: "as a card"}
    said = [words[situation.zone]]
    if situation.face is not None:
        said.append(card.faces[situation.face].name)
    said.extend(
        name.replace("_", " ")
        for name in ("fused", "transformed", "flipped", "melded", "prototyped", "face_down")
        if getattr(situation, name)
    )
    if situation.unlocked is not None:
        doors = ", ".join(card.faces[index].name for index in sorted(situation.unlocked) if index < len(card.faces))
        said.append(f"unlocked: {doors or 'no door'}")
    if situation.copy:
        said.append("as a copy")
    if situation.x:
        said.append(f"X = {format_number(situation.x)}")
    return ", ".join(said)


def text_lines(explanation: Explanation) -> Iterator[str]:
    """The explanation for people, line by line; the text in it is not yet made safe for a terminal."""
    about = [word for word in (explanation.layout, explanation.object_kind) if word]
    yield explanation.name + (f"  ({', '.join(about)})" if about else "")
    if explanation.scryfall_uri:
        yield explanation.scryfall_uri
    yield f"{explanation.situation}, by the Comprehensive Rules of {explanation.rules_edition}"
    for value in explanation.values:
        yield ""
        label = value.field.replace("_", " ") + (f" of {value.face}" if value.face else "")
        shown = _shown(value.field, value.value) if value.decision != "undecided" else f"undecided: {value.reason}"
        published = ""
        if value.published is not None and value.value is not None:
            agrees = value.published == value.value or value.decision == "given"
            published = "" if agrees else f"   PUBLISHED: {_shown(value.field, value.published)}"
        yield f"{label}: {shown}   [{value.decision}, CR {value.rule}]{published}"
        for number, step in enumerate(value.steps, 1):
            where = " ".join(word for word in (step.place, step.basis.replace("\n", " / ")) if word)
            yield f"  {number}. {where + ': ' if where else ''}{step.meaning} (CR {step.rule})"


def _shown(field: str, value: str | None) -> str:
    if value:
        return value
    return {"mana_value": "0", "produced_mana": "none"}.get(field, "colorless")


def _card_values(stored: StoredCard, card: Card, values: CardValues) -> Iterator[ExplainedValue]:
    for field in ("mana_value", "colors", "color_identity", "produced_mana"):
        derived = getattr(values, field)
        yield _value(field, None, derived, stored.published[field], steps_of(card, field))
    if len(card.faces) > 1:
        for index, (face, ours) in enumerate(zip(card.faces, values.faces, strict=True)):
            published = stored.published_of_faces[index]
            for field in ("mana_value", "colors"):
                yield _value(field, face.name, getattr(ours, field), published[field], steps_of(card, field, index))


def _value(
    field: str, face: str | None, derived: Derived[Any], published: str | None, steps: tuple[Step, ...]
) -> ExplainedValue:
    text = None if derived.value is None else format_value(derived.value)
    return ExplainedValue(field, face, text, published, derived.decision.value, derived.rule, derived.reason, steps)


def _explanation(stored: StoredCard, situation: str, values: tuple[ExplainedValue, ...]) -> Explanation:
    return Explanation(
        name=stored.card.name,
        oracle_id=stored.oracle_id,
        layout=stored.layout,
        object_kind=stored.card.kind.value,
        scryfall_uri=stored.scryfall_uri,
        situation=situation,
        rules_edition=EFFECTIVE.isoformat(),
        values=values,
    )


def _published_number(row: Any) -> str | None:
    return None if row.published_mana_value is None else format_number(row.published_mana_value)


def _face(row: Any, given: str | None) -> Face:
    stated = row.published_colors if row.published_colors is not None else given
    return Face(
        name=row.name,
        mana_cost=row.mana_cost,
        type_line=row.type_line or "",
        rules_text=row.oracle_text,
        color_indicator=None if row.color_indicator is None else ColorSet.from_letters(row.color_indicator),
        given_colors=None if stated is None else ColorSet.from_letters(stated),
    )


def _meld_fronts(connection: Connection, names: tuple[str, ...]) -> Iterator[Face]:
    for name in names:
        row = connection.execute(
            select(models.CardFace.__table__)
            .join(models.Card, models.Card.oracle_id == models.CardFace.oracle_id)
            .where(models.Card.name == name, models.Card.layout == "meld", models.CardFace.face_index == 0)
        ).first()
        if row is not None:
            yield _face(row, None)
