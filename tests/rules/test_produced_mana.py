"""The mana that a card could produce: own abilities, spells, land types, and whose ability a quotation is."""

from __future__ import annotations

import time

import pytest

from indexer.rules.card import Arrangement, Card, Face, ObjectKind
from indexer.rules.colors import ManaTypes
from indexer.rules.derivation import Decision, Trace
from indexer.rules.produced_mana import (
    ManaReading,
    card_produced_mana,
    face_produced_mana,
    reading_of,
    written_mana,
)

TREASURE_NOTE = '(It\'s an artifact with "{T}, Sacrifice this token: Add one mana of any color.")'


def face(text: str | None, type_line: str = "Artifact", name: str = "Test Subject") -> Face:
    return Face(name, "{1}", type_line, text)


def card(*faces: Face, arrangement: Arrangement = Arrangement.SINGLE) -> Card:
    return Card(" // ".join(each.name for each in faces), arrangement, ObjectKind.CARD, faces)


def produced(text: str, type_line: str = "Artifact", name: str = "Test Subject") -> str:
    found = face_produced_mana(face(text, type_line, name))
    assert found.value is not None, found.reason
    return str(found.value)


@pytest.mark.parametrize(
    ("text", "mana"),
    [
        pytest.param("{T}: Add {C}{C}.", "C", id="106.3-activated"),
        pytest.param("Add {B}{B}{B}.", "B", id="106.3-spell"),
        pytest.param("When this enters, add {R}{G}.", "RG", id="106.3-triggered"),
        pytest.param("−3: Add {R}. It deals 2 damage.", "R", id="106.3-loyalty"),
        pytest.param("[+2]: Add {R}{G}.", "RG", id="106.3-loyalty-in-brackets"),
        pytest.param("II — Add {W}{U}.", "WU", id="106.3-chapter"),
        pytest.param("12+ | {T}: Add {G} for each creature you control.", "G", id="106.3-station-line"),
        pytest.param("LEVEL 1-4\n1/4\n{T}: Add {G}{G}.", "G", id="106.3-level"),
        pytest.param("Cumulative upkeep—Add {R}.", "R", id="106.3-cost-that-adds"),
        pytest.param("• Add {R}.\n• Draw a card.", "R", id="106.3-mode"),
        pytest.param("{T}: Add {G} to your mana pool.", "G", id="106.4-older-wording"),
        pytest.param("That player adds one mana to their mana pool of any type.", "WUBRGC", id="106.4-older-flare"),
        pytest.param("{T}: Add {W}, {U}, or {B}.", "WUB", id="106.3-list"),
        pytest.param("{U/B}, {T}: Add {U}{U}, {U}{B}, or {B}{B}.", "UB", id="106.3-filter"),
        pytest.param("{T}: Add {U} or one mana of the chosen color.", "WUBRG", id="106.1a-list-with-words"),
        pytest.param("{T}: Add {C}. If you control a Tower, add {U}{U} instead.", "UC", id="106.3-instead"),
        pytest.param("Each player adds {B}{R}.", "BR", id="106.3-whoever-gets-it"),
        pytest.param(
            "Whenever enchanted land is tapped for mana, its controller adds an additional {G}.", "G", id="605.1b"
        ),
        pytest.param(
            "Whenever you draw, add an amount of {U} equal to the number of cards.", "U", id="106.3-amount-of"
        ),
        pytest.param("Add X {U} and X {R}, where X is its power.", "UR", id="106.3-x"),
        pytest.param("You may add that much {B}.", "B", id="106.3-that-much"),
        pytest.param("Add six {R}.", "R", id="106.3-number-word"),
        pytest.param("Add {C} for each {S} spent on this.", "C", id="106.3-symbols-that-only-count"),
        pytest.param("{T}: Add one mana of any color.", "WUBRG", id="106.1a-any-color"),
        pytest.param("{T}: Add three mana of any one color.", "WUBRG", id="106.1a-any-one-color"),
        pytest.param("Add two mana of different colors.", "WUBRG", id="106.1a-different-colors"),
        pytest.param("Add X mana in any combination of colors.", "WUBRG", id="106.1a-combination"),
        pytest.param("Add X mana in any combination of {B} and/or {R}.", "BR", id="106.3-combination-of-two"),
        pytest.param("Add one mana of any color in your commander's color identity.", "WUBRG", id="106.1a-identity"),
        pytest.param(
            "For each color among permanents you control, add one mana of that color.", "WUBRG", id="106.1a-that"
        ),
        pytest.param("Add one mana of any color a land an opponent controls could produce.", "WUBRG", id="106.7-color"),
        pytest.param("Add one mana of any type that a land you control could produce.", "WUBRGC", id="106.7-type"),
        pytest.param(
            "Whenever you tap a land for mana, add one mana of any type that land produced.", "WUBRGC", id="106.1b"
        ),
        pytest.param("Add one mana of this artifact's last noted type.", "WUBRGC", id="106.1b-noted"),
        pytest.param("Add mana equal to enchanted permanent's mana cost.", "WUBRGC", id="106.10-mana-cost"),
        pytest.param("They lose all unspent mana and you add the mana lost this way.", "WUBRGC", id="106.13-lost"),
        pytest.param("Double the amount of each type of unspent mana you have.", "WUBRGC", id="701.10f-each-type"),
        pytest.param("Double the amount of unspent red mana you have.", "R", id="701.10f-red"),
        pytest.param("{T}: Add white or blue mana.", "WU", id="106.1b-words"),
        pytest.param("{T}: Add two red mana and one green mana.", "RG", id="106.1b-words-joined"),
        pytest.param("Flying, firebending 2", "R", id="702.189a-keyword"),
        pytest.param("Firebending X, where X is your luck.", "R", id="702.189a-x"),
        pytest.param("{T}: Add {T}{T}.", "", id="106.5-no-type-of-mana"),
    ],
)
def test_own_abilities_and_spells(text: str, mana: str) -> None:
    assert produced(text) == mana


