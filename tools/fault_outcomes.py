"""Print what became of each fault in the table of faults: `python tools/fault_outcomes.py` (Markdown).

Each row is a real download from a local server that misbehaves as described; waits are skipped, not waited for.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from indexer.errors import IndexerError
from indexer.scryfall.client import ScryfallClient
from indexer.scryfall.download import download
from tests.support.fake_scryfall import FakeScryfall
from tests.support.scryfall_faults import GOOD, SCENARIOS, Scenario


def outcome(scenario: Scenario) -> tuple[str, str, int, float]:
    """What happened, in a word and in full, how often the file was asked for, and the seconds of waiting skipped."""
    waits: list[float] = []
    with FakeScryfall({"oracle_cards": GOOD}) as server, tempfile.TemporaryDirectory() as directory:
        scenario.prepare(server)
        client = ScryfallClient(
            server.api_url, user_agent="fault-outcomes/1", sleep=waits.append, rng=lambda: 0.5, timeout=(2.0, 2.0)
        )
        try:
            file = download(client.bulk_entry(), Path(directory), client=client)
        except IndexerError as e:
            happened, text = type(e).__name__, str(e)
        else:
            same = file.path.read_bytes() == server.files["oracle_cards"].body
            happened, text = ("whole file", "whole file") if same else ("WRONG BYTES", "WRONG BYTES")
        text = text.replace(server.origin, "SERVER").replace(server.origin.removeprefix("http://"), "SERVER")
        return happened, text.replace(directory, "DIRECTORY"), len(server.asked("file")), sum(waits)


def main() -> int:
    """Go through the table; 1 if any outcome is not the expected one."""
    os.environ["no_proxy"] = "127.0.0.1"  # whatever proxy there is, it can't reach this machine's own ports
    print("| fault | outcome | requests | waits (s) |\n|---|---|---:|---:|")
    surprises = 0
    for scenario in SCENARIOS:
        happened, text, requests, waited = outcome(scenario)
        expected = scenario.outcome.__name__ if scenario.outcome else "whole file"
        as_expected = (happened, requests) == (expected, scenario.file_requests)
        surprises += not as_expected
        detail = happened if text == happened else f"{happened}: {text}"
        mark = "" if as_expected else f" **(expected {expected}, {scenario.file_requests} requests)**"
        print(f"| {scenario.name} | {detail.replace('|', '&#124;')}{mark} | {requests} | {waited:g} |")
    print(f"\n{len(SCENARIOS)} faults, {surprises} with another outcome than expected.")
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main())
