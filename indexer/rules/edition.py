"""The edition of the Comprehensive Rules that this package cites."""

from __future__ import annotations

from datetime import date

EFFECTIVE = date(2026, 8, 7)
"""Effective date of the cited rules. Numbers move between editions, so each citation also says its subject."""

ENGINE_VERSION = "1"
"""Raised whenever the engine may give another value for the same record; stored pools are then computed anew."""
