"""The meld pairs that the rules name one by one (CR 712.5)."""

from __future__ import annotations

from typing import NamedTuple


class MeldPair(NamedTuple):
    """Two cards that meld, and the combined back face they form."""

    first: str
    second: str
    result: str
    rule: str


MELD_PAIRS = (
    MeldPair("Midnight Scavengers", "Graf Rats", "Chittering Host", "712.5a"),
    MeldPair("Hanweir Garrison", "Hanweir Battlements", "Hanweir, the Writhing Township", "712.5b"),
    MeldPair("Bruna, the Fading Light", "Gisela, the Broken Blade", "Brisela, Voice of Nightmares", "712.5c"),
    MeldPair("Phyrexian Dragon Engine", "Mishra, Claimed by Gix", "Mishra, Lost to Phyrexia", "712.5d"),
    MeldPair("The Mightstone and Weakstone", "Urza, Lord Protector", "Urza, Planeswalker", "712.5e"),
    MeldPair("Argoth, Sanctum of Nature", "Titania, Voice of Gaea", "Titania, Gaea Incarnate", "712.5f"),
    MeldPair("Fang, Fearless l'Cie", "Vanille, Cheerful l'Cie", "Ragnarok, Divine Deliverance", "712.5g"),
)
"""Every pair the rules list. A source that links the cards of a newer pair itself needs no entry here."""

FRONTS_OF: dict[str, tuple[str, str]] = {pair.result: (pair.first, pair.second) for pair in MELD_PAIRS}
"""Name of a melded result -> names of the two cards."""
