"""The other end of `crew.Worker`: a process that scans and computes what it is told to on its standard input.

It ends when its standard input does, so that it never outlives the program that started it.
"""

from __future__ import annotations

import os
import pickle
import sys
from typing import BinaryIO

from indexer.errors import IndexerError
from indexer.pipeline.messages import COMPUTE, DONE, FAILED, PREPARE, SCAN, read_message, unpack_chunk, write_message
from indexer.pipeline.scan import scan
from indexer.pipeline.spool import Spool


def serve(jobs: BinaryIO, results: BinaryIO, source: BinaryIO | None, spool: Spool) -> None:
    """Answer each job until no more come."""
    while (message := read_message(jobs)) is not None:
        kind, content = message
        try:
            answer = _do(kind, content, source, spool)
        except IndexerError as error:
            write_message(results, FAILED, pickle.dumps(error))
        else:
            if answer is not None:
                write_message(results, DONE, answer)


def _do(kind: bytes, content: bytes, source: BinaryIO | None, spool: Spool) -> bytes | None:
    if kind == SCAN:
        assert source is not None
        return pickle.dumps(scan(source, spool, wants_digest=bool(content)))
    # The engine is loaded when it is sure to be needed, or while the parent is busy with something else.
    from indexer.pipeline.compute import compute
    from indexer.recompute import Recomputer

    if kind == PREPARE:
        return None
    assert kind == COMPUTE
    return compute(spool, unpack_chunk(content), Recomputer).dump()


def main() -> None:
    """Serve on standard input and output.

    The arguments are the descriptors of source (-1: none), records and index, and the source's name for messages.
    """
    source, records, index = map(int, sys.argv[1:4])
    name = sys.argv[4]
    jobs, results = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # Whatever prints by mistake must not get between the messages.
    os.dup2(2, 1)
    try:
        serve(
            jobs,
            results,
            None if source < 0 else open(name, "rb", buffering=0, opener=lambda _name, _flags: source),  # noqa: SIM115
            Spool.of_descriptors(records, index),
        )
    except BrokenPipeError:
        pass  # the parent has gone, nobody waits for the answer
    finally:
        # Nothing is left to be flushed or told to anybody.
        os._exit(0)
