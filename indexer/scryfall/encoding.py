"""Content-Encoding that a proxy put around a file although none was asked for."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import requests

from indexer.errors import DownloadError
from indexer.scryfall.excerpt import shown
from indexer.scryfall.gunzip import GZIP_MAGIC, GzipFault, GzipStream
from indexer.scryfall.transport import TransientFailure, iter_body


def encoding_of(response: requests.Response) -> str:
    """The encoding that an answer declares; empty for none."""
    value = response.headers.get("Content-Encoding", "").strip().lower()
    return "" if value == "identity" else value


def iter_file_bytes(response: requests.Response) -> Iterator[bytes]:
    """The file's own bytes, as they would have come with "identity".

    A proxy may have packed the gzip file a second time: then one layer comes off. Or the header only describes the file
    itself, which is gzip: then nothing does. What one layer's removal brings to light tells which.

    Raises:
        DownloadError: an encoding that this can't undo.
        TransientFailure: the body broke off, or the layer around it is damaged.
    """
    wire = iter_body(response, decode=False)
    encoding = encoding_of(response)
    if not encoding:
        return wire
    if encoding not in ("gzip", "x-gzip"):
        raise DownloadError(
            f"the file came with Content-Encoding {shown(encoding)} although 'identity' was asked for; "
            "tell the proxy in between to leave it alone"
        )
    return _gunzip_if_packed_twice(wire)


def _gunzip_if_packed_twice(wire: Iterator[bytes]) -> Iterator[bytes]:
    looked_at: list[bytes] = []
    inner = b""
    probe = GzipStream()
    try:
        for chunk in wire:
            looked_at.append(chunk)
            for block in probe.feed(chunk):
                inner += block
                if len(inner) >= len(GZIP_MAGIC):
                    break
            if len(inner) >= len(GZIP_MAGIC):
                break
    except GzipFault:
        inner = b""
    wire = itertools.chain(looked_at, wire)
    if not inner.startswith(GZIP_MAGIC):
        yield from wire
        return
    layer = GzipStream()
    try:
        for chunk in wire:
            yield from layer.feed(chunk)
        layer.finish()
    except GzipFault as e:
        raise TransientFailure(f"the encoding that a proxy put around the file is damaged: {e}") from e
