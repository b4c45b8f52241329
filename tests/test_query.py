"""Read-only SQL: what it answers, and that nothing hostile gets through, on SQLite and on PostgreSQL."""

from __future__ import annotations

import re
import sqlite3
import stat
import time
from pathlib import Path
from typing import Any

import pytest

from indexer.errors import IndexerError, QueryError, StorageError
from indexer.query import parse_parameter, run_query
from indexer.query.sqlite import FUNCTIONS
from indexer.query.statement import parse_statement
from indexer.search.compile import build_search
from indexer.storage.engine import open_engine, sqlite_file


def ask(url: str, sql: str, *, seconds: float = 20, **parameters: Any) -> list[tuple[Any, ...]]:
    with run_query(url, sql, parameters, seconds=seconds) as result:
        return list(result.rows)


def refusal(url: str, sql: str, *, seconds: float = 20, **parameters: Any) -> str:
    with pytest.raises(QueryError) as caught:
        ask(url, sql, seconds=seconds, **parameters)
    message = str(caught.value)
    assert "\n" not in message
    return message


# --- on both databases --------------------------------------------------------------------------------------------


def test_gives_columns_and_rows(pool_url: str) -> None:
    with run_query(
        pool_url, "SELECT name, mana_value AS mv FROM cards WHERE name LIKE 'Fire%' ORDER BY name"
    ) as result:
        assert result.columns == ("name", "mv")
        assert list(result.rows) == [("Fire // Ice", 4.0), ("Fireball", 1.0)]


def test_keeps_columns_without_rows_and_columns_of_one_name(pool_url: str) -> None:
    with run_query(pool_url, "SELECT 1 AS a, 2 AS a WHERE 1 = 2") as result:
        assert (result.columns, list(result.rows)) == (("a", "a"), [])


def test_binds_parameters_whatever_is_in_them(pool_url: str) -> None:
    sql = "SELECT name FROM cards WHERE name = :name AND mana_value < :mv"
    assert ask(pool_url, sql, name="Fire // Ice", mv=5) == [("Fire // Ice",)]
    assert ask(pool_url, sql, name="'; DROP TABLE cards; --", mv=5) == []
    assert ask(pool_url, "SELECT count(*) FROM cards WHERE name = :x OR name = :x", x="Forest") == [(1,)]


def test_tells_parameters_from_texts_casts_and_comments(pool_url: str) -> None:
    sql = """SELECT ':a', CAST(:a AS text) /* :b */, 'it''s :c', 100 % 7 -- :d"""
    assert ask(pool_url, sql, a="x") == [(":a", "x", "it's :c", 2)]


def test_wants_exactly_the_parameters_it_names(pool_url: str) -> None:
    assert ":mv has no value" in refusal(pool_url, "SELECT :mv")
    assert "no parameter :x" in refusal(pool_url, "SELECT 1", x=1)


def test_takes_one_statement_with_or_without_its_end(pool_url: str) -> None:
    assert ask(pool_url, " -- a comment\n SELECT 1 ; ") == [(1,)]
    assert ask(pool_url, "WITH x AS (SELECT 1 AS a) SELECT a FROM x;;") == [(1,)]
    assert ask(pool_url, "VALUES (1), (2)") == [(1,), (2,)]
    assert ask(pool_url, "SELECT 'a;b' /* ; */") == [("a;b",)]
    assert "only one statement" in refusal(pool_url, "SELECT 1; SELECT 2")
    assert "only one statement" in refusal(pool_url, "SELECT 1; DELETE FROM cards")
    assert "empty" in refusal(pool_url, "  ; ")
    assert "empty" in refusal(pool_url, "-- nothing")


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO keywords VALUES ('a', 'b')",
        "UPDATE cards SET name = 'x'",
        "DELETE FROM cards",
        "DROP TABLE cards",
        "CREATE TABLE t (a int)",
        "CREATE TEMP TABLE t (a int)",
        "CREATE INDEX i ON cards (name)",
        "ALTER TABLE cards ADD COLUMN x int",
        "REPLACE INTO keywords VALUES ('a', 'b')",
        "TRUNCATE cards",
        "BEGIN",
        "COMMIT",
        "ROLLBACK",
        "SAVEPOINT s",
        "ATTACH '/tmp/evil.db' AS evil",
        "DETACH main",
        "VACUUM",
        "VACUUM INTO '/tmp/evil.db'",
        "REINDEX",
        "ANALYZE",
        "PRAGMA query_only = OFF",
        "PRAGMA writable_schema = ON",
        "COPY cards TO '/tmp/evil'",
        "COPY (SELECT 1) TO PROGRAM 'touch /tmp/evil'",
        "SET transaction_read_only = off",
        "SET ROLE postgres",
        "DO $$ BEGIN DELETE FROM cards; END $$",
        "CALL evil()",
        "LOCK TABLE cards",
        "LISTEN x",
        "PREPARE x AS DELETE FROM cards",
        "EXECUTE x",
        "WITH x AS (SELECT 1) INSERT INTO keywords SELECT 'a', 'b'",
        "WITH x AS (SELECT 1) DELETE FROM cards",
        "WITH x AS (DELETE FROM cards RETURNING 1) SELECT * FROM x",
        "/* SELECT */ DELETE FROM cards",
        "EXPLAIN ANALYZE DELETE FROM cards",
    ],
)
def test_refuses_everything_but_reading(pool_url: str, sql: str) -> None:
    before = ask(pool_url, "SELECT count(*), min(name), max(name) FROM cards")
    refusal(pool_url, sql)
    assert ask(pool_url, "SELECT count(*), min(name), max(name) FROM cards") == before
    assert not Path("/tmp/evil").exists()
    assert not Path("/tmp/evil.db").exists()


