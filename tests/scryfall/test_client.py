"""How the API is asked, and what is made of its answers."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from indexer.errors import ConfigError, RateLimited, ScryfallError, UnexpectedResponse
from indexer.scryfall.client import ScryfallClient
from indexer.scryfall.transport import HostPolicy
from tests.scryfall.conftest import ClockAndSleep, MakeClient
from tests.support.fake_scryfall import FakeScryfall, Fault


def test_headers(server: FakeScryfall, client: ScryfallClient) -> None:
    client.bulk_entry()
    client.symbology()
    for request in server.requests:
        assert request.headers["user-agent"] == "card-indexer-tests/1.0"
        assert request.headers["accept"] == "application/json"


def test_symbology(client: ScryfallClient) -> None:
    assert [symbol["symbol"] for symbol in client.symbology()] == ["{T}", "{W}", "{2}"]


@pytest.mark.parametrize(
    "body", [b"[]", b'{"object":"list"}', b'{"object":"list","data":[]}', b'{"data":[{"symbol":1}]}', b"null"]
)
def test_symbology_of_another_shape(body: bytes, server: FakeScryfall, client: ScryfallClient) -> None:
    server.misbehave("symbology", Fault(body=body))
    with pytest.raises(UnexpectedResponse, match="/symbology"):
        client.symbology()


def test_requests_keep_their_distance_by_endpoint(
    server: FakeScryfall, client: ScryfallClient, time: ClockAndSleep
) -> None:
    for path, times in (("/sets", 3), ("/cards/named?exact=x", 2), ("/cards/search?q=x", 2), ("/cards/manifest", 2)):
        time.slept.clear()
        for _ in range(times):
            with pytest.raises(UnexpectedResponse, match="No such thing here"):
                client.get_json(path)
        interval = {"/sets": 0.1, "/cards/manifest": 6.0}.get(path, 0.5)
        # The two card endpoints share one limit, so that the second already has to wait for its first request.
        expected = times if path.startswith("/cards/search") else times - 1
        assert time.slept == pytest.approx([interval] * expected)
    assert len(server.requests) == 9


def test_no_pause_after_a_pause(client: ScryfallClient, time: ClockAndSleep) -> None:
    client.symbology()
    time.now += 5
    client.symbology()
    assert time.slept == []


def test_a_second_429_is_final_and_says_how_long(server: FakeScryfall, client: ScryfallClient) -> None:
    server.misbehave("symbology", *[Fault(status=429, headers={"Retry-After": s}) for s in ("30", "90")])
    with pytest.raises(RateLimited, match=r"again after a wait of 30 s") as caught:
        client.symbology()
    assert caught.value.retry_after == 90
    assert len(server.requests) == 2


@pytest.mark.parametrize("retry_after", ["0", "-5", "1e3", "99999999999999999999999", "٣", ""])
def test_a_strange_retry_after(
    retry_after: str, server: FakeScryfall, client: ScryfallClient, time: ClockAndSleep
) -> None:
    server.misbehave("symbology", Fault(status=429, headers={"Retry-After": retry_after.encode().decode("latin-1")}))
    if retry_after.startswith("9"):
        with pytest.raises(RateLimited):
            client.symbology()
    else:
        client.symbology()
        assert time.slept == [1.0 if retry_after == "0" else 60.0]


def test_an_answer_that_drips(server: FakeScryfall, make_client: MakeClient, time: ClockAndSleep) -> None:
    def clock() -> float:
        time.now += 50  # at each look
        return time.now

    client = make_client(server.api_url, clock=clock, attempts=2)
    server.always_misbehave("symbology", Fault(drip=(50, 0.002)))
    with pytest.raises(ScryfallError, match=r"took longer than 120 s.*gave up after 2 attempts"):
        client.symbology()


def test_nobody_listens(make_client: MakeClient) -> None:
    with FakeScryfall() as server:
        address = server.api_url
    with pytest.raises(ScryfallError, match=r"can't reach 127.0.0.1:\d+: Connection refused \(gave up after 4"):
        make_client(address).symbology()


def test_no_such_host(make_client: MakeClient) -> None:
    with pytest.raises(ScryfallError, match=r"can't reach nowhere\.invalid: ") as caught:
        make_client("https://nowhere.invalid", attempts=1).symbology()
    assert len(str(caught.value)) < 150


def test_the_body_of_a_redirect_is_not_read(server: FakeScryfall, client: ScryfallClient) -> None:
    server.misbehave("symbology", Fault(location="{path}", body=bytes(10_000), drip=(1, 0.2)))
    assert client.symbology()


def test_a_proxy_from_the_environment_is_used(
    server: FakeScryfall, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", server.origin)
    client = make_client("http://127.0.0.2:9")
    assert client.symbology()
    assert server.requests[0].target == "http://127.0.0.2:9/symbology"
    monkeypatch.setenv("no_proxy", "127.0.0.2")
    with pytest.raises(ScryfallError, match=r"can't reach 127\.0\.0\.2:9"):
        client.symbology()


@pytest.mark.parametrize(
    "api_url",
    ["", "api.scryfall.com", "ftp://api.scryfall.com", "http://api.scryfall.com", "https://", "https://h:x", "https://[::1",
     "https://api.scryfall.com/?q", "https://api.scryfall.com/\n"],
)  # fmt: skip
def test_an_unusable_api_address(api_url: str, make_client: MakeClient) -> None:
    with pytest.raises(ConfigError):
        make_client(api_url)


@pytest.mark.parametrize("user_agent", ["", " ", "a\r\nX-Evil: 1"])
def test_an_unusable_user_agent(user_agent: str, make_client: MakeClient) -> None:
    with pytest.raises(ConfigError, match="User-Agent"):
        make_client("https://api.scryfall.com", user_agent=user_agent)


def test_an_api_address_may_have_a_path(server: FakeScryfall, make_client: MakeClient) -> None:
    assert make_client(server.api_url + "/").symbology()
    with pytest.raises(UnexpectedResponse, match="404"):
        make_client(server.api_url + "/mirror/").symbology()
    assert [r.target for r in server.requests] == ["/symbology", "/mirror/symbology"]


OURS = frozenset({"scryfall.com", "scryfall.io"})


@pytest.mark.parametrize(
    ("url", "loopback", "allowed"),
    [
        ("https://data.scryfall.io/a", False, True),
        ("https://DATA.Scryfall.IO./a", False, True),
        ("https://scryfall.com:8443/a", False, True),
        ("http://data.scryfall.io/a", True, False),
        ("https://scryfall.io.example.org/a", False, False),
        ("https://notscryfall.io/a", False, False),
        ("https://scryfall.io@example.org/a", False, False),
        ("https://10.0.0.1/a", True, False),
        ("https://169.254.169.254/latest/meta-data", True, False),
        ("http://127.0.0.1:80/a", True, True),
        ("http://127.0.0.1:80/a", False, False),
        ("https://localhost/a", False, False),
        ("http://[::1]:80/a", True, True),
        ("ftp://127.0.0.1/a", True, False),
        ("https:///a", True, False),
        ("//data.scryfall.io/a", True, False),
        ("https://[::1/a", True, False),
    ],
)
def test_hosts(url: str, loopback: bool, allowed: bool) -> None:
    policy = HostPolicy(OURS, allow_loopback=loopback)
    if allowed:
        policy.check(url, "the test")
    else:
        with pytest.raises(UnexpectedResponse, match=r"^the test leads to"):
            policy.check(url, "the test")


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs the openssl command to make a certificate")
def test_certificates_are_checked_against_the_environment_s_bundle(
    server: FakeScryfall, make_client: MakeClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
        check=True,
        capture_output=True,
    )  # fmt: skip
    server.use_tls(certificate, key)
    client = make_client(server.api_url)
    with pytest.raises(ScryfallError, match=r"no trusted connection to 127.0.0.1:\d+: self.signed certificate"):
        client.symbology()
    assert server.requests == []
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate))
    assert server.api_url.startswith("https://")
    assert client.symbology()
