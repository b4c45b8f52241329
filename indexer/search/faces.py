"""Conditions on the faces of a card."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import SQLColumnExpression, and_, not_, or_, select
from sqlalchemy.orm import aliased

from indexer.search.sql import Condition, contains
from indexer.storage.models import Card, CardFace

TWO_SIDED_LAYOUTS = ("transform", "modal_dfc", "double_faced_token", "art_series", "reversible_card", "battle")
"""Layouts whose other side has colors of its own, which a search for a color looks at as well."""


def any_face(condition: Callable[[Any], Condition]) -> Condition:
    """Whether some face meets the condition, every part of which must hold for the same face.

    The condition gets a mapped class with a face's columns. Nearly every card has one face, whose values stand in
    `cards` as well: reading them there saves a look into `card_faces` for each card of the pool. The name of a card
    with several faces joins theirs with ` // `.
    """
    several = contains(Card.name, " // ")
    face = aliased(CardFace)
    on_a_face = select(face.oracle_id).where(face.oracle_id == Card.oracle_id, condition(face)).correlate(Card).exists()
    return or_(and_(condition(Card), not_(several)), and_(several, on_a_face))


def front_face(condition: Callable[[Any], Condition]) -> Condition:
    """Whether the first face meets the condition: what a card is outside play unless its faces combine."""
    several = contains(Card.name, " // ")
    face = aliased(CardFace)
    on_the_front = (
        select(face.oracle_id)
        .where(face.oracle_id == Card.oracle_id, face.face_index == 0, condition(face))
        .correlate(Card)
        .exists()
    )
    return or_(and_(condition(Card), not_(several)), and_(several, on_the_front))


def either_side(condition: Callable[[SQLColumnExpression[Any]], Condition]) -> Condition:
    """Whether the colors of the card, or of the other side of a two-sided card, meet the condition on their mask."""
    face = aliased(CardFace)
    on_the_back = (
        select(face.oracle_id)
        .where(face.oracle_id == Card.oracle_id, face.face_index > 0, condition(face.colors_mask))
        .correlate(Card)
        .exists()
    )
    return or_(condition(Card.colors_mask), and_(Card.layout.in_(TWO_SIDED_LAYOUTS), on_the_back))