@pytest.mark.parametrize(
    ("text", "mana"),
    [
        pytest.param("As this enters, choose a color other than blue.\n{T}: Add one mana of the chosen color.", "WBRG"),
        pytest.param("As this enters, choose red or green.\n{T}: Add one mana of the chosen color.", "RG"),
        pytest.param("Choose white, black, or red. Add two mana of the chosen color.", "WBR"),
        pytest.param("{T}: Choose a color. Add one mana of that color unless somebody pays {1}.", "WUBRG"),
        pytest.param("As this enters, choose a creature type.\n{T}: Add one mana of the chosen color.", "WUBRG"),
    ],
    ids=["106.1a-less-one", "106.1a-two-named", "106.1a-three-named", "106.1a-free", "106.1a-other-choice"],
)
def test_a_chosen_color_is_one_that_can_be_chosen(text: str, mana: str) -> None:
    assert produced(text, "Land") == mana


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Put a lore counter on it. Add a lore counter to each Saga. {G}", id="not-mana"),
        pytest.param("Roll a d20 and add that spell's mana value.", id="mana-value"),
        pytest.param("Add its mana cost to the total.", id="mana-cost"),
        pytest.param("Kicker {R} (You may pay an additional {R}.)", id="additional"),
        pytest.param("Draw a card. (You could add {G} too.)", id="207.2-reminder"),
        pytest.param("Draw a card. (Never closed: add {G}.", id="207.2-unclosed-reminder"),
        pytest.param("Whenever you add one or more mana, draw a card.", id="condition"),
        pytest.param("Whenever a player adds {G}, they lose 1 life.", id="condition-player"),
        pytest.param("If an ability causes you to add {G}, draw a card.", id="condition-causes"),
        pytest.param("Abilities that add {G} cost {1} more.", id="description"),
        pytest.param("Players can't add mana.", id="denial"),
        pytest.param("If you would add mana, instead all players add that mana.", id="106.12b-everybody"),
        pytest.param("Abilities that would add colored mana instead add that much white mana.", id="106.12b-white"),
        pytest.param("If a land is tapped for mana, it produces {B} instead of any other type.", id="106.12b-produces"),
        pytest.param("If you tap a permanent for mana, it produces twice as much instead.", id="106.12b-twice"),
        pytest.param("You don't lose unspent red mana as steps end.", id="106.4-unspent"),
        pytest.param("Double target creature's power.", id="701.10-power"),
        pytest.param("Spend this mana only to cast spells. Prevent {G} damage.", id="spend"),
        pytest.param("Creatures you control with firebending 2 have haste.", id="702.189a-mention"),
        pytest.param("Equipped creature has firebending 2.", id="702.189a-given"),
        pytest.param("Create a 2/2 red Soldier creature token with firebending 1.", id="702.189a-token"),
        pytest.param(f"Create a Treasure token. {TREASURE_NOTE}", id="111.10a-named-token"),
    ],
)
def test_what_adds_no_mana_of_its_own(text: str) -> None:
    assert produced(text) == ""


