"""The list of symbols as Scryfall published it in September 2026: its facts, in the shape of its answer.

https://scryfall.com/docs/api/card-symbols tells the fields; the facts are those of the live list of that time.
"""

from __future__ import annotations

_PAIRS = "W/U W/B B/R B/G U/B U/R R/G R/W G/W G/U".split()
_IN_NO_COST = {"½", "17", "18", "19", "20", "100", "∞", "H", "HR"} | {
    f"{pair}/P" for pair in ("B/G", "B/R", "R/G", "R/W", "U/B", "U/R", "W/B", "W/U")
}
_FUNNY = {"A", "Y", "Z", "½", "100", "1000000", "∞", "C/P", "HW", "HR", "L", "D"}
_NO_MANA = {"T", "Q", "E", "P", "PW", "CHAOS", "A", "TK", "D"}


def _value(token: str) -> float | None:
    if token.isdecimal():
        return float(token)
    if token in {*"XYZ", *_NO_MANA}:
        return 0.0
    return {"∞": None, "½": 0.5, "HW": 0.5, "HR": 0.5}.get(token, 2.0 if token.startswith("2/") else 1.0)


def _colors(token: str) -> list[str]:
    if token in _NO_MANA or token == "H":
        return []
    return [letter for letter in "WUBRG" if letter in token]


def published_symbol(token: str) -> dict[str, object]:
    """The entry of one symbol, given without its braces."""
    halves = token.split("/")
    return {
        "object": "card_symbol",
        "symbol": f"{{{token}}}",
        "english": f"the symbol {token}",
        "represents_mana": token not in _NO_MANA,
        "appears_in_mana_costs": (token == "D" or token not in _NO_MANA) and token not in _IN_NO_COST,
        "mana_value": _value(token),
        "hybrid": len([half for half in halves if half != "P"]) > 1,
        "phyrexian": token == "H" or (len(halves) > 1 and halves[-1] == "P"),
        "funny": token in _FUNNY,
        "colors": _colors(token),
    }


TOKENS = (
    *"T Q E P PW CHAOS A TK X Y Z 0 ½".split(),
    *(str(number) for number in (*range(1, 21), 100, 1_000_000)),
    "∞",
    *_PAIRS,
    *(f"{pair}/P" for pair in _PAIRS),
    *(f"C/{color}" for color in "WUBRG"),
    *(f"2/{color}" for color in "WUBRG"),
    "H",
    *(f"{color}/P" for color in "WUBRGC"),
    *"HW HR W U B R G C S L D".split(),
)
PUBLISHED_SYMBOLS = [published_symbol(token) for token in TOKENS]
