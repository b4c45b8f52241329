"""`is`, `not`, `has`: yes-or-no questions about a card, by a table of their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from sqlalchemy import and_, func, not_, or_, select
from sqlalchemy.orm import aliased

from indexer.rules.colors import COLOR_LETTERS
from indexer.search.faces import any_face, either_side, front_face
from indexer.search.keyword_abilities import keywords_only_pattern
from indexer.search.keywords import Context, Keyword, suggestion
from indexer.search.land_families import LAND_FAMILIES
from indexer.search.sql import Condition, contains, leading_number, like, matches, negated, plain_text
from indexer.search.syntax import Term
from indexer.search.terms_legality import with_status
from indexer.search.terms_mana import PERMANENT_TYPES
from indexer.storage.models import Card, CardFace, CardPart, FaceType
from indexer.storage.models import Keyword as CardKeyword

SPELL_TYPES = ("Creature", "Instant", "Sorcery", "Enchantment", "Artifact", "Planeswalker", "Battle")
PARTY = ("Cleric", "Rogue", "Warrior", "Wizard")
"""CR 700.8."""
OUTLAWS = ("Assassin", "Mercenary", "Pirate", "Rogue", "Warlock")
"""CR 700.12."""
_SEVERAL_COLORS = [mask for mask in range(32) if mask.bit_count() > 1]
_ONE_COLOR = [mask for mask in range(32) if mask.bit_count() == 1]


class Flag(NamedTuple):
    """One value of `is`."""

    names: tuple[str, ...]
    """Without hyphens and underscores."""
    summary: str
    condition: Callable[[], Condition]
    shows_extras: bool = False
    """Whether it asks for objects outside a deck, which a search leaves out otherwise."""


def _layout(*names: str) -> Callable[[], Condition]:
    return lambda: Card.layout.in_(names)


def _has_any_word(text: Any, words: Iterable[str]) -> Condition:
    return or_(*(contains(text, word) for word in words))


def _subtype(*names: str) -> Callable[[], Condition]:
    return lambda: Card.oracle_id.in_(select(FaceType.oracle_id).where(FaceType.name.in_(names)))


def _keyword(*names: str) -> Condition:
    return Card.oracle_id.in_(select(CardKeyword.oracle_id).where(CardKeyword.keyword.in_(names)))


def _part(component: str) -> Callable[[], Condition]:
    part = aliased(CardPart)
    return lambda: (
        select(part.oracle_id)
        .where(part.oracle_id == Card.oracle_id, part.component == component, part.name == Card.name)
        .correlate(Card)
        .exists()
    )


def _spell() -> Condition:
    """Cast as a spell: some face is neither a land (CR 305.9) nor something that is never cast."""
    return any_face(
        lambda face: and_(_has_any_word(face.type_line, SPELL_TYPES), not_(contains(face.type_line, "Land")))
    )


def _permanent() -> Condition:
    return any_face(lambda face: _has_any_word(face.type_line, PERMANENT_TYPES))


def _historic() -> Condition:
    return _has_any_word(Card.type_line, ("Legendary", "Artifact", "Saga"))


def _creature() -> Condition:
    return contains(Card.type_line, "Creature")


def _vanilla() -> Condition:
    return and_(Card.oracle_text == "", _creature())


def _french_vanilla() -> Condition:
    pattern = keywords_only_pattern()
    text = Card.oracle_text
    # What most texts show at first sight: a sentence, a trigger, an ability word. Reminder text hides sentences.
    likely = and_(
        or_(not_(contains(text, ".")), contains(text, "("), contains(text, "—")),
        not_(contains(text, " — ")),
        not_(like(text, "When%")),
        not_(contains(text, "\nWhen")),
    )
    return and_(_creature(), likely, matches(plain_text(text), pattern, f"(?i){pattern}"))


def _bear() -> Condition:
    return and_(
        Card.mana_value == 2,
        any_face(
            lambda face: and_(
                leading_number(face.power) == 2,
                leading_number(face.toughness) == 2,
                contains(face.type_line, "Creature"),
            )
        ),
    )


def _modal() -> Condition:
    """Modes are printed with bullets, or with plus signs where each has a cost (CR 700.2)."""
    return or_(contains(Card.oracle_text, "•"), contains(Card.oracle_text, "\n+ {"))


def _hybrid() -> Condition:
    endings = [f"/{color}}}" for color in COLOR_LETTERS] + [f"/{color}/P}}" for color in COLOR_LETTERS]
    return and_(
        or_(contains(Card.mana_cost, "/"), like(Card.oracle_text, "%{_/_%")),
        or_(*(_symbol_like(ending) for ending in endings)),
    )


def _phyrexian() -> Condition:
    return or_(_symbol_like("/P}"), contains(Card.oracle_text, "{H}"))


def _symbol_like(ending: str) -> Condition:
    return or_(
        contains(Card.mana_cost, ending), and_(like(Card.oracle_text, "%{_/_%"), contains(Card.oracle_text, ending))
    )


def _legendary(face: Any, *types: str) -> Condition:
    return and_(contains(face.type_line, "Legendary"), _has_any_word(face.type_line, types))


def _commander() -> Condition:
    """CR 903.3, and what a text allows. The format's own list decides what is banned."""

    def may_lead(face: Any) -> Condition:
        return or_(
            _legendary(face, "Creature", "Background"),
            and_(_legendary(face, "Vehicle", "Spacecraft"), face.power.is_not(None)),
            contains(face.oracle_text, "can be your commander"),
            # A planeswalker that is a creature everywhere but on the battlefield.
            like(face.oracle_text, "%isn't on the battlefield%creature%in addition%"),
        )

    return and_(front_face(may_lead), with_status("commander", "legal"))


