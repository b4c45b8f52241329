"""The keyword abilities of CR 702, to tell a text that is made of nothing else."""

from __future__ import annotations

from functools import cache

KEYWORD_ABILITIES = (
    "absorb", "affinity", "afflict", "afterlife", "aftermath", "amplify", "annihilator", "ascend", "assist",
    "aura swap", "awaken", "backup", "banding", "bands with other", "bargain", "battle cry", "bestow", "blitz",
    "bloodthirst", "bushido", "buyback", "cascade", "casualty", "champion", "changeling", "cipher", "cleave",
    "commander ninjutsu", "companion", "compleated", "conspire", "convoke", "crew", "cumulative upkeep", "cycling",
    "dash", "daybound", "deathtouch", "decayed", "defender", "delve", "demonstrate", "dethrone", "devoid", "devour",
    "disguise", "disturb", "double strike", "dredge", "echo", "embalm", "emerge", "encore", "enlist", "entwine",
    "epic", "escalate", "escape", "eternalize", "evoke", "evolve", "exalted", "exploit", "extort", "fabricate",
    "fading", "fear", "firebending", "first strike", "flanking", "flash", "flashback", "flying", "foretell",
    "fortify", "freerunning", "frenzy", "fuse", "graft", "gravestorm", "harmonize", "haste", "haunt", "hexproof",
    "hidden agenda", "hideaway", "horsemanship", "impending", "improvise", "indestructible", "infect", "ingest",
    "intimidate", "job select", "jump-start", "kicker", "level up", "lifelink",
    "living metal", "living weapon", "madness", "mayhem", "megamorph", "melee", "menace", "mentor", "miracle",
    "mobilize", "modular", "more than meets the eye", "morph", "multikicker", "mutate", "myriad",
    "nightbound", "ninjutsu", "offspring", "outlast", "overload", "partner", "persist",
    "phasing", "plot", "poisonous", "protection", "prototype", "provoke", "prowess", "prowl",
    "rampage", "ravenous", "reach", "rebound", "reconfigure", "recover", "reinforce", "renown", "replicate",
    "retrace", "riot", "ripple", "saddle", "scavenge", "shadow", "shroud", "skulk", "sneak", "soulbond", "soulshift",
    "spectacle", "splice", "split second", "spree", "squad", "start your engines!", "station", "storm", "sunburst",
    "surge", "suspend", "tiered", "toxic", "training", "trample", "transfigure",
    "transmute", "tribute", "umbra armor", "undaunted", "undying", "unearth", "unleash", "vanishing", "vigilance",
    "ward", "warp", "web-slinging", "wither",
)  # fmt: skip
"""In lower case, without the many names of landwalk."""


@cache
def keywords_only_pattern() -> str:
    """A regular expression for a text of nothing but keyword abilities, in the dialects of both databases.

    A cost after a long dash may be a sentence; everything else is free of stops, colons and quotations, which only
    other abilities have.
    """
    by_letter: dict[str, list[str]] = {}
    for name in sorted(KEYWORD_ABILITIES, key=len, reverse=True):
        by_letter.setdefault(name[0], []).append(name[1:].replace("!", r"\!").replace("-", r"\-"))
    # Grouped by their first letter: an engine tries one alternative after the other.
    names = "|".join(f"{letter}(?:{'|'.join(rests)})" for letter, rests in sorted(by_letter.items()))
    line = rf"(?:{names}|(?:[a-z]+ )?[a-z]+walk)(?![a-z])(?:—[^\n]*|[^.:\n\"]*)"
    return rf"\A{line}(?:\n{line})*\Z"
