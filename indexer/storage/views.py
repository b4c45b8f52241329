"""The views: what people ask of the pool most, each answered by one short SELECT.

Defined once, as SQLAlchemy selects; `view_statements` writes them in the database's own SQL. The revision that brings
them to an existing database holds that SQL as it was then; a test holds the two together.

A revision that rebuilds or drops a table or column which a view reads drops the views first and makes them anew: both
databases refuse to leave a view behind that can't be read any more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from sqlalchemy import (
    ColumnElement,
    ScalarSelect,
    Select,
    TableClause,
    and_,
    case,
    column,
    exists,
    false,
    func,
    literal,
    literal_column,
    or_,
    select,
    table,
    true,
    union_all,
)
from sqlalchemy.dialects import registry
from sqlalchemy.orm import aliased

from indexer.storage.models import (
    Card,
    CardFace,
    ColorIdentitySource,
    FaceSymbol,
    FaceType,
    Keyword,
    Legality,
    ManaValue,
    Mismatch,
    SyncRun,
)

AnySelect: TypeAlias = "Select[*tuple[Any, ...]]"

PLAYABLE = ("legal", "restricted")
"""Statuses with which a card may be in a deck of a format: restricted is one copy."""

PAIRING_KEYWORDS = ("Partner", "Partner with", "Friends forever", "Choose a background", "Doctor's companion")
"""CR 702.124: keywords that let a card share the command zone, as the source spells them."""

_COLORS = "WUBRG"
_SEPARATOR = ", "
_IN_THE_EXPORT = Card.removed_run_id.is_(None)

_IN_SHORT = (
    Card.name,
    Card.mana_cost,
    Card.mana_value,
    Card.type_line,
    Card.colors,
    Card.colors_mask,
    Card.color_identity,
    Card.color_identity_mask,
    Card.rarity,
    Card.released_at,
    Card.edhrec_rank,
    Card.oracle_id,
)
"""What a list of cards shows of each. What people read comes first, here and in every view."""


def _joined(words: AnySelect) -> ScalarSelect[Any]:
    """The one column of a select, in its order, as one text; NULL if there is no row."""
    rows = words.correlate(Card).subquery("words")
    return select(func.aggregate_strings(rows.c[0], _SEPARATOR)).scalar_subquery()


def _front_is(*names: str) -> ColumnElement[bool]:
    """Whether the card's first face has one of these words in its type line."""
    word = aliased(FaceType, name="word")
    return (
        exists(literal_column("1"))
        .where(word.oracle_id == Card.oracle_id, word.face_index == 0, word.name.in_(names))
        .correlate(Card)
    )


def _is_melded() -> ColumnElement[bool]:
    """Whether the row is what two cards meld into: the source lists it as legal, but no deck can hold it."""
    melded = exists(literal_column("1")).where(
        ManaValue.oracle_id == Card.oracle_id, ManaValue.face_index == 0, ManaValue.situation == "melded"
    )
    # The layout first, so that only a few cards are looked up.
    return and_(Card.layout == "meld", melded.correlate(Card))


def _card_overview() -> AnySelect:
    def words(kind: str) -> AnySelect:
        return (
            select(FaceType.name)
            .where(FaceType.oracle_id == Card.oracle_id, FaceType.kind == kind)
            .group_by(FaceType.name)
            .order_by(func.min(FaceType.face_index), FaceType.name)
        )

    source = ColorIdentitySource
    sources = (
        select((source.color + " " + source.source).label("source"))
        .where(source.oracle_id == Card.oracle_id)
        .group_by(source.color, source.source)
        .order_by(case({letter: i for i, letter in enumerate(_COLORS)}, value=source.color), source.source)
    )
    keywords = select(Keyword.keyword).where(Keyword.oracle_id == Card.oracle_id).order_by(Keyword.keyword)
    formats = (
        select(Legality.format)
        .where(Legality.oracle_id == Card.oracle_id, Legality.status.in_(PLAYABLE))
        .order_by(Legality.format)
    )
    faces = select(func.count()).where(CardFace.oracle_id == Card.oracle_id)
    mismatches = select(func.count()).where(Mismatch.oracle_id == Card.oracle_id, Mismatch.status == "open")
    return select(
        Card.name,
        Card.mana_cost,
        Card.mana_value,
        Card.type_line,
        _joined(words("type")).label("types"),
        _joined(words("subtype")).label("subtypes"),
        Card.oracle_text,
        Card.power,
        Card.toughness,
        Card.loyalty,
        Card.defense,
        Card.colors,
        Card.color_identity,
        _joined(sources).label("color_identity_sources"),
        Card.produced_mana,
        _joined(keywords).label("keywords"),
        _joined(formats).label("legal_in"),
        Card.rarity,
        Card.set_code,
        Card.set_name,
        Card.released_at,
        Card.edhrec_rank,
        Card.reserved,
        Card.funny,
        Card.game_changer,
        Card.object_kind,
        Card.layout,
        faces.correlate(Card).scalar_subquery().label("faces"),
        mismatches.correlate(Card).scalar_subquery().label("open_mismatches"),
        Card.colors_mask,
        Card.color_identity_mask,
        Card.produced_mana_mask,
        Card.scryfall_uri,
        Card.oracle_id,
        Card.search_id,
    ).where(_IN_THE_EXPORT)


