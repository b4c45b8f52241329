"""The acceptance file: what it may say, and what applying it does."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, select, update

from indexer.acceptances import Acceptance, apply_acceptances, load_acceptances
from indexer.errors import ConfigError
from indexer.storage.models import Mismatch, SyncRun
from indexer.storage.runs import prune_runs
from tests.support.report_pool import add_card, add_mismatch, add_run, memory_engine, oracle_id_of

TODAY = dt.date(2026, 10, 5)
ENTRY = """
[[accept]]
card = "Goblin War Party"
field = "mana_value"
published = "2"
reason = "Reported."
who = "ana"
expires = 2026-12-31
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "accepted.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_good_file(tmp_path: Path) -> None:
    text = ENTRY + ENTRY.replace('"mana_value"', '"color_identity"\nface = 1').replace('"2"', '"RW"')
    first, second = load_acceptances(write(tmp_path, text))
    assert first == Acceptance(
        1, "Goblin War Party", "mana_value", None, "2", "Reported.", "ana", dt.date(2026, 12, 31)
    )
    assert (second.entry, second.face, second.published) == (2, 1, "WR")


def test_the_file_that_comes_with_the_project_is_good() -> None:
    path = Path(__file__).parent.parent / "data" / "accepted.toml"
    assert load_acceptances(path, missing_ok=False) == ()
    example = "\n".join(
        line[2:].removeprefix("# ") for line in path.read_text(encoding="utf-8").split("\n#\n")[-1].splitlines()
    )
    assert example.startswith("[[accept]]")
    (entry,) = load_acceptances_from(example)
    assert entry.face == 1


def load_acceptances_from(text: str) -> tuple[Acceptance, ...]:
    import tomllib

    from indexer.acceptances import parse_acceptances

    return parse_acceptances(tomllib.loads(text), "example")


def test_no_file(tmp_path: Path) -> None:
    assert load_acceptances(tmp_path / "none.toml") == ()
    with pytest.raises(ConfigError, match=r"no acceptance file '.*none\.toml'"):
        load_acceptances(tmp_path / "none.toml", missing_ok=False)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[[accept]]", "[[accept", "not a TOML file"),
        ("[[accept]]", "[accept]", "two brackets"),
        pytest.param('who = "ana"', f"who = {'[' * 10_000}", "not a TOML file", id="nested-without-end"),
        ("[[accept]]", "[[acept]]", "unknown table 'acept'"),
        ('who = "ana"', "", r"entry 1 \('Goblin War Party'\): 'who' is missing"),
        ('who = "ana"', 'who = " "', "'who' must be text that isn't empty"),
        ('who = "ana"', 'who = "ana"\nuntil = 1', "unknown key 'until'"),
        ('"mana_value"', '"cmc"', "unknown field 'cmc'"),
        ("2026-12-31", '"2026-12-31"', "'expires' must be a date without quotes"),
        ("2026-12-31", "2026-12-31T00:00:00Z", "'expires' must be a date"),
        ('"2"', '"two"', "'published' must be a number, is 'two'"),
        ('"2"', "nan", "'published' must be a number"),
        ('"2"', "true", "'published' must be a number"),
        ('"mana_value"', '"colors"', "'published' must be letters of WUBRG"),
        ('"mana_value"', '"mana_value"\nface = true', "'face' must be a number"),
    ],
)
def test_a_bad_entry_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_acceptances(write(tmp_path, ENTRY.replace(old, new)))


def test_the_second_bad_entry_is_the_second(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"entry 2 .*'who' is missing"):
        load_acceptances(write(tmp_path, ENTRY + ENTRY.replace('who = "ana"', "")))
    with pytest.raises(ConfigError, match="entries 1 and 2 accept the same value"):
        load_acceptances(write(tmp_path, ENTRY + ENTRY))


@pytest.fixture
def connection() -> Iterator[Connection]:
    engine = memory_engine()
    with engine.connect() as connection:
        add_run(connection)
        add_run(connection, 2)
        card = add_card(connection, "Goblin War Party", faces=("Goblin War Party", "Other Half"))
        add_mismatch(connection, card, published="2", computed="4")
        add_mismatch(connection, card, face_index=1, field="colors", published="", computed="R")
        yield connection
    engine.dispose()


def acceptance(**changes: object) -> Acceptance:
    values: dict[str, object] = {
        "entry": 1,
        "card": "Goblin War Party",
        "field": "mana_value",
        "face": None,
        "published": "2",
        "reason": "Reported.",
        "who": "ana",
        "expires": dt.date(2026, 12, 31),
        **changes,
    }
    return Acceptance(**values)  # type: ignore[arg-type]