def _brawler() -> Condition:
    lead = front_face(lambda face: _legendary(face, "Creature", "Planeswalker", "Vehicle", "Spacecraft"))
    return and_(lead, or_(with_status("brawl", "legal"), with_status("standardbrawl", "legal")))


def _oathbreaker() -> Condition:
    return and_(front_face(lambda face: contains(face.type_line, "Planeswalker")), with_status("oathbreaker", "legal"))


def _partner() -> Condition:
    pairs = _keyword("Partner", "Partner with", "Friends forever", "Choose a background", "Doctor's companion")
    return or_(pairs, contains(Card.type_line, "Background"), contains(Card.type_line, "Time Lord Doctor"))


def _extra() -> Condition:
    return negated(in_a_deck())


def in_a_deck() -> Condition:
    """Whether the object is something a search shows without being asked for extras: a card to play with.

    Tokens, emblems, planes, schemes, vanguards, dungeons, attractions, art and checklist cards, and what stands in
    memorabilia sets, are extras. Conspiracies are not: players draft them.
    """
    kind = or_(
        Card.object_kind == "card",
        and_(Card.object_kind == "nontraditional", contains(Card.type_line, "Conspiracy")),
    )
    return and_(kind, func.coalesce(Card.set_type, "") != "memorabilia")


def _indicator() -> Condition:
    face = aliased(CardFace)
    return Card.oracle_id.in_(select(face.oracle_id).where(face.color_indicator != ""))


FLAGS: tuple[Flag, ...] = (
    Flag(("split",), "split cards and Rooms", _layout("split")),
    Flag(("flip",), "flip cards", _layout("flip")),
    Flag(("transform", "tdfc"), "cards that transform", _layout("transform")),
    Flag(("mdfc", "modaldfc"), "modal double-faced cards", _layout("modal_dfc")),
    Flag(("meld",), "meld cards and what they meld into", _layout("meld")),
    Flag(("meldpart",), "cards that meld", _part("meld_part")),
    Flag(("meldresult",), "what they meld into", _part("meld_result")),
    Flag(("dfc", "doublefaced"), "double-faced and meld cards", _layout("transform", "modal_dfc", "meld", "battle")),
    Flag(("reversible",), "the same card on both sides", _layout("reversible_card")),
    Flag(("adventure",), "cards with an Adventure or an Omen", _layout("adventure")),
    Flag(("leveler",), "cards with level up", _layout("leveler")),
    Flag(("prototype",), "cards with prototype", _layout("prototype")),
    Flag(("mutate",), "cards with mutate", _layout("mutate")),
    Flag(("host",), "hosts", _layout("host")),
    Flag(("augment",), "augments", _layout("augment")),
    Flag(("saga",), "Sagas", _subtype("Saga")),
    Flag(("class",), "Classes", _subtype("Class")),
    Flag(("case",), "Cases", _subtype("Case")),
    Flag(("spell",), "cast as a spell, on some face", _spell),
    Flag(("permanent",), "a permanent, on some face", _permanent),
    Flag(("historic",), "artifacts, legendary cards, Sagas", _historic),
    Flag(("vanilla",), "creatures without text", _vanilla),
    Flag(("frenchvanilla",), "creatures with keyword abilities only", _french_vanilla),
    Flag(("bear",), "2/2 creatures of mana value 2", _bear),
    Flag(("modal",), "with modes to choose", _modal),
    Flag(("party",), "Clerics, Rogues, Warriors, Wizards", _subtype(*PARTY)),
    Flag(("outlaw",), "Assassins, Mercenaries, Pirates, Rogues, Warlocks", _subtype(*OUTLAWS)),
    Flag(("commander",), "can be a commander, and is legal", _commander),
    Flag(("brawler", "brawlcommander"), "can be a Brawl commander, and is legal", _brawler),
    Flag(("oathbreaker",), "can be an Oathbreaker, and is legal", _oathbreaker),
    Flag(("companion",), "companions", lambda: _keyword("Companion")),
    Flag(("partner",), "can be one of two commanders", _partner),
    Flag(("gamechanger", "gc"), "on Commander's list of game changers", lambda: Card.game_changer.is_(True)),
    Flag(("reserved",), "on the Reserved List", lambda: Card.reserved.is_(True)),
    Flag(("funny",), "acorn, silver-bordered and other cards outside the rules", lambda: Card.funny.is_(True)),
    Flag(("digital",), "the stored printing is digital only", lambda: Card.digital.is_(True)),
    Flag(("colorless",), "no color", lambda: either_side(lambda mask: mask == 0)),
    Flag(("monocolor", "monocolored"), "one color", lambda: either_side(lambda mask: mask.in_(_ONE_COLOR))),
    Flag(
        ("multicolor", "multicolored", "gold"),
        "several colors",
        lambda: either_side(lambda mask: mask.in_(_SEVERAL_COLORS)),
    ),
    Flag(("hybrid", "splitmana"), "hybrid symbols in cost or text", _hybrid),
    Flag(("phyrexian", "phyrexia"), "Phyrexian symbols in cost or text", _phyrexian),
    Flag(("indicator", "colorindicator"), "a color indicator on some face", _indicator),
    *(Flag(family.names, family.summary, family.condition) for family in LAND_FAMILIES),
    Flag(("token",), "tokens", lambda: Card.object_kind == "token", shows_extras=True),
    Flag(("emblem",), "emblems", lambda: contains(Card.type_line, "Emblem"), shows_extras=True),
    Flag(("planar",), "planes and phenomena", _layout("planar"), shows_extras=True),
    Flag(("scheme",), "schemes", _layout("scheme"), shows_extras=True),
    Flag(("vanguard",), "vanguards", _layout("vanguard"), shows_extras=True),
    Flag(("artseries",), "art cards", _layout("art_series"), shows_extras=True),
    Flag(("extra",), "what a search leaves out unless asked", _extra, shows_extras=True),
)
FLAGS_BY_NAME = {name: flag for flag in FLAGS for name in flag.names}

