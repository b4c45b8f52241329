"""Indexes Scryfall's Magic cards, recomputes their values from the Comprehensive Rules, and reports every mismatch.

`open_pool` opens a filled pool for scripts and notebooks; the command line is `indexer`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from indexer.pool import Pool, PoolCard, PoolFace, PoolMismatch, open_pool

__version__ = "0.1.0"
__all__ = ["Pool", "PoolCard", "PoolFace", "PoolMismatch", "__version__", "open_pool"]


def __getattr__(name: str) -> Any:
    # Imported when it is asked for: a command that needs no database shall not wait for SQLAlchemy.
    if name in __all__:
        from indexer import pool

        return getattr(pool, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
