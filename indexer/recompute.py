"""From one raw record to one `CardRecord`: normalize, compute by the rules, compare with what is published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from indexer.compare.mismatches import compare
from indexer.errors import NormalizeError
from indexer.normalize.card import NormalizedCard, normalize_record
from indexer.records import (
    CardRecord,
    CardRow,
    FaceRow,
    IdentitySourceRow,
    KeywordRow,
    Legalities,
    ManaValueRow,
    PartRow,
    SymbolRow,
    TypeRow,
)
from indexer.rules.card import Arrangement, Face
from indexer.rules.colors import MANA_LETTERS, ColorSet, ManaTypes
from indexer.rules.evaluate import CardValues, evaluate
from indexer.rules.rules_text import symbol_tokens, without_reminder_text
from indexer.rules.situations import named_values
from indexer.rules.symbols import Number
from indexer.rules.type_line import parse_type_line
from indexer.scryfall.types import RawRecord


class Recomputer:
    """Turns the raw records of one file into card records. One instance a file: melded cards need their two fronts."""

    def __init__(self) -> None:
        self._meld_fronts: dict[str, Face] = {}
        self._held_back: list[tuple[int, NormalizedCard]] = []

    def process(self, raw: RawRecord, line_number: int) -> CardRecord | None:
        """The record to store, or None if it is held back until `finish` (a melded card, whose fronts may come later).

        Raises:
            NormalizeError: the record can't become a card; the message says which field and why.
        """
        card = normalize_record(raw)
        if card.card.arrangement is Arrangement.MELDED:
            self._held_back.append((line_number, card))
            return None
        if card.card.arrangement is Arrangement.MELD_PART:
            self._meld_fronts[card.card.name] = card.card.faces[0]
        return build_record(card)

    def finish(self) -> Iterator[tuple[int, CardRecord | NormalizeError]]:
        """The records held back, each with its line number; a `NormalizeError` in place of one that can't be stored."""
        for line_number, card in self._held_back:
            try:
                result: CardRecord | NormalizeError = build_record(card, self._fronts(card.meld_front_names))
            except NormalizeError as error:
                result = error
            except Exception as error:  # one card must not end the run, whatever is in it
                result = NormalizeError(f"unexpected {type(error).__name__}: {error}")
            yield line_number, result
        self._held_back.clear()

    def _fronts(self, names: tuple[str, ...]) -> tuple[Face, ...]:
        return tuple(self._meld_fronts[name] for name in names if name in self._meld_fronts)


def build_record(card: NormalizedCard, meld_fronts: tuple[Face, ...] = ()) -> CardRecord:
    """Compute, compare, and lay out the rows of one card."""
    rules_card = card.card
    if meld_fronts:
        rules_card = replace(rules_card, meld_fronts=meld_fronts)
        card = replace(card, card=rules_card)
    comparison = compare(card, evaluate(rules_card))
    values = comparison.values
    key = card.oracle_id
    return CardRecord(
        card=_card_row(card, values),
        faces=_face_rows(card, values),
        identity_sources=_identity_source_rows(key, values),
        mana_values=[
            ManaValueRow(key, named.face_index, named.situation, float(named.mana_value), named.rule)
            for named in named_values(rules_card, values.mana_value)
        ],
        symbols=[row for index, face in enumerate(rules_card.faces) for row in _symbol_rows(key, index, face)],
        types=[
            TypeRow(key, index, kind, name)
            for index, face in enumerate(rules_card.faces)
            for kind, name in _typed_words(face.type_line)
        ],
        keywords=[KeywordRow(key, keyword) for keyword in card.keywords],
        legalities=_shared_legalities(tuple(card.legalities.items())),
        parts=[
            PartRow(key, index, part.component, part.name, part.type_line, part.scryfall_id)
            for index, part in enumerate(card.parts)
        ],
        undecided=comparison.undecided,
        mismatches=comparison.mismatches,
    )


