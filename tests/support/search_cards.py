"""Records for the search tests: real cards' values, texts in short words of our own, the shape that Scryfall sends."""

from __future__ import annotations

import uuid
from typing import Any

RawRecord = dict[str, Any]

_EVERYWHERE = ("modern", "legacy", "vintage", "commander")


def record(
    name: str,
    cost: str | None = "",
    types: str = "Instant",
    text: str = "",
    *,
    colors: str = "",
    identity: str | None = None,
    mv: float = 0,
    stats: str | None = None,
    legal: tuple[str, ...] = _EVERYWHERE,
    other_status: dict[str, str] | None = None,
    **fields: Any,
) -> RawRecord:
    """One raw record. `stats` is `power/toughness`; colors and identity are letters (identity: None is the colors)."""
    statuses = dict.fromkeys(("modern", "legacy", "vintage", "commander"), "not_legal")
    raw: RawRecord = {
        "object": "card",
        "id": str(uuid.uuid5(uuid.NAMESPACE_URL, f"printing {name}")),
        "oracle_id": str(uuid.uuid5(uuid.NAMESPACE_URL, name)),
        "name": name,
        "layout": "normal",
        "mana_cost": cost,
        "cmc": mv,
        "type_line": types,
        "oracle_text": text,
        "colors": list(colors),
        "color_identity": list(colors if identity is None else identity),
        "keywords": [],
        "legalities": {**statuses, **dict.fromkeys(legal, "legal"), **(other_status or {})},
        "set": "tst",
        "set_name": "Test Set",
        "set_type": "expansion",
        "collector_number": "1",
        "rarity": "common",
        "released_at": "2020-06-01",
        "reserved": False,
        "digital": False,
        "border_color": "black",
        "scryfall_uri": f"https://scryfall.example.test/{name.replace(' ', '-')}",
        **fields,
    }
    if stats:
        raw["power"], raw["toughness"] = stats.split("/")
    return raw


def faced(
    layout: str,
    *faces: RawRecord,
    mv: float = 0,
    identity: str = "",
    colors: str | None = None,
    **fields: Any,
) -> RawRecord:
    """A record of several faces. `colors` are the root's; None leaves them to the faces, as for two-sided cards."""
    name = " // ".join(face["name"] for face in faces)
    raw = record(name, mv=mv, identity=identity, layout=layout, **fields)
    for field in ("mana_cost", "oracle_text", "colors"):
        del raw[field]
    if colors is not None:
        raw["colors"] = list(colors)
        raw["mana_cost"] = " // ".join(face["mana_cost"] for face in faces if face["mana_cost"])
    raw["type_line"] = " // ".join(face["type_line"] for face in faces)
    raw["card_faces"] = [
        face if colors is None else {key: value for key, value in face.items() if key != "colors"} for face in faces
    ]
    return raw


def face(
    name: str, cost: str, types: str, text: str = "", *, colors: str = "", stats: str = "", **fields: Any
) -> RawRecord:
    """One face of a record."""
    raw: RawRecord = {
        "object": "card_face",
        "name": name,
        "mana_cost": cost,
        "type_line": types,
        "oracle_text": text,
        "colors": list(colors),
        **fields,
    }
    if stats:
        raw["power"], raw["toughness"] = stats.split("/")
    return raw


