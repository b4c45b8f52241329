"""`indexer explain`: cards by the words people have for them, every value with its steps, situations, bare costs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import Connection, select

from indexer.cli import cli
from indexer.errors import CardNotFound, ImpossibleSituation, IndexerError
from indexer.explain import explain_card, explain_in, load_card, load_melded
from indexer.rules.situations import Situation, Zone
from indexer.storage.lookup import find_oracle_id
from indexer.storage.models import Card, Mismatch
from tests.support.sample_pool import fill_pool, sample_records


@pytest.fixture(scope="module")
def database_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("pool") / "cards.db"
    url = f"sqlite:///{path.as_posix()}"
    twin = {**sample_records()[0], "name": "Æther \x1b[31mTrap", "oracle_id": "00000000-0000-4000-8000-000000000001"}
    fill_pool(url, [*sample_records(), twin]).dispose()
    return url


@pytest.fixture
def connection(database_url: str) -> Iterator[Connection]:
    from indexer.storage.engine import open_engine

    engine = open_engine(database_url)
    with engine.connect() as opened:
        yield opened
    engine.dispose()


def run(database_url: str, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["explain", *arguments, "--database-url", database_url])


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("Turn // Burn", "Turn // Burn"),
        ("turn // burn", "Turn // Burn"),
        ("Burn", "Turn // Burn"),
        ("  Goblin   War Party ", "Goblin War Party"),
        ("goblin war", "Goblin War Party"),
        ("Bosh", "Bosh, Iron Golem"),
    ],
    ids=["exact", "other-case", "face-name", "spaces", "start", "start-of-a-legend"],
)
def test_a_card_answers_to_its_names(connection: Connection, words: str, name: str) -> None:
    assert load_card(connection, words).card.name == name


def test_a_card_answers_to_its_oracle_id(connection: Connection) -> None:
    oracle_id, name = connection.execute(select(Card.oracle_id, Card.name).where(Card.layout == "saga").limit(1)).one()
    assert load_card(connection, oracle_id.upper()).card.name == name


def test_a_near_miss_suggests_names(connection: Connection) -> None:
    with pytest.raises(CardNotFound, match="Goblin War Party") as caught:
        find_oracle_id(connection, "Goblin War Prty")
    assert "Goblin War Party" in caught.value.suggestions


def test_an_ambiguous_start_lists_the_candidates(connection: Connection) -> None:
    with pytest.raises(CardNotFound, match="may be") as caught:
        find_oracle_id(connection, "A")
    assert len(caught.value.suggestions) > 1


def test_signs_of_a_pattern_are_plain_text(connection: Connection) -> None:
    with pytest.raises(CardNotFound, match="no card is named '%'"):
        find_oracle_id(connection, "%")


def test_a_stored_card_gives_the_values_that_are_stored(connection: Connection) -> None:
    """Rebuilt from the tables, the engine's card has the same values as when it came from its record."""
    rows = connection.execute(select(Card.__table__)).all()
    assert len(rows) > 80
    for row in rows:
        values = {
            value.field: value for value in explain_card(load_card(connection, row.oracle_id)).values if not value.face
        }
        stored = None if row.mana_value is None else f"{row.mana_value:g}"
        assert values["mana_value"].value in (stored, None if stored is None else str(int(row.mana_value))), row.name
        for field in ("colors", "color_identity", "produced_mana"):
            assert values[field].value == getattr(row, field), (row.name, field)
            assert values[field].decision == getattr(row, f"{field}_decision"), (row.name, field)


def test_every_value_has_steps_with_rule_and_place(connection: Connection) -> None:
    explanation = explain_card(load_card(connection, "Turn // Burn"))
    assert {value.field for value in explanation.values} == {
        "mana_value",
        "colors",
        "color_identity",
        "produced_mana",
    }
    for value in explanation.values:
        assert value.steps
        assert all(step.rule and step.meaning for step in value.steps)


def test_the_melded_card_is_found_from_its_part(connection: Connection) -> None:
    part = load_card(connection, "Hanweir Garrison")
    melded = load_melded(connection, part)
    assert melded.card.name == "Hanweir, the Writhing Township"
    assert explain_in(melded, Situation(Zone.BATTLEFIELD, melded=True)).values[0].value == "3"
    assert explain_in(melded, Situation(Zone.BATTLEFIELD, melded=True, copy=True)).values[0].value == "0"


