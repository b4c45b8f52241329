"""Which records of a file need computing: those that the pool does not have, or has with another hash."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from indexer.pipeline.spool import HASH_SLICE, KEY_SLICE, MAY_MELD_INDEX, Chunk, PackedEntry, Spool, padded_key

CHUNK_ENTRIES = 400
"""Records that are computed and written at once. Larger chunks cost memory and save nothing."""


class KnownCard(Protocol):
    """A card of the pool that is in the export as far as the pool knows."""

    @property
    def oracle_id(self) -> str: ...
    @property
    def record_hash(self) -> bytes | None: ...
    @property
    def search_id(self) -> int: ...
    @property
    def layout(self) -> str: ...


class Plan(NamedTuple):
    """What is to be done with a file."""

    chunks: list[Chunk]
    """Records to compute, in the order of their oracle ids; those that may meld come last and all together."""
    needed: int
    """How many records these are."""
    unchanged: array[int]
    """The search ids of the cards whose records are as they were."""


def make_plan(spool: Spool, runs: Sequence[int], known: Iterable[KnownCard]) -> Plan:
    """Walk through file and pool at once. `known` comes in the order of the oracle ids.

    Only the first record of an oracle id can be a known one. If one card that may meld has changed, come or gone, all
    of them are computed: a melded card's values depend on its fronts'.
    """
    chunks: list[Chunk] = []
    needed: list[PackedEntry] = []
    count = 0
    unchanged = array("q")
    melding: list[PackedEntry] = []
    melding_unchanged: list[int] = []
    melding_known = 0
    cards = iter(known)
    card = next(cards, None)
    card_key = padded_key(card.oracle_id) if card else b""
    for entry in spool.read_index(runs):
        key = entry[KEY_SLICE]
        while card and card_key < key:
            melding_known += card.layout == "meld"
            card = next(cards, None)
            card_key = padded_key(card.oracle_id) if card else b""
        search_id = 0
        if card and card_key == key and card.record_hash == entry[HASH_SLICE]:
            search_id = card.search_id
            melding_known += card.layout == "meld"
            card = next(cards, None)
            card_key = padded_key(card.oracle_id) if card else b""
        if entry[MAY_MELD_INDEX]:
            melding.append(entry)
            if search_id:
                melding_unchanged.append(search_id)
        elif search_id:
            unchanged.append(search_id)
        else:
            needed.append(entry)
            if len(needed) == CHUNK_ENTRIES:
                chunks.append(spool.append_chunk(needed))
                count += len(needed)
                needed.clear()
    melding_known += sum(card.layout == "meld" for card in cards) + (card is not None and card.layout == "meld")
    if len(melding_unchanged) == len(melding) == melding_known:
        unchanged.extend(melding_unchanged)
        melding.clear()
    for rest in (needed, melding):
        if rest:
            chunks.append(spool.append_chunk(rest))
            count += len(rest)
    return Plan(chunks, count, unchanged)
