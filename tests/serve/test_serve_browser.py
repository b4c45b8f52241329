"""`indexer serve` in a real browser: what a person would do there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.serve.conftest import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.browser


@pytest.fixture
def page(browser: Browser, served: Served) -> Iterator[Page]:
    """A page of the browser, at the database; nothing may go wrong in it, nor reach for another server."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    # What is still loading when the next page is asked for is cut off: that is no fault.
    page.on(
        "requestfailed",
        lambda request: None if request.failure == "net::ERR_ABORTED" else complaints.append(f"failed: {request.url}"),
    )
    page.on(
        "request",
        lambda request: None if request.url.startswith("http://127.0.0.1:") else complaints.append(request.url),
    )
    page.goto(served.address)
    yield page
    page.close()
    assert complaints == []


def cells(page: Page, column: str) -> Locator:
    """The cells of a column. What is expected of them may come a moment later."""
    return page.locator(f"table.rows-and-columns td.col-{column}")


def test_a_question_is_asked_by_two_clicks(page: Page) -> None:
    question = "Which cards of mana value 2 or less fit my commander?"
    page.get_by_role("link", name=question).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(question)
    expect(cells(page, "name")).to_have_count(0)
    page.get_by_role("link", name="commander = Alesha, Who Smiles at Death").click()
    expect(cells(page, "name")).to_have_count(8)
    expect(cells(page, "name").first).to_have_text("Dark Ritual")


def test_a_question_is_asked_about_something_else(page: Page) -> None:
    page.get_by_role("link", name="What is a card worth in each situation?").click()
    page.get_by_label("name").fill("Bonecrusher Giant // Stomp")
    page.get_by_role("button", name="Run SQL").click()
    expect(cells(page, "situation")).to_have_text(["card", "copy", "face_down", "adventure", "copy_of_adventure"])
    expect(cells(page, "mana_value")).to_have_text(["3.0", "3.0", "0.0", "2.0", "2.0"])


def test_no_form_fails_before_anything_is_typed_in(page: Page) -> None:
    page.get_by_role("link", name="Which cards say something about sacrificing a creature?").click()
    expect(page.get_by_label("words")).to_be_visible()
    page.get_by_label("words").fill("persist")
    page.get_by_role("button", name="Run SQL").click()
    expect(cells(page, "name")).to_have_text(["Kitchen Finks"])


def test_the_rows_of_a_wide_table_are_on_the_first_screen(page: Page, served: Served) -> None:
    page.goto(f"{served.address}/cards?_facet_size=3")
    described = page.locator("dl.column-descriptions")
    box = described.bounding_box()
    assert box is not None
    assert box["height"] < 200
    # All of them are there, by scrolling down and not sideways.
    assert described.locator("dt").count() > 40
    assert described.evaluate("list => list.scrollHeight > list.clientHeight && list.scrollWidth <= list.clientWidth")
    first = page.locator("table.rows-and-columns tbody tr").first.bounding_box()
    assert first is not None
    assert first["y"] < 900


def test_searching_and_narrowing_by_a_facet(page: Page, served: Served) -> None:
    page.goto(f"{served.address}/card_overview")
    page.get_by_label("Search").fill("flying")
    page.keyboard.press("Enter")
    expect(page.get_by_text('where search matches "flying"')).to_be_visible()
    page.locator(".facet-results").get_by_role("link", name="WR", exact=True).click()
    expect(cells(page, "name")).to_have_text(["Archangel Avacyn // Avacyn, the Purifier"])
    expect(cells(page, "keywords")).to_have_text(["Flash, Flying, Transform, Vigilance"])


def test_from_a_mismatch_to_its_card(page: Page, served: Served) -> None:
    page.goto(f"{served.address}/mismatches?field=mana_value")
    page.get_by_role("link", name="Turn // Burn").click()
    expect(cells(page, "name")).to_have_text(["Turn // Burn"])
    expect(page.get_by_text("from oracle_id in mana_values")).to_be_visible()


def test_own_sql_is_answered(page: Page, served: Served) -> None:
    sql = "SELECT name FROM commanders WHERE color_identity_mask = 13 ORDER BY name"
    page.goto(f"{served.address}?{urlencode({'sql': sql})}")
    expect(cells(page, "name")).to_have_text(["Alesha, Who Smiles at Death", "Snapdax, Apex of the Hunt"])
