"""`indexer serve` on a pool of the sample cards, as a process of its own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from indexer.config import Settings
from indexer.sync import Sync, SyncOptions
from tests.support.sample_pool import SAMPLE


class Served(NamedTuple):
    """A running `indexer serve`."""

    process: subprocess.Popen[str]
    address: str
    """Of the database's page."""
    file: Path

    def get(self, path: str) -> tuple[int, str]:
        """The status and body of an address below the database's page."""
        try:
            with urlopen(f"{self.address}{path}") as answer:
                return answer.status, answer.read().decode()
        except HTTPError as error:
            return error.code, error.read().decode()

    def rows(self, path: str) -> list[dict[str, Any]]:
        """The rows that an address gives as JSON."""
        status, body = self.get(path)
        assert status == 200, body
        answer = json.loads(body)
        assert isinstance(answer, list)
        return answer


def sync(file: Path, source: Path) -> None:
    """Bring the pool in this file to what the source holds."""
    settings = Settings(f"sqlite:///{file}", "http://127.0.0.1:9", file.parent)
    Sync(settings, SyncOptions(from_file=source, workers=0)).run()


@contextmanager
def serving(file: Path) -> Iterator[Served]:
    """The process, until the context ends."""
    command = [sys.executable, "-m", "indexer", "serve", "--port", "0", "--database-url", f"sqlite:///{file}"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            told = re.fullmatch(r"Serving '.*' at (http://127\.0\.0\.1:\d+/\w+) until Ctrl-C\n", line)
            assert told, line
            yield Served(process, told[1], file)
        finally:
            process.kill()


@pytest.fixture(scope="package")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Serving the sample cards. The file has another name than the default, as `make serve` may have it."""
    file = tmp_path_factory.mktemp("serve") / "sample.db"
    sync(file, SAMPLE)
    with serving(file) as running:
        yield running
