"""Names for sets of colors: the guilds, shards, wedges, colleges and four-color names that players use."""

from __future__ import annotations

COLOR_NICKNAMES: dict[str, str] = {
    "white": "W",
    "blue": "U",
    "black": "B",
    "red": "R",
    "green": "G",
    # Guilds of Ravnica.
    "azorius": "WU",
    "dimir": "UB",
    "rakdos": "BR",
    "gruul": "RG",
    "selesnya": "GW",
    "orzhov": "WB",
    "izzet": "UR",
    "golgari": "BG",
    "boros": "RW",
    "simic": "GU",
    # Colleges of Strixhaven.
    "lorehold": "RW",
    "prismari": "UR",
    "quandrix": "GU",
    "silverquill": "WB",
    "witherbloom": "BG",
    # Shards of Alara.
    "bant": "GWU",
    "esper": "WUB",
    "grixis": "UBR",
    "jund": "BRG",
    "naya": "RGW",
    # Wedges of Tarkir.
    "abzan": "WBG",
    "jeskai": "URW",
    "sultai": "BGU",
    "mardu": "RWB",
    "temur": "GUR",
    # Four colors: the names of the nephilim and of the Commander 2016 themes.
    "yore-tiller": "WUBR",
    "artifice": "WUBR",
    "glint-eye": "UBRG",
    "chaos": "UBRG",
    "dune-brood": "BRGW",
    "aggression": "BRGW",
    "ink-treader": "RGWU",
    "altruism": "RGWU",
    "witch-maw": "GWUB",
    "growth": "GWUB",
    "rainbow": "WUBRG",
}
"""Name in lower case -> letters."""

COLORLESS_NAMES = frozenset({"c", "colorless", "colourless", "brown"})
MULTICOLOR_NAMES = frozenset({"m", "multi", "gold", "multicolor", "multicolour", "multicolored", "multicoloured"})
"""More than one color, whichever they are."""
