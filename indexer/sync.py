"""The whole run, in order: lock, catalogue, download, read, compute and store, gates, commit, and its record.

What is heavy to import (the database, the network) is imported where it is needed: when a file is given, another
process is reading it before this one has loaded them.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import logging
import os
import stat
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from indexer import __version__
from indexer.config import Settings
from indexer.errors import BulkFormatError, DownloadError, GateRefused, IndexerError, ScryfallError, StorageError
from indexer.pipeline.crew import Crew, hire
from indexer.pipeline.spool import Spool
from indexer.rules.edition import EFFECTIVE, ENGINE_VERSION
from indexer.summary import SourceFacts, SyncSummary

if TYPE_CHECKING:
    from indexer.acceptances import Acceptance
    from indexer.scryfall.bulk import BulkFile
    from indexer.scryfall.client import ScryfallClient
    from indexer.storage.runs import StoredRun
    from indexer.store import PoolUpdate

logger = logging.getLogger(__name__)

USER_AGENT = f"card-indexer/{__version__}"
STANDARD_INPUT = Path("-")

KEPT_DOWNLOADS = 2
"""So many downloaded files stay, the newest ones: one that failed to import leaves the last good one beside it."""
DOWNLOAD_LOCK = ".download.lock"

Progress = Callable[[str, int, int | None], None]
"""Called with a stage (`download` or `cards`), how much of it is done, and how much there is; None if unknown."""


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """What one run is asked to do."""

    from_file: Path | None = None
    """This file instead of the service's; `-` is standard input."""
    force: bool = False
    """Compute every record anew, even if nothing is new."""
    dry_run: bool = False
    """Do everything, then take it back: nothing on disk changes."""
    allowed: frozenset[str] = frozenset()
    """The names of gates that are only remarked on."""
    accepted_file: Path | None = None
    """Acceptances of mismatches (`indexer.acceptances`); None: leave them as they are."""
    allowed_hosts: frozenset[str] = frozenset()
    """Hosts that downloads may come from beside Scryfall's own, with their subdomains."""
    keep_downloads: int = KEPT_DOWNLOADS
    workers: int | None = None
    """Worker processes beside this one; None: as suits the file and the machine."""


def _no_progress(_stage: str, _done: int, _total: int | None) -> None:
    """For runs that nobody watches."""


def _utc_now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


@dataclass(slots=True)
class _Source:
    """An opened file, and those who read it."""

    facts: SourceFacts
    spool: Spool
    crew: Crew


