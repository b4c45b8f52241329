"""The part of a run that happens within the database: one transaction that ends in the new pool, or in the old one.

What only a run with something new needs is imported when there is something new.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing, nullcontext
from dataclasses import dataclass
from itertools import islice

from sqlalchemy import Connection, Engine

from indexer.acceptances import Acceptance, apply_acceptances
from indexer.batches import Rejection
from indexer.errors import InvalidManaSymbol
from indexer.gates import Figures, check_gates
from indexer.pipeline.crew import Crew
from indexer.pipeline.spool import Scan, Spool
from indexer.records import CardSymbolRow
from indexer.storage import known, runs
from indexer.storage.engine import for_writing, refresh_statistics, sqlite_file, storage_errors, use_write_ahead_log
from indexer.storage.known import CardState, open_by_field
from indexer.storage.migrate import HEAD, create_schema, current_revision, upgrade_schema
from indexer.storage.rows import is_about_rows
from indexer.storage.runs import Outcome, StoredRun
from indexer.summary import SyncSummary

logger = logging.getLogger(__name__)

STATES_KEPT = 60_000
"""So many cards' states are read ahead (15 MB), enough for the Oracle cards; those of a larger pool when needed."""

SYMBOL_REMARKS = 10
"""So many symbols that newly contradict the rules, or can't be read, are named one by one."""


