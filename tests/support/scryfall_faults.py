"""Every way for a server to fail, what the downloader must make of it, and how many requests for the file that takes.

The tests go through this table; `tools/fault_outcomes.py` prints it with what really happened.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from indexer.errors import (
    DownloadError,
    FileChanged,
    IncompleteDownload,
    IndexerError,
    RateLimited,
    ScryfallError,
    UnexpectedResponse,
    VerificationFailed,
)
from tests.support.fake_scryfall import ABSENT, FakeScryfall, Fault

Prepare = Callable[[FakeScryfall], None]


def bulk_gzip(records: int = 300, seed: int = 1) -> bytes:
    """A small bulk file, about 0.6 kB a record when packed. The same arguments give the same bytes."""
    rng = random.Random(seed)
    lines = [
        json.dumps({"object": "card", "id": i, "name": f"Card {i}", "oracle_text": rng.randbytes(500).hex()}) + "\n"
        for i in range(records)
    ]
    return gzip.compress("".join(lines).encode(), 6, mtime=0)


GOOD = bulk_gzip()
NEWER = bulk_gzip(seed=2)
HALF = len(GOOD) // 2
BOMB = gzip.compress(b"[" + b" " * (4 << 20), 9, mtime=0)
LATER = datetime(2026, 9, 9, 9, 2, 3, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Scenario:
    """One way to fail."""

    name: str
    prepare: Prepare
    outcome: type[IndexerError] | None
    """None: the file comes in all the same, whole."""
    file_requests: int
    """How often the file is asked for."""
    message: str = ""
    """Part of the error's message."""
    waits: tuple[float, ...] | None = None
    """The pauses, where the server's word decides them."""


def _file(*faults: Fault | None) -> Prepare:
    return lambda server: server.misbehave("file", *faults)


def _always(fault: Fault) -> Prepare:
    return lambda server: server.always_misbehave("file", fault)


def _entry(**changes: object) -> Prepare:
    return lambda server: server.entry_changes.update(changes)


def _body(body: bytes) -> Prepare:
    def prepare(server: FakeScryfall) -> None:
        server.publish("oracle_cards", body)

    return prepare


def _replaced_after_catalogue(server: FakeScryfall) -> None:
    # The catalogue's answer still names the old file when the new one is out already.
    old = server.entry("oracle_cards")
    server.publish("oracle_cards", NEWER, updated_at=LATER)
    server.entry_changes.update(old)


def _all_of(*prepares: Prepare) -> Prepare:
    def prepare(server: FakeScryfall) -> None:
        for each in prepares:
            each(server)

    return prepare


def _late(value: str) -> dict[str, str | None]:
    return {"Retry-After": value}


BY_DATE = _late("Tue, 08 Sep 2026 10:00:45 GMT") | {"Date": "Tue, 08 Sep 2026 10:00:00 GMT"}

