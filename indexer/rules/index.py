"""Every rule that the project cites, by number, with its subject in own words.

The numbers are those of the Comprehensive Rules effective on `edition.EFFECTIVE`. `docs/rules.md` lists for each where
it is used and which tests prove it; `tools/rule_index.py` writes that page and finds numbers that are missing here.
"""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from indexer.rules.edition import EFFECTIVE

EDITION: date = EFFECTIVE
"""Effective date of the rules that the numbers below belong to."""


class RuleEntry(NamedTuple):
    """A rule, or a whole section of rules."""

    number: str
    """`202` for a section, `202.3` for a rule, `202.3f` for a part of one."""
    subject: str
    """What it is about, in short own words."""


_SUBJECTS = {
    # 1: game concepts
    "100.7": "cards made for casual play, which the rules leave out: silver borders, acorns, playtest cards",
    "101.1": "a card's own text beats the rules that it contradicts",
    "105": "colors",
    "105.1": "the five colors",
    "105.2": "an object's colors come from its mana cost, a color indicator or a defining ability",
    "106.1a": "five colors of mana",
    "106.1b": "six types of mana: the colors and colorless",
    "106.3": "mana comes from spells and abilities that tell a player to add it, and they are its source",
    "106.4": "added mana goes to a pool that empties with each step; old texts name the pool",
    "106.5": "mana of a type that isn't defined is no mana",
    "106.7": "the types of mana that a permanent could produce",
    "106.8": "adding a hybrid symbol: a choice of halves, a number being colorless mana",
    "106.9": "adding a Phyrexian symbol: mana of its color",
    "106.10": "adding a generic symbol: so much colorless mana",
    "106.11": "adding a snow symbol: colorless mana",
    "106.12b": "effects that change what a permanent gives when it is tapped for mana",
    "106.13": "unspent mana that moves from one pool to another",
    "107.1": "whole numbers only",
    "107.1b": "no number below zero is chosen, and a result below zero counts as zero",
    "107.3": "X stands for a number that is chosen or defined",
    "107.3g": "X in the mana cost of a card that isn't on the stack is 0",
    "107.3m": "X of a permanent is 0, though its entering may remember the number chosen",
    "107.3p": "Y is treated as X is",
    "107.4": "the list of mana symbols",
    "107.4a": "the five colored symbols",
    "107.4b": "numbers and X are generic mana",
    "107.4c": "the colorless symbol",
    "107.4d": "{0} is a cost that nothing has to be paid for",
    "107.4e": "hybrid symbols: two ways to pay, all colors of both halves",
    "107.4f": "Phyrexian symbols: a color or 2 life; hybrid ones have both colors",
    "107.4g": "{H} in a text is any Phyrexian symbol",
    "107.4h": "the snow symbol, which is no color and no type of mana",
    "107.5": "the tap symbol",
    "107.6": "the untap symbol",
    "107.11": "the Planeswalker symbol of the planar die",
    "107.12": "the chaos symbol",
    "107.14": "the energy symbol",
    "107.17": "the ticket symbol",
    "107.18": "the pawprint symbol, which marks modes and is no cost",
    "108.2a": "traditional cards, which go into decks, and nontraditional ones, which don't",
    "108.2b": "tokens are no cards",
    "109.3": "what an object's characteristics are",
    "110.4": "the six types of permanents",
    "111": "tokens",
    "111.3": "the effect that creates a token gives it its characteristics",
    "111.10a": "what a Treasure token is",
    "113.1a": "an ability belongs to an object by its text, or because something grants it",
    "113.7": "an ability's source is whatever object has it",
    "114": "emblems",
    "114.2": "an effect that makes an emblem says which abilities it has",
    "114.3": "an emblem has its abilities and nothing else, no color either",
    "123.7": "an ability sticker gives its ability to what it is put on",
    # 2: parts of a card
    "201.5": "a card's own name in its text means that one object",
    "201.5c": "so does a shortened form of the name",
    "202.1": "the mana cost: symbols at the top of a card",
    "202.1b": "having no mana cost, as lands and tokens do, is a cost that can't be paid",
    "202.2": "an object has the colors of the symbols in its mana cost",
    "202.2b": "without a colored symbol it is colorless",
    "202.2c": "with symbols of several colors it has each of them",
    "202.2d": "hybrid and Phyrexian symbols give all their colors",
    "202.2e": "a color indicator gives its colors",
    "202.3": "mana value: the amount of mana in the mana cost",
    "202.3a": "without a mana cost it is 0, but for nonmodal back faces and melded permanents",
    "202.3b": "a nonmodal back face counts its front face's cost; a copy of such a back face is worth 0",
    "202.3c": "a melded permanent counts both fronts' costs; a copy of it is worth 0",
    "202.3d": "a split card counts both halves; on the stack only the half that is cast, or both if fused",
    "202.3e": "X is the number chosen while on the stack, and 0 elsewhere",
    "202.3f": "a hybrid symbol counts its largest part",
    "202.3g": "a Phyrexian symbol counts 1",
    "202.4": "additional costs are no part of the mana cost",
    "204": "the color indicator",
    "204.1": "where a color indicator stands, and that it is usual on nonlands without a mana cost",
    "205": "the type line",
    "205.2b": "an object of several card types counts as each of them",
    "205.3b": "one word is one subtype, but for a plane's and some creature types",
    "205.3m": "the creature types, one of which is two words",
    "205.4a": "the supertypes, which stand before the card types",
    "207.2": "italic words in the text box have no effect in the game",
    "207.2a": "reminder text: the words in parentheses",
    # 3: card types
    "305.6": "the basic land types, each with the ability to add its mana",
    "305.9": "a land of another card type too can't be cast",
    "309.1": "dungeons are nontraditional cards",
    "311.1": "planes are nontraditional cards",
    "312.1": "phenomena are nontraditional cards",
    "313.1": "vanguards are nontraditional cards",
    "314.1": "schemes are nontraditional cards",
    # 6: spells, abilities and effects
    "604.3": "characteristic-defining abilities tell a color or the like, in every zone and outside the game",
    "604.3a": "which abilities are characteristic-defining: unconditional, printed on it, about itself only",
    "605": "mana abilities",
    "605.1b": "a triggered ability may be a mana ability",
    "605.2": "a mana ability stays one where it can't give mana just now",
    # 7: additional rules
    "700.2": "modes: options in a list to choose from",
    "700.5": "devotion to a color counts the mana symbols that are of it",
    "700.8": "a party: a Cleric, a Rogue, a Warrior and a Wizard",
    "700.12": "outlaws: Assassins, Mercenaries, Pirates, Rogues and Warlocks",
    "701.10": "doubling",
    "701.10f": "doubling unspent mana adds as much again",
    "702": "keyword abilities",
    "702.102": "fuse",
    "702.102a": "fuse lets both halves of a split card be cast from the hand as one spell",
    "702.102b": "a fused spell has both halves' characteristics",
    "702.114": "devoid",
    "702.114a": "devoid: the object is colorless, everywhere",
    "702.124": "partner: two commanders instead of one",
    "702.124k": "choosing a Background: it goes beside a commander that says so, and only there",
    "702.160a": "prototype lets a card be cast with its second cost, power and toughness",
    "702.189a": "firebending adds red mana when the creature attacks",
    "707.2": "what a copy copies: the printed values and, on the stack, choices such as X",
    "707.2a": "a copy has the color of what it copies",
    "707.8a": "a token that copies a double-faced permanent has both faces",
    "708.2": "a face-down object has only the characteristics that it was given",
    "708.2a": "by default a face-down permanent is a 2/2 without name, text and mana cost",
    "709": "split cards",
    "709.3": "a player chooses the half to cast",
    "709.3b": "on the stack only the half that is cast exists",
    "709.4": "outside the stack a split card's halves are combined",
    "709.4b": "a split card's cost, colors and mana value are those of both costs together",
    "709.4c": "a split card has the card types and abilities of both halves",
    "709.5": "Rooms: on the battlefield a locked half has no name, mana cost or text",
    "710": "flip cards",
    "710.1c": "flipping changes neither color nor mana cost",
    "710.2": "a flip card has its normal characteristics unless it is flipped on the battlefield",
    "712.2": "nonmodal double-faced cards",
    "712.3": "modal double-faced cards",
    "712.4": "meld cards",
    "712.4a": "melding puts both cards onto the battlefield as one permanent",
    "712.4b": "a meld card's back face counts for nothing but the melded permanent",
    "712.5": "the list of meld pairs",
    "712.5a": "the pair that melds into Chittering Host",
    "712.5b": "the pair that melds into Hanweir, the Writhing Township",
    "712.5c": "the pair that melds into Brisela, Voice of Nightmares",
    "712.5d": "the pair that melds into Mishra, Lost to Phyrexia",
    "712.5e": "the pair that melds into Urza, Planeswalker",
    "712.5f": "the pair that melds into Titania, Gaea Incarnate",
    "712.5g": "the pair that melds into Ragnarok, Divine Deliverance",
    "712.8": "double-faced cards: characteristics of their own on each face",
    "712.8a": "off the stack and the battlefield a double-faced card is its front face",
    "712.8c": "a nonmodal spell cast with its back face up, valued by its front face's cost",
    "712.8d": "a permanent with its front face up is its front face",
    "712.8e": "a nonmodal permanent with its back face up, valued by its front face's cost",
    "712.8f": "a modal double-faced object is the face that is up",
    "712.8g": "a melded permanent has the combined back face's characteristics and both fronts' value",
    "712.9": "only double-faced tokens and cards that don't meld can transform or convert",
    "712.16": "melded and other double-faced permanents can't be turned face down",
    "715": "adventurer cards",
    "715.3": "an adventurer card is cast normally or as an Adventure",
    "715.3b": "a spell cast as an Adventure has only the inset's characteristics",
    "715.3c": "so has a copy of it",
    "715.4": "an adventurer card has its normal characteristics otherwise",
    "717.1": "Attractions are nontraditional cards",
    "718": "prototype cards",
    "718.2": "a prototype's inset shows a second mana cost, power and toughness",
    "718.3": "a prototype card is cast normally or prototyped",
    "718.3b": "what is cast prototyped has the second cost and its colors, on the stack and the battlefield",
    "718.3c": "so has a copy of the spell",
    "718.3d": "so has a copy of the permanent",
    "718.4": "a prototype card has its normal characteristics otherwise",
    "720": "omen cards",
    "720.3": "an omen card is cast normally or as an Omen",
    "720.3b": "a spell cast as an Omen has only the inset's characteristics",
    "720.3c": "so has a copy of it",
    "720.4": "an omen card has its normal characteristics otherwise",
    "722": "preparation cards",
    "722.3c": "the copy that is made of a prepare spell has only the inset's characteristics",
    "722.4": "in every zone a preparation card has only its normal characteristics",
    "730.2a": "a merged permanent has the characteristics of what lies on top",
    # 9: casual variants
    "903.3": "which cards can be a commander",
    "903.3a": "a card whose text says that it can be a commander may be one",
    "903.4": "color identity: symbols of cost and text, color indicator, defining abilities",
    "903.4a": "a color identity is settled before the game and stays",
    "903.4c": "reminder text doesn't count for it",
    "903.4d": "the back face counts for it",
    "903.4e": "alternative characteristics, such as an Adventure's, count for it",
    "903.5c": "a card fits a deck if its color identity lies within the commander's",
    "903.5d": "a card with basic land types needs a commander with the colors of their mana",
}

RULES: dict[str, RuleEntry] = {number: RuleEntry(number, subject) for number, subject in _SUBJECTS.items()}
"""Number -> entry, in the order of the Comprehensive Rules."""


def subject_of(number: str) -> str:
    """What a rule is about, in short own words.

    >>> subject_of("202.3f")
    'a hybrid symbol counts its largest part'

    Raises:
        KeyError: the project doesn't cite a rule of this number.
    """
    return RULES[number].subject
