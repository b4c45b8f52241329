"""Runs of the sync as points in time: the last one, and the one that a user means by a number or a date."""

from __future__ import annotations

import datetime as dt
from typing import NamedTuple

from sqlalchemy import Connection, func, select

from indexer.errors import ConfigError
from indexer.storage.models import SyncRun

STORED = "stored"
"""The outcome of a run that brought new data. Others left the pool as it was: nothing newer, refused, failed."""

_moment = func.coalesce(SyncRun.finished_at, SyncRun.started_at, type_=SyncRun.started_at.type)


class RunPoint(NamedTuple):
    """A run that brought new data, and when."""

    run_id: int
    moment: dt.datetime


def last_run(connection: Connection) -> RunPoint | None:
    """The last run that brought new data; None if there has been none."""
    row = connection.execute(
        select(SyncRun.id, _moment).where(SyncRun.outcome == STORED).order_by(SyncRun.id.desc()).limit(1)
    ).one_or_none()
    return RunPoint(row[0], row[1]) if row else None


def run_numbers(connection: Connection) -> list[int]:
    """The numbers of all runs that brought new data, oldest first."""
    return list(connection.scalars(select(SyncRun.id).where(SyncRun.outcome == STORED).order_by(SyncRun.id)))


def run_since(connection: Connection, text: str) -> int:
    """The number of the run after which "since" begins: what that run left is known, later runs are news.

    A number is a run. A date is the start of that day and a time is itself, in UTC unless it says otherwise; 0 if no
    run is older.

    Raises:
        ConfigError: neither a run that exists nor a date.
    """
    if (number := _run_number(connection, text)) is not None:
        return number
    return _last_before(connection, _parse_moment(text, end_of_day=False))


def run_as_of(connection: Connection, text: str) -> RunPoint:
    """The run that had the last word at a moment: the run of that number, or the last one of that day or before.

    Raises:
        ConfigError: neither a run that exists nor a date, or the pool begins later.
    """
    number = _run_number(connection, text)
    if number is None:
        number = _last_before(connection, _parse_moment(text, end_of_day=True))
    row = connection.execute(select(SyncRun.id, _moment).where(SyncRun.id == number)).one_or_none()
    if row is None:
        first = connection.execute(
            select(SyncRun.id, _moment).where(SyncRun.outcome == STORED).order_by(SyncRun.id).limit(1)
        ).one_or_none()
        begin = f"begins with run {first[0]} of {first[1]:%Y-%m-%d}" if first else "has no run yet: run 'indexer sync'"
        raise ConfigError(f"nothing is known of {text!r}: the history {begin}")
    return RunPoint(row[0], row[1])


def _run_number(connection: Connection, text: str) -> int | None:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        return None
    number = int(text)
    if connection.scalar(select(SyncRun.id).where(SyncRun.id == number)) is None:
        last = connection.scalar(select(func.max(SyncRun.id)))
        raise ConfigError(f"no run {text!r}; {f'the last one is {last}' if last else 'there has been none yet'}")
    return number


def _parse_moment(text: str, *, end_of_day: bool) -> dt.datetime:
    try:
        moment = dt.datetime.fromisoformat(text)
        is_day = len(text) <= 10
    except ValueError as error:
        raise ConfigError(f"neither a run's number nor a date: {text!r} (write 12 or 2026-10-01)") from error
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=dt.UTC)
    return moment + dt.timedelta(days=1) if is_day and end_of_day else moment


def _last_before(connection: Connection, moment: dt.datetime) -> int:
    before = select(func.max(SyncRun.id)).where(SyncRun.outcome == STORED, _moment < moment)
    return connection.scalar(before) or 0
