"""Cards as MTGJSON has them, from its AtomicCards or AllPrintings file, one after the other in little memory.

AtomicCards maps a name to the sides of the card; AllPrintings maps a set's code to the set, whose `cards` and `tokens`
are sides of printings. A side's `colors` are its own, `manaValue` and `colorIdentity` are the whole card's.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from indexer.errors import BulkFormatError
from indexer.rules.mana_value import format_number

_LETTERS = "WUBRGC"
_WHOLE_COLORS = frozenset({"split", "aftermath"})
"""Layouts whose colors as a card are those of all sides (CR 709.4)."""
_NO_WHOLE_COLORS = frozenset({"transform", "modal_dfc", "double_faced_token", "art_series", "reversible_card"})
"""Layouts whose sides have colors and whose card has none published."""
_PACKINGS: tuple[tuple[bytes, Any], ...] = (
    (b"\x1f\x8b", gzip.open),
    (b"\xfd7zXZ", lzma.open),
    (b"BZh", bz2.open),
)

MAX_NUMBER = 1e15
"""What isn't below it (and NaN isn't) is no mana value."""


@dataclass(frozen=True, slots=True)
class OtherFace:
    """One side of a card."""

    name: str
    colors: str | None
    """Letters in WUBRG order; None if not told."""


@dataclass(frozen=True, slots=True)
class OtherCard:
    """One card's values; text as the pool's tables have it, None where the file doesn't tell."""

    oracle_id: str | None
    name: str
    mana_value: str | None
    colors: str | None
    color_identity: str | None
    produced_mana: str | None
    faces: tuple[OtherFace, ...]


@dataclass(slots=True)
class MtgjsonFile:
    """A file to read the cards of. `skipped` counts the entries that were not as they should be."""

    path: Path
    skipped: int = field(default=0, init=False)

    def cards(self) -> Iterator[OtherCard]:
        """Every card once, in the order of the file.

        Raises:
            BulkFormatError: no file, or not one of MTGJSON's.
        """
        import ijson  # type: ignore[import-untyped]

        seen: set[str] = set()
        found = False
        with self._opened() as stream:
            try:
                for key, value in ijson.kvitems(stream, "data", use_float=True):
                    found = True
                    for sides in self._cards_of(key, value):
                        card = self._card(sides)
                        if card is None:
                            self.skipped += 1
                        elif (identity := card.oracle_id or card.name) not in seen:
                            seen.add(identity)
                            yield card
            except ijson.JSONError as error:
                raise BulkFormatError(
                    f"{str(self.path)!r} is not whole JSON: {' '.join(str(error).split())}"
                ) from error
            except (EOFError, OSError, lzma.LZMAError) as error:
                raise BulkFormatError(f"can't unpack {str(self.path)!r}: {error}") from error
        if not found:
            raise BulkFormatError(f"{str(self.path)!r} is no AtomicCards or AllPrintings file: nothing under 'data'")

    @contextmanager
    def _opened(self) -> Iterator[IO[bytes]]:
        try:
            with self.path.open("rb") as stream:
                start = stream.read(6)
                stream.seek(0)
                packed = next((opener for magic, opener in _PACKINGS if start.startswith(magic)), None)
                if packed is None:
                    yield stream
                else:
                    with packed(stream) as unpacked:
                        yield unpacked
        except FileNotFoundError as error:
            raise BulkFormatError(f"no file {str(self.path)!r}") from error
        except IsADirectoryError as error:
            raise BulkFormatError(f"{str(self.path)!r} is a folder") from error

    def _cards_of(self, key: str, value: object) -> Iterator[list[Mapping[str, Any]]]:
        """The sides of each card under one key."""
        if isinstance(value, Mapping):
            entries = [*_entries(value.get("cards")), *_entries(value.get("tokens"))]
        else:
            entries = list(_entries(value))
        if not entries:
            self.skipped += 1
        groups: dict[str, list[Mapping[str, Any]]] = {}
        printing: dict[str, set[str]] = {}
        for entry in entries:
            identity = _oracle_id(entry) or str(entry.get("name", key))
            side = str(entry.get("side"))
            # Of several printings in a set, the first: another printing starts when a side comes again.
            if side not in printing.setdefault(identity, set()):
                printing[identity].add(side)
                groups.setdefault(identity, []).append(entry)
        yield from groups.values()

    def _card(self, sides: list[Mapping[str, Any]]) -> OtherCard | None:
        sides = sorted(sides, key=lambda side: str(side.get("side") or ""))
        first = sides[0]
        name = first.get("name")
        if not isinstance(name, str):
            return None
        layout = str(first.get("layout"))
        colors = [_letters(side.get("colors")) for side in sides]
        whole: str | None = colors[0]
        if layout in _NO_WHOLE_COLORS:
            whole = None
        elif layout in _WHOLE_COLORS:
            whole = None if None in colors else _letters("".join(filter(None, colors)))
        mana = [_letters(side.get("producedMana")) for side in sides]
        return OtherCard(
            oracle_id=_oracle_id(first),
            name=name,
            mana_value=_number(first.get("manaValue", first.get("convertedManaCost"))),
            colors=whole,
            color_identity=_letters(first.get("colorIdentity")),
            produced_mana=None if all(types is None for types in mana) else _letters("".join(filter(None, mana))),
            faces=tuple(
                OtherFace(str(side.get("faceName", name)), own) for side, own in zip(sides, colors, strict=True)
            ),
        )


def _entries(value: object) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, list):
        yield from (entry for entry in value if isinstance(entry, Mapping))


def _oracle_id(entry: Mapping[str, Any]) -> str | None:
    identifiers = entry.get("identifiers")
    value = identifiers.get("scryfallOracleId") if isinstance(identifiers, Mapping) else None
    return value.lower() if isinstance(value, str) else None


def _letters(value: object) -> str | None:
    """Colors in order; None for what is no list or text of letters."""
    if not isinstance(value, Iterable):
        return None
    letters = {letter for letter in value if isinstance(letter, str)}
    return "".join(letter for letter in _LETTERS if letter in letters)


def _number(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < MAX_NUMBER:
        return None
    return format_number(value)
