"""The page in a real browser: sorting, filtering, opening, keyboard, accessibility, wide and narrow, light and dark."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from indexer.reports.change_formats import write_changes_page
from indexer.reports.changes import load_changes
from indexer.reports.mismatch_formats import Derivation, load_pool_facts
from indexer.reports.mismatches import MismatchFilter, load_mismatches
from indexer.reports.page import write_page
from indexer.rules.derivation import Step
from tests.support.report_pool import NAMES, NOUNS, add_change, fill_pool, memory_engine, oracle_id_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

NOW = dt.datetime(2026, 10, 12, 6, 0, tzinfo=dt.UTC)
STEPS = [
    Step("202.3", "the mana value is the total of the cost", "{1}{W/U}", "mana cost"),
    Step("202.3f", "a hybrid symbol counts its largest half", "{W/U}", "mana cost"),
]


def write_page_of(mismatches: int, path: Path) -> Path:
    engine = memory_engine()
    with engine.connect() as connection, path.open("w", encoding="utf-8") as stream:
        fill_pool(connection, mismatches)
        facts = load_pool_facts(connection)
        assert facts is not None
        rows = load_mismatches(connection, MismatchFilter(statuses=frozenset()))
        write_page(connection, rows, facts, stream, now=NOW, steps_for=lambda *_: Derivation(STEPS))
    engine.dispose()
    return path


@pytest.fixture(scope="module")
def page_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """The file of the page with so many mismatches, made once."""
    folder = tmp_path_factory.mktemp("pages")

    @cache
    def make(mismatches: int) -> Path:
        return write_page_of(mismatches, folder / f"{mismatches}.html")

    return make


@pytest.fixture(scope="module")
def page_of_20(page_of: Callable[[int], Path]) -> Path:
    """The page of twenty mismatches."""
    return page_of(20)


@pytest.fixture(scope="module")
def page_of_5000(page_of: Callable[[int], Path]) -> Path:
    """The page of five thousand mismatches."""
    return page_of(5000)


@pytest.fixture
def complaints() -> list[str]:
    """What the browser complained about."""
    return []


@pytest.fixture
def page(browser: Browser, complaints: list[str]) -> Iterator[Page]:
    """A browser page that notes every message and error, and every address asked for."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: complaints.append(request.url) if not request.url.startswith("file:") else None)
    page.set_default_timeout(10_000)
    yield page
    page.close()
    assert complaints == []


def names(page: Page) -> list[str]:
    return page.locator("#rows tbody:not([hidden]) .open").all_inner_texts()