@dataclass(slots=True)
class Sync:
    """One run. `summary` holds what is known of it at any time, also after it has failed."""

    settings: Settings
    options: SyncOptions = field(default_factory=SyncOptions)
    progress: Progress = _no_progress
    now: Callable[[], dt.datetime] = _utc_now
    clock: Callable[[], float] = time.perf_counter
    sleep: Callable[[float], None] = time.sleep
    summary: SyncSummary = field(init=False)
    _pool: PoolUpdate | None = field(init=False, default=None)
    _last: StoredRun | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.summary = SyncSummary(
            started_at=self.now(),
            started_clock=self.clock(),
            rules_edition=EFFECTIVE.isoformat(),
            engine_version=ENGINE_VERSION,
            program_version=__version__,
            dry_run=self.options.dry_run,
        )

    def run(self) -> SyncSummary:
        """Do it all. The outcome is `stored` or `up_to_date`; any other raises, and the pool stays as it was.

        Raises:
            SyncInProgress: another one runs on this database.
            GateRefused: the new data looks wrong.
            ScryfallError, DownloadError, BulkFormatError: the source can't be had, or is damaged.
            StorageError, ConfigError: the database or a setting can't be used.
        """
        with ExitStack() as stack:
            try:
                self._run(stack)
            except BaseException as error:
                if not self.committed:
                    self._fail(error)
                raise
            finally:
                self.summary.stop(self.clock)
        return self.summary

    @property
    def committed(self) -> bool:
        """Whether the new pool is there, whatever happens now."""
        return self._pool is not None and self._pool.committed

    def _run(self, stack: ExitStack) -> None:
        options = self.options
        given = None if options.from_file is None else self._open_file(stack, options.from_file)
        pool, is_new = self._open_pool(stack)
        last = self._last = None if is_new else pool.last_stored()
        source = given or self._fetch(stack, last)
        if source is None or (given and self._is_current(last, given.facts)):
            pool.note_up_to_date()
            return
        if is_new:
            source.crew.reinforce()
        pool.prepare(last)
        with self.summary.timed("read", self.clock):
            scan = source.crew.scan()
        self.summary.records_read = scan.records + scan.rejected
        if scan.sha256 is not None:
            source.facts.size, source.facts.sha256 = scan.size, scan.sha256
        pool.store(scan, source.spool, source.crew, last)
        if source.facts.downloaded:
            self._prune_downloads()

    def _open_pool(self, stack: ExitStack) -> tuple[PoolUpdate, bool]:
        """The locked database, and whether it is sure to be empty. A dry run makes none where none is."""
        from indexer.storage.engine import open_engine, sqlite_file
        from indexer.storage.lock import sync_lock
        from indexer.store import PoolUpdate

        options = self.options
        acceptances = self._acceptances()
        engine = open_engine(self.settings.database_url)
        stack.callback(engine.dispose)
        file = sqlite_file(engine.url)
        is_new = file is not None and (not file.exists() or file.stat().st_size == 0)
        if options.dry_run and is_new:
            engine = open_engine(self.settings.database_url, temporary=True)
            stack.callback(engine.dispose)
        else:
            if file is not None:
                _make_folder(file.parent)
            stack.enter_context(sync_lock(engine))
        self._pool = PoolUpdate(
            engine,
            self.summary,
            self.clock,
            self.progress,
            force=options.force,
            dry_run=options.dry_run,
            allowed=options.allowed,
            acceptances=acceptances,
        )
        return self._pool, is_new

    def _acceptances(self) -> tuple[Acceptance, ...] | None:
        if self.options.accepted_file is None:
            return None
        from indexer.acceptances import load_acceptances

        return load_acceptances(self.options.accepted_file)

    def _fail(self, error: BaseException) -> None:
        summary = self.summary
        if isinstance(error, IndexerError) and not isinstance(error, GateRefused) and self._last is not None:
            # Whoever reads the one line wants to know what the pool is now.
            error.args = (f"{error} (the pool of run {self._last.run_id} is kept)", *error.args[1:])
        summary.outcome = "refused" if isinstance(error, GateRefused) else "failed"
        summary.message = "interrupted" if isinstance(error, KeyboardInterrupt) else str(error) or type(error).__name__
        summary.stop(self.clock)
        if self._pool is not None:
            self._pool.record_failure()

    # --- the source -----------------------------------------------------------------------------------------------

    def _open_file(self, stack: ExitStack, path: Path, facts: SourceFacts | None = None) -> _Source:
        """Open a file and have it read from now on, if there is somebody to read it."""
        try:
            if path == STANDARD_INPUT:
                stream = stack.enter_context(os.fdopen(os.dup(0), "rb", buffering=0))
            else:
                stream = stack.enter_context(path.open("rb", buffering=0))
            status = os.fstat(stream.fileno())
        except OSError as error:
            raise BulkFormatError(f"can't read {str(path)!r}: {error.strerror or error}") from error
        is_file = stat.S_ISREG(status.st_mode) and path != STANDARD_INPUT
        spool = stack.enter_context(self._make_spool())
        crew = hire(
            stream,
            spool,
            size=self.options.workers,
            source_bytes=status.st_size if is_file else None,
            wants_digest=not is_file,
        )
        stack.callback(crew.close)
        if facts is None:
            facts = SourceFacts("standard input" if path == STANDARD_INPUT else str(path))
            if is_file:
                with path.open("rb") as file:
                    facts.size, facts.sha256 = status.st_size, hashlib.file_digest(file, "sha256").hexdigest()
        self.summary.source = facts
        return _Source(facts, spool, crew)

    def _make_spool(self) -> Spool:
        """In the data directory, which has room for downloads, rather than in memory, as /tmp often is."""
        if self.settings.data_dir.is_dir():
            try:
                return Spool.in_folder(self.settings.data_dir)
            except StorageError as error:
                logger.info("%s; using the system's folder for temporary files", error)
        return Spool.in_folder(None)

    def _fetch(self, stack: ExitStack, last: StoredRun | None) -> _Source | None:
        """The service's newest export, downloaded and opened; None if the pool comes from it already."""
        from indexer.gates import Figures, check_gates
        from indexer.scryfall.client import DEFAULT_ALLOWED_HOSTS, ScryfallClient

        client = ScryfallClient(
            self.settings.api_url,
            user_agent=USER_AGENT,
            sleep=self.sleep,
            allowed_hosts=DEFAULT_ALLOWED_HOSTS | self.options.allowed_hosts,
        )
        bulk = client.bulk_entry()
        facts = SourceFacts(bulk.url, updated_at=bulk.updated_at, size=bulk.compressed_size)
        self.summary.source = facts
        if self._is_current(last, facts):
            return None
        before = last.source_updated_at if last else None
        self.summary.warnings += check_gates(
            Figures(updated_at_before=before, updated_at=bulk.updated_at), allowed=self.options.allowed
        )
        with self.summary.timed("download", self.clock):
            path = self._download(stack, client, bulk, facts)
        source = self._open_file(stack, path, facts)
        self._read_symbols(client)
        return source

    def _read_symbols(self, client: ScryfallClient) -> None:
        """Ask for the published list of symbols, while the file is being read. The run can do without."""
        from indexer.compare.symbols import compare_symbols

        assert self._pool is not None
        try:
            self._pool.symbols = compare_symbols(client.symbology())
        except ScryfallError as error:
            self.summary.warnings.append(f"the list of symbols can't be had, the old one is kept: {error}")

    def _download(self, stack: ExitStack, client: ScryfallClient, bulk: BulkFile, facts: SourceFacts) -> Path:
        from indexer.scryfall.download import download, file_name
        from indexer.scryfall.finished import find_finished
        from indexer.storage.lock import file_lock

        directory = self.settings.data_dir
        lock: AbstractContextManager[None] = nullcontext()
        if not self.options.dry_run:
            # Syncs of two databases may share the folder.
            lock = file_lock(directory / DOWNLOAD_LOCK, f"another sync downloads into {str(directory)!r}")
        elif not find_finished(directory / file_name(bulk), bulk):
            directory = Path(stack.enter_context(TemporaryDirectory(prefix="card-indexer-")))
        with lock:
            done = download(
                bulk, directory, client=client, progress=lambda size, total: self.progress("download", size, total)
            )
        facts.size, facts.sha256, facts.downloaded = done.size, done.sha256, not done.from_cache
        return done.path

    def _is_current(self, last: StoredRun | None, facts: SourceFacts) -> bool:
        """Whether storing this export again could change nothing."""
        if last is None or self.options.force or last.versions != self.summary.versions:
            return False
        same_export = facts.updated_at is not None and facts.updated_at == last.source_updated_at
        return same_export or (facts.sha256 is not None and facts.sha256 == last.sha256)

    def _prune_downloads(self) -> None:
        from indexer.scryfall.download import prune_downloads

        try:
            prune_downloads(self.settings.data_dir, self.options.keep_downloads)
        except DownloadError as error:
            # The pool is stored: that old files stay behind is no failure.
            self.summary.warnings.append(str(error))


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"can't make the folder {str(folder)!r}: {error.strerror or error}") from error
