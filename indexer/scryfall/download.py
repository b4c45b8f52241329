"""One bulk file to disk: resumed where it broke off, verified while it comes in, and only then given its name.

RFC 9110, 14 (ranges) and 13.1.5 (If-Range) govern resuming: only with a strong validator, only into a body whose whole
length is known, and a part is believed only if its Content-Range and ETag fit. What was on disk before stays until a
better file takes its place.
"""

from __future__ import annotations

import logging
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from urllib.parse import urlsplit

import requests

from indexer.errors import (
    DownloadError,
    FileChanged,
    IncompleteDownload,
    UnexpectedResponse,
    VerificationFailed,
)
from indexer.scryfall.bulk import BulkFile
from indexer.scryfall.client import ScryfallClient
from indexer.scryfall.disk import disk_errors, sync_directory
from indexer.scryfall.encoding import encoding_of, iter_file_bytes
from indexer.scryfall.excerpt import shown
from indexer.scryfall.finished import NOTE_SUFFIX, DownloadedFile, find_finished, prune_downloads, write_finished_note
from indexer.scryfall.gunzip import MAX_UNPACKED_BYTES, GzipDamage, GzipFault
from indexer.scryfall.partial import PARTIAL_NOTE_SUFFIX, PARTIAL_SUFFIX, PartialFile, PartialNote
from indexer.scryfall.transport import TransientFailure, iter_body, retrying

__all__ = ["DownloadedFile", "Progress", "download", "prune_downloads"]

log = logging.getLogger(__name__)

Progress = Callable[[int, int | None], None]
"""Called with the bytes on disk and the bytes of the whole file, None if that is unknown."""

MAX_BYTES = 2 << 30
"""The largest bulk file, every printing in every language, has about 400 MB."""
MAX_SECONDS = 3600.0

_SPARE_BYTES = 1 << 20
_CONTENT_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")
_STRONG_ETAG = re.compile(r'"[\x21\x23-\x7e]*"')
_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,150}")
_CERTAIN_AGE = timedelta(seconds=60)


def download(
    bulk: BulkFile,
    directory: Path,
    *,
    client: ScryfallClient,
    progress: Progress | None = None,
    max_bytes: int = MAX_BYTES,
    max_unpacked_bytes: int = MAX_UNPACKED_BYTES,
    max_seconds: float = MAX_SECONDS,
    attempts: int = 5,
) -> DownloadedFile:
    """The export on disk, verified; from an earlier download if that is still what it was.

    One process at a time may download into a directory.

    Raises:
        IncompleteDownload: the body broke off in each of the attempts, or took longer than `max_seconds`. What came
            stays as `NAME.partial`, and the next call goes on from there.
        FileChanged: the server's file is gone, or not the one that the catalogue announced.
        VerificationFailed: what came is not a whole gzip or JSON file of the announced size, or unpacks to more than
            `max_unpacked_bytes`.
        DownloadError: a file above `max_bytes`, a full or read-only disk, no connection.
        ScryfallError: an answer that isn't the file: `RateLimited`, `UnexpectedResponse`.
    """
    with disk_errors("write in", directory):
        directory.mkdir(parents=True, exist_ok=True)
    target = directory / file_name(bulk)
    finished = find_finished(target, bulk)
    if finished is not None:
        return finished
    job = _Download(bulk, target, client, progress, max_bytes, max_unpacked_bytes, max_seconds)
    return job.run(attempts)


def file_name(bulk: BulkFile) -> str:
    """The name on disk: that of the address if it is fit for a file, with the time of the export in it."""
    name = urlsplit(bulk.url).path.rpartition("/")[2]
    if not _FILE_NAME.fullmatch(name) or name.endswith((NOTE_SUFFIX, PARTIAL_SUFFIX, PARTIAL_NOTE_SUFFIX, ".new")):
        name = f"{bulk.type.replace('_', '-')}.bulk"
    if f"{bulk.updated_at:%Y%m%d}" in name:
        return name
    stem, dot, endings = name.partition(".")
    return f"{stem}-{bulk.updated_at:%Y%m%d%H%M%S}{dot}{endings}"


class _TryAgain(TransientFailure):
    """An attempt failed in a way that another may mend. `final` is to be raised if there is no other."""

    def __init__(self, final: DownloadError) -> None:
        super().__init__(str(final))
        self.final = final


