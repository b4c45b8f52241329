"""SQL expressions that SQLite and PostgreSQL spell differently, as SQLAlchemy elements with one compiler each.

On SQLite, `fold_name`, `plain_text`, `self_text` and `REGEXP` are functions that `sqlite_functions.register` adds to a
connection; they run only on rows that a cheaper condition has let through. All other expressions are built in.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    Boolean,
    ColumnElement,
    Float,
    Integer,
    SQLColumnExpression,
    Text,
    and_,
    case,
    func,
    literal,
    or_,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from indexer.search.names import FOLD_DELETED, FOLD_EXPANDED, FOLD_FROM, FOLD_TO
from indexer.search.self_reference import FACES_AT_MOST, SELF_NOUNS

Condition = ColumnElement[bool]
TextColumn = SQLColumnExpression[Any]
"""A mapped column or an expression made of some."""


def like_pattern(text: str) -> str:
    r"""The text with the wildcards of LIKE taken literally.

    >>> like_pattern("50%_off")
    '50\\%\\_off'
    """
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _arguments(element: FunctionElement[Any], compiler: SQLCompiler, **kw: Any) -> list[str]:
    return [compiler.process(argument, **kw) for argument in element.clauses]


class Question(FunctionElement[bool]):
    """An expression that is true or false by itself: not to be compared with 1, as SQLite's booleans are."""

    type = Boolean()

    def self_group(self, against: Any = None) -> Any:
        return self


class _Like(Question):
    """A case-insensitive LIKE. SQLAlchemy's own `ilike` lowers both sides on SQLite, which costs twice the time."""

    name = "like"
    inherit_cache = True


@compiles(_Like, "sqlite")
def _like_sqlite(element: _Like, compiler: SQLCompiler, **kw: Any) -> str:
    text, pattern = _arguments(element, compiler, **kw)
    return f"({text} LIKE {pattern} ESCAPE '\\')"


@compiles(_Like)
def _like_default(element: _Like, compiler: SQLCompiler, **kw: Any) -> str:
    text, pattern = _arguments(element, compiler, **kw)
    return f"({text} ILIKE {pattern} ESCAPE '\\')"


def like(text: TextColumn, pattern: str) -> Condition:
    """Whether the text is like the pattern of LIKE, whatever the case."""
    return _Like(text, literal(pattern))


def contains(text: TextColumn, part: str) -> Condition:
    """Whether the text has the part anywhere, whatever the case."""
    return _Like(text, literal(f"%{like_pattern(part)}%"))


class _HidesWords(Question):
    """Whether a name has letters outside ASCII, or stops, which folding takes away."""

    name = "hides_words"
    inherit_cache = True


@compiles(_HidesWords, "sqlite")
def _hides_words_sqlite(element: _HidesWords, compiler: SQLCompiler, **kw: Any) -> str:
    (name,) = _arguments(element, compiler, **kw)
    return f"(length({name}) <> length(CAST({name} AS BLOB)) OR {name} LIKE '%.%')"


@compiles(_HidesWords)
def _hides_words_default(element: _HidesWords, compiler: SQLCompiler, **kw: Any) -> str:
    (name,) = _arguments(element, compiler, **kw)
    return f"(octet_length({name}) <> length({name}) OR position('.' in {name}) > 0)"


class _FoldName(FunctionElement[str]):
    """A name as `names.fold_name` folds it."""

    type = Text()
    name = "fold_name"
    inherit_cache = True


@compiles(_FoldName, "sqlite")
def _fold_name_sqlite(element: _FoldName, compiler: SQLCompiler, **kw: Any) -> str:
    (text,) = _arguments(element, compiler, **kw)
    return f"fold_name({text})"


@compiles(_FoldName)
def _fold_name_default(element: _FoldName, compiler: SQLCompiler, **kw: Any) -> str:
    (folded,) = _arguments(element, compiler, **kw)
    for letter, letters in FOLD_EXPANDED.items():
        folded = f"replace({folded}, '{letter}', '{letters}')"
    # translate() drops the characters of its second argument that have no partner in the third.
    deleted = FOLD_DELETED.replace("'", "''")
    return f"trim(regexp_replace(translate(lower({folded}), '{FOLD_FROM}{deleted}', '{FOLD_TO}'), '\\s+', ' ', 'g'))"