def _card_row(card: NormalizedCard, values: CardValues) -> CardRow:
    first = card.faces[0]
    colors, identity, mana = values.colors.value, values.color_identity.value, values.produced_mana.value
    published_mana = card.published_produced_mana
    return CardRow(
        oracle_id=card.oracle_id,
        scryfall_id=card.scryfall_id,
        name=card.card.name,
        layout=card.layout,
        object_kind=card.card.kind.value,
        mana_cost=card.mana_cost,
        mana_value=_number(values.mana_value.value),
        colors=_letters(colors),
        colors_mask=_mask(colors),
        color_identity=_letters(identity),
        color_identity_mask=_mask(identity),
        produced_mana=_letters(mana),
        produced_mana_mask=_mask(mana),
        mana_value_decision=values.mana_value.decision.value,
        colors_decision=values.colors.decision.value,
        color_identity_decision=values.color_identity.decision.value,
        produced_mana_decision=values.produced_mana.decision.value,
        published_mana_value=_number(card.published_mana_value),
        published_colors=_letters(card.published_colors),
        published_colors_mask=_mask(card.published_colors),
        published_color_identity=_letters(card.published_color_identity),
        published_color_identity_mask=_mask(card.published_color_identity),
        published_produced_mana=published_mana,
        published_produced_mana_mask=None if published_mana is None else _mana_mask(published_mana),
        type_line=card.type_line,
        oracle_text=card.oracle_text,
        power=first.power,
        toughness=first.toughness,
        loyalty=first.loyalty,
        defense=first.defense,
        set_code=card.set_code,
        set_name=card.set_name,
        set_type=card.set_type,
        collector_number=card.collector_number,
        rarity=card.rarity,
        released_at=card.released_at,
        edhrec_rank=card.edhrec_rank,
        reserved=card.reserved,
        digital=card.digital,
        funny=card.funny,
        game_changer=card.game_changer,
        scryfall_uri=card.scryfall_uri,
    )


def _face_rows(card: NormalizedCard, values: CardValues) -> list[FaceRow]:
    return [
        FaceRow(
            oracle_id=card.oracle_id,
            face_index=index,
            name=face.name,
            mana_cost=face.mana_cost,
            mana_value=_number(ours.mana_value.value),
            colors=_letters(ours.colors.value),
            colors_mask=_mask(ours.colors.value),
            color_indicator=_letters(face.color_indicator),
            color_indicator_mask=_mask(face.color_indicator),
            type_line=face.type_line,
            oracle_text=face.rules_text,
            power=printed.power,
            toughness=printed.toughness,
            loyalty=printed.loyalty,
            defense=printed.defense,
            published_mana_value=_number(printed.published_mana_value),
            published_colors=_letters(printed.published_colors),
            published_colors_mask=_mask(printed.published_colors),
        )
        for index, (face, printed, ours) in enumerate(zip(card.card.faces, card.faces, values.faces, strict=True))
    ]


def _identity_source_rows(key: str, values: CardValues) -> list[IdentitySourceRow]:
    if values.color_identity.value is None:
        return []
    rows = {
        # Both fronts of a melded card may give the same color from the same kind of place: one row.
        (source.face_index, letter, source.source): IdentitySourceRow(
            key, source.face_index, letter, source.source.value, source.rule
        )
        for source in values.identity_sources
        for letter in str(source.colors)
    }
    return list(rows.values())


def _symbol_rows(key: str, index: int, face: Face) -> list[SymbolRow]:
    rows = [SymbolRow(key, index, "cost", symbol, count) for symbol, count in _cost_symbols(face.mana_cost or "")]
    text = face.rules_text
    if text and "{" in text:
        counts = Counter(symbol_tokens(without_reminder_text(text)))
        rows.extend(SymbolRow(key, index, "text", f"{{{token}}}", count) for token, count in counts.items())
    return rows


@lru_cache(maxsize=4096)
def _shared_legalities(items: Legalities) -> Legalities:
    return tuple(sorted(items))


@lru_cache(maxsize=8192)
def _cost_symbols(cost: str) -> tuple[tuple[str, int], ...]:
    # A cost that can't be read still shows its symbols: somebody may want to look for them.
    return tuple(Counter(f"{{{token}}}" for token in symbol_tokens(cost)).items())


@lru_cache(maxsize=16384)
def _typed_words(type_line: str) -> tuple[tuple[str, str], ...]:
    line = parse_type_line(type_line)
    words = [("supertype", word) for word in line.supertypes]
    words += [("type", word) for word in line.types]
    words += [("subtype", word) for word in line.subtypes]
    return tuple(dict.fromkeys(words))


def _number(value: Number | float | None) -> float | None:
    return None if value is None else float(value)


def _letters(value: ColorSet | ManaTypes | None) -> str | None:
    return None if value is None else str(value)


def _mask(value: ColorSet | ManaTypes | None) -> int | None:
    return None if value is None else value.mask


def _mana_mask(letters: str) -> int:
    return sum(1 << place for place, letter in enumerate(MANA_LETTERS) if letter in letters)