_MISSING: dict[str, str] = {
    **dict.fromkeys(("foil", "nonfoil", "etched", "glossy", "halo"), "finishes"),
    **dict.fromkeys(
        ("promo", "prerelease", "release", "fnm", "buyabox", "judgegift", "gameday", "intropack", "league", "instore",
         "convention", "giftbox", "playerrewards", "arenaleague", "mediainsert", "setpromo", "datestamped", "booster",
         "planeswalkerdeck", "starterdeck", "masterpiece", "serialized"),
        "the products a printing came in",
    ),
    **dict.fromkeys(("reprint", "unique", "firstprint", "firstprinting", "onlyprint", "variation", "rebalanced",
                     "alchemy"), "other printings of a card"),
    **dict.fromkeys(("full", "fullart", "hires", "old", "new", "future", "modern", "extended", "showcase", "tombstone",
                     "colorshifted", "textless", "oversized", "borderless", "back", "inverted", "stamped"),
                    "frames, borders and images"),
    **dict.fromkeys(("spotlight", "story", "scryfallpreview", "watermark", "flavor", "flavorname", "artist",
                     "illustration", "contentwarning"), "art, flavor and story"),
    **dict.fromkeys(("universesbeyond", "ub", "universeswithin"), "the worlds cards belong to"),
    **dict.fromkeys(("paper", "arena", "mtgo", "arenaid", "mtgoid", "multiverse", "tcgplayer", "cardmarket"),
                    "the games and shops a card is in"),
}  # fmt: skip
"""Values of `is` that Scryfall has and the pool can't answer -> what the pool doesn't hold."""


def is_flag(term: Term, context: Context) -> Condition:
    """Whether the card is, or has, what the value says."""
    text = term.value.text.strip().lower().replace("-", "").replace("_", "").replace(" ", "")
    flag = FLAGS_BY_NAME.get(text)
    if flag is None:
        if text in _MISSING:
            term.bad_value(
                f"{term.keyword}:{term.value.text} can't be answered: the pool doesn't hold {_MISSING[text]}"
            )
        term.bad_value(
            f"{term.value.text!r} is nothing that {term.keyword!r} knows"
            + suggestion(text, [*FLAGS_BY_NAME, *_MISSING])
        )
    if flag.shows_extras:
        context.wants_extras = True
    return flag.condition()


def is_not_flag(term: Term, context: Context) -> Condition:
    """The opposite of `is`."""
    wanted = context.wants_extras
    condition = negated(is_flag(term, context))
    context.wants_extras = wanted
    return condition


KEYWORDS = (
    Keyword("is", is_flag, "a yes-or-no question", ("has",)),
    Keyword("not", is_not_flag, "the same with the opposite answer"),
)