@pytest.mark.parametrize(
    ("text", "type_line", "mana"),
    [
        pytest.param("Creatures you control have {q}.", "Enchantment", "", id="group-of-others"),
        pytest.param("Creatures you control have {q}.", "Creature — Human", "G", id="group-it-is-in"),
        pytest.param("All Slivers have {q}.", "Creature — Sliver", "G", id="subtype-it-has"),
        pytest.param("Elves you control have {q}.", "Creature — Elf Druid", "G", id="subtype-plural"),
        pytest.param("Elves you control have {q}.", "Legendary Planeswalker — Elf's Friend", "", id="subtype-it-lacks"),
        pytest.param("Goblins and Dwarves you control have {q}.", "Creature — Dwarf", "G", id="one-of-two-subtypes"),
        pytest.param("Artifacts, creatures, and lands you control have {q}.", "Land", "G", id="one-of-three-types"),
        pytest.param("Human creatures you control have flying and {q}.", "Creature — Elf", "", id="both-words-needed"),
        pytest.param("Nontoken creatures you control have {q}.", "Creature — Elf", "G", id="nontoken"),
        pytest.param("Noncreature artifacts you control have {q}.", "Artifact Creature — Golem", "", id="noncreature"),
        pytest.param("Tokens you control have {q}.", "Creature — Elf", "", id="tokens"),
        pytest.param("Other Caves you control have {q}.", "Land — Cave", "", id="other"),
        pytest.param("Lands your opponents control have {q}.", "Land", "", id="opponents"),
        pytest.param("Lands with the chosen name have {q}.", "Land", "G", id="could-be-chosen"),
        pytest.param("Each creature you control with a counter on it has {q}.", "Creature — Elf", "G", id="could-have"),
        pytest.param("As long as you control six lands, lands you control have {q}.", "Land", "G", id="condition"),
        pytest.param("As long as this card is in your graveyard, lands you control have {q}.", "Land", "", id="gone"),
        pytest.param("Sacrifice this creature: Creatures you control gain {q}.", "Creature — Elf", "", id="sacrificed"),
        pytest.param("Enchanted land has {q}.", "Enchantment — Aura", "", id="enchanted"),
        pytest.param("As long as enchanted thing is a land, it has {q}.", "Enchantment — Aura", "", id="it-enchanted"),
        pytest.param("Equipped creature gets +2/+2 and has {q}.", "Artifact — Equipment", "", id="equipped"),
        pytest.param("Target land gains {q} until end of turn.", "Land", "", id="target"),
        pytest.param("Untap target land. It gains {q} until end of turn.", "Creature — Elf", "", id="it-target"),
        pytest.param("Create a 0/1 Plant creature token with {q}.", "Creature — Plant", "", id="token-with"),
        pytest.param("Create an artifact token named Gold. It has {q}.", "Artifact", "", id="it-token"),
        pytest.param("Create a random token: Banana with {q} or Shell.", "Artifact", "", id="token-of-a-list"),
        pytest.param("You get an emblem with {q}.", "Legendary Planeswalker — Elf", "", id="114.2-emblem"),
        pytest.param("{TK}{TK} — {T}: Add {G}.", "Stickers", "", id="123.7-sticker"),
        pytest.param("This creature has {q}.", "Creature — Elf", "G", id="this"),
        pytest.param("I — Test Subject gains {q}.", "Enchantment Land — Saga", "G", id="name"),
        pytest.param("Whenever this creature attacks, it gains {q}.", "Creature — Elf", "G", id="it-itself"),
        pytest.param("As long as this creature is big, it has vigilance and {q}.", "Creature — Elf", "G", id="and"),
        pytest.param(
            "Whenever you create a token, this creature gains {q}.", "Creature — Elf", "G", id="after-a-token"
        ),
        pytest.param(
            "Untap Test Subject. Until then, he becomes a land and gains {q}.", "Creature — Elf", "G", id="he"
        ),
        pytest.param("When this creature dies, return it. It's a land with {q}.", "Creature — Elf", "G", id="its-a"),
        pytest.param(
            "When it dies, return that card. It's a land with {q}.", "Creature — Elf", "", id="its-a-that-card"
        ),
        pytest.param("Have it enter as a copy of this artifact, except it has {q}.", "Artifact", "G", id="except"),
    ],
)
def test_whose_ability_a_quotation_is(text: str, type_line: str, mana: str) -> None:
    assert produced(text.replace("{q}", '"{T}: Add {G}."'), type_line) == mana


