"""Colors and types of mana, as small sets that print in WUBRG order.

CR 105.1: the five colors. CR 106.1b: the six types of mana (the colors and colorless). Both kinds of set are integers
with one bit a letter, W=1 U=2 B=4 R=8 G=16 (and C=32 for mana), so that they can be stored and compared as masks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar, Self

COLOR_LETTERS = "WUBRG"
MANA_LETTERS = "WUBRGC"

COLOR_NAMES: dict[str, str] = {"W": "white", "U": "blue", "B": "black", "R": "red", "G": "green"}
"""Letter -> the English word of CR 105.1."""


class _LetterSet(int):
    """A frozen set of letters that is its own bit mask. Instances are shared; operators give shared instances."""

    LETTERS: ClassVar[str]
    _shared: ClassVar[list[Self]]
    """One table a subclass, filled below the classes."""

    __slots__ = ()

    @classmethod
    def from_letters(cls, letters: Iterable[str]) -> Self:
        """The set of these letters, in any order, repeats allowed; `KeyError` on any other letter."""
        mask = 0
        for letter in letters:
            mask |= cls._bit(letter)
        return cls._shared[mask]

    @classmethod
    def _bit(cls, letter: str) -> int:
        place = cls.LETTERS.find(letter)
        if place < 0 or len(letter) != 1:
            raise KeyError(letter)
        return 1 << place

    @classmethod
    def from_mask(cls, mask: int) -> Self:
        """The set with this bit mask; `IndexError` past the highest."""
        return cls._shared[mask]

    @property
    def mask(self) -> int:
        """The plain integer, for a database."""
        return int(self)

    def __or__(self, other: int) -> Self:
        return self._shared[int.__or__(self, other)]

    def __and__(self, other: int) -> Self:
        return self._shared[int.__and__(self, other)]

    def __sub__(self, other: int) -> Self:
        """The letters of this set that the other lacks (set difference, not subtraction)."""
        return self._shared[int.__and__(self, ~other)]

    def __contains__(self, letter: object) -> bool:
        return isinstance(letter, str) and len(letter) == 1 and bool(self & self._bit(letter))

    def __iter__(self) -> Iterator[str]:
        return iter(str(self))

    def __len__(self) -> int:
        return self.bit_count()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def issubset(self, other: int) -> bool:
        """Whether every letter of this set is in the other."""
        return int.__and__(self, ~other) == 0


class ColorSet(_LetterSet):
    """A set of colors (CR 105). Empty is colorless.

    >>> str(ColorSet.from_letters("GW")), ColorSet.from_letters("GW").mask
    ('WG', 17)
    """

    LETTERS = COLOR_LETTERS
    _shared: ClassVar[list[ColorSet]] = []
    _texts: ClassVar[list[str]] = []
    __slots__ = ()

    def __str__(self) -> str:
        return self._texts[self]


class ManaTypes(_LetterSet):
    """A set of types of mana (CR 106.1b): the five colors and C for colorless. Empty is no mana at all.

    >>> str(ManaTypes.from_letters("CG"))
    'GC'
    """

    LETTERS = MANA_LETTERS
    _shared: ClassVar[list[ManaTypes]] = []
    _texts: ClassVar[list[str]] = []
    __slots__ = ()

    def __str__(self) -> str:
        return self._texts[self]


def _texts_of(letters: str) -> list[str]:
    return ["".join(x for i, x in enumerate(letters) if mask >> i & 1) for mask in range(1 << len(letters))]


ColorSet._texts.extend(_texts_of(COLOR_LETTERS))
ColorSet._shared.extend(ColorSet(mask) for mask in range(1 << len(COLOR_LETTERS)))
ManaTypes._texts.extend(_texts_of(MANA_LETTERS))
ManaTypes._shared.extend(ManaTypes(mask) for mask in range(1 << len(MANA_LETTERS)))

COLORLESS = ColorSet.from_mask(0)
ALL_COLORS = ColorSet.from_mask(31)
NO_MANA = ManaTypes.from_mask(0)
MANA_OF_ANY_COLOR = ManaTypes.from_mask(31)
MANA_OF_ANY_TYPE = ManaTypes.from_mask(63)
COLORLESS_MANA = ManaTypes.from_letters("C")