def _legal_cards() -> AnySelect:
    return (
        select(Legality.format, Legality.status, *_IN_SHORT)
        .join_from(Legality, Card, Card.oracle_id == Legality.oracle_id)
        .where(Legality.status.in_(PLAYABLE), _IN_THE_EXPORT, ~_is_melded())
    )


def _commanders() -> AnySelect:
    """CR 903.3: a legendary creature, Vehicle, or Spacecraft with a power, or a card that says so; and Backgrounds."""
    alone = or_(
        _front_is("Creature", "Vehicle"),
        and_(_front_is("Spacecraft"), Card.power.is_not(None)),
        # LIKE looks at the case on PostgreSQL, not on SQLite, and some cards write the word with a capital.
        func.lower(CardFace.oracle_text).like("%can be your commander.%"),
    )
    pairing = (
        select(Keyword.keyword)
        .where(Keyword.oracle_id == Card.oracle_id, Keyword.keyword.in_(PAIRING_KEYWORDS))
        .order_by(Keyword.keyword)
    )
    # From the few legendary cards to their rows, rather than through all cards.
    return (
        select(
            *_IN_SHORT,
            case((alone, true()), else_=false()).label("alone"),
            _joined(pairing).label("pairing"),
            Legality.status.label("commander_status"),
        )
        .select_from(FaceType)
        .join(Card, Card.oracle_id == FaceType.oracle_id)
        .join(CardFace, and_(CardFace.oracle_id == Card.oracle_id, CardFace.face_index == 0))
        .outerjoin(Legality, and_(Legality.oracle_id == Card.oracle_id, Legality.format == "commander"))
        .where(
            FaceType.kind == "supertype",
            FaceType.name == "Legendary",
            FaceType.face_index == 0,
            Card.object_kind == "card",
            _IN_THE_EXPORT,
            or_(alone, _front_is("Background")),
            ~_is_melded(),
        )
    )


def _commander_cards() -> AnySelect:
    """CR 903.5c: every color of the card's identity is in the commander's."""
    commander = _as_table("commanders", _commanders()).alias("commander")
    outside = Card.color_identity_mask.bitwise_and(commander.c.color_identity_mask.bitwise_not())
    return (
        select(commander.c.name.label("commander"), *_IN_SHORT, commander.c.oracle_id.label("commander_id"))
        .join_from(commander, Card, outside == 0)
        .join(Legality, and_(Legality.oracle_id == Card.oracle_id, Legality.format == "commander"))
        .where(
            Legality.status == "legal",
            Card.object_kind == "card",
            _IN_THE_EXPORT,
            ~_is_melded(),
            Card.oracle_id != commander.c.oracle_id,
        )
    )


def _mana_curve() -> AnySelect:
    creature = case((_front_is("Creature"), 1), else_=0)
    return (
        select(
            Legality.format,
            Card.colors,
            Card.colors_mask,
            Card.mana_value,
            func.count().label("cards"),
            func.sum(creature).label("creatures"),
        )
        .join_from(Legality, Card, Card.oracle_id == Legality.oracle_id)
        .where(Legality.status.in_(PLAYABLE), _IN_THE_EXPORT, ~_front_is("Land"), ~_is_melded())
        .group_by(Legality.format, Card.colors, Card.colors_mask, Card.mana_value)
    )


