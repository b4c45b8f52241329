"""The views: the revision makes what the code says, and each answers its question rightly on a small pool."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from alembic import command
from sqlalchemy import Engine, inspect, select, text

from indexer.storage.engine import open_engine
from indexer.storage.migrate import alembic_config, create_schema, migrations_dir
from indexer.storage.views import VIEWS, view_sql, view_table
from tests.support.pools import fill_pool, raw_card
from tests.support.servers import fresh_database

REVISION = "0002_views_for_what_people_ask_most"


def tokens(sql: str) -> list[str]:
    """A statement without its line breaks."""
    return re.findall(r"'(?:[^']|'')*'|\w+|[^\w\s]", sql)


@pytest.fixture(scope="module")
def revision() -> ModuleType:
    path = migrations_dir() / "versions" / f"{REVISION}.py"
    spec = importlib.util.spec_from_file_location(REVISION, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql"])
def test_the_revision_holds_the_same_sql_as_the_code(revision: ModuleType, dialect: str) -> None:
    assert list(revision.VIEWS) == list(VIEWS)
    for name, definition in revision.VIEWS.items():
        assert tokens(definition.format(**revision.WORDS[dialect])) == tokens(view_sql(name, dialect)), name


def migrated(url: str) -> Engine:
    """A database that every revision has been run on."""
    engine = open_engine(url)
    config = alembic_config()
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
    return engine


def created(url: str) -> Engine:
    """A database that was made in one step."""
    engine = open_engine(url)
    with engine.begin() as connection:
        create_schema(connection)
    return engine


def test_sqlite_has_the_same_views_both_ways(tmp_path: Path) -> None:
    views = "SELECT name, sql FROM sqlite_master WHERE type = 'view' ORDER BY name"
    found = []
    for engine in (migrated(f"sqlite:///{tmp_path}/a.db"), created(f"sqlite:///{tmp_path}/b.db")):
        with engine.connect() as connection:
            found.append([(name, tokens(sql)) for name, sql in connection.execute(text(views))])
    assert found[0] == found[1]
    assert [name for name, _ in found[0]] == sorted(VIEWS)


@pytest.mark.postgresql
def test_postgresql_has_the_same_views_both_ways(postgresql_url: str) -> None:
    definitions = "SELECT viewname, definition FROM pg_views WHERE schemaname = 'public' ORDER BY viewname"
    engine = created(postgresql_url)
    with engine.begin() as connection:
        one_step = connection.execute(text(definitions)).all()
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    with migrated(postgresql_url).connect() as connection:
        assert connection.execute(text(definitions)).all() == one_step
    assert [name for name, _ in one_step] == sorted(VIEWS)


def test_the_revision_can_be_taken_back_and_made_again(tmp_path: Path) -> None:
    engine = migrated(f"sqlite:///{tmp_path}/cards.db")
    config = alembic_config()
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "0001")
        assert inspect(connection).get_view_names() == []
        command.upgrade(config, "0002")
        assert inspect(connection).get_view_names() == sorted(VIEWS)


@pytest.mark.parametrize("name", VIEWS)
def test_the_columns_are_those_that_the_code_names(pool: Engine, name: str) -> None:
    described = view_table(name)
    with pool.connect() as connection:
        assert list(connection.execute(text(f"SELECT * FROM {name}")).keys()) == list(described.columns.keys())
        # Reads each column by its type.
        connection.execute(select(described)).all()


RECORDS = [
    raw_card(
        "Kitchen Fox",
        "{1}{G/W}{G/W}",
        "Creature — Fox",
        "Persist",
        cmc=3,
        colors=["G", "W"],
        color_identity=["G", "W"],
        keywords=["Persist"],
        edhrec_rank=40,
    ),
    raw_card(
        "Fire // Ice",
        "{1}{R} // {1}{U}",
        "Instant // Instant",
        layout="split",
        cmc=4,
        colors=["U", "R"],
        color_identity=["U", "R"],
        legalities={"commander": "legal", "pauper": "legal", "vintage": "legal"},
        card_faces=[
            {"name": "Fire", "mana_cost": "{1}{R}", "type_line": "Instant", "oracle_text": "Deal 2 damage."},
            {"name": "Ice", "mana_cost": "{1}{U}", "type_line": "Instant", "oracle_text": "Tap a permanent."},
        ],
    ),
    raw_card(
        "Bosh, the Golem",
        "{8}",
        "Legendary Artifact Creature — Golem",
        "Trample\n{3}{R}, Sacrifice an artifact: Deal damage.",
        cmc=8,
        color_identity=[],  # Published wrong: the symbol in the text counts.
        keywords=["Trample"],
    ),
    raw_card(
        "Ancient Mox",
        "{0}",
        "Artifact",
        "{T}: Add {C}.",
        cmc=0,
        legalities={"commander": "banned", "vintage": "restricted", "modern": "not_legal"},
    ),
    raw_card("Red Dryad Grove", "", "Land Creature — Forest", "", cmc=0, color_identity=["G"]),
    raw_card(
        "Tibor, Wanderer",
        "{2}{U}{U}",
        "Legendary Planeswalker — Tibor",
        "−1: Draw a card.\nTibor, Wanderer can be your commander.",
        cmc=4,
        colors=["U"],
        color_identity=["U"],
    ),
    raw_card(
        "Una, Exile",
        "{W}{U}{B}{R}{G}",
        "Legendary Planeswalker — Una",
        "−1: Draw a card.\nUna, Exile can be your Commander.",
        cmc=5,
        colors=["W", "U", "B", "R", "G"],
        color_identity=["W", "U", "B", "R", "G"],
    ),
    raw_card("Old Walker", "{U}", "Legendary Planeswalker", "Draw.", cmc=1, colors=["U"], color_identity=["U"]),
    raw_card(
        "Noble Upbringing",
        "{1}{W}",
        "Legendary Enchantment — Background",
        "Commander creatures you own have vigilance.",
        cmc=2,
        colors=["W"],
        color_identity=["W"],
    ),
    raw_card(
        "Arden, Guide",
        "{R}",
        "Legendary Creature — Human",
        "Partner with Bosh, the Golem\nPartner",
        cmc=1,
        colors=["R"],
        color_identity=["R"],
        keywords=["Partner with", "Partner", "Haste"],
    ),
    raw_card("Station Prime", "{3}", "Legendary Artifact — Spacecraft", "Station", cmc=3, power="5", toughness="5"),
    raw_card("Station Elevator", "{3}", "Legendary Artifact — Spacecraft", "Station", cmc=3),
    raw_card("Star Chariot", "{4}", "Legendary Artifact — Vehicle", "Crew 2", cmc=4, power="4", toughness="4"),
    raw_card("Golem", "", "Token Legendary Creature — Golem", "", layout="token", cmc=0, legalities={}),
    raw_card(
        "Left, the Angel",
        "{2}{W}",
        "Legendary Creature — Angel",
        "Flying",
        layout="meld",
        cmc=3,
        colors=["W"],
        color_identity=["W"],
        all_parts=[
            {"component": "meld_part", "name": "Left, the Angel", "id": "a"},
            {"component": "meld_part", "name": "Right, the Angel", "id": "b"},
            {"component": "meld_result", "name": "Whole, the Angel", "id": "c"},
        ],
    ),
    raw_card(
        "Right, the Angel",
        "{3}{W}",
        "Legendary Creature — Angel",
        "Flying",
        layout="meld",
        cmc=4,
        colors=["W"],
        color_identity=["W"],
        all_parts=[
            {"component": "meld_part", "name": "Left, the Angel", "id": "a"},
            {"component": "meld_part", "name": "Right, the Angel", "id": "b"},
            {"component": "meld_result", "name": "Whole, the Angel", "id": "c"},
        ],
    ),
    raw_card(
        "Whole, the Angel",
        "",
        "Legendary Creature — Angel",
        "Flying",
        layout="meld",
        cmc=7,
        colors=["W"],
        color_indicator=["W"],
        color_identity=["W"],
        all_parts=[
            {"component": "meld_part", "name": "Left, the Angel", "id": "a"},
            {"component": "meld_part", "name": "Right, the Angel", "id": "b"},
            {"component": "meld_result", "name": "Whole, the Angel", "id": "c"},
        ],
    ),
]

GONE = raw_card("Gone, the Departed", "{G}{G}", "Legendary Creature", cmc=5, colors=["G"], color_identity=["G"])


def filled(engine: Engine) -> Engine:
    """The pool after two runs, with one card that the second no longer has."""
    fill_pool(engine, [*RECORDS, GONE], day=1)
    fill_pool(engine, RECORDS, day=2)
    return engine


@pytest.fixture(scope="module")
def sqlite_pool(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return filled(open_engine(f"sqlite:///{tmp_path_factory.mktemp('views')}/cards.db"))


@pytest.fixture(scope="module")
def postgresql_pool(postgresql_server: str) -> Iterator[Engine]:
    with fresh_database(postgresql_server) as url:
        engine = filled(open_engine(url))
        yield engine
        engine.dispose()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def pool(request: pytest.FixtureRequest) -> Engine:
    """The pool on each kind of database."""
    engine = request.getfixturevalue(f"{request.param}_pool")
    assert isinstance(engine, Engine)
    return engine


def answer(pool: Engine, sql: str) -> list[tuple[object, ...]]:
    with pool.connect() as connection:
        return [tuple(row) for row in connection.execute(text(sql))]


def test_every_view_leaves_out_what_left_the_export(pool: Engine) -> None:
    gone = "SELECT count(*) FROM {} WHERE name = 'Gone, the Departed'"
    assert answer(pool, gone.format("cards")) == [(1,)]
    for view in VIEWS:
        if view != "mana_curve":
            assert answer(pool, gone.format(view)) == [(0,)], view
    assert answer(pool, "SELECT format FROM mana_curve WHERE colors = 'G'") == []


class TestCardOverview:
    def test_a_card_is_one_row_with_everything_joined(self, pool: Engine) -> None:
        (row,) = answer(
            pool,
            "SELECT faces, types, subtypes, colors, color_identity, color_identity_sources, keywords, legal_in, "
            "open_mismatches FROM card_overview WHERE name = 'Bosh, the Golem'",
        )
        assert row == (
            1,
            "Artifact, Creature",
            "Golem",
            "",
            "R",
            "R rules_text",
            "Trample",
            "commander, vintage",
            1,
        )

    def test_a_card_of_two_faces_is_one_row_too(self, pool: Engine) -> None:
        (row,) = answer(
            pool,
            "SELECT faces, mana_value, types, subtypes, color_identity_sources, keywords, legal_in, open_mismatches "
            "FROM card_overview WHERE name = 'Fire // Ice'",
        )
        assert row == (2, 4.0, "Instant", None, "U mana_cost, R mana_cost", None, "commander, pauper, vintage", 0)

    def test_restricted_is_legal_and_banned_is_not(self, pool: Engine) -> None:
        assert answer(pool, "SELECT legal_in FROM card_overview WHERE name = 'Ancient Mox'") == [("vintage",)]

    def test_nothing_joined_is_null(self, pool: Engine) -> None:
        assert answer(pool, "SELECT legal_in, keywords FROM card_overview WHERE name = 'Golem'") == [(None, None)]


class TestLegalCards:
    def test_a_format_has_its_legal_and_restricted_cards(self, pool: Engine) -> None:
        assert answer(pool, "SELECT name, status FROM legal_cards WHERE format = 'pauper'") == [
            ("Fire // Ice", "legal")
        ]
        assert answer(pool, "SELECT status, count(*) FROM legal_cards WHERE format = 'vintage' GROUP BY status") in (
            [("legal", len(RECORDS) - 3), ("restricted", 1)],
            [("restricted", 1), ("legal", len(RECORDS) - 3)],
        )
        assert answer(pool, "SELECT * FROM legal_cards WHERE format = 'modern'") == []

    def test_what_two_cards_meld_into_is_no_card_for_a_deck(self, pool: Engine) -> None:
        for view in ("legal_cards", "commanders", "commander_cards"):
            assert answer(pool, f"SELECT DISTINCT name FROM {view} WHERE name LIKE '%, the Angel' ORDER BY name") == [
                ("Left, the Angel",),
                ("Right, the Angel",),
            ]


class TestCommanders:
    def test_who_can_be_one(self, pool: Engine) -> None:
        rows = answer(pool, "SELECT name, alone, pairing FROM commanders")
        assert sorted(rows) == [
            ("Arden, Guide", True, "Partner, Partner with"),
            ("Bosh, the Golem", True, None),
            ("Left, the Angel", True, None),
            ("Noble Upbringing", False, None),  # A Background goes beside a commander only (CR 702.124k).
            ("Right, the Angel", True, None),
            ("Star Chariot", True, None),
            ("Station Prime", True, None),  # CR 903.3: with a power and toughness box.
            ("Tibor, Wanderer", True, None),  # CR 903.3a: it says so.
            ("Una, Exile", True, None),  # So does this one, with a capital letter.
        ]

    def test_what_fits_by_color_identity(self, pool: Engine) -> None:
        fitting = "SELECT name FROM commander_cards WHERE commander = '{}' ORDER BY name"
        # Ancient Mox is banned, the token is no card; the rest is colorless or red.
        assert [name for (name,) in answer(pool, fitting.format("Bosh, the Golem"))] == [
            "Arden, Guide",
            "Star Chariot",
            "Station Elevator",
            "Station Prime",
        ]
        assert [name for (name,) in answer(pool, fitting.format("Station Prime"))] == [
            "Star Chariot",
            "Station Elevator",
        ]

    def test_the_mask_says_the_same_as_the_view(self, pool: Engine) -> None:
        by_mask = answer(
            pool,
            "SELECT m.name, c.name FROM commanders AS m JOIN legal_cards AS c "
            "ON c.color_identity_mask & ~m.color_identity_mask = 0 AND c.name != m.name "
            "WHERE c.format = 'commander' AND c.status = 'legal' ORDER BY 1, 2",
        )
        assert by_mask == answer(pool, "SELECT commander, name FROM commander_cards ORDER BY 1, 2")
        assert len(by_mask) > 20


class TestManaCurve:
    def test_counts_spells_by_color_and_mana_value(self, pool: Engine) -> None:
        rows = answer(
            pool,
            "SELECT colors, mana_value, cards, creatures FROM mana_curve WHERE format = 'vintage' ORDER BY 1, 2",
        )
        assert rows == [
            ("", 0, 1, 0),  # Ancient Mox; the land that is a creature is no spell.
            ("", 3, 2, 0),
            ("", 4, 1, 0),
            ("", 8, 1, 1),
            ("R", 1, 1, 1),
            ("U", 1, 1, 0),
            ("U", 4, 1, 0),
            ("UR", 4, 1, 0),
            ("W", 2, 1, 0),
            ("W", 3, 1, 1),
            ("W", 4, 1, 1),
            ("WG", 3, 1, 1),
            ("WUBRG", 5, 1, 0),
        ]


class TestDevotion:
    def test_a_hybrid_symbol_counts_for_both_colors(self, pool: Engine) -> None:
        rows = answer(pool, "SELECT color, pips, permanent FROM devotion WHERE name = 'Kitchen Fox' ORDER BY color")
        assert rows == [("G", 2, True), ("W", 2, True)]

    def test_each_half_has_its_own_and_a_spell_is_no_permanent(self, pool: Engine) -> None:
        rows = answer(
            pool, "SELECT face_index, color, pips, permanent FROM devotion WHERE name IN ('Fire', 'Ice') ORDER BY 1"
        )
        assert rows == [(0, "R", 1, False), (1, "U", 1, False)]

    def test_symbols_in_the_text_and_generic_mana_do_not_count(self, pool: Engine) -> None:
        assert answer(pool, "SELECT * FROM devotion WHERE name = 'Bosh, the Golem'") == []


class TestSituations:
    def test_each_situation_has_the_names_of_card_and_face(self, pool: Engine) -> None:
        rows = answer(
            pool,
            "SELECT face, situation, mana_value, rule FROM situations WHERE name = 'Fire // Ice' "
            "ORDER BY face_index, situation",
        )
        assert rows == [
            ("Fire", "card", 4, "202.3d"),
            ("Fire", "face_down", 0, "708.2"),
            ("Fire", "half_on_stack", 2, "202.3d"),
            ("Ice", "half_on_stack", 2, "202.3d"),
        ]


class TestOpenMismatches:
    def test_each_has_its_card_and_since_when(self, pool: Engine) -> None:
        (row,) = answer(
            pool,
            "SELECT name, face_index, face, field, published, computed, rule, object_kind, first_seen_run_id "
            "FROM open_mismatches",
        )
        assert row == ("Bosh, the Golem", None, None, "color_identity", "", "R", "903.4", "card", 1)

    def test_the_moment_is_that_of_the_first_run(self, pool: Engine) -> None:
        view = view_table("open_mismatches")
        with pool.connect() as connection:
            (moment,) = connection.execute(select(view.c.first_seen_at)).one()
        assert moment.isoformat() == "2026-11-01T04:00:00+00:00"
