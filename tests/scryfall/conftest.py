"""A client that asks the local server and never waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest
import requests

from indexer.scryfall.client import ScryfallClient
from tests.support.fake_scryfall import FakeScryfall
from tests.support.scryfall_faults import GOOD


@dataclass
class ClockAndSleep:
    """Time that passes only when somebody sleeps."""

    now: float = 1000.0
    slept: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def clock(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def server() -> Iterator[FakeScryfall]:
    with FakeScryfall({"oracle_cards": GOOD}) as running:
        yield running


@pytest.fixture
def time() -> ClockAndSleep:
    return ClockAndSleep()


MakeClient = Callable[..., ScryfallClient]


@pytest.fixture
def make_client(time: ClockAndSleep) -> Iterator[MakeClient]:
    with requests.Session() as session:

        def make(api_url: str, **options: object) -> ScryfallClient:
            defaults: dict[str, object] = {
                "user_agent": "card-indexer-tests/1.0",
                "session": session,
                "sleep": time.sleep,
                "clock": time.clock,
                "rng": lambda: 0.5,
                "timeout": (2.0, 2.0),
            }
            return ScryfallClient(api_url, **(defaults | options))  # type: ignore[arg-type]

        yield make


@pytest.fixture
def client(server: FakeScryfall, make_client: MakeClient) -> ScryfallClient:
    return make_client(server.api_url)
