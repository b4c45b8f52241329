"""A download cut at any bytes, any number of times, in one run or several, comes to the same bytes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.errors import DownloadError
from indexer.scryfall.client import ScryfallClient
from indexer.scryfall.download import download
from tests.support.fake_scryfall import FakeScryfall, Fault
from tests.support.scryfall_faults import bulk_gzip

BODY = bulk_gzip(12)


@pytest.fixture(scope="module")
def server() -> Iterator[FakeScryfall]:
    with FakeScryfall({"oracle_cards": BODY}) as running, pytest.MonkeyPatch.context() as patch:
        patch.setenv("no_proxy", "127.0.0.1")
        patch.setattr(os, "fsync", lambda descriptor: None)  # most of the time, and beside the point here
        yield running


cuts = st.builds(
    lambda at, how: Fault(cut_after=at, **how),
    st.integers(0, len(BODY)),
    st.sampled_from(
        [
            {},
            {},
            {"ignore_range": True},
            {"chunked": True},
            {"shift": 3},
            {"encoding": "gzip"},
            {"headers": {"ETag": 'W/"x"'}},
            {"headers": {"ETag": '"x"'}},
            {"content_range": "bytes 0-1/2"},
        ]
    ),
)


@settings(max_examples=60, deadline=None)
@given(faults=st.lists(cuts | st.just(Fault(status=503)), max_size=6), attempts=st.integers(1, 4))
def test_a_download_cut_anywhere_comes_to_the_same_bytes(
    server: FakeScryfall, faults: list[Fault], attempts: int
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        server.misbehave("file", *faults)
        client = ScryfallClient(server.api_url, user_agent="test/1", sleep=lambda _seconds: None, timeout=(5.0, 5.0))
        # Runs. Each takes a fault off the list, or finds that an earlier one has spoilt what is on disk.
        for _ in range(2 * len(faults) + 1):
            try:
                file = download(client.bulk_entry(), Path(directory), client=client, attempts=attempts)
                break
            except DownloadError:
                assert not list(Path(directory).glob("*.gz"))
        else:
            pytest.fail("runs without a fault must succeed")
        assert file.path.read_bytes() == BODY
        assert sorted(p.name for p in Path(directory).iterdir()) == [file.path.name, file.path.name + ".meta.json"]


def test_a_download_cut_at_each_byte_is_resumed_there(server: FakeScryfall) -> None:
    client = ScryfallClient(server.api_url, user_agent="test/1", sleep=lambda _seconds: None, timeout=(5.0, 5.0))
    bulk = client.bulk_entry()
    for at in [*range(30), *range(30, len(BODY) - 30, 271), *range(len(BODY) - 30, len(BODY))]:
        with tempfile.TemporaryDirectory() as directory:
            server.misbehave("file", Fault(cut_after=at))
            assert download(bulk, Path(directory), client=client).path.read_bytes() == BODY
            assert server.requests[-1].headers.get("range") == (f"bytes={at}-" if at else None)
