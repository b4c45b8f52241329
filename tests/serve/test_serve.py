"""`indexer serve` over HTTP: every page, every question, full-text search, and a sync while it runs."""

from __future__ import annotations

import json
import re
import signal
import socket
import sys
from pathlib import Path
from urllib.parse import quote, urlencode
from urllib.request import urlopen

import pytest
from sqlalchemy import text

from indexer.cli import main
from indexer.errors import ConfigError
from indexer.serve import browse
from indexer.storage.dictionary import relations
from indexer.storage.engine import open_engine
from tests.serve.conftest import Served, serving, sync
from tests.support.sample_pool import SAMPLE
from tools.worked_queries import WorkedQuery, worked_queries

QUERIES = [query for query in worked_queries() if "sqlite" in query.databases]


@pytest.mark.parametrize("name", list(relations()))
def test_every_table_and_view_has_a_page_with_its_words(served: Served, name: str) -> None:
    status, body = served.get(f"/{name}")
    assert status == 200
    assert relations()[name].title.replace("'", "&#39;") in body
    assert body.count("<dt>") >= len(relations()[name].columns)
    assert "Scryfall" in body


def test_the_first_page_gives_credit(served: Served) -> None:
    with urlopen(served.address.rpartition("/")[0]) as answer:
        body = answer.read().decode()
    assert "neither produced nor endorsed by Scryfall or Wizards of the Coast" in body


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.name)
def test_every_question_is_a_form_with_the_right_answer(served: Served, query: WorkedQuery) -> None:
    status, body = served.get(f"/{query.name}")
    assert status == 200
    for name in query.parameters:
        assert f'name="{name}"' in body
    engine = open_engine(f"sqlite:///{served.file}")
    with engine.connect() as connection:
        expected = [dict(row) for row in connection.execute(text(query.sql), dict(query.parameters)).mappings()]
    engine.dispose()
    assert served.rows(f"/{query.name}.json?{urlencode({**query.parameters, '_shape': 'array'})}") == expected


@pytest.mark.parametrize("table", ["cards", "card_overview"])
def test_full_text_search_finds_words_of_name_types_and_text(served: Served, table: str) -> None:
    for words, names in {
        "first strike angel": {"Brisela, Voice of Nightmares", "Gisela, the Broken Blade"},
        "reckoner": {"Boros Reckoner"},
        "vanguard": {"Titania"},
    }.items():
        found = served.rows(f"/{table}.json?_shape=array&_search={quote(words)}")
        assert {row["name"] for row in found} == names


def test_foreign_keys_show_the_cards_name(served: Served) -> None:
    (row,) = served.rows("/keywords.json?_shape=array&_labels=on&keyword=Persist")
    assert row["oracle_id"]["label"] == "Kitchen Finks"


def test_facets_count_what_people_choose_by(served: Served) -> None:
    _status, body = served.get("/mismatches.json?_size=0")
    facets = json.loads(body)["facet_results"]
    assert {each["value"]: each["count"] for each in facets["status"]["results"]} == {"open": 10}
    assert set(facets) == {"status", "field", "category"}


def test_sizes_and_times_have_units(served: Served) -> None:
    _status, body = served.get("/sync_runs")
    size = re.search(r'<td class="col-size type-Quantity">([\d.]+)&nbsp;kB</td>', body)
    assert size
    assert float(size[1]) == pytest.approx(SAMPLE.stat().st_size / 1000)
    assert re.search(r'<td class="col-total_seconds type-Quantity">[\d.]+&nbsp;(ms|s)</td>', body)


@pytest.mark.parametrize(
    "sql", ["DELETE FROM cards", "CREATE TABLE x (y)", "ATTACH 'x.db' AS x", "PRAGMA user_version = 7"]
)
def test_nothing_can_be_changed(served: Served, sql: str) -> None:
    status, body = served.get(f".json?{urlencode({'sql': sql})}")
    assert status == 400
    assert not json.loads(body)["ok"]


def test_a_sync_shows_on_the_next_page(tmp_path: Path) -> None:
    file, source = tmp_path / "cards.db", tmp_path / "cards.jsonl"
    lines = SAMPLE.read_text(encoding="utf-8").splitlines(keepends=True)
    source.write_text("".join(lines[:97]), encoding="utf-8")
    sync(file, source)
    with serving(file) as served:
        count = f".json?{urlencode({'sql': 'SELECT count(*) AS cards FROM card_overview', '_shape': 'array'})}"
        assert served.rows(count) == [{"cards": 97}]
        source.write_text("".join(lines), encoding="utf-8")
        sync(file, source)
        assert served.rows(count) == [{"cards": 101}]


def test_ctrl_c_ends_it_well(tmp_path: Path) -> None:
    file = tmp_path / "cards.db"
    sync(file, SAMPLE)
    with serving(file) as served:
        assert served.get("")[0] == 200
        served.process.send_signal(signal.SIGINT)
        assert served.process.wait(timeout=20) == 0
        assert served.process.stderr is not None
        assert served.process.stderr.read() == ""


class TestRefusals:
    """One clear line for what can't be."""

    def refused(self, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[object, str]:
        with pytest.raises(SystemExit) as stopped:
            main(["serve", *arguments])
        return stopped.value.code, capsys.readouterr().err

    def test_postgresql(self, capsys: pytest.CaptureFixture[str]) -> None:
        status, line = self.refused(capsys, "--database-url", "postgresql+psycopg://nobody@127.0.0.1:9/cards")
        assert status == 2
        assert line.startswith("indexer: Datasette shows SQLite files only: ")

    def test_no_pool(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        status, line = self.refused(capsys, "--database-url", f"sqlite:///{tmp_path / 'none.db'}")
        assert status == 1
        assert "run 'indexer sync' first" in line

    def test_a_port_that_is_taken(self, capsys: pytest.CaptureFixture[str], served: Served) -> None:
        port = served.address.split(":")[2].partition("/")[0]
        status, line = self.refused(capsys, "--database-url", f"sqlite:///{served.file}", "--port", port)
        assert status == 2
        assert line == (
            f"indexer: can't listen on '127.0.0.1', port {port}: Address already in use; "
            "choose another --host or --port\n"
        )

    def test_a_host_that_is_none(self, capsys: pytest.CaptureFixture[str], served: Served) -> None:
        status, line = self.refused(capsys, "--database-url", f"sqlite:///{served.file}", "--host", "256.0.0.1")
        assert status == 2
        assert line.startswith("indexer: can't listen on '256.0.0.1', port 8001: ")

    def test_without_datasette(
        self, capsys: pytest.CaptureFixture[str], served: Served, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "datasette.app", None)
        status, line = self.refused(capsys, "--database-url", f"sqlite:///{served.file}", "--port", "0")
        assert (status, line) == (2, "indexer: Datasette is not installed: pip install 'card-indexer[serve]'\n")


def test_the_metadata_follow_the_name_of_the_file() -> None:
    assert list(browse.metadata_for(Path("data/other.db"))["databases"]) == ["other"]


def test_a_socket_on_a_port_of_the_users_choice() -> None:
    with browse.listen("127.0.0.1", 0) as first, socket.socket() as caller:
        caller.connect(first.getsockname())
        with pytest.raises(ConfigError, match="Address already in use"):
            browse.listen(*first.getsockname())
