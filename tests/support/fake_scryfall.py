"""A local server that gives what Scryfall gives, and, when told to, misbehaves in every way that networks know.

    with FakeScryfall({"oracle_cards": gzip_bytes}) as server:
        server.misbehave("file", Fault(cut_after=1000), None, Fault(status=503))
        client = ScryfallClient(server.api_url, user_agent="test/1")

Each request to the catalogue, the file or the symbol list takes the next fault of its list; `None`, or the end of the
list, means good behaviour. `server.requests` holds what was asked, with headers.

For demonstrations: `python -m tests.support.fake_scryfall FILE.jsonl.gz` serves one file until it is interrupted.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
import socket
import ssl
import struct
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Literal, Self
from urllib.parse import urlsplit

Place = Literal["catalogue", "entry", "file", "symbology"]

UPDATED_AT = datetime(2026, 9, 8, 9, 1, 57, 53000, tzinfo=UTC)
LAST_MODIFIED = "Tue, 08 Sep 2026 09:02:10 GMT"
ABSENT = object()
"""As a value in `entry_changes`: leave the field out."""

SYMBOLS: list[dict[str, object]] = [
    {"object": "card_symbol", "symbol": "{T}", "english": "tap this permanent", "represents_mana": False, "colors": []},
    {"object": "card_symbol", "symbol": "{W}", "english": "one white mana", "represents_mana": True, "colors": ["W"]},
    {"object": "card_symbol", "symbol": "{2}", "english": "two generic mana", "represents_mana": True, "colors": []},
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """How one answer differs from the right one. Lengths are in bytes, times in seconds."""

    status: int | None = None
    """This status instead, with an API error object as body."""
    headers: Mapping[str, str | None] = field(default_factory=dict)
    """Headers set, or left out (None)."""
    body: bytes | None = None
    """This body instead, with a length to fit."""
    cut_after: int | None = None
    """The connection is closed after so much of the body."""
    reset_after: int | None = None
    """The connection is reset after so much of the body."""
    shorten_to: int | None = None
    """So much of the body is sent, and the headers say that it is all."""
    ignore_range: bool = False
    """A range is answered with 200 and the whole file."""
    content_range: str | None = None
    """This Content-Range on a 206."""
    shift: int = 0
    """A 206 has the bytes from so much further on than it says."""
    status_206: bool = False
    """The whole file is sent with status 206."""
    chunked: bool = False
    """The body comes in chunks, without Content-Length."""
    no_length: bool = False
    """The body comes without Content-Length and ends with the connection."""
    encoding: Literal["gzip", "gzip-label-only", "br"] | None = None
    """What a proxy might do: pack the body once more and say so; only say so; say something unheard of."""
    location: str | None = None
    """A redirect to here. `{server}` stands for this server, `{path}` for the path asked for."""
    drip: tuple[int, float] | None = None
    """So many bytes at a time, with a pause after each."""


@dataclass(frozen=True, slots=True)
class SeenRequest:
    """What was asked."""

    method: str
    target: str
    """As it stood in the request line."""
    place: Place | None
    headers: dict[str, str]
    """Names in lower case."""


@dataclass(frozen=True, slots=True)
class Published:
    """One file of the catalogue."""

    bulk_type: str
    body: bytes
    updated_at: datetime
    path: str
    etag: str


class FakeScryfall:
    """The server; it runs within the `with` block. `files` maps types (`oracle_cards`) to the bytes of their files."""

    def __init__(self, files: Mapping[str, bytes] | None = None, *, port: int = 0, legacy: bool = False) -> None:
        self.legacy = legacy
        """Whether catalogue entries have the fields of before July 2026 (`download_uri`, `size`)."""
        self.entry_changes: dict[str, object] = {}
        """Fields of catalogue entries that are set, or left out (`ABSENT`). `{server}` stands for this server."""
        self.requests: list[SeenRequest] = []
        self.files: dict[str, Published] = {}
        self._faults: dict[Place, list[Fault | None]] = {}
        self._lasting: dict[Place, Fault] = {}
        self._lock = threading.Lock()
        self.stopping = threading.Event()
        self._http = _Server(("127.0.0.1", port), self)
        self.origin = f"http://127.0.0.1:{self._http.server_address[1]}"
        self.api_url = self.origin
        for bulk_type, body in (files or {}).items():
            self.publish(bulk_type, body)

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()

    def use_tls(self, certificate: Path, key: Path) -> None:
        """Answer https instead of http from now on."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self._http.socket = context.wrap_socket(self._http.socket, server_side=True)
        self.origin = self.api_url = self.origin.replace("http:", "https:")

    def publish(
        self, bulk_type: str, body: bytes, *, updated_at: datetime = UPDATED_AT, etag: str | None = None
    ) -> Published:
        """Put a new export in the place of the one before, whose address is gone from then on."""
        slug = bulk_type.replace("_", "-")
        ending = (".json" if self.legacy else ".jsonl") + (".gz" if body.startswith(b"\x1f\x8b") else "")
        path = f"/file/{slug}/{slug}-{updated_at:%Y%m%d%H%M%S}{ending}"
        tag = etag if etag is not None else f'"{hashlib.md5(body).hexdigest()}"'
        self.files[bulk_type] = Published(bulk_type, body, updated_at, path, tag)
        return self.files[bulk_type]

    def misbehave(self, place: Place, *faults: Fault | None) -> None:
        """Set the faults of the next requests to a place, one for each."""
        with self._lock:
            self._faults[place] = list(faults)

    def always_misbehave(self, place: Place, fault: Fault) -> None:
        """Set the fault of every request to a place that `misbehave` says nothing about."""
        self._lasting[place] = fault

    def asked(self, place: Place) -> list[SeenRequest]:
        """The requests to one place, in order."""
        return [r for r in self.requests if r.place == place]

    def take_fault(self, seen: SeenRequest) -> Fault:
        """Note a request; the fault for it."""
        with self._lock:
            self.requests.append(seen)
            if seen.place is None:
                return Fault()
            waiting = self._faults.get(seen.place, [])
            return (waiting.pop(0) if waiting else self._lasting.get(seen.place)) or Fault()

    def entry(self, bulk_type: str) -> dict[str, object]:
        """The catalogue's entry for a type."""
        file = self.files[bulk_type]
        entry: dict[str, object] = {
            "object": "bulk_data",
            "id": "27bf3214-1271-490b-bdfe-c0be6c23d02e",
            "type": bulk_type,
            "updated_at": file.updated_at.isoformat(timespec="milliseconds"),
            "uri": f"{self.origin}/bulk-data/27bf3214-1271-490b-bdfe-c0be6c23d02e",
            "name": bulk_type.replace("_", " ").title(),
            "description": "A file of card objects, made up for a test.",
        }
        if self.legacy:
            size = len(gzip.decompress(file.body)) if file.body.startswith(b"\x1f\x8b") else len(file.body)
            entry |= {"download_uri": self.origin + file.path, "size": size, "content_encoding": "gzip"}
        else:
            entry |= {"jsonl_download_uri": self.origin + file.path, "compressed_size": len(file.body)}
        changes = {
            k: v.replace("{server}", self.origin) if isinstance(v, str) else v for k, v in self.entry_changes.items()
        }
        return {k: v for k, v in (entry | changes).items() if v is not ABSENT}


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], scryfall: FakeScryfall) -> None:
        super().__init__(address, _Handler)
        self.scryfall = scryfall

    def handle_error(self, request: socket.socket | tuple[bytes, socket.socket], client_address: object) -> None:
        """Say nothing: clients that hang up are what the tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: object) -> None:
        """Keep standard error clean."""

    def do_GET(self) -> None:
        """Answer one request, rightly or as the script says."""
        scryfall = self.server.scryfall
        path = urlsplit(self.path).path
        place = _place(path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        fault = scryfall.take_fault(SeenRequest(self.command, self.path, place, headers))
        if fault.location is not None:
            location = fault.location.replace("{server}", scryfall.origin).replace("{path}", path)
            self._answer(fault, 302, b"", {"Location": location})
        elif fault.status is not None:
            error = {"object": "error", "status": fault.status, "details": f"Made to fail with {fault.status}."}
            self._answer(fault, fault.status, json.dumps(error).encode(), {"Content-Type": "application/json"})
        elif place == "file":
            self._answer_file(fault, path)
        else:
            self._answer_api(fault, path, place)

    def _answer_api(self, fault: Fault, path: str, place: Place | None) -> None:
        scryfall = self.server.scryfall
        answer: object = None
        if place == "catalogue":
            answer = {"object": "list", "has_more": False, "data": [scryfall.entry(t) for t in scryfall.files]}
        elif place == "entry":
            wanted = path.rpartition("/")[2].replace("-", "_")
            answer = scryfall.entry(wanted) if wanted in scryfall.files else None
        elif place == "symbology":
            answer = {"object": "list", "has_more": False, "data": SYMBOLS}
        status = 200 if answer is not None else 404
        if answer is None:
            answer = {"object": "error", "code": "not_found", "status": 404, "details": "No such thing here."}
        self._answer(fault, status, json.dumps(answer).encode(), {"Content-Type": "application/json; charset=utf-8"})

    def _answer_file(self, fault: Fault, path: str) -> None:
        file = next((f for f in self.server.scryfall.files.values() if f.path == path), None)
        if file is None:
            self._answer(fault, 404, b"<html>404</html>", {"Content-Type": "text/html"})
            return
        headers = {
            "Content-Type": "application/gzip" if path.endswith(".gz") else "application/json",
            "ETag": file.etag,
            "Last-Modified": LAST_MODIFIED,
            "Accept-Ranges": "bytes",
        }
        size = len(file.body)
        span = None if fault.ignore_range else self._span(file)
        if fault.status_206:
            self._answer(fault, 206, file.body, headers | {"Content-Range": f"bytes 0-{size - 1}/{size}"})
        elif span is None:
            self._answer(fault, 200, file.body, headers)
        elif span[0] >= size:
            self._answer(fault, 416, b"", {"Content-Range": f"bytes */{size}"})
        else:
            start, end = span
            sent = file.body[start + fault.shift : end + 1 + fault.shift].ljust(end + 1 - start, b"\0")
            content_range = fault.content_range or f"bytes {start}-{end}/{size}"
            self._answer(fault, 206, sent, headers | {"Content-Range": content_range})

    def _span(self, file: Published) -> tuple[int, int] | None:
        """First and last byte asked for; None for the whole file (RFC 9110, 13.1.5 and 14.2)."""
        match = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        condition = self.headers.get("If-Range")
        if match is None or (condition is not None and condition not in (file.etag, LAST_MODIFIED)):
            return None
        last = len(file.body) - 1
        return int(match[1]), min(int(match[2]), last) if match[2] else last

    def _answer(self, fault: Fault, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        body = body if fault.body is None else fault.body
        lines: dict[str, str | None] = {"Date": format_datetime(datetime.now(UTC), usegmt=True), **headers}
        if fault.encoding == "gzip":
            body = gzip.compress(body, 1)
        if fault.encoding is not None:
            lines["Content-Encoding"] = fault.encoding.removesuffix("-label-only")
        if fault.shorten_to is not None:
            body = body[: fault.shorten_to]
        if fault.chunked:
            lines["Transfer-Encoding"] = "chunked"
        elif fault.no_length:
            lines["Connection"] = "close"
            self.close_connection = True
        else:
            lines["Content-Length"] = str(len(body))
        self.send_response_only(status)
        for name, value in {**lines, **fault.headers}.items():
            if value is not None:
                self.send_header(name, value)
        self.end_headers()
        self._send_body(fault, body)

    def _send_body(self, fault: Fault, body: bytes) -> None:
        limit = next((n for n in (fault.cut_after, fault.reset_after) if n is not None), None)
        for piece in _pieces(body[:limit], fault.drip[0] if fault.drip else 1 << 16):
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece) if fault.chunked else piece)
            if fault.drip and self.server.scryfall.stopping.wait(fault.drip[1]):
                break
        if limit is None:
            if fault.chunked:
                self.wfile.write(b"0\r\n\r\n")
            return
        self.close_connection = True
        if fault.reset_after is not None:
            time.sleep(0.02)  # or the reset overtakes what was sent before it
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()


def _place(path: str) -> Place | None:
    if path == "/bulk-data":
        return "catalogue"
    if path.startswith("/bulk-data/"):
        return "entry"
    if path.startswith("/file/"):
        return "file"
    return "symbology" if path == "/symbology" else None


def _pieces(body: bytes, size: int) -> Iterator[bytes]:
    return (body[i : i + size] for i in range(0, len(body), size))


def main() -> None:
    """Serve one file until interrupted."""
    parser = argparse.ArgumentParser(description="Serve a bulk file as Scryfall would, on this machine.")
    parser.add_argument("file", type=Path, help="what the catalogue shall announce, .jsonl or .json, plain or .gz")
    parser.add_argument("--type", default="oracle_cards", help="the type of bulk data that it is (oracle_cards)")
    parser.add_argument("--port", type=int, default=8765)
    parser.add_argument("--updated-at", type=datetime.fromisoformat, help="default: when the file was last changed")
    parser.add_argument("--legacy", action="store_true", help="announce it as before July 2026")
    parser.add_argument("--cut-after", type=int, metavar="BYTES", help="break off the first answer with the file")
    options = parser.parse_args()
    modified = datetime.fromtimestamp(options.file.stat().st_mtime, UTC)
    with FakeScryfall(port=options.port, legacy=options.legacy) as server:
        server.publish(options.type, options.file.read_bytes(), updated_at=options.updated_at or modified)
        if options.cut_after is not None:
            server.misbehave("file", Fault(cut_after=options.cut_after))
        print(f"INDEXER_API_URL={server.api_url}", flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print(f"{len(server.requests)} requests answered")


if __name__ == "__main__":
    main()
