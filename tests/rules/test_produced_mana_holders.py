"""Whom the words in front of a quoted ability name, and how a card refers to itself."""

from __future__ import annotations

import pytest

from indexer.rules.holders import Bearer, Holder, holder_of, who, with_name_marked


@pytest.mark.parametrize(
    ("name", "type_line", "text", "marked"),
    [
        ("Ann, of Here", "Creature", "Ann, of Here meets Ann and Annette.", "~ meets ~ and Annette."),
        ("Ann Over There", "Legendary Creature", "Ann sees Ann Over There.", "~ sees ~."),
        ("Ann Over There", "Creature", "Ann sees Ann Over There.", "Ann sees ~."),
        ("The Ann", "Legendary Creature", "The Ann and The rest.", "~ and The rest."),
        ("A-Ann", "Creature", "Ann sees A-Ann.", "~ sees ~."),
        ('"Ann"', "Creature", 'When "Ann" enters.', "When ~ enters."),
        (", of Here", "Creature", "Ann, of Here enters.", "Ann, of Here enters."),
        (" Ann", "Legendary Creature", "When Ann enters.", "When Ann enters."),
    ],
    ids=["comma", "201.5c-legend", "no-legend", "article", "rebalanced", "quoted", "comma-first", "space-first"],
)
def test_a_name_is_marked(name: str, type_line: str, text: str, marked: str) -> None:
    assert with_name_marked(text, Bearer(name, type_line)) == marked


@pytest.mark.parametrize(
    ("subject", "type_line", "holder"),
    [
        ("Wolves you control", "Creature — Wolf", Holder.OWN),
        ("All Merfolk", "Creature — Merfolk", Holder.OWN),
        ("Mice you control", "Creature — Mouse", Holder.OWN),
        ("Allies you control", "Creature — Ally", Holder.OWN),
        ("Fungi you control", "Creature — Fungus", Holder.OWN),
        ("Non-Human creatures you control", "Creature — Human", Holder.OTHER),
        ("Nonbasic lands you control", "Basic Land — Forest", Holder.OTHER),
        ("Legendary creatures you control", "Creature — Elf", Holder.OTHER),
        ("Permanents you control", "Instant", Holder.OTHER),
        ("Permanents you control", "Battle — Siege", Holder.OWN),
        ("Untapped creatures you control", "Creature — Elf", Holder.OWN),
        ("Colorless creatures you control", "Creature — Elf", Holder.UNKNOWN),
        ("Historic permanents you control", "Artifact", Holder.UNKNOWN),
        ("Colorless lands you control", "Creature — Elf", Holder.OTHER),
        ("Each land card in your hand", "Land", Holder.OTHER),
        ("That creature", "Creature — Elf", Holder.OTHER),
        ("then this creature", "Creature — Elf", Holder.OWN),
        ("", "Creature — Elf", Holder.UNKNOWN),
        ("it", "Creature — Elf", Holder.UNKNOWN),
    ],
)
def test_who_a_subject_is(subject: str, type_line: str, holder: Holder) -> None:
    assert who(subject, "", Bearer("Test", type_line)) is holder


@pytest.mark.parametrize(
    ("before", "holder"),
    [
        ("~ has ", Holder.OWN),
        ("~ gets +1/+1 and has ", Holder.OWN),
        ("This Vehicle becomes an artifact creature with ", Holder.OWN),
        ("You may have this creature enter as a copy of any creature, except it has ", Holder.OWN),
        ("+1: ~ gains ", Holder.OWN),
        ("Lands your opponents control lose all abilities, and they gain ", Holder.OTHER),
        ("Create a token and this creature gains ", Holder.OWN),
        ("Create a 1/1 Elf token that has ", Holder.OTHER),
        ("Exile another creature. It has ", Holder.OTHER),
        ("Whenever you sacrifice a Food, creatures you control gain ", Holder.OWN),
        ("Discard this card: Creatures you control gain ", Holder.OTHER),
        ("Somebody says ", Holder.UNKNOWN),
        ("", Holder.UNKNOWN),
    ],
)
def test_who_has_what_comes_next(before: str, holder: Holder) -> None:
    assert holder_of(before, Bearer("Test", "Creature — Elf")) is holder