SCENARIOS = [
    Scenario("nothing wrong", lambda _: None, None, 1),
    # --- the connection
    Scenario("connection closed before the body", _file(Fault(cut_after=0)), None, 2),
    Scenario("connection closed in the body", _file(Fault(cut_after=HALF)), None, 2),
    Scenario("connection closed before the last byte", _file(Fault(cut_after=len(GOOD) - 1)), None, 2),
    Scenario("connection reset in the body", _file(Fault(reset_after=HALF)), None, 2),
    Scenario(
        "connection closed four times",
        _file(*[Fault(cut_after=n) for n in (HALF, 1000, 0, 5000)]),
        None,
        5,
    ),
    Scenario("connection closed every time", _always(Fault(cut_after=1000)), IncompleteDownload, 5, "gave up after 5"),
    Scenario("connection closed every time at once", _always(Fault(cut_after=0)), DownloadError, 5, "gave up after 5"),
    Scenario("body in chunks", _file(Fault(chunked=True)), None, 1),
    Scenario("body in chunks, broken off", _file(Fault(chunked=True, cut_after=HALF)), None, 2),
    Scenario("no length", _file(Fault(no_length=True)), None, 1),
    Scenario("no length, broken off", _file(Fault(no_length=True, cut_after=HALF)), None, 2),
    Scenario("slow", _file(Fault(drip=(len(GOOD) // 8, 0.01))), None, 1),
    # --- statuses
    Scenario("503 twice", _file(Fault(status=503), Fault(status=503)), None, 3),
    Scenario("503, Retry-After", _file(Fault(status=503, headers=_late("40"))), None, 2, waits=(40.0,)),
    Scenario("503 with an hour's wait", _always(Fault(status=503, headers=_late("3600"))), ScryfallError, 1, "3600 s"),
    Scenario("500 every time", _always(Fault(status=500)), DownloadError, 5, "answered 500"),
    Scenario("429 with Retry-After", _file(Fault(status=429, headers=_late("35"))), None, 2, waits=(35.0,)),
    Scenario("429 with a date", _file(Fault(status=429, headers=BY_DATE)), None, 2, waits=(45.0,)),
    Scenario("429 without Retry-After", _file(Fault(status=429)), None, 2, waits=(60.0,)),
    Scenario("429 with nonsense", _file(Fault(status=429, headers=_late("soon"))), None, 2, waits=(60.0,)),
    Scenario("429 every time", _always(Fault(status=429, headers=_late("31"))), RateLimited, 2, "429", (31.0,)),
    Scenario("429 with a day's wait", _always(Fault(status=429, headers=_late("86400"))), RateLimited, 1, "86400", ()),
    Scenario("404", _file(Fault(status=404)), FileChanged, 1, "is gone (404)"),
    Scenario("410", _file(Fault(status=410)), FileChanged, 1, "is gone (410)"),
    Scenario("403", _file(Fault(status=403)), UnexpectedResponse, 1, "403"),
    Scenario("204", _file(Fault(status=204, body=b"")), UnexpectedResponse, 1, "204"),
    Scenario("304 to no condition", _file(Fault(status=304, body=b"")), UnexpectedResponse, 1, "304"),
    Scenario("206 to no range", _file(Fault(status_206=True)), UnexpectedResponse, 1, "206"),
    Scenario("replaced by a newer export in between", _replaced_after_catalogue, FileChanged, 1, "run again"),
    # --- resuming
    Scenario("range ignored", _file(Fault(cut_after=HALF), Fault(ignore_range=True)), None, 2),
    Scenario(
        "wrong Content-Range",
        _file(Fault(cut_after=HALF), Fault(content_range=f"bytes 0-{len(GOOD) - 1}/{len(GOOD)}")),
        None,
        3,
    ),
    Scenario(
        "wrong total in Content-Range",
        _file(Fault(cut_after=HALF), Fault(content_range=f"bytes {HALF}-{len(GOOD) - 1}/{len(GOOD) + 9}")),
        None,
        3,
    ),
    Scenario(
        "Content-Range that is none", _file(Fault(cut_after=HALF), Fault(content_range="bytes everything")), None, 3
    ),
    Scenario(
        "no Content-Range", _file(Fault(cut_after=HALF), Fault(headers={"Content-Range": None})), None, 3
    ),
    Scenario("other bytes than Content-Range says", _file(Fault(cut_after=HALF), Fault(shift=7)), None, 3),
    Scenario("ETag changed on a part", _file(Fault(cut_after=HALF), Fault(headers={"ETag": '"other"'})), None, 3),
    Scenario(
        "ETag changed on every part",
        _file(*[Fault(cut_after=HALF), Fault(headers={"ETag": '"other"'})] * 2, Fault(cut_after=HALF)),
        IncompleteDownload,
        5,
        "ended early",
    ),
    Scenario("ETag changed, whole file again", _file(Fault(cut_after=HALF, headers={"ETag": '"older"'})), None, 2),
    Scenario(
        "weak ETag, by date",
        _file(*[Fault(cut_after=HALF, headers={"ETag": 'W/"weak"'})] * 2),
        None,
        3,
    ),
    Scenario(
        "weak ETag and no date: from the beginning",
        _file(Fault(cut_after=HALF, headers={"ETag": 'W/"weak"', "Last-Modified": None})),
        None,
        2,
    ),
    Scenario("part encoded", _file(Fault(cut_after=HALF), Fault(encoding="gzip")), None, 3),
    Scenario("416", _file(Fault(cut_after=HALF), Fault(status=416)), None, 3),
    # --- what a proxy may do
    Scenario("Content-Encoding: gzip added", _always(Fault(encoding="gzip")), None, 1),
    Scenario("Content-Encoding: gzip added, broken off", _file(Fault(encoding="gzip", cut_after=HALF)), None, 2),
    Scenario("Content-Encoding: gzip claimed", _always(Fault(encoding="gzip-label-only")), None, 1),
    Scenario("Content-Encoding: br", _always(Fault(encoding="br")), DownloadError, 1, "'br'"),
    Scenario("a login page", _always(Fault(body=b"<html>Log in</html>")), FileChanged, 1, "announced"),
    Scenario(
        "a login page in chunks",
        _always(Fault(body=b"<html>Log in</html>", chunked=True)),
        VerificationFailed,
        1,
        "'<html>Log in</html>'",
    ),
    Scenario("shortened, and the headers agree", _always(Fault(shorten_to=HALF)), FileChanged, 1, "announced"),
    # --- redirects
    Scenario("redirect on this machine", _file(Fault(location="{path}")), None, 2),
    Scenario("redirect chain", _file(*[Fault(location="{server}{path}")] * 5), None, 6),
    Scenario("redirect loop", _always(Fault(location="{path}")), UnexpectedResponse, 6, "more than 5 redirects"),
    Scenario("redirect to another host", _file(Fault(location="https://evil.test/x")), UnexpectedResponse, 1, "evil"),
    Scenario(
        "redirect to a host that looks like one of ours",
        _file(Fault(location="https://scryfall.io.evil.test/x")),
        UnexpectedResponse,
        1,
        "not among the allowed",
    ),
    Scenario("redirect to http", _file(Fault(location="http://scryfall.io/x")), UnexpectedResponse, 1, "not https"),
    Scenario("redirect to a file", _file(Fault(location="file:///etc/passwd")), UnexpectedResponse, 1, "not https"),
    Scenario("redirect to nonsense", _file(Fault(location="http://[::1/x")), UnexpectedResponse, 1, "can't be read"),
    # --- the file itself
    Scenario("gzip of several members", _body(GOOD + NEWER), None, 1),
    Scenario("gzip truncated at the source", _body(GOOD[:-20]), VerificationFailed, 1, "truncated"),
    Scenario("gzip with trailing garbage", _body(GOOD + b"<!-- cached -->"), VerificationFailed, 1, "trailing garbage"),
    Scenario("gzip corrupt", _body(GOOD[:HALF] + bytes(50) + GOOD[HALF + 50 :]), VerificationFailed, 1, "corrupt"),
    Scenario("gzip checksum wrong", _body(GOOD[:-8] + bytes(4) + GOOD[-4:]), VerificationFailed, 1, "corrupt"),
    Scenario("gzip bomb", _body(BOMB * 40), VerificationFailed, 1, "unpacks to more"),
    Scenario("gzip of something else", _body(gzip.compress(b"%PDF-1.7")), VerificationFailed, 1, "'%PDF-1.7'"),
    # --- the catalogue
    Scenario("old-style entry", lambda server: setattr(server, "legacy", True), None, 1),
    Scenario("compressed_size wrong", _entry(compressed_size=5), FileChanged, 1, "announced 5"),
    Scenario(
        "compressed_size wrong, no length",
        _all_of(_entry(compressed_size=len(GOOD) + 5), _always(Fault(chunked=True))),
        IncompleteDownload,
        5,
        "ended after",
    ),
    Scenario(
        "compressed_size too small, no length",
        _all_of(_entry(compressed_size=len(GOOD) - 5), _always(Fault(chunked=True))),
        VerificationFailed,
        1,
        "more than",
    ),
    Scenario("compressed_size missing", _entry(compressed_size=ABSENT), None, 1),
    Scenario("compressed_size as text", _entry(compressed_size="24535940"), UnexpectedResponse, 0, "compressed_size"),
    Scenario("no address", _entry(jsonl_download_uri=ABSENT), UnexpectedResponse, 0, "only 'compressed_size, desc"),
    Scenario("address not text", _entry(jsonl_download_uri=["x"]), UnexpectedResponse, 0, "is not text"),
    Scenario("address relative", _entry(jsonl_download_uri="/x.gz"), UnexpectedResponse, 0, "not an absolute"),
    Scenario("address with line break", _entry(jsonl_download_uri="https://a/\nb"), UnexpectedResponse, 0, "charact"),
    Scenario("address at another host", _entry(jsonl_download_uri="https://a.test/b"), UnexpectedResponse, 0, "a.test"),
    Scenario("updated_at missing", _entry(updated_at=ABSENT), UnexpectedResponse, 0, "'updated_at' must be text"),
    Scenario("updated_at unreadable", _entry(updated_at="yesterday"), UnexpectedResponse, 0, "no ISO 8601 time"),
    Scenario("updated_at without a zone", _entry(updated_at="2026-09-08T09:01"), UnexpectedResponse, 0, "no time zone"),
    Scenario("type missing", _entry(type="rulings"), UnexpectedResponse, 0, "only 'rulings'"),
    Scenario(
        "catalogue is garbage",
        lambda server: server.misbehave("catalogue", Fault(body=b"{oops")),
        UnexpectedResponse,
        0,
        "did not answer with JSON",
    ),
    Scenario(
        "catalogue is too large",
        lambda server: server.misbehave("catalogue", Fault(body=b" " * (5 << 20))),
        UnexpectedResponse,
        0,
        "more than 4194304 bytes",
    ),
    Scenario(
        "catalogue broken off once", lambda server: server.misbehave("catalogue", Fault(cut_after=10)), None, 1
    ),
    Scenario("catalogue 503 once", lambda server: server.misbehave("catalogue", Fault(status=503)), None, 1),
    Scenario(
        "catalogue 500 every time",
        lambda server: server.always_misbehave("catalogue", Fault(status=500)),
        ScryfallError,
        0,
        "gave up after 4 attempts",
    ),
    Scenario(
        "catalogue 429 once",
        lambda server: server.misbehave("catalogue", Fault(status=429, headers=_late("30"))),
        None,
        1,
        waits=(30.0,),
    ),
    Scenario(
        "catalogue 429 every time",
        lambda server: server.always_misbehave("catalogue", Fault(status=429, headers=_late("30"))),
        RateLimited,
        0,
        "429",
        (30.0,),
    ),
    Scenario(
        "catalogue answers with an error",
        lambda server: server.misbehave("catalogue", Fault(status=400)),
        UnexpectedResponse,
        0,
        "Made to fail with 400",
    ),
    Scenario("no list, only entries", lambda server: server.misbehave("catalogue", Fault(status=404)), None, 1),
    Scenario(
        "catalogue packed by a proxy", lambda server: server.misbehave("catalogue", Fault(encoding="gzip")), None, 1
    ),
]  # fmt: skip