def name_contains(name: TextColumn, folded_part: str) -> Condition:
    """Whether the name has the part anywhere, both without accents and punctuation.

    Nearly every name that has a word has it as it is, or with an apostrophe in it. Only the rest pays for folding.
    """
    longest = max(folded_part.split(), key=len)
    has_longest = or_(
        contains(name, longest),
        and_(contains(name, "'"), contains(func.replace(name, "'", ""), longest)),
        and_(_HidesWords(name), contains(_FoldName(name), longest)),
    )
    if longest == folded_part:
        return has_longest
    return or_(contains(name, folded_part), and_(has_longest, contains(_FoldName(name), folded_part)))


def name_is(name: TextColumn, folded: str) -> Condition:
    """Whether the name is this one, both without accents and punctuation."""
    # One condition, which no planner takes apart to fold every name of the pool first.
    longest = max(folded.split(), key=len)
    return or_(like(name, like_pattern(folded)), and_(name_contains(name, longest), _FoldName(name) == folded))


class _PlainText(FunctionElement[str]):
    """A rules text without reminder text."""

    type = Text()
    name = "plain_text"
    inherit_cache = True


@compiles(_PlainText, "sqlite")
def _plain_text_sqlite(element: _PlainText, compiler: SQLCompiler, **kw: Any) -> str:
    (text,) = _arguments(element, compiler, **kw)
    return f"plain_text({text})"


@compiles(_PlainText)
def _plain_text_default(element: _PlainText, compiler: SQLCompiler, **kw: Any) -> str:
    (text,) = _arguments(element, compiler, **kw)
    # Twice, for a parenthesis within a parenthesis.
    for _ in range(2):
        text = f"regexp_replace({text}, ' ?\\([^()]*\\) ?', chr(10), 'g')"
    return f"trim(both from regexp_replace({text}, '\\n+', chr(10), 'g'), chr(10) || ' ')"


def plain_text(text: TextColumn) -> SQLColumnExpression[Any]:
    """The rules text without reminder text, as `self_reference.plain_text` gives it."""
    return case((contains(text, "("), _PlainText(text)), else_=text)


class _SelfText(FunctionElement[str]):
    """A rules text with `~` wherever it speaks of its own card."""

    type = Text()
    name = "self_text"
    inherit_cache = True


@compiles(_SelfText, "sqlite")
def _self_text_sqlite(element: _SelfText, compiler: SQLCompiler, **kw: Any) -> str:
    return f"self_text({', '.join(_arguments(element, compiler, **kw))})"


@compiles(_SelfText)
def _self_text_default(element: _SelfText, compiler: SQLCompiler, **kw: Any) -> str:
    text, name = _arguments(element, compiler, **kw)
    for number in range(1, FACES_AT_MOST + 1):
        face = f"nullif(split_part({name}, ' // ', {number}), '')"
        for part in (face, f"nullif(split_part({face}, ', ', 1), '')"):
            text = f"replace({text}, coalesce({part}, chr(1)), '~')"
    return f"regexp_replace({text}, '\\mthis ({'|'.join(SELF_NOUNS)})\\M', '~', 'gi')"


def self_text(text: SQLColumnExpression[Any], name: TextColumn) -> SQLColumnExpression[Any]:
    """The text with `~` for the card's own name, as `self_reference.self_text` gives it."""
    return _SelfText(text, name)


class _Matches(Question):
    """Whether a regular expression finds something in a text."""

    name = "matches"
    inherit_cache = True


@compiles(_Matches, "sqlite")
def _matches_sqlite(element: _Matches, compiler: SQLCompiler, **kw: Any) -> str:
    text, sqlite_pattern, _ = _arguments(element, compiler, **kw)
    return f"({text} REGEXP {sqlite_pattern})"


@compiles(_Matches)
def _matches_default(element: _Matches, compiler: SQLCompiler, **kw: Any) -> str:
    text, _, postgresql_pattern = _arguments(element, compiler, **kw)
    return f"({text} ~ {postgresql_pattern})"


def matches(text: SQLColumnExpression[Any], sqlite_pattern: str, postgresql_pattern: str) -> Condition:
    """Whether the pattern is found in the text; the two spellings of it mean the same."""
    return _Matches(text, literal(sqlite_pattern), literal(postgresql_pattern))


