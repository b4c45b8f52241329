"""The proof of the sync on real records, with a part of them; `tools/prove_sync.py` does it with all."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.fake_scryfall import FakeScryfall
from tools.prove_sync import Proof, load_corpus, prove


@pytest.mark.corpus
def test_five_nights_on_real_records(shared_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with FakeScryfall() as server:
        proof = Proof(tmp_path, server, tell=lambda _line: None)
        prove(proof, load_corpus(shared_dir, every=40), false_values=40, seed=7)
    assert proof.figures["found"] == proof.figures["resolved"] == 40
    assert proof.figures["found besides"] == 0
    assert proof.figures["replaced"] > 100