def search_records() -> list[RawRecord]:
    """The pool that the search tests ask."""
    return [
        record("Lightning Bolt", "{R}", "Instant", "~ deals 3 damage to any target.".replace("~", "Lightning Bolt"),
               colors="R", mv=1, set="lea", released_at="1993-08-05", collector_number="161", edhrec_rank=10),
        record("Counterspell", "{U}{U}", "Instant", "Counter target spell.", colors="U", mv=2, rarity="uncommon",
               edhrec_rank=20),
        record("Wrath of God", "{2}{W}{W}", "Sorcery", "Destroy all creatures. They can't be regenerated.",
               colors="W", mv=4, rarity="rare"),
        record("Swords to Plowshares", "{W}", "Instant", "Exile target creature.", colors="W", mv=1, rarity="uncommon",
               legal=("legacy", "vintage", "commander")),
        record("Black Lotus", "{0}", "Artifact", "{T}, Sacrifice this artifact: Add three mana of any one color.",
               mv=0, rarity="rare", reserved=True, set="lea", released_at="1993-08-05", produced_mana=list("WUBRG"),
               legal=(), other_status={"vintage": "restricted", "legacy": "banned", "commander": "banned"}),
        record("Sol Ring", "{1}", "Artifact", "{T}: Add {C}{C}.", mv=1, rarity="uncommon", produced_mana=["C"],
               legal=("commander",), other_status={"vintage": "restricted", "legacy": "banned"}, game_changer=False),
        record("Grizzly Bears", "{1}{G}", "Creature — Bear", "", colors="G", mv=2, stats="2/2"),
        record("Serra Angel", "{3}{W}{W}", "Creature — Angel", "Flying, vigilance", colors="W", mv=5, stats="4/4",
               rarity="uncommon", keywords=["Flying", "Vigilance"]),
        record("Llanowar Elves", "{G}", "Creature — Elf Druid", "{T}: Add {G}.", colors="G", mv=1, stats="1/1",
               produced_mana=["G"]),
        record("Birds of Paradise", "{G}", "Creature — Bird", "Flying\n{T}: Add one mana of any color.", colors="G",
               mv=1,
               stats="0/1", rarity="rare", keywords=["Flying"], produced_mana=list("WUBRG")),
        record("Tarmogoyf", "{1}{G}", "Creature — Lhurgoyf", "Its power is counted from graveyards.", colors="G", mv=2,
               stats="*/1+*", rarity="mythic"),
        record("Goblin Guide", "{R}", "Creature — Goblin Scout", "Haste\nWhenever this creature attacks, it scouts.",
               colors="R", mv=1, stats="2/2", rarity="rare", keywords=["Haste"]),
        record("Kiki-Jiki, Mirror Breaker", "{2}{R}{R}{R}", "Legendary Creature — Goblin Shaman",
               "Haste\n{T}: Copy another creature. Kiki-Jiki shrugs.", colors="R", mv=5, stats="2/2", rarity="mythic",
               keywords=["Haste"]),
        record("Demigod of Revenge", "{B/R}{B/R}{B/R}{B/R}{B/R}", "Creature — Spirit Avatar", "Flying, haste",
               colors="BR", mv=5, stats="5/4", rarity="rare", keywords=["Flying", "Haste"]),
        record("Nightveil Specter", "{U/B}{U/B}{U/B}", "Creature — Specter", "Flying", colors="UB", mv=3, stats="2/3",
               rarity="rare", keywords=["Flying"]),
        record("Spectral Procession", "{2/W}{2/W}{2/W}", "Sorcery", "Create three 1/1 white Spirit tokens with flying.",
               colors="W", mv=6, rarity="uncommon"),
        record("Gut Shot", "{R/P}", "Instant", "({R/P} is paid with {R} or 2 life.)\nIt deals 1 damage to any target.",
               colors="R", mv=1, rarity="uncommon"),
        record("Fireball", "{X}{R}", "Sorcery", "It deals X damage.", colors="R", mv=1),
        record("Ancestral Vision", "", "Sorcery", "Suspend 4—{U} (Wait four turns.)\nDraw three cards.", colors="U",
               mv=0,
               rarity="rare", color_indicator=["U"], keywords=["Suspend"]),
        record("Lim-Dûl's Vault", "{U}{B}", "Instant", "Look at five cards, pay 1 life, repeat.", colors="UB", mv=2,
               rarity="uncommon", legal=("legacy", "vintage", "commander")),
        record("Séance", "{2}{W}{W}", "Enchantment", "Copy a card from your graveyard.", colors="W", mv=4,
               rarity="rare"),
        record("Jace Beleren", "{1}{U}{U}", "Legendary Planeswalker — Jace", "+2: Each player draws a card.",
               colors="U", mv=3, loyalty="3", rarity="mythic"),
        record("Omnath, Locus of Creation", "{R}{G}{W}{U}", "Legendary Creature — Elemental",
               "When Omnath enters, draw a card.", colors="WURG", mv=4, stats="4/4", rarity="mythic"),
        record("Progenitus", "{W}{W}{U}{U}{B}{B}{R}{R}{G}{G}", "Legendary Creature — Hydra Avatar",
               "Protection from everything", colors="WUBRG", mv=10, stats="10/10", rarity="mythic",
               keywords=["Protection"]),
        record("Ghalta, Primal Hunger", "{10}{G}{G}", "Legendary Creature — Elder Dinosaur",
               "This spell costs {X} less, X your creatures' power.\nTrample", colors="G", mv=12, stats="12/12",
               rarity="rare",
               keywords=["Trample"]),
        record("Exploration Broodship", "{2}{G}", "Legendary Artifact — Spacecraft", "Station (Tap a crew.)",
               colors="G", mv=3,
               stats="4/4", rarity="rare", keywords=["Station"]),
        record("Crypt Rats", "{2}{B}", "Creature — Rat", "{X}: It deals X damage to each creature.", colors="B",
               identity="BR", mv=3, stats="1/1"),  # published with a color too many
        record("Izzet Charm", "{U}{R}", "Instant", "Choose one —\n• Counter a spell.\n• Deal 2 damage.", colors="UR",
               mv=2,
               rarity="uncommon"),
        record("Giant Growth", "{G}", "Instant", "A creature gets +3/+3 until end of turn.", colors="G",
               mv=2),  # published with a wrong mana value
        record("Extort Monk", "{W}", "Creature — Human Monk", "Extort (You may pay {W/B} when you cast a spell.)",
               colors="W", mv=1, stats="1/1", keywords=["Extort"]),
        record("Forest", "", "Basic Land — Forest", "({T}: Add {G}.)", identity="G", produced_mana=["G"]),
        record("Bayou", "", "Land — Swamp Forest", "({T}: Add {B} or {G}.)", identity="BG", produced_mana=["B", "G"],
               rarity="rare", reserved=True, legal=("legacy", "vintage", "commander")),
        record("Breeding Pool", "", "Land — Forest Island",
               "({T}: Add {G} or {U}.)\nAs this land enters, you may pay 2 life. If you don't, it enters tapped.",
               identity="UG", produced_mana=["G", "U"], rarity="rare"),
        record("Gruul Guildgate", "", "Land — Gate", "This land enters tapped.\n{T}: Add {R} or {G}.", identity="RG",
               produced_mana=["G", "R"]),
        record("Wastes", "", "Basic Land", "{T}: Add {C}.", produced_mana=["C"]),
        record("Little Girl", "{HW}", "Creature — Human Child", "", colors="W", mv=0.5, stats=".5/.5", set="unh",
               set_type="funny", border_color="silver", legal=()),
        record("Secrets of Paradise", "", "Conspiracy", "Hidden agenda", set="cns", legal=()),
        record("Treasure", "", "Token Artifact — Treasure", "{T}, Sacrifice: Add one mana of any color.",
               layout="token",
               set="ttst", set_type="token", legal=(), produced_mana=list("WUBRG")),
        record("Goblin", "", "Token Creature — Goblin", "", colors="R", layout="token", stats="1/1", set="ttst",
               set_type="token", legal=()),
        record("Naya", "", "Plane — Alara", "Play an additional land.", layout="planar", set="hop",
               set_type="planechase",
               legal=()),
        record("My Crushing Masterstroke", "", "Scheme", "Take control of everything.", layout="scheme", set="arc",
               set_type="archenemy", legal=()),
        record("Golden Bolt", "{R}", "Instant", "It shines.", colors="R", mv=1, set="30a", set_type="memorabilia",
               legal=()),
        faced("split", face("Fire", "{1}{R}", "Instant", "Fire deals 2 damage."), face("Ice", "{1}{U}", "Instant",
              "Tap a permanent.\nDraw a card."), mv=4, identity="UR", colors="UR", rarity="uncommon"),
        faced("flip", face("Akki Lavarunner", "{3}{R}", "Creature — Goblin Warrior", "Haste", stats="1/1"),
              face("Tok-Tok, Volcano Born", "", "Legendary Creature — Goblin Shaman", "Protection from red",
              stats="2/2"),
              mv=4, identity="R", colors="R", rarity="rare", keywords=["Haste", "Protection"]),
        faced("transform", face("Delver of Secrets", "{U}", "Creature — Human Wizard", "Look at a card each upkeep.",
                                colors="U", stats="1/1"),
              face("Insectile Aberration", "", "Creature — Human Insect", "Flying", colors="U", stats="3/2",
                   color_indicator=["U"]), mv=1, identity="U", keywords=["Flying", "Transform"]),
        faced("transform", face("Huntmaster of the Fells", "{2}{R}{G}", "Creature — Human Werewolf",
               "It brings a Wolf.",
                                colors="RG", stats="2/2"),
              face("Ravager of the Fells", "", "Creature — Werewolf", "Trample", colors="RG", stats="4/4",
                   color_indicator=["R", "G"]), mv=4, identity="RG", rarity="mythic", keywords=["Transform",
                   "Trample"]),
        faced("transform", face("Invasion of Zendikar", "{3}{G}", "Battle — Siege", "Find two lands.", colors="G",
                                defense="3"),
              face("Awakened Skyclave", "", "Creature — Elemental", "Vigilance, haste", colors="G", stats="4/4",
                   color_indicator=["G"]), mv=4, identity="G", rarity="uncommon", keywords=["Vigilance", "Haste"]),
        faced("modal_dfc", face("Valki, God of Lies", "{1}{B}", "Legendary Creature — God", "Look at a hand.",
               colors="B",
                                stats="2/1"),
              face("Tibalt, Cosmic Impostor", "{5}{B}{R}", "Legendary Planeswalker — Tibalt", "+2: Exile two cards.",
                   colors="BR", loyalty="5"), mv=2, identity="BR", rarity="mythic"),
        faced("adventure", face("Bonecrusher Giant", "{2}{R}", "Creature — Giant", "It hits back.", stats="4/3"),
              face("Stomp", "{1}{R}", "Instant — Adventure", "Stomp deals 2 damage."), mv=3, identity="R", colors="R",
              rarity="rare"),
        record("Gisela, the Broken Blade", "{2}{W}{W}", "Legendary Creature — Angel Horror",
               "Flying, first strike, lifelink",
               colors="W", mv=4, stats="4/3", layout="meld", rarity="mythic",
               keywords=["Flying", "First strike", "Lifelink", "Meld"], all_parts=_meld_parts()),
        record("Bruna, the Fading Light", "{5}{W}{W}", "Legendary Creature — Angel Horror", "Flying, vigilance",
               colors="W",
               mv=7, stats="5/7", layout="meld", rarity="rare", keywords=["Flying", "Vigilance"],
               all_parts=_meld_parts()),
        record("Brisela, Voice of Nightmares", "", "Legendary Creature — Eldrazi Angel",
               "Flying, first strike, vigilance, lifelink", colors="W", identity="W", mv=11, stats="9/10",
               layout="meld",
               rarity="mythic", color_indicator=["W"], keywords=["Flying"], all_parts=_meld_parts()),
    ]  # fmt: skip


def _meld_parts() -> list[dict[str, str]]:
    return [
        {
            "component": component,
            "name": name,
            "type_line": "Legendary Creature",
            "id": str(uuid.uuid5(uuid.NAMESPACE_URL, name)),
        }
        for component, name in (
            ("meld_part", "Gisela, the Broken Blade"),
            ("meld_part", "Bruna, the Fading Light"),
            ("meld_result", "Brisela, Voice of Nightmares"),
        )
    ]