def violations(page: Page) -> list[str]:
    from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]

    found: Any = Axe().run(page).response["violations"]
    return [
        f"{item['impact']} {item['id']}: {item['nodes'][0]['html'][:200]}"
        for item in found
        if item["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize(
    ("mismatches", "width", "scheme"),
    [
        *((number, width, scheme) for number in (0, 20) for width in (1280, 800, 360) for scheme in ("light", "dark")),
        (5000, 1280, "light"),
        (5000, 360, "dark"),
    ],
)
def test_readable_at_any_width_in_any_light(
    page: Page, page_of: Callable[[int], Path], mismatches: int, width: int, scheme: Literal["light", "dark"]
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.goto(page_of(mismatches).as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width, "the page must not scroll sideways"
    for button in page.locator("#rows tbody:not([hidden]) .open").all()[:3]:
        button.click()
    for summary in page.locator(".opened details summary").all():
        summary.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # Rows not shown have the same markup as those shown, and the checker would spend minutes on them.
    page.evaluate("document.querySelectorAll('#rows tbody[hidden]').forEach((body) => body.remove())")
    assert violations(page) == []


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_the_page_of_changes_is_readable_too(
    page: Page, tmp_path: Path, width: int, scheme: Literal["light", "dark"]
) -> None:
    path = tmp_path / "changes.html"
    engine = memory_engine()
    with engine.connect() as connection, path.open("w", encoding="utf-8") as stream:
        fill_pool(connection, 20)
        for number in range(5):
            card = oracle_id_of(f"{NAMES[number]} {NOUNS[number]}")
            add_change(connection, 12, card, "oracle_text", "Flying. Add {G}.", "Reach. Add {W/U}.")
            add_change(connection, 12, card, "published_colors", "", "WU" * (number > 2))
        write_changes_page(load_changes(connection), stream, now=NOW, limit=50)
    engine.dispose()
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.goto(path.as_uri())
    page.locator("summary").first.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(page) == []


def test_sorting_by_a_column_and_back(page: Page, page_of_20: Path) -> None:
    page.goto(page_of_20.as_uri())
    by_weight = names(page)
    heading = page.locator("#rows th", has_text="Card").first
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    assert names(page) == sorted(by_weight)
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    assert names(page) == sorted(by_weight, reverse=True)
    heading.locator("button").click()
    assert names(page) == by_weight


def test_sorting_numbers_and_rules_as_numbers(page: Page, page_of_20: Path) -> None:
    page.goto(page_of_20.as_uri())
    page.locator("#rows th.c-runs button").click()
    runs = [int(text) for text in page.locator(".row .c-runs").all_inner_texts()]
    assert runs == sorted(runs)
    assert max(runs) > 9
    page.locator("#rows th.c-rule button").click()
    rules = page.locator(".row .c-rule").all_inner_texts()
    assert rules[0].startswith("106.7")
    assert rules[-1].startswith("903.4")
    sorting = page.locator("th[aria-sort=ascending]").all_inner_texts()
    assert len(sorting) == 1, "only one column is said to be sorted"


def test_filtering(page: Page, page_of_20: Path) -> None:
    page.goto(page_of_20.as_uri())
    page.locator("#q").fill("colossus lost")
    assert names(page) == ["Lost Colossus"]
    assert page.locator("#shown").inner_text() == "1 of 20 mismatches."
    page.locator("#q").fill("no such card")
    assert page.locator("#shown").inner_text() == "No mismatch fits."
    page.locator("[type=reset]").click()
    page.locator("#f-field").select_option("colors")
    colors = len(names(page))
    assert 0 < colors < 20
    page.locator("#f-category").select_option("policy")
    assert 0 < len(names(page)) < colors
    page.locator("[type=reset]").click()
    page.locator("#only-new").check()
    assert set(names(page)) == set(page.locator("tbody[data-new] .open").all_inner_texts())
    page.locator("[type=reset]").click()
    page.locator("#shown", has_text="20 mismatches.").wait_for()


def test_opening_a_row_shows_the_derivation(page: Page, page_of_20: Path) -> None:
    page.goto(page_of_20.as_uri())
    button = page.locator(".open").first
    detail = page.locator("tr.detail").first
    assert (button.get_attribute("aria-expanded"), detail.is_visible()) == ("false", False)
    button.click()
    assert (button.get_attribute("aria-expanded"), detail.is_visible()) == ("true", True)
    assert "a hybrid symbol counts its largest half" in detail.inner_text()
    assert detail.locator(".steps [aria-label='white or blue']").count() == 2
    detail.get_by_text("Correction, ready to send").click()
    assert "is published as" in detail.locator("pre").inner_text()
    page.locator(".row .val").first.click()
    assert not detail.is_visible(), "a click anywhere in the row folds it again"


def test_by_keyboard_alone(page: Page, page_of_20: Path) -> None:
    page.goto(page_of_20.as_uri())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("Tab")
    page.keyboard.type("silver heir")
    assert names(page) == ["Silver Heir"]
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.className") == "open":
            break
    page.keyboard.press("Enter")
    assert page.locator(".opened tr.detail").is_visible()
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid", "where the focus is must be seen"


def test_a_link_to_a_row_opens_it_even_if_it_is_far_down(page: Page, page_of_5000: Path) -> None:
    page.goto(page_of_5000.as_uri())
    last = page.locator("#rows tbody").last.get_attribute("id")
    page.goto(f"{page_of_5000.as_uri()}#{last}")
    page.wait_for_selector(f"#{last} tr.detail", state="visible")


def test_very_many_rows_come_a_hundred_at_a_time(page: Page, page_of_5000: Path) -> None:
    page.goto(page_of_5000.as_uri())
    assert len(names(page)) == 100
    assert page.locator("#shown").inner_text() == "The first 100 of 5,000 that fit."
    page.locator("#more").click()
    assert len(names(page)) == 200
    page.locator("#q").fill("colossus 54")
    assert page.locator("#more").is_hidden()
    page.locator("[type=reset]").click()
    page.locator("#all").click()
    assert page.locator("#rows tbody:not([hidden])").count() == 5000


def test_print_shows_every_row_and_no_controls(page: Page, page_of_5000: Path) -> None:
    page.goto(page_of_5000.as_uri())
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.locator("#rows tbody:not([hidden])").count() == 5000
    assert page.locator(".filters").is_hidden()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("#rows tbody:not([hidden])").count() == 100


def test_without_its_script_the_page_shows_everything(browser: Browser, page_of_20: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(page_of_20.as_uri())
    assert page.locator("tr.detail").first.is_visible()
    assert page.locator(".filters").is_hidden()
    context.close()
