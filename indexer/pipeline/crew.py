"""Who does the stages: this process alone, or worker processes beside it that leave it nothing but the writing.

Reading and computing need no database and writing needs no rules, so they can run side by side; on two cores that takes
a third off a first sync. Messages go through ordinary pipes: a worker that is ahead waits for its pipe to empty, which
bounds memory, and one whose parent dies reads the end of its input. Jobs are a few bytes long, so that handing one out
never waits for a worker that itself waits to hand over a result.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Generator, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol

from indexer.errors import IndexerError
from indexer.pipeline.messages import COMPUTE, DONE, PREPARE, SCAN, pack_chunk, read_message, write_message
from indexer.pipeline.spool import Chunk, Scan, Spool
from indexer.scryfall.unpacked import source_name

if TYPE_CHECKING:
    from indexer.batches import RowBatch

ALONE_BELOW_BYTES = 1 << 18
"""A smaller file is done before a worker has started."""

_WORKERS = 2

# The same package as here, wherever this process has it from, and nothing of the folder that the user happens to be in.
_BOOTSTRAP = (
    "import sys; parent = sys.argv.pop(1); sys.path[:0] = [parent] * (parent not in sys.path); "
    "from indexer.pipeline.worker import main; main()"
)
_JOBS_AHEAD = 2


class Crew(Protocol):
    """Does the stages: `scan` once, then `compute` any number of times."""

    def reinforce(self) -> None:
        """Be told that there will be much to compute."""

    def scan(self) -> Scan:
        """See `scan.scan`."""

    def compute(self, chunks: Iterable[Chunk]) -> Generator[RowBatch]:
        """The rows of each chunk, in the order of the chunks; see `compute.compute`. Close it to end it early."""

    def close(self) -> None:
        """End it, wherever it is."""


class Alone:
    """Everything in this process."""

    def __init__(self, source: BinaryIO, spool: Spool, *, wants_digest: bool) -> None:
        self._source = source
        self._spool = spool
        self._wants_digest = wants_digest

    def reinforce(self) -> None:
        pass

    def scan(self) -> Scan:
        from indexer.pipeline.scan import scan

        return scan(self._source, self._spool, wants_digest=self._wants_digest)

    def compute(self, chunks: Iterable[Chunk]) -> Generator[RowBatch]:
        from indexer.pipeline.compute import compute
        from indexer.recompute import Recomputer

        for chunk in chunks:
            yield compute(self._spool, chunk, Recomputer)

    def close(self) -> None:
        pass


class Workers:
    """Worker processes: the first one scans, and begins at once; all of them compute."""

    def __init__(self, source: BinaryIO, spool: Spool, size: int, *, wants_digest: bool) -> None:
        self._spool = spool
        self._size = size
        self._workers = [Worker(spool, source)]
        self._workers[0].send(SCAN, b"digest" if wants_digest else b"")

    def reinforce(self) -> None:
        while len(self._workers) < self._size:
            worker = Worker(self._spool, None)
            self._workers.append(worker)
            worker.send(PREPARE)

    def scan(self) -> Scan:
        first = self._workers[0]
        result: Scan = pickle.loads(first.receive())  # noqa: S301  # from our own process
        # It loads the engine while this process finds out what there is to compute.
        first.send(PREPARE)
        return result

    def compute(self, chunks: Iterable[Chunk]) -> Generator[RowBatch]:
        from indexer.batches import RowBatch

        waiting: deque[Worker] = deque()
        try:
            for number, chunk in enumerate(chunks):
                if number == _JOBS_AHEAD:
                    self.reinforce()
                if len(waiting) == _JOBS_AHEAD * len(self._workers):
                    yield RowBatch.load(waiting.popleft().receive())
                worker = self._workers[number % len(self._workers)]
                worker.send(COMPUTE, pack_chunk(chunk))
                waiting.append(worker)
            while waiting:
                yield RowBatch.load(waiting.popleft().receive())
        except GeneratorExit:
            # Nobody wants the rest: take it off the pipes, so that the next answer is to the next job.
            for worker in waiting:
                worker.receive()
            raise

    def close(self) -> None:
        for worker in self._workers:
            worker.close()


class Worker:
    """One process of `indexer.pipeline.worker`."""

    def __init__(self, spool: Spool, source: BinaryIO | None) -> None:
        descriptors = (-1 if source is None else source.fileno(), *spool.descriptors)
        arguments = (str(Path(__file__).resolve().parents[2]), *map(str, descriptors), source_name(source))
        self._process = subprocess.Popen(  # noqa: S603  # our own module, no input of others
            [sys.executable, "-P", "-c", _BOOTSTRAP, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=[number for number in descriptors if number >= 0],
            # Ctrl-C in a terminal goes to the whole group of processes; it is the parent's to act on.
            process_group=0,
        )

    def send(self, kind: bytes, content: bytes = b"") -> None:
        """Give it a job."""
        assert self._process.stdin is not None
        try:
            write_message(self._process.stdin, kind, content)
        except BrokenPipeError:
            raise self._lost() from None

    def receive(self) -> bytes:
        """The result of the first job without one.

        Raises:
            IndexerError: what the job raised, or that the process has ended.
        """
        assert self._process.stdout is not None
        message = read_message(self._process.stdout)
        if message is None:
            raise self._lost()
        kind, content = message
        if kind != DONE:
            error = pickle.loads(content)  # noqa: S301  # from our own process
            assert isinstance(error, IndexerError)
            raise error
        return content

    def close(self) -> None:
        """End it, whatever it is doing; it holds nothing that could be lost."""
        self._process.kill()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()
        self._process.wait()

    def _lost(self) -> IndexerError:
        status = self._process.wait()
        cause = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
        return IndexerError(f"a worker process {cause}; is there enough memory? Nothing was changed")


def hire(
    source: BinaryIO,
    spool: Spool,
    *,
    size: int | None = None,
    source_bytes: int | None = None,
    wants_digest: bool = False,
) -> Crew:
    """A crew for a source of this size (None: unknown): alone for little, or where there is one processor only.

    `size` is the number of workers; 0 for none, None for what suits. The source must be unbuffered: another process
    reads on from where it stands.
    """
    if size is None:
        small = source_bytes is not None and source_bytes < ALONE_BELOW_BYTES
        size = 0 if small or (os.cpu_count() or 1) < 2 else _WORKERS
    if size == 0 or sys.platform == "win32" or not sys.executable:
        return Alone(source, spool, wants_digest=wants_digest)
    return Workers(source, spool, size, wants_digest=wants_digest)