class _LeadingNumber(FunctionElement[float]):
    """The number that a printed power, toughness, loyalty or defense begins with; 0 if it begins with none."""

    type = Float()
    name = "leading_number"
    inherit_cache = True


@compiles(_LeadingNumber, "sqlite")
def _leading_number_sqlite(element: _LeadingNumber, compiler: SQLCompiler, **kw: Any) -> str:
    (text,) = _arguments(element, compiler, **kw)
    return f"CAST({text} AS REAL)"


@compiles(_LeadingNumber)
def _leading_number_default(element: _LeadingNumber, compiler: SQLCompiler, **kw: Any) -> str:
    (text,) = _arguments(element, compiler, **kw)
    number = f"coalesce(CAST(substring({text} from '^[+-]?[0-9]*\\.?[0-9]+') AS DOUBLE PRECISION), 0)"
    # Nearly all are plain digits, which need no regular expression.
    plain = f"{text} <> '' AND translate({text}, '0123456789', '') = ''"
    return f"CASE WHEN {plain} THEN CAST({text} AS DOUBLE PRECISION) WHEN {text} IS NOT NULL THEN {number} END"


def leading_number(text: TextColumn) -> ColumnElement[float]:
    """The printed value as a number: `1+*` is 1, `*` is 0 (as Scryfall counts them); NULL stays NULL."""
    return _LeadingNumber(text)


class _GenericMana(FunctionElement[int]):
    """The number in a mana cost's numerical symbol; 0 if it has none.

    A cost prints X, Y and Z before the number, everything else after it.
    """

    type = Integer()
    name = "generic_mana"
    inherit_cache = True


@compiles(_GenericMana, "sqlite")
def _generic_mana_sqlite(element: _GenericMana, compiler: SQLCompiler, **kw: Any) -> str:
    (cost,) = _arguments(element, compiler, **kw)
    start = f"ltrim({cost}, '{{}}XYZ')"
    # "2/W}{2/W}" begins with a hybrid symbol, not with a number.
    return f"CASE WHEN {start} GLOB '[0-9]/*' THEN 0 ELSE CAST({start} AS INTEGER) END"


@compiles(_GenericMana)
def _generic_mana_default(element: _GenericMana, compiler: SQLCompiler, **kw: Any) -> str:
    (cost,) = _arguments(element, compiler, **kw)
    return f"coalesce(CAST(substring({cost} from '\\{{([0-9]+)\\}}') AS INTEGER), 0)"


def generic_mana(cost: TextColumn) -> ColumnElement[int]:
    """The generic mana of a cost: 2 for `{X}{2}{W}`, 0 for `{2/W}`."""
    return _GenericMana(cost)


class _SortName(FunctionElement[str]):
    """A name to sort by, in the same order on both databases: by code point, ASCII letters lowered."""

    type = Text()
    name = "sort_name"
    inherit_cache = True


@compiles(_SortName, "sqlite")
def _sort_name_sqlite(element: _SortName, compiler: SQLCompiler, **kw: Any) -> str:
    (name,) = _arguments(element, compiler, **kw)
    return f"lower({name})"


@compiles(_SortName)
def _sort_name_default(element: _SortName, compiler: SQLCompiler, **kw: Any) -> str:
    (name,) = _arguments(element, compiler, **kw)
    return f'lower({name} COLLATE "C") COLLATE "C"'


def sort_name(name: TextColumn) -> ColumnElement[str]:
    """What to order names by. It is no column: an index on the name would tempt the planner to walk the whole pool."""
    return _SortName(name)


def length_of_all(text: TextColumn, part: str) -> ColumnElement[int]:
    """How many characters of the text all occurrences of the part take together."""
    return func.length(text) - func.length(func.replace(text, part, ""))


class _IsNotTrue(Question):
    """Not true: false or undecided (NULL)."""

    name = "is_not_true"
    inherit_cache = True


@compiles(_IsNotTrue)
def _is_not_true(element: _IsNotTrue, compiler: SQLCompiler, **kw: Any) -> str:
    # SQLite evaluates `IS NOT TRUE` no further than it must; inside NOT or coalesce() it would evaluate every part.
    (condition,) = _arguments(element, compiler, **kw)
    return f"(({condition}) IS NOT TRUE)"


def negated(condition: Condition) -> Condition:
    """Everything that the condition doesn't hold for, the rows it can't be decided on (NULL) included."""
    return _IsNotTrue(condition)