@pytest.mark.parametrize(
    ("arguments", "value", "colors"),
    [
        (["Turn // Burn", "--face", "Burn", "--zone", "stack"], "2", "R"),
        (["Turn // Burn", "--fused"], "5", "UR"),
        (["Lunarch Veteran", "--transformed"], "1", "W"),
        (["Lunarch Veteran", "--transformed", "--copy"], "0", "W"),
        (["Hanweir Garrison", "--melded"], "3", ""),
        (["Frogmyr Enforcer", "--prototyped"], "4", "R"),
        (["Goblin War Party", "--face-down"], "0", ""),
        (["--cost", "{X}{2/W}{G/P}", "--x", "3", "--zone", "stack"], "6", "WG"),
        (["--cost", "{x}{hr}", "--x", "1/2"], "1", "R"),
        (["--cost", ""], "0", ""),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else None,
)
def test_options_name_a_situation(database_url: str, arguments: list[str], value: str, colors: str) -> None:
    result = run(database_url, *arguments, "--format", "json")
    assert result.exit_code == 0, result.output
    told = {entry["field"]: entry for entry in json.loads(result.stdout)["values"]}
    assert (told["mana_value"]["value"], told["colors"]["value"]) == (value, colors)
    assert told["mana_value"]["steps"][0].keys() == {"rule", "meaning", "basis", "place"}


def test_the_text_shows_what_is_published_where_it_differs(database_url: str) -> None:
    result = run(database_url, "Goblin War Party")
    assert "mana value: 4   [derived, CR 202.3]   PUBLISHED: 2" in result.stdout
    assert "  1. mana cost {3}: counts 3 (CR 202.3)" in result.stdout
    assert result.stdout.count("PUBLISHED") == 1


def test_it_contradicts_what_is_published_exactly_where_the_report_does(connection: Connection) -> None:
    for row in connection.execute(select(Card.__table__)).all():
        stored = load_card(connection, row.oracle_id)
        names = [face.name for face in stored.card.faces]
        contradicted = {
            (names.index(value.face) if value.face else None, value.field, value.published)
            for value in explain_card(stored).values
            if value.published is not None and value.value != value.published and value.decision == "derived"
        }
        reported = connection.execute(
            select(Mismatch.face_index, Mismatch.field, Mismatch.published).where(Mismatch.oracle_id == row.oracle_id)
        )
        assert contradicted == {tuple(mismatch) for mismatch in reported}, row.name


def test_a_name_never_reaches_the_terminal_raw(database_url: str) -> None:
    result = run(database_url, "00000000-0000-4000-8000-000000000001")
    assert "\x1b" not in result.stdout
    assert "\\x1b[31mTrap" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (["Goblin War Party", "--fused"], ImpossibleSituation, "702.102"),
        (["Goblin War Party", "--transformed"], ImpossibleSituation, "double-faced"),
        (["Turn // Burn", "--zone", "stack"], ImpossibleSituation, "which half"),
        (["Turn // Burn", "--face", "Water"], CardNotFound, "'Turn'"),
        (["Goblin War Party", "--x", "1/3"], ImpossibleSituation, "halves"),
        (["--cost", "{FOO}"], ValueError, "{FOO}"),
        (["No Such Card At All"], CardNotFound, "No Such Card At All"),
        ([""], CardNotFound, "no card was named"),
    ],
)
def test_wrong_use_is_one_clear_line(
    database_url: str, arguments: list[str], error: type[Exception], words: str
) -> None:
    result = run(database_url, *arguments)
    assert isinstance(result.exception, error)
    assert isinstance(result.exception, IndexerError)
    assert result.exception.exit_status == 2
    assert words in str(result.exception)
    assert "\n" not in str(result.exception)


def test_neither_or_both_of_card_and_cost_is_refused(database_url: str) -> None:
    assert run(database_url).exit_code == 2
    assert run(database_url, "Bosh", "--cost", "{1}").exit_code == 2


@pytest.mark.parametrize("number", ["1e9999999", "9" * 5000, "1/0", "nan", "3 or so"], ids=lambda n: n[:9])
def test_what_is_no_number_for_x_is_refused_at_once(database_url: str, number: str) -> None:
    result = run(database_url, "--cost", "{X}", "--x", number)
    assert result.exit_code == 2
    assert "is no number" in result.output