def test_stops_a_query_that_never_ends(pool_url: str) -> None:
    started = time.monotonic()
    message = refusal(
        pool_url,
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT (x + 1) % 1000 FROM n) SELECT count(*) FROM n",
        seconds=0.3,
    )
    assert "longer than 0.3 s" in message
    assert time.monotonic() - started < 10


def test_stops_while_rows_are_read(pool_url: str) -> None:
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT (x + 1) % 1000 FROM n) SELECT x FROM n"
    with pytest.raises(QueryError, match="longer than"), run_query(pool_url, endless, seconds=0.5) as result:
        for _ in result.rows:
            pass


def test_computes_rows_only_as_they_are_read(pool_url: str) -> None:
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
    with run_query(pool_url, endless, seconds=20) as result:
        assert [next(result.rows) for _ in range(3)] == [(1,), (2,), (3,)]


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT nam\nFROM cards", r"nam.*line 1, character 8"),
        ("SELECT name\nFROM cars", r"cars.*line 2, character 6"),
        ("SELECT name\nFROM cards\nWERE x", r"line 3"),
        ("SELECT nope(1)", r"nope.*line 1, character 8"),
    ],
)
def test_says_where_it_is_wrong(pool_url: str, sql: str, message: str) -> None:
    assert re.search(message, refusal(pool_url, sql))


def test_reads_the_full_text_index(sqlite_pool_url: str) -> None:
    sql = "SELECT name FROM cards WHERE search_id IN (SELECT rowid FROM cards_fts WHERE cards_fts MATCH 'bolt')"
    assert ("Lightning Bolt",) in ask(sqlite_pool_url, sql)


@pytest.mark.parametrize(
    "expression", ['o:/^{T}: add/ "lim dul" or o:"~ enters" m:2WW', "-t:elf f:modern is:frenchvanilla"]
)
def test_runs_what_search_prints(pool_url: str, expression: str) -> None:
    engine = open_engine(pool_url)
    sql = str(build_search(expression).compile(engine, compile_kwargs={"literal_binds": True}))
    engine.dispose()
    assert isinstance(ask(pool_url, sql.replace("%%", "%")), list)


# --- SQLite -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT load_extension('evil')", "'load_extension' may not be called"),
        ("SELECT fts3_tokenizer('simple')", "'fts3_tokenizer' may not be called"),
        ("SELECT * FROM pragma_database_list", "this virtual table may not be read"),
        ("SELECT writefile('/tmp/evil', 'x')", "no such function"),
        ("SELECT edit('x')", "no such function"),
        ("SELECT zeroblob(1000000000)", "too big"),
        ("SELECT replace(hex(zeroblob(7000000)), '0', 'xxxxxxxxxx')", "too big"),
        ("SELECT 'x' REGEXP '(?:(?:(?:a{200}){200}){200})'", "regular expression"),
        ("SELECT 'x' REGEXP '('", "regular expression"),
    ],
)
def test_refuses_dangerous_functions(sqlite_pool_url: str, sql: str, message: str) -> None:
    assert message in refusal(sqlite_pool_url, sql)


def test_gives_any_value_as_it_is(sqlite_pool_url: str) -> None:
    sql = "SELECT x'00ff', 'a' || char(0) || 'b', CAST(x'ff' AS text), NULL, 1.5, 9223372036854775807"
    assert ask(sqlite_pool_url, sql) == [(b"\x00\xff", "a\x00b", "�", None, 1.5, 9223372036854775807)]


def test_tells_about_the_schema(sqlite_pool_url: str) -> None:
    columns = ask(sqlite_pool_url, "SELECT name FROM pragma_table_info('keywords')")
    assert columns == [("oracle_id",), ("keyword",)]
    assert ask(sqlite_pool_url, "EXPLAIN QUERY PLAN SELECT 1 FROM cards WHERE oracle_id = 'x'")


