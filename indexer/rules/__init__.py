"""The rules engine as a library: mana costs, mana values, colors, color identity and produced mana, with their reasons.

It needs the standard library only, reads and writes nothing, and knows no field of any card database: you describe a
card as a `Card` of `Face`s, and ask. Rule numbers are those of the Comprehensive Rules effective on `EFFECTIVE`;
`docs/engine.md` shows how everything here is used.

>>> from indexer.rules import Arrangement, Card, Face, ObjectKind, evaluate, steps_of
>>> halves = (Face("Left", "{1}{R}", "Instant", ""), Face("Right", "{X}{W/U}", "Instant", ""))
>>> card = Card("Left // Right", Arrangement.SPLIT, ObjectKind.CARD, halves)
>>> values = evaluate(card)
>>> values.mana_value.value, str(values.colors.value)
(3, 'WUR')
>>> steps_of(card, "mana_value")[0].rule
'709.4b'

The names in `__all__` are the public ones. Each is loaded from its module when it is first used.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.errors import ImpossibleSituation, InvalidManaCost, InvalidManaSymbol, RulesError
    from indexer.rules.card import Arrangement, Card, Face, ObjectKind
    from indexer.rules.card_colors import card_colors, face_colors
    from indexer.rules.color_identity import ColorIdentity, IdentitySource, SourcedColors, color_identity
    from indexer.rules.colors import ColorSet, ManaTypes
    from indexer.rules.derivation import Decision, Derived, Step, Trace
    from indexer.rules.edition import EFFECTIVE
    from indexer.rules.evaluate import FIELDS, CardValues, FaceValues, evaluate, steps_of
    from indexer.rules.index import RULES, RuleEntry, subject_of
    from indexer.rules.mana_cost import ManaCost, format_mana_cost, parse_mana_cost
    from indexer.rules.mana_value import card_mana_value, face_mana_value, format_number
    from indexer.rules.produced_mana import card_produced_mana, face_produced_mana
    from indexer.rules.situation_colors import colors_in
    from indexer.rules.situations import (
        NamedValue,
        Situation,
        Zone,
        mana_value_in,
        merged_mana_value,
        named_values,
    )
    from indexer.rules.symbol_mana import mana_added
    from indexer.rules.symbols import ManaSymbol, Number, SymbolKind, parse_symbol
    from indexer.rules.type_line import TypeLine, parse_type_line

__all__ = [
    "EFFECTIVE",
    "FIELDS",
    "RULES",
    "Arrangement",
    "Card",
    "CardValues",
    "ColorIdentity",
    "ColorSet",
    "Decision",
    "Derived",
    "Face",
    "FaceValues",
    "IdentitySource",
    "ImpossibleSituation",
    "InvalidManaCost",
    "InvalidManaSymbol",
    "ManaCost",
    "ManaSymbol",
    "ManaTypes",
    "NamedValue",
    "Number",
    "ObjectKind",
    "RuleEntry",
    "RulesError",
    "Situation",
    "SourcedColors",
    "Step",
    "SymbolKind",
    "Trace",
    "TypeLine",
    "Zone",
    "card_colors",
    "card_mana_value",
    "card_produced_mana",
    "color_identity",
    "colors_in",
    "evaluate",
    "face_colors",
    "face_mana_value",
    "face_produced_mana",
    "format_mana_cost",
    "format_number",
    "mana_added",
    "mana_value_in",
    "merged_mana_value",
    "named_values",
    "parse_mana_cost",
    "parse_symbol",
    "parse_type_line",
    "steps_of",
    "subject_of",
]

_MODULES = {
    "indexer.errors": "ImpossibleSituation InvalidManaCost InvalidManaSymbol RulesError",
    "indexer.rules.card": "Arrangement Card Face ObjectKind",
    "indexer.rules.card_colors": "card_colors face_colors",
    "indexer.rules.color_identity": "ColorIdentity IdentitySource SourcedColors color_identity",
    "indexer.rules.colors": "ColorSet ManaTypes",
    "indexer.rules.derivation": "Decision Derived Step Trace",
    "indexer.rules.edition": "EFFECTIVE",
    "indexer.rules.evaluate": "FIELDS CardValues FaceValues evaluate steps_of",
    "indexer.rules.index": "RULES RuleEntry subject_of",
    "indexer.rules.mana_cost": "ManaCost format_mana_cost parse_mana_cost",
    "indexer.rules.mana_value": "card_mana_value face_mana_value format_number",
    "indexer.rules.produced_mana": "card_produced_mana face_produced_mana",
    "indexer.rules.situation_colors": "colors_in",
    "indexer.rules.situations": "NamedValue Situation Zone mana_value_in merged_mana_value named_values",
    "indexer.rules.symbol_mana": "mana_added",
    "indexer.rules.symbols": "ManaSymbol Number SymbolKind parse_symbol",
    "indexer.rules.type_line": "TypeLine parse_type_line",
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names.split()}


class _Package(ModuleType):
    """A package whose `evaluate` and `color_identity` are the functions, not the modules that bear the same names."""

    def __setattr__(self, name: str, value: object) -> None:
        # Importing a module makes it an attribute of its package, which would hide the function.
        if name in _MODULE_OF and isinstance(value, ModuleType):
            value = getattr(value, name)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> object:
    # Whoever needs one module, such as a worker that starts for each file, doesn't wait for all the others.
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(module), name)
    setattr(sys.modules[__name__], name, value)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