def test_an_ability_quoted_within_an_own_one_has_its_own_holder() -> None:
    text = "When this dies, return it. It's an Aura with \"Enchanted Forest has '{T}: Add {G}{G}.'\""
    assert produced(text, "Creature — Troll") == ""
    text = "When this dies, return it. It's a land with \"This land has '{T}: Add {R}.'\""
    assert produced(text, "Creature — Troll") == "R"


def test_an_ability_that_speaks_of_its_token_is_the_tokens() -> None:
    text = '• Banana with "{T}, Sacrifice this token: Add {G}."'
    assert produced(text, "Artifact") == ""
    assert face_produced_mana(face(text, "Token Artifact")).value is None


def test_curly_quotation_marks_are_quotation_marks() -> None:
    assert produced("Enchanted land has “{T}: Add {G}.”", "Enchantment — Aura") == ""
    assert produced("This creature has “{T}: Add {G}.”", "Creature — Elf") == "G"


def test_a_legend_may_be_called_by_its_first_word() -> None:
    text = 'When Rosa enters, she gains "{T}: Add {C}."'
    assert produced(text, "Legendary Creature — Giant", "Rosa Everywhere") == "C"


def test_the_name_of_a_card_is_not_its_text() -> None:
    assert produced('When "Add" Firebending 2 enters, draw.', "Creature — Elf", '"Add" Firebending 2') == ""


