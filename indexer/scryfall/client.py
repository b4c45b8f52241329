"""Scryfall's API as far as this project needs it, asked as its owners wish to be asked.

https://scryfall.com/docs/api: a User-Agent that names the application, an Accept header, a pause between requests by
endpoint, and after a 429 one wait as long as told, then no more.
"""

from __future__ import annotations

import random
import re
import time
from contextlib import closing
from typing import cast
from urllib.parse import urlsplit

import orjson
import requests

from indexer.errors import ConfigError, ScryfallError, UnexpectedResponse
from indexer.scryfall.bulk import BulkFile, parse_bulk_entry
from indexer.scryfall.excerpt import safe_excerpt, shown
from indexer.scryfall.transport import (
    Clock,
    HostPolicy,
    Random,
    Sleep,
    TransientFailure,
    Transport,
    is_loopback,
    iter_body,
    retrying,
)
from indexer.scryfall.types import BulkType, CardSymbol

DEFAULT_API_URL = "https://api.scryfall.com"
DEFAULT_ALLOWED_HOSTS = frozenset({"scryfall.com", "scryfall.io"})

MAX_ANSWER_BYTES = 4 << 20
"""The largest answer asked for, the list of symbols, has about 60 kB."""
MAX_ANSWER_SECONDS = 120.0

_PACES = (
    (re.compile(r"/cards/(search|named|random|collection)\b"), 0.5),
    (re.compile(r"/cards/manifest\b"), 6.0),
    (re.compile(""), 0.1),
)
"""Seconds between two requests to the same group of endpoints. The file hosts under scryfall.io have no limit."""


class ScryfallClient:
    """Asks one API. Every failure is a `ScryfallError` whose message is one line.

    `timeout` is (to connect, between two pieces of an answer), in seconds. A failure that may pass is tried again, up
    to `attempts` times in all. An `api_url` on this machine may be http, and then files may come from this machine too.

    Raises:
        ConfigError: an unusable address or User-Agent.
    """

    def __init__(
        self,
        api_url: str = DEFAULT_API_URL,
        *,
        user_agent: str,
        session: requests.Session | None = None,
        sleep: Sleep = time.sleep,
        clock: Clock = time.monotonic,
        rng: Random = random.random,
        timeout: tuple[float, float] = (10.0, 60.0),
        attempts: int = 4,
        allowed_hosts: frozenset[str] = DEFAULT_ALLOWED_HOSTS,
    ) -> None:
        self.api_url, self._api_host = _checked_api_url(api_url)
        if not user_agent.strip() or not user_agent.isprintable():
            raise ConfigError(f"the User-Agent must name the application, it is {user_agent!r}")
        hosts = HostPolicy(
            allowed=frozenset(host.lower().strip(".") for host in allowed_hosts) | {self._api_host},
            allow_loopback=is_loopback(self._api_host),
        )
        self._transport = Transport(
            session if session is not None else requests.Session(),
            user_agent=user_agent,
            hosts=hosts,
            timeout=timeout,
            sleep=sleep,
            clock=clock,
        )
        self._attempts = attempts
        self.sleep = sleep
        self.clock = clock
        self.rng = rng
        self._next_request: dict[re.Pattern[str], float] = {}

    def bulk_entry(self, bulk_type: str = BulkType.ORACLE_CARDS) -> BulkFile:
        """Where the newest export of this type is. One request (two to a mirror that has no list)."""
        try:
            answer = self.get_json("/bulk-data")
        except NotFound:
            answer = self.get_json("/bulk-data/" + bulk_type.replace("_", "-"))
        return parse_bulk_entry(answer, bulk_type=bulk_type)

    def symbology(self) -> list[CardSymbol]:
        """Every card symbol that Scryfall knows."""
        answer = self.get_json("/symbology")
        data = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(data, list) or not data:
            raise UnexpectedResponse(f"/symbology is no list of symbols: {shown(answer)}")
        for symbol in data:
            if not isinstance(symbol, dict) or not isinstance(symbol.get("symbol"), str):
                raise UnexpectedResponse(f"/symbology has an entry without a symbol: {shown(symbol)}")
        return cast("list[CardSymbol]", data)

    def get_json(self, path: str) -> object:
        """The parsed answer to a GET of `path` below the API's address."""
        try:
            for attempt in retrying(attempts=self._attempts, sleep=self.sleep, rng=self.rng):
                with attempt:
                    return self._get_json_once(path)
        except TransientFailure as e:
            raise ScryfallError(f"{e} (gave up after {self._attempts} attempts)") from e
        raise AssertionError("tenacity ends by returning or raising")

    def open(self, url: str, headers: dict[str, str]) -> requests.Response:
        """One GET of any allowed address, its body still to be read; the caller closes it. See `Transport.get`."""
        return self._transport.get(url, headers, origin="the catalogue")

    def _get_json_once(self, path: str) -> object:
        url = self.api_url + path
        self._pace(path)
        with closing(self._transport.get(url, {"Accept": "application/json"}, origin="the API address")) as response:
            body = self._read(response)
            if response.status_code == 404:
                raise NotFound(f"{url!r} answered 404{_details(body)}")
            if response.status_code != 200:
                raise UnexpectedResponse(f"{url!r} answered {response.status_code}{_details(body)}")
            try:
                answer: object = orjson.loads(body)
            except orjson.JSONDecodeError as e:
                kind = safe_excerpt(response.headers.get("Content-Type", "no type given"), 100)
                raise UnexpectedResponse(f"{url!r} did not answer with JSON but with {kind}: {shown(body, 100)}") from e
            return answer

    def _read(self, response: requests.Response) -> bytes:
        body = bytearray()
        end = self.clock() + MAX_ANSWER_SECONDS
        for chunk in iter_body(response, decode=True):
            body += chunk
            if len(body) > MAX_ANSWER_BYTES:
                raise UnexpectedResponse(f"{shown(response.url)} answered with more than {MAX_ANSWER_BYTES} bytes")
            if self.clock() > end:
                raise TransientFailure(f"{shown(response.url)} took longer than {MAX_ANSWER_SECONDS:.0f} s to answer")
        return bytes(body)

    def _pace(self, path: str) -> None:
        group, interval = next((pattern, seconds) for pattern, seconds in _PACES if pattern.match(path))
        now = self.clock()
        earliest = self._next_request.get(group, now)
        if earliest > now:
            self.sleep(earliest - now)
        self._next_request[group] = max(earliest, now) + interval


class NotFound(UnexpectedResponse):
    """The API has nothing at this address."""


def _checked_api_url(api_url: str) -> tuple[str, str]:
    """The address without a slash at its end, and its host."""
    try:
        parts = urlsplit(api_url)
        host = (parts.hostname or "").lower()
        _ = parts.port  # raises if it isn't a number
    except ValueError as e:
        raise ConfigError(f"the API address {api_url!r} can't be read: {e}") from e
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment or not api_url.isprintable():
        raise ConfigError(f"the API address {api_url!r} must look like {DEFAULT_API_URL}")
    if parts.scheme == "http" and not is_loopback(host):
        raise ConfigError(f"the API address {api_url!r} must be https (http is for this machine only)")
    return api_url.rstrip("/"), host


def _details(body: bytes) -> str:
    """What an API error object says, as an ending for a sentence."""
    try:
        error = orjson.loads(body)
    except orjson.JSONDecodeError:
        return ""
    details = error.get("details") if isinstance(error, dict) else None
    return f": {safe_excerpt(details, 200)}" if isinstance(details, str) else ""