def state(connection: Connection, number: int = 1) -> tuple[str, str | None, int | None]:
    row = connection.execute(
        select(Mismatch.status, Mismatch.status_reason, Mismatch.reopened_run_id).where(Mismatch.id == number)
    ).one()
    return row.status, row.status_reason, row.reopened_run_id


@pytest.mark.parametrize("card", ["Goblin War Party", oracle_id_of("Goblin War Party")])
def test_accepting_by_name_or_id(connection: Connection, card: str) -> None:
    outcome = apply_acceptances(connection, [acceptance(card=card)], today=TODAY, run_id=2)
    assert outcome.accepted == ["Goblin War Party, mana_value: accepted by ana until 2026-12-31: Reported."]
    assert state(connection) == ("accepted", "accepted by ana until 2026-12-31: Reported.", None)
    assert state(connection, 2) == ("open", None, None)
    again = apply_acceptances(connection, [acceptance(card=card)], today=TODAY, run_id=2)
    assert (again.changed, again.still_accepted) == (False, 1)


@pytest.mark.parametrize("face", [1, "Other Half"])
def test_accepting_a_value_of_a_face(connection: Connection, face: int | str) -> None:
    entry = acceptance(face=face, field="colors", published="")
    assert apply_acceptances(connection, [entry], today=TODAY).accepted == [
        "Goblin War Party (Other Half), colors: accepted by ana until 2026-12-31: Reported."
    ]
    assert state(connection)[0] == "open"


def test_an_acceptance_holds_through_its_last_day_and_then_reopens(connection: Connection) -> None:
    entries = [acceptance(expires=TODAY)]
    apply_acceptances(connection, entries, today=TODAY)
    assert state(connection)[0] == "accepted"
    outcome = apply_acceptances(connection, entries, today=TODAY + dt.timedelta(days=1), run_id=2)
    reason = "the acceptance by ana ended on 2026-10-05 (Reported.)"
    assert outcome.reopened == [f"Goblin War Party, mana_value: {reason}"]
    assert state(connection) == ("open", reason, 2)


def test_a_changed_value_reopens(connection: Connection) -> None:
    apply_acceptances(connection, [acceptance()], today=TODAY)
    connection.execute(update(Mismatch).where(Mismatch.id == 1).values(published="7"))
    apply_acceptances(connection, [acceptance()], today=TODAY, run_id=2)
    assert state(connection) == ("open", "accepted by ana for the published value '2', which is now '7'", 2)
    renewed = [acceptance(), acceptance(entry=2, published="7")]
    assert apply_acceptances(connection, renewed, today=TODAY).accepted != []


def test_an_entry_taken_out_reopens(connection: Connection) -> None:
    apply_acceptances(connection, [acceptance()], today=TODAY)
    apply_acceptances(connection, [], today=TODAY, run_id=2)
    assert state(connection) == ("open", "the acceptance was taken out of the file", 2)


def test_a_resolved_mismatch_is_left_alone_and_its_entry_called_unused(connection: Connection) -> None:
    connection.execute(update(Mismatch).where(Mismatch.id == 1).values(status="resolved", resolved_run_id=2))
    outcome = apply_acceptances(connection, [acceptance()], today=TODAY)
    assert state(connection)[0] == "resolved"
    assert outcome.unused == ["entry 1 ('Goblin War Party', mana_value) has no open mismatch: it can be removed"]


def test_a_name_that_fits_two_cards_accepts_none(connection: Connection) -> None:
    twin = add_card(connection, "Goblin War Party", identity="twin")
    add_mismatch(connection, twin, published="2", computed="4")
    outcome = apply_acceptances(connection, [acceptance()], today=TODAY)
    assert not outcome.changed
    assert outcome.unused == [
        "entry 1 ('Goblin War Party', mana_value) fits several cards of that name: give the oracle id"
    ]
    assert apply_acceptances(connection, [acceptance(card=twin)], today=TODAY).accepted != []


def test_the_run_that_reopened_is_not_forgotten(connection: Connection) -> None:
    idle = add_run(connection, 3, outcome="up_to_date")
    apply_acceptances(connection, [acceptance()], today=TODAY)
    apply_acceptances(connection, [], today=TODAY, run_id=idle)
    other = add_run(connection, 4, outcome="up_to_date")
    connection.exec_driver_sql("PRAGMA foreign_keys = ON")
    prune_runs(connection, keep=0)
    assert state(connection)[2] == idle
    kept = set(connection.scalars(select(SyncRun.id)))
    assert idle in kept
    assert other not in kept