@pytest.mark.parametrize(
    ("type_line", "text", "mana"),
    [
        pytest.param("Basic Land — Forest", "({T}: Add {G}.)", "G", id="305.6-basic"),
        pytest.param("Land — Island Swamp Mountain", "", "UBR", id="305.6-three-types"),
        pytest.param("Land Creature — Forest Dryad", "(It can attack.)", "G", id="305.6-creature"),
        pytest.param("Creature — Forest Dryad", "", "", id="305.6-no-land"),
        pytest.param("Land — Forest", "({T}: Add {G}.)\n{T}: Add {W} or {B}.", "WBG", id="305.6-and-text"),
        pytest.param(
            "Legendary Land", "Each land is a Swamp in addition to its other land types.", "B", id="305.6-each"
        ),
        pytest.param("Enchantment", "Each land is a Swamp in addition to its other land types.", "", id="305.6-others"),
        pytest.param(
            "Land", "As it enters, choose a basic land type.\nThis land is the chosen type.", "WUBRG", id="305.6-own"
        ),
        pytest.param("Land", "This land is every basic land type.", "WUBRG", id="305.6-every"),
        pytest.param(
            "Creature — Elf",
            "Nontoken creatures you control are Forest lands in addition.",
            "G",
            id="305.6-group-it-is-in",
        ),
        pytest.param("Land", "Target land becomes an Island.", "", id="305.6-target"),
        pytest.param("Land", "This land becomes an X/X creature; X is the number of Forests.", "", id="305.6-number"),
        pytest.param("Land", "{T}: Search your library for a Forest card or a Plains card.", "", id="305.6-search"),
        pytest.param("Creature — Golem", "Choose a basic land type. It is the chosen type.", "", id="305.6-not-a-land"),
    ],
)
def test_land_types(type_line: str, text: str, mana: str) -> None:
    assert produced(text, type_line) == mana


@pytest.mark.parametrize(
    ("text", "rule", "named"),
    [
        pytest.param("{T}: Add {foo}.", "106.3", "{foo}", id="unknown-symbol"),
        pytest.param("{T}: Add {W} or {foo}.", "106.3", "{W} or", id="unknown-symbol-in-a-list"),
        pytest.param("{T}: Add mana like never before.", "106.3", "Add mana", id="unknown-words"),
        pytest.param('The winner enjoys "{T}: Add {G}."', "113.7", "Add {G}", id="unknown-holder"),
        pytest.param('White creatures you control have "{T}: Add {G}."', "113.7", "Add {G}", id="group-by-color"),
    ],
)
def test_what_the_text_does_not_decide_says_so(text: str, rule: str, named: str) -> None:
    found = face_produced_mana(face(text, "Creature — Elf"))
    assert (found.value, found.decision, found.rule) == (None, Decision.UNDECIDED, rule)
    assert named.split()[0] in found.reason or named in found.reason
    assert not found.missing


def test_whose_it_is_does_not_matter_if_the_mana_is_there_anyway() -> None:
    quoted = 'The winner enjoys "{T}: Add {G}."'
    assert produced(f"{quoted}\n{{T}}: Add {{G}}.") == "G"
    assert produced(f"{{T}}: Add {{G}}.\n{quoted}") == "G"


def test_a_text_that_the_source_does_not_give_is_missing() -> None:
    unknown = face(None, "Land — Forest")
    for found in (face_produced_mana(unknown), card_produced_mana(card(face("{T}: Add {W}."), unknown))):
        assert (found.value, found.missing) == (None, True)
        assert "Test Subject" in found.reason


def test_a_card_has_the_mana_of_all_its_faces() -> None:
    front, back = face("{T}: Add {G}.", "Creature — Elf", "Front"), face("", "Land — Island", "Back")
    found = card_produced_mana(card(front, back, arrangement=Arrangement.MODAL))
    assert (str(found.value), found.rule) == ("UG", "106.3")
    empty = card_produced_mana(card(face(""), face("Draw a card."), arrangement=Arrangement.SPLIT))
    assert (str(empty.value), empty.rule, empty.decision) == ("", "106.3", Decision.DERIVED)


def test_a_melded_card_has_only_its_own_mana() -> None:
    melded = Card("Both", Arrangement.MELDED, ObjectKind.CARD, (face("Flying"),), (face("{T}: Add {C}."),))
    assert str(card_produced_mana(melded).value) == ""


