"""One GET as this project does it: only to allowed hosts, redirects followed by hand, a 429 waited out once, every
failure sorted into "may pass" and "won't pass" and told in one line.

Proxies and certificate authorities come from the environment, as everywhere in requests (`HTTPS_PROXY`, `NO_PROXY`,
`REQUESTS_CA_BUNDLE`).
"""

from __future__ import annotations

import http.client
import ipaddress
import logging
import random
import ssl
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urldefrag, urljoin, urlsplit

import requests
import tenacity
import urllib3

from indexer.errors import RateLimited, ScryfallError, UnexpectedResponse
from indexer.scryfall.excerpt import safe_excerpt, shown

log = logging.getLogger(__name__)

Sleep = Callable[[float], None]
Clock = Callable[[], float]
Random = Callable[[], float]

MAX_REDIRECTS = 5
MAX_WAIT_SECONDS = 120.0
"""A server that asks for more patience than this is given up at once: waiting less than told would only annoy it."""
DEFAULT_RATE_LIMIT_SECONDS = 60.0
"""Scryfall locks a client out for 30 seconds or more and need not say for how long."""
BACKOFF_SECONDS = (1.0, 30.0)
"""The first pause between attempts and the longest; each is twice the one before, give or take a half of it."""

_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class TransientFailure(ScryfallError):
    """A failure that may pass: no connection, a server error, a body that ended early. `retry_after` is in seconds."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class HostPolicy:
    """Which addresses may be asked: https on these hosts and their subdomains, and http only on this machine itself."""

    allowed: frozenset[str]
    allow_loopback: bool = False
    """Set if the owner chose an API address on this machine: a mirror, or a test server."""

    def check(self, url: str, origin: str) -> None:
        """Return if the address may be asked. `origin` says, for the message, who named it.

        Raises:
            UnexpectedResponse: it may not.
        """
        try:
            parts = urlsplit(url)
        except ValueError as e:
            raise UnexpectedResponse(f"{origin} leads to an address that can't be read: {shown(url)}") from e
        host = (parts.hostname or "").lower().rstrip(".")
        if is_loopback(host):
            if (self.allow_loopback or host in self.allowed) and parts.scheme in ("http", "https"):
                return
        elif parts.scheme != "https":
            raise UnexpectedResponse(f"{origin} leads to {shown(url)}, which is not https")
        elif any(host == allowed or host.endswith("." + allowed) for allowed in self.allowed):
            return
        raise UnexpectedResponse(
            f"{origin} leads to {shown(url)}: host {shown(host)} is not among the allowed ones "
            f"({', '.join(sorted(self.allowed))}); if it may be trusted, name it with --allow-host"
        )


def is_loopback(host: str) -> bool:
    """Whether a host name or address means this machine.

    >>> [is_loopback(h) for h in ("localhost", "127.8.0.1", "::1", "example.org")]
    [True, True, True, False]
    """
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Transport:
    """Sends GET requests. `sleep` and `clock` are in seconds, `now` is the time of day."""

    def __init__(
        self,
        session: requests.Session,
        *,
        user_agent: str,
        hosts: HostPolicy,
        timeout: tuple[float, float],
        sleep: Sleep,
        clock: Clock,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._session = session
        self._user_agent = user_agent
        self._hosts = hosts
        self._timeout = timeout
        self.sleep = sleep
        self.clock = clock
        self._now = now

    def get(self, url: str, headers: Mapping[str, str], *, origin: str) -> requests.Response:
        """An answer with its body still to be read; the caller closes it. Any status but 408, 429 and 5xx may come.

        Raises:
            TransientFailure: no connection, 408 or 5xx.
            RateLimited: 429, and again after the wait that it asked for; or it asks for too long a wait.
            UnexpectedResponse: a redirect to where requests may not go, or too many of them.
            ScryfallError: a failure that trying again won't change, such as a bad certificate.
        """
        response = self._follow(url, headers, origin)
        if response.status_code == 429:
            told = self._rate_limit(response, url)
            log.warning("%s answered 429, waiting %.0f s as told", _host(url), told)
            self.sleep(told)
            response = self._follow(url, headers, origin)
            if response.status_code == 429:
                retry_after = self._retry_after(response)
                response.close()
                raise RateLimited(
                    f"{_host(url)} answered 429 (too many requests) again after a wait of {told:.0f} s; "
                    "try again later, and not from several places at once",
                    retry_after=retry_after,
                )
        if response.status_code >= 500 or response.status_code == 408:
            retry_after = self._retry_after(response)
            response.close()
            message = f"{shown(url)} answered {response.status_code} {shown(response.reason)}"
            if retry_after is not None and retry_after > MAX_WAIT_SECONDS:
                raise ScryfallError(f"{message} and asks to be left alone for {retry_after:.0f} s; try again then")
            raise TransientFailure(message, retry_after=retry_after)
        return response

    def _rate_limit(self, response: requests.Response, url: str) -> float:
        told = self._retry_after(response)
        response.close()
        if told is not None and told > MAX_WAIT_SECONDS:
            raise RateLimited(
                f"{_host(url)} answered 429 (too many requests) and asks for a wait of {told:.0f} s, longer than "
                f"the {MAX_WAIT_SECONDS:.0f} s this program waits; try again then",
                retry_after=told,
            )
        return DEFAULT_RATE_LIMIT_SECONDS if told is None else max(told, 1.0)

    def _follow(self, url: str, headers: Mapping[str, str], origin: str) -> requests.Response:
        for _ in range(MAX_REDIRECTS + 1):
            self._hosts.check(url, origin)
            response = self._send(url, headers)
            if response.status_code not in _REDIRECTS or "Location" not in response.headers:
                return response
            response.close()
            origin = f"a redirect from {shown(url)}"
            try:
                location = self._session.get_redirect_target(response) or ""
                url = urldefrag(urljoin(url, location)).url
            except ValueError as e:  # UnicodeDecodeError among them
                raise UnexpectedResponse(f"{origin} can't be read: {shown(response.headers['Location'])}") from e
        raise UnexpectedResponse(f"more than {MAX_REDIRECTS} redirects, the last to {shown(url)}")

    def _send(self, url: str, headers: Mapping[str, str]) -> requests.Response:
        # Session.get would read the whole body of a redirect, however long, even when told not to follow it.
        session = self._session
        try:
            request = session.prepare_request(
                requests.Request("GET", url, headers={**headers, "User-Agent": self._user_agent})
            )
            settings = session.merge_environment_settings(request.url, {}, True, None, None)
            verify = settings["verify"]
            return session.get_adapter(url).send(
                request,
                stream=True,
                timeout=self._timeout,
                verify=True if verify is None else verify,
                cert=settings["cert"],
                proxies=settings["proxies"],
            )
        except (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError) as e:
            if any(isinstance(inner, ssl.SSLCertVerificationError) for inner in _layers(e)):
                raise ScryfallError(
                    f"no trusted connection to {_host(url)}: {describe(e)} "
                    "(behind a proxy with its own certificate, set REQUESTS_CA_BUNDLE)"
                ) from e
            raise TransientFailure(f"can't reach {_host(url)}: {describe(e)}") from e
        except (requests.RequestException, urllib3.exceptions.HTTPError, UnicodeError) as e:
            raise ScryfallError(f"can't ask {shown(url)}: {describe(e)}") from e

    def _retry_after(self, response: requests.Response) -> float | None:
        """Seconds from now (never less than 0); None if the answer names none that can be understood."""
        value = response.headers.get("Retry-After", "").strip()
        if value.isascii() and value.isdigit():
            return float(value[:12])
        try:
            when = parsedate_to_datetime(value)
            # Both times by the server's clock, if it tells: ours may be wrong.
            date = response.headers.get("Date")
            now = parsedate_to_datetime(date) if date else self._now()
            seconds: float = (when - now).total_seconds()
            return max(0.0, seconds)
        except (ValueError, TypeError):
            return None


def iter_body(response: requests.Response, *, decode: bool, chunk_bytes: int = 1 << 16) -> Iterator[bytes]:
    """The body in pieces as they arrive, so that a slow one can be noticed.

    With `decode`, a Content-Encoding is undone; without, the bytes are those that came over the wire.

    Raises:
        TransientFailure: the body ended early, the connection broke, or nothing came for too long.
    """
    # Not Response.iter_content: it always decodes, and it waits until a whole chunk has come together.
    raw: urllib3.HTTPResponse = response.raw
    try:
        while chunk := raw.read1(chunk_bytes, decode_content=decode):
            yield chunk
    except (urllib3.exceptions.HTTPError, OSError) as e:
        raise TransientFailure(f"the answer of {_host(response.url)} broke off: {describe(e)}") from e


def retrying(*, attempts: int, sleep: Sleep, rng: Random = random.random) -> tenacity.Retrying:
    """Attempts with growing, scattered pauses in between, as long as they end in a `TransientFailure`.

    The last such failure is raised as it is.
    """

    def pause(state: tenacity.RetryCallState) -> float:
        first, longest = BACKOFF_SECONDS
        seconds = min(longest, first * 2.0 ** (state.attempt_number - 1)) * (0.5 + rng())
        failure = state.outcome.exception() if state.outcome else None
        told = failure.retry_after if isinstance(failure, TransientFailure) else None
        return max(seconds, told or 0.0)

    def announce(state: tenacity.RetryCallState) -> None:
        failure = state.outcome.exception() if state.outcome else None
        seconds = state.next_action.sleep if state.next_action else 0.0
        log.warning("%s; attempt %d of %d in %.1f s", failure, state.attempt_number + 1, attempts, seconds)

    return tenacity.Retrying(
        stop=tenacity.stop_after_attempt(attempts),
        wait=pause,
        retry=tenacity.retry_if_exception_type(TransientFailure),
        sleep=sleep,
        before_sleep=announce,
        reraise=True,
    )


def describe(error: BaseException) -> str:
    """What is at the bottom of an exception of requests or urllib3, without the layers around it."""
    layers = _layers(error)
    for current in reversed(layers):
        if isinstance(current, ssl.SSLCertVerificationError):
            return safe_excerpt(current.verify_message or str(current), 200)
        if isinstance(current, TimeoutError | urllib3.exceptions.TimeoutError):
            return "timed out"
        if isinstance(current, http.client.IncompleteRead):
            return "it ended early"
        if isinstance(current, OSError) and current.strerror:
            return safe_excerpt(current.strerror, 200)
    return safe_excerpt(f"{type(layers[-1]).__name__}: {layers[-1]}", 200)


def _layers(error: BaseException) -> list[BaseException]:
    """The exception and all that it wraps, by chaining or, as urllib3 does, as `reason` or argument."""
    layers = [error]
    for current in layers:  # grows while it is walked through
        inner = [current.__cause__, current.__context__, getattr(current, "reason", None), *current.args]
        layers += [e for e in inner if isinstance(e, BaseException) and e not in layers]
    return layers


def _host(url: str) -> str:
    return safe_excerpt(urlsplit(url).netloc, 200)
