"""`indexer explain`: how each value follows from the rules."""

from __future__ import annotations

import json
from fractions import Fraction

import click

from indexer.cli import common_options
from indexer.cli.streams import one_line
from indexer.config import Settings
from indexer.errors import CardNotFound, ImpossibleSituation

_ZONES = {
    "stack": "STACK",
    "battlefield": "BATTLEFIELD",
    **dict.fromkeys(("hand", "library", "graveyard", "exile", "command", "outside"), "ELSEWHERE"),
}
_DOORS = {"none": (), "left": (0,), "right": (1,), "both": (0, 1)}


@click.command()
@click.argument("card", required=False)
@click.option("--cost", metavar="COST", help="Explain a bare mana cost instead, such as '{X}{2/W}{G/P}'.")
@click.option("--face", metavar="FACE", help="The half, face or inset that is used: its name, or its number from 0.")
@click.option("--zone", type=click.Choice(list(_ZONES)), help="Where the object is [default: outside the game].")
@click.option("--x", metavar="NUMBER", help="The number chosen for X (and Y, Z), such as 3 or 1/2.")
@click.option("--copy", is_flag=True, help="The object is a copy.")
@click.option("--fused", is_flag=True, help="Both halves of a split card were cast.")
@click.option("--transformed", is_flag=True, help="The back face is up.")
@click.option("--flipped", is_flag=True, help="The flip card is flipped.")
@click.option("--melded", is_flag=True, help="The pair is melded.")
@click.option("--prototyped", is_flag=True, help="It was cast prototyped.")
@click.option("--face-down", is_flag=True, help="It is face down.")
@click.option("--doors", type=click.Choice(list(_DOORS)), help="Which doors of a Room are unlocked.")
@click.option("--as-of", metavar="RUN|DATE", help="The card as it was after that run, or at the end of that day.")
@click.option("--format", "fmt", type=click.Choice(["text", "json"]), default="text", show_default=True)
@common_options
def explain(
    settings: Settings,
    card: str | None,
    cost: str | None,
    face: str | None,
    zone: str | None,
    x: str | None,
    copy: bool,
    fused: bool,
    transformed: bool,
    flipped: bool,
    melded: bool,
    prototyped: bool,
    face_down: bool,
    doors: str | None,
    as_of: str | None,
    fmt: str,
) -> None:
    """Derive the values of CARD step by step, each with the rule that gives it.

    CARD is a name, the name of a face, an unambiguous start of a name, or an oracle id. Without further options the
    values are those of the card outside the game; with them, its mana value and colors in that situation.
    """
    from indexer import explain as explaining
    from indexer.rules.situations import Situation, Zone

    if (card is None) == (cost is None):
        raise click.UsageError("name one CARD, or give --cost")
    if cost is not None and as_of is not None:
        raise click.UsageError("a cost has no history: --as-of goes with a CARD")
    # Each of these things happens in one place, which then need not be said.
    implied = "stack" if fused else "battlefield" if transformed or flipped or melded or doors is not None else None
    if prototyped or face_down or copy:
        implied = implied or "battlefield"
    if x is not None:
        implied = implied or "stack"
    zone_value = Zone[_ZONES[zone or implied or "outside"]]
    number = _number(x)

    def situation(face_index: int | None) -> Situation:
        return Situation(
            zone=zone_value,
            face=face_index,
            x=number,
            copy=copy,
            fused=fused,
            transformed=transformed,
            flipped=flipped,
            melded=melded,
            prototyped=prototyped,
            face_down=face_down,
            unlocked=None if doors is None else frozenset(_DOORS[doors]),
        )

    if cost is not None:
        explanation = explaining.explain_cost(cost, situation(None))
    else:
        from indexer.cli.reading import open_pool, seen_as_of

        assert card is not None
        with open_pool(settings) as connection, seen_as_of(connection, as_of):
            stored = explaining.load_card(connection, card)
            if melded:
                stored = explaining.load_melded(connection, stored)
            asked = situation(None if face is None else _face_index(face, [f.name for f in stored.card.faces]))
            plain = asked == Situation()
            explanation = explaining.explain_card(stored) if plain else explaining.explain_in(stored, asked)
    if fmt == "json":
        click.echo(json.dumps(explanation.to_json(), ensure_ascii=False, indent=2))
    else:
        for line in explaining.text_lines(explanation):
            # The indentation of steps is ours; everything else may come from a record.
            indent = line[: len(line) - len(line.lstrip(" "))]
            click.echo(indent + one_line(line.lstrip(" ")))


MOST_DIGITS = 40
"""Characters of a number. Those of a long one, or of 1e9999999, take longer to write out than anybody waits."""


def _number(text: str | None) -> int | Fraction:
    if text is None:
        return 0
    try:
        if len(text) > MOST_DIGITS or "e" in text.lower():
            raise ValueError(text)
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise click.BadParameter(f"{text!r} is no number; write 3 or 1/2", param_hint="--x") from None
    if value.denominator not in (1, 2):
        raise ImpossibleSituation(f"X can't be {text}: mana comes whole, on funny cards in halves")
    return int(value) if value.denominator == 1 else value


def _face_index(words: str, names: list[str]) -> int:
    if words.isascii() and words.isdigit():
        return int(words)
    wanted = words.lower()
    found = [index for index, name in enumerate(names) if name.lower() == wanted]
    found = found or [index for index, name in enumerate(names) if name.lower().startswith(wanted)]
    if len(found) != 1:
        listed = ", ".join(f"{index} {name!r}" for index, name in enumerate(names))
        raise CardNotFound(f"no face {words!r}; the faces are {listed}", suggestions=tuple(names))
    return found[0]