@pytest.mark.parametrize(
    ("type_line", "text", "rule"),
    [
        ("Land — Forest", "", "305.6"),
        ("Land — Forest", "{T}: Add {W}.", "305.6"),
        ("Land", "{T}: Add {W}.", "106.3"),
        ("Creature", "Firebending 1", "702.189a"),
        ("Artifact", "Double your unspent mana.", "701.10f"),
        ("Artifact", "", "106.3"),
    ],
)
def test_the_rule_that_decided(type_line: str, text: str, rule: str) -> None:
    assert face_produced_mana(face(text, type_line)).rule == rule


def test_the_steps_name_rule_words_and_place() -> None:
    trace = Trace()
    front = face('{T}: Add {G/W}.\nEnchanted land has "{T}: Add {R}."', "Artifact", "Front")
    back = face("Draw a card.", "Land — Island", "Back")
    card_produced_mana(card(front, back, arrangement=Arrangement.TRANSFORMING), trace)
    assert [(step.rule, step.basis, step.place) for step in trace.steps] == [
        ("106.8", "Add {G/W}", "rules text of Front"),
        ("113.7", "Add {R}", "rules text of Front"),
        ("305.6", "Island", "type line of Back"),
    ]
    trace = Trace()
    face_produced_mana(face("Draw a card."), trace)
    assert [(step.rule, step.basis, step.place) for step in trace.steps] == [("106.3", "", "rules text")]


def test_the_trace_changes_nothing() -> None:
    for text in ("", "{T}: Add {G}.", "Add {foo}.", "Add a counter.", "Firebending 1"):
        assert face_produced_mana(face(text), Trace()) == face_produced_mana(face(text))


@pytest.mark.parametrize(
    ("text", "own", "written"),
    [
        ("{T}: Add {G}.", "G", "G"),
        ('Enchanted land has "{T}: Add {G}."', "", "G"),
        (f"Create a Treasure token. {TREASURE_NOTE}", "", "WUBRG"),
        ("Create a Treasure token.", "", ""),
        ("You get an emblem with \"Swamps you control have '{T}: Add {B}.'\"", "", "B"),
        ("Each creature you control gains firebending 5. (Whenever it attacks, add {R}.)", "", "R"),
    ],
)
def test_what_is_written_beside_what_is_its_own(text: str, own: str, written: str) -> None:
    subject = card(face(text, "Enchantment"))
    assert (str(card_produced_mana(subject).value), str(written_mana(subject))) == (own, written)
    reading = ManaReading.OWN if own == written else ManaReading.WRITTEN
    assert reading_of(subject, ManaTypes.from_letters(written)) is reading


def test_a_reading_takes_any_type_for_any_color() -> None:
    subject = card(face("Whenever you tap a land for mana, add one mana of any type that land produced."))
    assert reading_of(subject, ManaTypes.from_letters("WUBRGC")) is ManaReading.OWN
    assert reading_of(subject, ManaTypes.from_letters("WUBRG")) is ManaReading.WRITTEN_COLORS
    assert reading_of(subject, ManaTypes.from_letters("WU")) is None


def test_what_is_written_may_be_unknown_too() -> None:
    assert written_mana(card(face(None))) is None
    assert written_mana(card(face("Add {foo}."))) is None
    assert reading_of(card(face("Add {foo}.")), ManaTypes.from_letters("W")) is None


@pytest.mark.parametrize("words", ["add ", "Adds ", "{T}: Add {W} or ", "instead add "])
def test_a_senseless_text_takes_no_more_time_than_its_length_tells(words: str) -> None:
    text = (words * 40_000)[:40_000]
    start = time.process_time()
    face_produced_mana(face(text))
    assert time.process_time() - start < 4  # a fifth of a second, or three quarters of a minute by the square


def test_106_12b_a_replacement_is_recognised_from_the_far_end_of_its_sentence() -> None:
    between = "no matter when, where, why and by whom it was said " * 5
    assert produced(f"If a land would add mana, {between}instead add {{G}}.") == ""
    assert produced(f"If a land is tapped, {between}instead add {{G}}.") == "G"
