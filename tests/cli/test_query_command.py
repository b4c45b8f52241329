"""`indexer query` as a user calls it."""

from __future__ import annotations

import io
import json
import tracemalloc

import pytest

from indexer.cli import main, query


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["query", *arguments])
    captured = capsys.readouterr()
    return int(ended.value.code or 0), captured.out, captured.err


def test_table(capsys: pytest.CaptureFixture[str], pool_url: str) -> None:
    sql = "SELECT name, mana_value AS mv FROM cards WHERE mana_value > :least ORDER BY mana_value"
    status, out, err = run(capsys, sql, "-p", "least=10", "--database-url", pool_url)
    assert (status, err) == (0, "")
    assert [line.split() for line in out.splitlines()] == [
        ["name", "mv"],
        ["----------------------------", "--"],
        ["Brisela,", "Voice", "of", "Nightmares", "11"],
        ["Ghalta,", "Primal", "Hunger", "12"],
    ]


def test_json_and_csv(capsys: pytest.CaptureFixture[str], pool_url: str) -> None:
    sql = "SELECT name, loyalty FROM cards WHERE name = :name"
    arguments = (sql, "--param", "name=Forest", "--database-url", pool_url)
    assert json.loads(run(capsys, *arguments, "--format", "json")[1]) == [{"name": "Forest", "loyalty": None}]
    assert run(capsys, *arguments, "--format", "csv")[1].splitlines() == ["name,loyalty", "Forest,"]


def test_standard_input(
    capsys: pytest.CaptureFixture[str], sqlite_pool_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("SELECT 1 AS one;\n"))
    status, out, _ = run(capsys, "-", "--format=json", "--database-url", sqlite_pool_url)
    assert (status, json.loads(out)) == (0, [{"one": 1}])


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("DELETE FROM cards",), 2, "only reading is allowed"),
        (("SELECT nam FROM cards",), 2, "no such column: nam (line 1, character 8)"),
        (("SELECT :x",), 2, "the parameter :x has no value"),
        (("SELECT 1", "-p", "x"), 2, "not a parameter: 'x'"),
        (("SELECT 1", "--timeout", "0"), 2, "--timeout"),
        (("SELECT 1", "--database-url", "sqlite:///none/at/all.db"), 1, "no database at"),
        (("SELECT 1", "--database-url", "sqlite:///."), 1, "can't read the database '.'"),
        ((), 2, "Missing argument 'SQL'"),
        (("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT count(*) FROM n", "--timeout", ".2"), 2,
         "longer than 0.2 s (--timeout)"),
    ],
)  # fmt: skip
def test_errors_are_one_line(
    capsys: pytest.CaptureFixture[str], sqlite_pool_url: str, arguments: tuple[str, ...], status: int, message: str
) -> None:
    url = () if "--database-url" in arguments else ("--database-url", sqlite_pool_url)
    ended, out, err = run(capsys, *arguments, *url)
    assert (ended, out, err.count("\n")) == (status, "", 1)
    assert err.startswith("indexer: ")
    assert message in err


def test_hostile_values_are_shown_as_escapes(capsys: pytest.CaptureFixture[str], sqlite_pool_url: str) -> None:
    sql = "SELECT char(27) || '[2J' || char(0x202e) || 'x' || char(0) AS a, x'00ff' AS b"
    _, out, _ = run(capsys, sql, "--database-url", sqlite_pool_url)
    assert out.splitlines()[2] == "\\x1b[2J\\u202ex\\x00  00ff"


def test_a_long_table_is_cut_and_says_so(
    capsys: pytest.CaptureFixture[str], sqlite_pool_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(query, "MAX_TABLE_ROWS", 3)
    _, out, err = run(capsys, "VALUES (1), (2), (3), (4)", "--database-url", sqlite_pool_url)
    assert len(out.splitlines()) == 5
    assert "only the first 3 rows" in err
    assert run(capsys, "VALUES (1), (2), (3)", "--database-url", sqlite_pool_url)[2] == ""


@pytest.mark.parametrize("fmt", ["json", "csv"])
def test_a_huge_result_takes_the_memory_of_a_small_one(
    sqlite_pool_url: str, monkeypatch: pytest.MonkeyPatch, fmt: str
) -> None:
    class Sink(io.StringIO):
        """Keeps nothing."""

        def write(self, text: str) -> int:
            return len(text)

    monkeypatch.setattr("sys.stdout", Sink())
    sql = (
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 20000) "
        "SELECT x, hex(zeroblob(500)) FROM n"
    )
    tracemalloc.start()
    with pytest.raises(SystemExit) as ended:
        main(["query", sql, "--format", fmt, "--database-url", sqlite_pool_url])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert ended.value.code == 0
    # The whole result is 20 MB.
    assert peak < 6_000_000
