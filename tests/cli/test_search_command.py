"""`indexer search` as a user calls it."""

from __future__ import annotations

import csv
import io
import json

import pytest

from indexer.cli import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    captured = capsys.readouterr()
    return int(ended.value.code or 0), captured.out, captured.err


def test_table(capsys: pytest.CaptureFixture[str], pool_url: str) -> None:
    status, out, err = run(capsys, "search", "t:god or !forest or t:battle", "--database-url", pool_url)
    lines = [line.split("  ")[0] for line in out.splitlines()]
    assert (status, err) == (0, "")
    assert lines[2:] == [
        "Forest",
        "Invasion of Zendikar // Awakened Skyclave",
        "Valki, God of Lies // Tibalt, Cosmic Impostor",
    ]
    assert "2/1" in out.splitlines()[4]


def test_json(capsys: pytest.CaptureFixture[str], pool_url: str) -> None:
    _, out, _ = run(capsys, "search", "t:elf", "--format", "json", "--database-url", pool_url)
    (card,) = json.loads(out)
    assert (card["name"], card["mana_value"], card["colors"], card["power"]) == ("Llanowar Elves", 1, "G", "1")
    assert card["released_at"] == "2020-06-01"


def test_csv_and_limit(capsys: pytest.CaptureFixture[str], pool_url: str) -> None:
    _, out, _ = run(capsys, "search", "t:angel order:cmc", "--format=csv", "--limit", "2", "--database-url", pool_url)
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["name"] for row in rows] == ["Gisela, the Broken Blade", "Serra Angel"]


def test_nothing_found(capsys: pytest.CaptureFixture[str], sqlite_pool_url: str) -> None:
    status, out, err = run(capsys, "search", "xyzzy", "--format=json", "--database-url", sqlite_pool_url)
    assert (status, out, err) == (0, "[]\n", "indexer: no card matches\n")
    assert run(capsys, "search", "xyzzy", "--quiet", "--database-url", sqlite_pool_url)[2] == ""


def test_sql_needs_no_database_and_runs_as_a_query(capsys: pytest.CaptureFixture[str], pool_url: str) -> None:
    expression = "t:instant o:/~ deals \\d/ (c=r or c:m) date>=1993-01 changed>=2020 r>=c -restricted:vintage"
    scheme = pool_url.split(":")[0]
    status, sql, _ = run(
        capsys,
        "search",
        expression,
        "--sql",
        "--limit=5",
        "--database-url",
        f"{scheme}://{'/none.db' if 'sqlite' in scheme else 'x@127.0.0.1:1/x'}",
    )
    assert status == 0
    assert sql.startswith("SELECT ")
    assert "%%" not in sql
    status, out, err = run(capsys, "query", sql, "--format=csv", "--database-url", pool_url)
    assert (status, err) == (0, "")
    assert [row["name"] for row in csv.DictReader(io.StringIO(out))] == [
        "Bonecrusher Giant // Stomp",
        "Fire // Ice",
        "Lightning Bolt",
    ]


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("usd>5 t:elf", "'usd' can't be searched for: the pool doesn't hold prices (character 1: usd>5)"),
        ("t:elf (c:g", "the parenthesis opened at character 7 is never closed (character 7: (c:g)"),
        ("t:elf f:modren", "no card of the pool has the format 'modren'; did you mean 'modern'? (character 9: modren)"),
        ("", "the expression is empty: name something to search for"),
    ],
)
def test_errors_are_one_line_with_the_place(
    capsys: pytest.CaptureFixture[str], sqlite_pool_url: str, expression: str, message: str
) -> None:
    assert run(capsys, "search", expression, "--database-url", sqlite_pool_url) == (2, "", f"indexer: {message}\n")


def test_a_limit_beyond_any_number_of_cards(capsys: pytest.CaptureFixture[str], sqlite_pool_url: str) -> None:
    status, out, _ = run(capsys, "search", "t:goblin", f"--limit={10**30}", "--database-url", sqlite_pool_url)
    assert (status, out.count("oblin") > 0) == (0, True)


def test_an_expression_that_begins_with_a_minus(capsys: pytest.CaptureFixture[str], sqlite_pool_url: str) -> None:
    status, out, _ = run(capsys, "search", "--database-url", sqlite_pool_url, "--", "-c:r t:goblin include:extras")
    assert (status, len(out.splitlines())) == (0, 2)
    assert run(capsys, "search", "-c:r")[0] == 2
