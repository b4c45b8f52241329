"""Print where the produced mana that the rules give and the published one agree and where they differ, and why.

    python tools/compare_produced_mana.py ../shared/corpus/*.jsonl.gz
    python tools/compare_produced_mana.py --show undecided --show silent cards.jsonl.gz

A record is compared if it has the published field. Records newer than the field say by leaving it out that the
publisher sees no mana; that is counted apart ("left out"), because what isn't published is no difference.
"""

from __future__ import annotations

import gzip
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click
import orjson

from indexer.errors import NormalizeError
from indexer.normalize.card import NormalizedCard, normalize_record
from indexer.rules.card import Face
from indexer.rules.colors import MANA_LETTERS, ManaTypes
from indexer.rules.mana_abilities import find_additions
from indexer.rules.produced_mana import card_produced_mana, reading_of
from indexer.rules.rules_text import without_reminder_text

_SPEAKS = re.compile(r"[^.\n]*\b(?:adds?|produces?|unspent)\b[^.\n]*", re.IGNORECASE)
LISTS = ("differing", "undecided", "left-out", "silent")


def cards(paths: tuple[Path, ...]) -> Iterator[tuple[NormalizedCard, bool]]:
    """The records of files of JSON lines, gzipped or not, and whether each is whole and new enough for the field.

    A record that can't be read is named and left out.
    """
    for path in paths:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as lines:
            for line in lines:
                raw = orjson.loads(line)
                try:
                    card = normalize_record(raw)
                    yield card, card.is_whole and "keywords" in raw
                except NormalizeError as error:
                    click.echo(f"not read: {error}", err=True)


def verdict(card: NormalizedCard) -> str:
    """How the published value relates to the card's text."""
    published = card.published_produced_mana or ""
    if not set(published) <= set(MANA_LETTERS):
        return "published as something that is no type of mana"
    reading = reading_of(card.card, ManaTypes.from_letters(published))
    return "no reading of the text gives it" if reading is None else reading.value


def silent_words(face: Face) -> str:
    """The sentences that speak of adding or producing though the face is found to produce nothing."""
    if face.rules_text is None or card_has_addition(face):
        return ""
    return " / ".join(match.strip() for match in _SPEAKS.findall(without_reminder_text(face.rules_text)))


def card_has_addition(face: Face) -> bool:
    """Whether anything at all was found that adds mana, be it another object's."""
    return bool(find_additions(face))


@click.command(help=__doc__)
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--show", multiple=True, type=click.Choice(LISTS), default=("differing", "undecided"), show_default=True)
def main(files: tuple[Path, ...], show: tuple[str, ...]) -> None:
    """Compare the records of `files`, and list the kinds of records named by `show`."""
    verdicts: Counter[str] = Counter()
    lists: dict[str, dict[str, None]] = {kind: {} for kind in LISTS}
    total = 0
    for card, is_new in cards(files):
        total += 1
        ours = card_produced_mana(card.card)
        published = card.published_produced_mana
        computed = "undecided" if ours.value is None else str(ours.value)
        label = f"{card.card.name} [{card.type_line}]"
        if ours.value is None and not ours.missing:
            lists["undecided"][f"{label}: {ours.reason} ({ours.rule})"] = None
        if published is not None:
            word = verdict(card)
            verdicts[word] += 1
            if computed != published:
                lists["differing"][f"{label}: published {published or '-'}, ours {computed or '-'}: {word}"] = None
        elif is_new and ours.value:
            lists["left-out"][f"{label}: ours {computed}"] = None
        for face in card.card.faces:
            if words := silent_words(face):
                lists["silent"][f"{face.name} [{face.type_line}]: {words}"] = None
    click.echo(f"{total} records, {verdicts.total()} with published produced mana, by the reading that gives it:")
    for word, count in verdicts.most_common():
        click.echo(f"  {count:5}  {word}")
    for kind in LISTS:
        click.echo(f"{kind}: {len(lists[kind])}")
        if kind in show:
            for entry in lists[kind]:
                click.echo(f"  {entry}")


if __name__ == "__main__":
    main()