class _Download:
    """The state of one call of `download`."""

    def __init__(
        self,
        bulk: BulkFile,
        target: Path,
        client: ScryfallClient,
        progress: Progress | None,
        max_bytes: int,
        max_unpacked: int,
        max_seconds: float,
    ) -> None:
        self._bulk = bulk
        self._target = target
        self._client = client
        self._progress = progress
        self._max_bytes = max_bytes
        self._max_seconds = max_seconds
        self._deadline = client.clock() + max_seconds
        self._partial = PartialFile(target, max_unpacked=max_unpacked)

    def run(self, attempts: int) -> DownloadedFile:
        partial = self._partial
        partial.load(url=self._bulk.url, updated_at=self._bulk.updated_at_text)
        try:
            for attempt in retrying(attempts=attempts, sleep=self._client.sleep, rng=self._client.rng):
                with attempt:
                    return self._attempt()
        except _TryAgain as e:
            raise e.final from e
        except TransientFailure as e:
            message = f"{e} (gave up after {attempts} attempts)"
            if not partial.size:
                raise DownloadError(message) from e
            raise self._incomplete(message) from e
        finally:
            partial.leave()
        raise AssertionError("tenacity ends by returning or raising")

    @property
    def _total(self) -> int | None:
        note = self._partial.note
        return (note.total if note else None) or self._bulk.compressed_size

    def _attempt(self) -> DownloadedFile:
        partial = self._partial
        try:
            if not partial.complete:
                self._fetch()
            partial.verify()
        except VerificationFailed as e:
            raise self._damaged(e) from e
        if self._bulk.compressed_size not in (None, partial.size):
            problem = f"{self._named} has {partial.size} bytes, the catalogue announced {self._bulk.compressed_size}"
            raise self._damaged(VerificationFailed(problem))
        return self._publish()

    def _fetch(self) -> None:
        partial = self._partial
        headers = {"Accept": "application/gzip, application/json;q=0.9, */*;q=0.8", "Accept-Encoding": "identity"}
        resuming = partial.resumable
        if resuming and partial.note is not None and partial.note.validator is not None:
            headers["Range"] = f"bytes={partial.size}-"
            headers["If-Range"] = partial.note.validator
        with closing(self._client.open(self._bulk.url, headers)) as response:
            status = response.status_code
            if status == 200:
                chunks = self._begin(response)
            elif resuming and status == 206:
                chunks = self._go_on(response)
            elif resuming and status == 416:
                raise self._start_over(FileChanged(f"{self._named} has no byte {partial.size} any more"))
            elif status in (404, 410):
                raise FileChanged(
                    f"{self._named} is gone ({status}): the catalogue must have a newer one by now, run again"
                )
            else:
                raise UnexpectedResponse(
                    f"{self._bulk.url!r} did not answer with the file but with {status} {shown(response.reason)}"
                )
            self._receive(chunks)

    def _begin(self, response: requests.Response) -> Iterator[bytes]:
        """Look at the head of an answer with the whole file; its body."""
        total = None if encoding_of(response) else _content_length(response)
        announced = self._bulk.compressed_size
        if total is not None and announced is not None and total != announced:
            raise FileChanged(
                f"{self._named} has {total} bytes, the catalogue announced {announced}: "
                "it may have changed in between, run again"
            )
        expected = total or announced or 0
        if expected > self._max_bytes:
            raise DownloadError(f"{self._named} has {expected} bytes, more than the {self._max_bytes} allowed")
        with disk_errors("look at", self._target.parent):
            free = shutil.disk_usage(self._target.parent).free
        if free < expected + _SPARE_BYTES:
            raise DownloadError(
                f"no space for {self._named}: it has {expected} bytes, {free} are free in "
                f"{str(self._target.parent)!r}; free some space and run again"
            )
        if self._partial.size:
            log.info("%s is sent from its beginning, dropping %d bytes", self._target.name, self._partial.size)
        self._partial.restart(
            PartialNote(
                type=self._bulk.type,
                url=self._bulk.url,
                updated_at=self._bulk.updated_at_text,
                etag=_strong_etag(response),
                last_modified=_strong_date(response),
                total=total,
            )
        )
        return iter_file_bytes(response)

    def _go_on(self, response: requests.Response) -> Iterator[bytes]:
        """Look at the head of an answer with the rest of the file; its body."""
        partial, note = self._partial, self._partial.note
        sent = response.headers.get("Content-Range", "")
        span = _CONTENT_RANGE.fullmatch(sent.strip())
        wanted = (partial.size, (self._total or 0) - 1, self._total)
        etag = response.headers.get("ETag")
        if span is None or tuple(map(int, span.groups())) != wanted:
            problem = f"the server was asked to go on from byte {partial.size} and sent {shown(sent)}"
        elif note is not None and note.etag is not None and etag not in (None, note.etag):
            problem = f"its ETag was {note.etag} and is now {shown(etag)}"
        elif encoding_of(response):
            problem = "a part of it came in another encoding than asked for"
        else:
            log.info("%s goes on from byte %d", self._target.name, partial.size)
            partial.go_on()
            return iter_body(response, decode=False)
        raise self._start_over(FileChanged(f"{self._named} changed while it was downloaded: {problem}"))

    def _receive(self, chunks: Iterator[bytes]) -> None:
        partial, total = self._partial, self._total
        for chunk in chunks:
            partial.write(chunk)
            if partial.size > self._max_bytes:
                partial.discard()
                raise DownloadError(f"{self._named} has more than the {self._max_bytes} bytes allowed")
            if total is not None and partial.size > total:
                raise VerificationFailed(f"{self._named} has more than the {total} bytes announced")
            if self._progress is not None:
                self._progress(partial.size, total)
            if self._client.clock() > self._deadline:
                raise self._incomplete(f"{self._named} took longer than {self._max_seconds:.0f} s")
        if total is not None and partial.size < total:
            raise TransientFailure(f"{self._named} ended after {partial.size} of {total} bytes")

    def _incomplete(self, problem: str) -> IncompleteDownload:
        partial = self._partial
        kept = f"; {partial.size} of {self._total} bytes are kept for the next run" if partial.resumable else ""
        return IncompleteDownload(problem + kept)

    def _damaged(self, problem: VerificationFailed) -> TransientFailure | VerificationFailed:
        """What to raise for bytes that aren't a bulk file: the next attempt, if a better outcome is possible."""
        cause = problem.__cause__
        truncated = isinstance(cause, GzipFault) and cause.damage is GzipDamage.TRUNCATED
        note = self._partial.note
        unnoticed_end = truncated and note is not None and note.total is None
        if self._partial.patched or unnoticed_end:
            return self._start_over(problem)
        self._partial.discard()
        return problem

    def _start_over(self, problem: DownloadError) -> _TryAgain:
        self._partial.discard()
        return _TryAgain(problem)

    def _publish(self) -> DownloadedFile:
        partial, note = self._partial, self._partial.note
        etag = note.etag if note else None
        size, sha256 = partial.size, partial.sha256
        write_finished_note(self._target, self._bulk, size=size, sha256=sha256, etag=etag)
        partial.publish(self._target)
        sync_directory(self._target.parent)
        return DownloadedFile(
            path=self._target,
            url=self._bulk.url,
            updated_at=self._bulk.updated_at,
            size=size,
            sha256=sha256,
            etag=etag,
            from_cache=False,
        )

    @property
    def _named(self) -> str:
        return f"the file {self._target.name!r}"


def _content_length(response: requests.Response) -> int | None:
    value = response.headers.get("Content-Length", "").strip()
    return int(value) if value.isascii() and value.isdigit() and len(value) < 18 else None


def _strong_etag(response: requests.Response) -> str | None:
    value = response.headers.get("ETag", "").strip()
    return value if _STRONG_ETAG.fullmatch(value) else None


def _strong_date(response: requests.Response) -> str | None:
    """Last-Modified, if so long ago that no second change can have borne the same date (RFC 9110, 8.8.2.2)."""
    value = response.headers.get("Last-Modified", "").strip()
    try:
        certain = parsedate_to_datetime(response.headers.get("Date", "")) - parsedate_to_datetime(value) >= _CERTAIN_AGE
    except (TypeError, ValueError):
        return None
    return value if certain else None