def test_allows_no_function_that_sqlite_calls_unsafe(sqlite_pool_url: str) -> None:
    connection = sqlite3.connect(":memory:")
    direct_only = 0x80000
    unsafe = {
        name
        for name, flags in connection.execute("SELECT name, flags FROM pragma_function_list")
        if flags & direct_only
    }
    assert not unsafe & FUNCTIONS


def test_does_not_change_a_byte_of_the_file(sqlite_pool_url: str) -> None:
    file = sqlite_file(open_engine(sqlite_pool_url).url)
    assert file is not None
    before = file.read_bytes()
    ask(sqlite_pool_url, "SELECT count(*) FROM cards")
    with pytest.raises(QueryError):
        ask(sqlite_pool_url, "WITH x AS (SELECT 1) DELETE FROM cards")
    assert file.read_bytes() == before


def test_reads_a_file_and_folder_that_nothing_may_write_to(sqlite_pool_url: str, tmp_path: Path) -> None:
    file = sqlite_file(open_engine(sqlite_pool_url).url)
    assert file is not None
    copy = tmp_path / "cards #1%.db"
    source, target = sqlite3.connect(file), sqlite3.connect(copy)
    source.backup(target)
    for connection in (source, target):
        connection.close()
    copy.chmod(stat.S_IRUSR)
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert ask(f"sqlite:///{copy}", "SELECT count(*) > 10 FROM cards") == [(1,)]
    finally:
        tmp_path.chmod(stat.S_IRWXU)


def test_says_that_there_is_no_database(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no database at"):
        ask(f"sqlite:///{tmp_path}/none.db", "SELECT 1")
    (tmp_path / "text.db").write_text("this is not a database, however long the text may be")
    with pytest.raises(StorageError, match="not a database"):
        ask(f"sqlite:///{tmp_path}/text.db", "SELECT 1")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["text.db"]


# --- PostgreSQL ---------------------------------------------------------------------------------------------------


@pytest.mark.postgresql
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT set_config('transaction_read_only', 'off', true)",
        "SELECT pg_catalog.set_config('statement_timeout', '0', true)",
        "SELECT \"set_config\"('statement_timeout', '0', true)",
        "SELECT set_config /* x */ ('statement_timeout', '0', true)",
        "SELECT lo_from_bytea(0, 'x')",
        "SELECT lo_export(1, '/tmp/evil')",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT * FROM pg_ls_dir('/')",
        "SELECT (ARRAY[pg_read_file('/etc/passwd')])[1]",
        "SELECT 1 AS a$x$, lo_export(1, '/tmp/evil') AS b$x$",
        "SELECT pg_terminate_backend(1)",
        "SELECT pg_advisory_lock(1)",
        "SELECT pg_sleep(100)",
        "SELECT nextval('sync_runs_id_seq')",
        "SELECT query_to_xml('DELETE FROM cards', true, true, '')",
        'SELECT U&"pg_sl\\0065ep"(100)',
        "SELECT name INTO evil FROM cards",
        "SELECT name FROM cards FOR UPDATE",
    ],
)
def test_refuses_functions_with_effects(postgresql_pool_url: str, sql: str) -> None:
    refusal(postgresql_pool_url, sql)


@pytest.mark.postgresql
def test_calls_functions_without_effects(postgresql_pool_url: str) -> None:
    assert ask(
        postgresql_pool_url, "SELECT lower('A'), $t$pg_sleep(1)$t$, length(current_setting('server_version')) > 0"
    )
    assert ask(postgresql_pool_url, "SELECT random() < 2") == [(True,)]
    assert ask(postgresql_pool_url, "SELECT 5 % 3, 'a%b', :x::int", x=1) == [(2, "a%b", 1)]


# --- the text of a statement --------------------------------------------------------------------------------------


def test_numbers_and_texts_as_parameters() -> None:
    assert [parse_parameter(text)[1] for text in ("a=3", "a=-0.5", "a=3x", "a=", "a=x=y", "a=1e5")] == [
        3,
        -0.5,
        "3x",
        "",
        "x=y",
        "1e5",
    ]
    for text in ("a", "=1", "1=1", "a b=1"):
        with pytest.raises(IndexerError, match="not a parameter"):
            parse_parameter(text)


def test_names_what_is_called() -> None:
    sql = """SELECT f(1), "G g"(2), h /* i(3) */ (4), 'j(5)', $$k(6)$$, E'\\'l(7)', m$n$(8) FROM o"""
    assert parse_statement(sql).called == {"f", "G g", "h", "m$n$"}
