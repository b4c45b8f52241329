"""How a value came about: the value itself, whether it is decided, the rule that decided it, and the steps.

A rule function takes an optional `Trace`. Without one it only computes; with one it also writes down each step, so the
fast path and the explanation are the same code and can't drift apart.
"""

from __future__ import annotations

from enum import Enum
from typing import Generic, NamedTuple, Never, TypeVar

T_co = TypeVar("T_co", covariant=True)


class Decision(Enum):
    """What stands behind a value."""

    DERIVED = "derived"
    """The rules give it from the card's own characteristics."""
    GIVEN = "given"
    """A printed fact that no rule derives: a token's colors (CR 111.3), an emblem's, a vanguard's."""
    UNDECIDED = "undecided"
    """The record doesn't say enough, or says it in a way this engine can't read. Never a guess."""


class Step(NamedTuple):
    """One step of a derivation."""

    rule: str
    """The number in the Comprehensive Rules, such as `202.3f`."""
    meaning: str
    """What the rule does here, in short own words."""
    basis: str
    """The symbol or words of the card that the step rests on; empty if it rests on their absence."""
    place: str
    """Where they stand: `mana cost`, `rules text`, `color indicator`, `type line`, with the face's name if several."""


class Trace:
    """A list of steps that a rule function fills."""

    __slots__ = ("steps",)

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def add(self, rule: str, meaning: str, basis: str = "", place: str = "") -> None:
        """Note one step; the order of calls is the order of reasoning."""
        self.steps.append(Step(rule, meaning, basis, place))


class Derived(NamedTuple, Generic[T_co]):
    """A value with what stands behind it. `value` is None exactly if the decision is `UNDECIDED`."""

    value: T_co | None
    rule: str
    """The number of the rule that decided; for an undecided value, the rule that could not be applied."""
    decision: Decision = Decision.DERIVED
    reason: str = ""
    """Why it is undecided, in one line that names the word or symbol; empty otherwise."""
    missing: bool = False
    """True if it is undecided only because the source lacks what it rests on or contradicts itself there."""


def undecided(rule: str, reason: str, *, missing: bool = False) -> Derived[Never]:
    """A value that the rules can't give from this record, with the reason."""
    return Derived(None, rule, Decision.UNDECIDED, reason, missing)


class Undecidable(Exception):  # not an error of anybody's: it never leaves the engine
    """Raised inside the engine where a value can't be decided; public functions turn it into `undecided`."""

    def __init__(self, rule: str, reason: str, *, missing: bool = False) -> None:
        super().__init__(rule, reason)
        self.rule = rule
        self.reason = reason
        self.missing = missing

    def derived(self) -> Derived[Never]:
        """The undecided value that a public function gives."""
        return undecided(self.rule, self.reason, missing=self.missing)