@dataclass(slots=True)
class PoolUpdate:
    """One run's dealings with the database. It fills in the summary as it goes."""

    engine: Engine
    summary: SyncSummary
    clock: Callable[[], float]
    progress: Callable[[str, int, int | None], None]
    force: bool = False
    dry_run: bool = False
    allowed: frozenset[str] = frozenset()
    acceptances: tuple[Acceptance, ...] | None = None
    """None: leave the status of mismatches alone."""
    symbols: list[CardSymbolRow] | None = None
    """What comparing the published list of symbols gave; None: it wasn't read, and the table stays as it is."""
    committed: bool = False
    """Whether the new pool is there, whatever happens now."""
    _states: list[CardState] | None = None

    def last_stored(self) -> StoredRun | None:
        """The run that the pool comes from, after an older schema has been upgraded; None if there is no pool yet.

        Raises:
            SchemaOutOfDate: the database is newer than the program, or older and this is a dry run.
        """
        with storage_errors(self.engine.url, "read"), self.engine.connect() as connection:
            if current_revision(connection) is None:
                return None
            upgrade_schema(connection, may_change=not self.dry_run)
            return runs.last_stored(connection)

    def prepare(self, last: StoredRun | None) -> None:
        """Load what `store` needs, while others are still reading the file."""
        import indexer.pipeline.plan
        import indexer.storage.references
        import indexer.storage.writer  # noqa: F401  # loaded, not used here

        if last is not None and not self._compute_anew(last):
            with storage_errors(self.engine.url, "read"), self.engine.connect() as connection:
                states = list(islice(known.iter_card_states(connection), STATES_KEPT + 1))
            # Nobody else writes: the lock is held.
            self._states = states if len(states) <= STATES_KEPT else None

    def note_up_to_date(self) -> None:
        """Record that the pool was found current. Acceptances may have changed or ended all the same."""
        summary = self.summary
        summary.outcome = Outcome.UP_TO_DATE.value
        with storage_errors(self.engine.url, "write"), self.engine.connect() as connection:
            with for_writing(connection).begin() as transaction:
                summary.run_id = runs.add_run(connection, summary.run_row())
                self._accept(connection)
                summary.cards_total = known.card_count(connection)
                self._complete(connection)
                if self.dry_run:
                    transaction.rollback()
                    summary.run_id = None
            self.committed = not self.dry_run

    def store(self, scan: Scan, spool: Spool, crew: Crew, last: StoredRun | None) -> None:
        """Bring the pool to what the file says, in one transaction.

        Raises:
            GateRefused: the new data looks wrong; the pool is as it was.
            StorageError: it can't be written; the pool is as it was.
        """
        from indexer.storage.models import Base

        with storage_errors(self.engine.url, "write"), self.engine.connect() as connection:
            is_new = current_revision(connection) is None
            connection.rollback()
            if not is_new:
                use_write_ahead_log(connection)
            try:
                self._store_once(connection, scan, spool, crew, last, is_new=is_new, careful=False)
            except Exception as error:
                if not is_about_rows(error):
                    raise
                # Hardly ever: that every batch can be taken back is too dear to be had every time.
                logger.info("the database won't have something; once more, card by card: %s", error)
                self._store_once(connection, scan, spool, crew, last, is_new=is_new, careful=True)
            if self.committed:
                use_write_ahead_log(connection)
                refresh_statistics(connection, filled=tuple(Base.metadata.tables) if is_new else ())

    def _store_once(
        self,
        connection: Connection,
        scan: Scan,
        spool: Spool,
        crew: Crew,
        last: StoredRun | None,
        *,
        is_new: bool,
        careful: bool,
    ) -> None:
        from indexer.storage.references import references_checked_at_the_end

        with for_writing(connection).begin() as transaction:
            if is_new:
                create_schema(connection)
            with references_checked_at_the_end(connection) if is_new else nullcontext():
                figures = self._fill(connection, scan, spool, crew, last, careful=careful)
            self._store_symbols(connection)
            self._accept(connection)
            self._judge(connection, figures)
            self._complete(connection)
            if self.dry_run:
                transaction.rollback()
                self.summary.run_id = None
                return
            with self.summary.timed("commit", self.clock):
                transaction.commit()
            self.committed = True

    def record_failure(self) -> None:
        """Keep the run's record, as far as there is a database to keep it in; nothing else was changed."""
        file = sqlite_file(self.engine.url)
        if self.dry_run or self.committed or (file is not None and not file.exists()):
            return
        self.summary.run_id = None
        try:
            with self.engine.connect() as connection:
                if current_revision(connection) == HEAD:
                    connection.rollback()
                    with for_writing(connection).begin():
                        self.summary.run_id = runs.add_run(connection, self.summary.run_row())
        except Exception as error:  # the failure itself is what has to be told
            logger.info("the failed run can't be recorded: %s", error)

    def _fill(
        self, connection: Connection, scan: Scan, spool: Spool, crew: Crew, last: StoredRun | None, *, careful: bool
    ) -> Figures:
        """Write the cards of the file and count what happens; gives the figures before."""
        from indexer.pipeline.plan import make_plan
        from indexer.storage.writer import PoolWriter

        summary = self.summary
        summary.outcome = Outcome.STORED.value
        summary.run_id = runs.add_run(connection, summary.run_row())
        writer = PoolWriter(connection, summary.run_id, careful=careful)
        before = Figures(
            cards_before=writer.cards_before, mismatches_before=open_by_field(connection, errors_only=True)
        )
        with summary.timed("read", self.clock):
            states: Iterable[CardState] = ()
            if not self._compute_anew(last):
                states = self._states if self._states is not None else known.iter_card_states(connection)
            plan = make_plan(spool, scan.runs, states)
            self._states = None
        with summary.timed("write", self.clock):
            writer.reject([Rejection(*line) for line in scan.rejections], unlisted=scan.rejected - len(scan.rejections))
            writer.keep(plan.unchanged)
            done = 0
            with closing(crew.compute(plan.chunks)) as batches:
                for batch in batches:
                    writer.store(batch)
                    done += len(batch.cards) + len(batch.rejections)
                    self.progress("cards", done, plan.needed)
            writer.finish()
        counts, mismatches = writer.counts, writer.mismatches.counts
        summary.records_rejected = counts.rejected
        summary.cards_total = counts.total
        summary.cards_added = counts.added
        summary.cards_changed = counts.changed
        summary.cards_unchanged = counts.unchanged
        summary.cards_removed = counts.removed
        summary.cards_restored = counts.restored
        summary.mismatches_new = mismatches.new
        summary.mismatches_reopened = mismatches.reopened
        summary.mismatches_resolved = mismatches.resolved
        return before

    def _compute_anew(self, last: StoredRun | None) -> bool:
        return last is None or self.force or last.versions != self.summary.versions

    def _store_symbols(self, connection: Connection) -> None:
        """Bring the table of symbols to the list that was read, and remark on what is new in it and wrong."""
        if self.symbols is None:
            return
        from indexer.storage.symbols import store_symbols

        summary = self.summary
        assert summary.run_id is not None
        summary.symbols = dict(Counter(row.status for row in self.symbols))
        alarms = store_symbols(connection, self.symbols, summary.run_id).alarms
        summary.warnings += [f"published symbol {row.symbol}: {row.explanation}" for row in alarms[:SYMBOL_REMARKS]]
        if len(alarms) > SYMBOL_REMARKS:
            summary.warnings.append(f"{len(alarms) - SYMBOL_REMARKS} more published symbols: see the table symbols")

    def _accept(self, connection: Connection) -> None:
        """Apply the acceptance file."""
        if self.acceptances is None or not (self.acceptances or known.any_accepted(connection)):
            return
        outcome = apply_acceptances(
            connection, self.acceptances, today=self.summary.started_at.date(), run_id=self.summary.run_id
        )
        self.summary.accepted += [*outcome.accepted, *(f"open again: {line}" for line in outcome.reopened)]
        self.summary.warnings += outcome.unused

    def _judge(self, connection: Connection, before: Figures) -> None:
        """Look at the pool as it would be, and refuse it if a gate says so."""
        summary = self.summary
        assert summary.run_id is not None
        figures = Figures(
            cards_before=before.cards_before,
            cards_after=summary.cards_total,
            records=summary.records_read,
            is_empty=not summary.records_read,
            rejected=summary.records_rejected,
            first_rejected=known.first_rejection(connection, summary.run_id) if summary.records_rejected else "",
            mismatches_before=before.mismatches_before,
            mismatches_after=open_by_field(connection, errors_only=True),
            vanished_fields=known.vanished_fields(connection, summary.run_id),
        )
        summary.warnings += check_gates(figures, allowed=self.allowed)
        if summary.cards_added or summary.cards_changed:
            summary.warnings += _unknown_words(connection)

    def _complete(self, connection: Connection) -> None:
        """Count what the pool holds now, and write the rest of the run's row."""
        summary = self.summary
        assert summary.run_id is not None
        summary.mismatches_open = open_by_field(connection)
        summary.undecided = known.undecided_by_field(connection)
        summary.stop(self.clock)
        runs.complete_run(connection, summary.run_id, summary.run_row())
        runs.prune_runs(connection)


def _unknown_words(connection: Connection) -> list[str]:
    """A remark for each layout and symbol that this program does not know: their values are undecided."""
    from indexer.normalize.layouts import ARRANGEMENTS
    from indexer.rules.symbols import parse_symbol

    remarks = [
        f"unknown layout {layout!r}: the values of its cards are undecided"
        for layout in known.layouts(connection)
        if layout not in ARRANGEMENTS
    ]
    for symbol in known.symbols(connection):
        try:
            parse_symbol(symbol)
        except InvalidManaSymbol:
            remarks.append(f"unknown symbol {symbol!r}: values that it bears on are undecided")
    return remarks
