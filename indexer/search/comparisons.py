"""The operators of the language as functions, for Python values and SQL expressions alike."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    ":": operator.eq,
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