def _devotion() -> AnySelect:
    """CR 700.5: the mana symbols of a color in a mana cost. A symbol of two colors counts for both."""
    colors = union_all(*(select(literal(letter).label("color")) for letter in _COLORS)).subquery("colors")
    spell = aliased(FaceType, name="spell")
    is_spell = exists(literal_column("1")).where(
        spell.oracle_id == CardFace.oracle_id,
        spell.face_index == CardFace.face_index,
        spell.kind == "type",
        spell.name.in_(("Instant", "Sorcery")),
    )
    return (
        select(
            CardFace.name,
            colors.c.color,
            func.sum(FaceSymbol.count).label("pips"),
            case((is_spell.correlate(CardFace), false()), else_=true()).label("permanent"),
            CardFace.oracle_id,
            CardFace.face_index,
        )
        .select_from(colors)
        .join(FaceSymbol, and_(FaceSymbol.place == "cost", FaceSymbol.symbol.like("%" + colors.c.color + "%")))
        .join(CardFace, and_(CardFace.oracle_id == FaceSymbol.oracle_id, CardFace.face_index == FaceSymbol.face_index))
        .join(Card, Card.oracle_id == CardFace.oracle_id)
        .where(_IN_THE_EXPORT)
        .group_by(CardFace.oracle_id, CardFace.face_index, CardFace.name, colors.c.color)
    )


def _situations() -> AnySelect:
    return (
        select(
            Card.name,
            CardFace.name.label("face"),
            ManaValue.situation,
            ManaValue.mana_value,
            ManaValue.rule,
            ManaValue.oracle_id,
            ManaValue.face_index,
        )
        .select_from(ManaValue)
        .join(Card, Card.oracle_id == ManaValue.oracle_id)
        .join(CardFace, and_(CardFace.oracle_id == ManaValue.oracle_id, CardFace.face_index == ManaValue.face_index))
        .where(_IN_THE_EXPORT)
    )


def _open_mismatches() -> AnySelect:
    face = aliased(CardFace, name="face")
    return (
        select(
            Card.name,
            face.name.label("face"),
            Mismatch.field,
            Mismatch.published,
            Mismatch.computed,
            Mismatch.category,
            Mismatch.rule,
            Mismatch.explanation,
            Card.object_kind,
            Card.layout,
            Card.edhrec_rank,
            SyncRun.started_at.label("first_seen_at"),
            Card.scryfall_uri,
            Mismatch.id,
            Card.oracle_id,
            Mismatch.face_index,
            Mismatch.first_seen_run_id,
        )
        .select_from(Mismatch)
        .join(Card, Card.oracle_id == Mismatch.oracle_id)
        .join(SyncRun, SyncRun.id == Mismatch.first_seen_run_id)
        .outerjoin(face, and_(face.oracle_id == Mismatch.oracle_id, face.face_index == Mismatch.face_index))
        .where(Mismatch.status == "open")
    )


VIEWS: dict[str, Callable[[], AnySelect]] = {
    "card_overview": _card_overview,
    "legal_cards": _legal_cards,
    "commanders": _commanders,
    "commander_cards": _commander_cards,
    "mana_curve": _mana_curve,
    "devotion": _devotion,
    "situations": _situations,
    "open_mismatches": _open_mismatches,
}
"""Each view and its select, in the order in which they build upon each other."""


def view_statements(dialect: str) -> Sequence[str]:
    """What makes the views, once the tables are there."""
    return [f"CREATE VIEW {name} AS {view_sql(name, dialect)}" for name in VIEWS]


def view_sql(name: str, dialect: str) -> str:
    """The view's SELECT for `sqlite` or `postgresql`."""
    compiled = VIEWS[name]().compile(dialect=registry.load(dialect)(), compile_kwargs={"literal_binds": True})
    # Drivers whose parameters begin with a percent sign get it doubled.
    return "\n".join(line.rstrip() for line in str(compiled).replace("%%", "%").splitlines())


def view_table(name: str) -> TableClause:
    """The view as something to select from, with its columns and their types."""
    return _as_table(name, VIEWS[name]())


def _as_table(name: str, definition: AnySelect) -> TableClause:
    return table(name, *(column(each.name, each.type) for each in definition.selected_columns))
