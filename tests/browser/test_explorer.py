"""The explorer as its readers use it: open, search, filter, follow, find, by mouse and keyboard."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Dialog, Page, expect
from tests.browser.visiting import check_accessible, check_both_schemes
from tests.thorough import a_few, thorough
from tests.unit.explorer.hostile import write_hostile_store

from commonground.corpora import get_corpus
from commonground.figures.drawing.charts import MARK
from commonground.store.importing import import_corpus

OpenPage = Callable[..., Page]

DESKTOP = {"viewport": {"width": 1400, "height": 900}}
LISTS = ["/", "/photobook/?q=the", "/photobook/?tab=objects", "/frames/?tab=events"]
LISTS += ["/frames/findings", "/frames/?q=nosuchword"]


def dialogue_ids(page: Page) -> list[str]:
    found: list[str] = page.locator(".result .id bdi").all_text_contents()
    return found


def test_from_the_first_page_to_an_event(open_page: OpenPage, explorer: str) -> None:
    page = open_page(f"{explorer}/", **DESKTOP)
    page.get_by_role("link", name="PhotoBook", exact=True).click()
    expect(page.locator(".summary")).to_contain_text("8 games")
    page.get_by_role("searchbox").fill("the")
    page.keyboard.press("Enter")
    expect(page.locator("mark").first).to_have_text("the", ignore_case=True)
    page.locator(".hit").first.click()
    page.wait_for_url(re.compile(r"/photobook/d/.*#e\d+$"))
    number = page.url.rpartition("#e")[2]
    expect(page.locator(f"#e{number}")).to_be_in_viewport()


def test_filters_are_links_and_the_address_is_the_view(open_page: OpenPage, explorer: str) -> None:
    page = open_page(f"{explorer}/frames/", **DESKTOP)
    value = page.locator('[data-field="act"] li').first
    label, count = value.locator("bdi").inner_text(), value.locator(".count").inner_text()
    value.locator("a").click()
    expect(page).to_have_url(re.compile(f"q=act%3A{label}"))
    expect(page.locator(".summary b")).to_have_text(count)
    ids = dialogue_ids(page)
    page.reload()
    expect(page.locator(".result .id bdi")).to_have_text(ids)
    page.locator('[data-field="act"] [aria-current]').click()
    expect(page).not_to_have_url(re.compile("q="))


def test_a_bar_leads_to_the_games_behind_it(open_page: OpenPage, explorer: str) -> None:
    page = open_page(f"{explorer}/photobook/figures", **DESKTOP)
    bar = page.locator('svg a[href*="figure%3Adurations"]').first
    bar.click()
    expect(page).to_have_url(re.compile("q=figure%3Adurations"))
    expect(page.locator(".result").first).to_be_visible()
    expect(page.locator(".summary")).to_contain_text("of 8 games")


def test_next_and_previous_stay_in_the_filtered_list(open_page: OpenPage, explorer: str) -> None:
    page = open_page(f"{explorer}/photobook/?q=the&sort=score-down", **DESKTOP)
    ids = dialogue_ids(page)
    page.locator(".result .id").first.click()
    page.wait_for_selector("html.js", state="attached")
    page.keyboard.press("j")
    page.wait_for_url(f"**/d/{ids[1]}?*")
    page.wait_for_selector("html.js", state="attached")
    page.keyboard.press("k")
    page.wait_for_url(f"**/d/{ids[0]}?*")


def test_the_keyboard_reaches_the_search_and_the_content(
    open_page: OpenPage, explorer: str
) -> None:
    page = open_page(f"{explorer}/photobook/", **DESKTOP)
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    page.keyboard.press("/")
    page.keyboard.type("nosuchword")
    page.keyboard.press("Enter")
    expect(page.locator(".nothing")).to_contain_text("No results match")


def test_a_wrong_query_says_where(new_context: Callable[..., Any], explorer: str) -> None:
    page: Page = new_context().new_page()
    page.goto(f"{explorer}/photobook/?q=the+scor:3")
    expect(page.locator(".query mark")).to_have_text("scor")
    expect(page.locator("main")).to_contain_text("Did you mean score")


def test_a_finding_leads_to_its_event(open_page: OpenPage, demo_hostile: str) -> None:
    page = open_page(f"{demo_hostile}/photobook/findings", **DESKTOP)
    page.locator("tbody .code a").first.click()
    page.locator("tbody td:nth-child(2) a").first.click()
    page.wait_for_url(re.compile(r"/photobook/d/[^#]*#e0$"))
    expect(page.locator("#e0")).to_be_in_viewport()


@pytest.fixture(scope="module")
def demo_hostile(
    serve_store: Callable[[Path], str], tmp_path_factory: pytest.TempPathFactory
) -> str:
    work = tmp_path_factory.mktemp("hostile")
    return serve_store(write_hostile_store(get_corpus("photobook"), work))


def test_a_wrong_prediction_is_sorted_filtered_and_met_in_the_talk(
    open_page: OpenPage, explorer: str
) -> None:
    page = open_page(f"{explorer}/results", **DESKTOP)
    page.locator(".chosen-by a").first.click()
    expect(page.locator(".result")).to_have_count(1)
    expect(page.locator(".piece.is-missed")).to_have_text("− yes")
    page.locator("th a").first.click()
    # The address alone is not enough: before the page is loaded, nothing hears its keys.
    page.wait_for_url(re.compile("error=.*sort="))
    expect(page.locator("[aria-sort]")).to_have_count(1)
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/d/3\?answers=scored"))
    expect(page.locator(".answered")).to_have_count(2)
    expect(page.locator(".answered-all")).to_contain_text("2 instances here")


def test_what_was_found_is_taken_along(open_page: OpenPage, explorer: str) -> None:
    page = open_page(f"{explorer}/photobook/?q=events%3A%3E1&sort=events-down", **DESKTOP)
    page.get_by_text("Download results").click()
    expect(page.locator(".take code").first).to_contain_text("cg.load('photobook').select(")
    with page.expect_download() as taken:
        page.get_by_role("link", name="ids", exact=True).click()
    page.set_viewport_size({"width": 390, "height": 800})
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wide) <= 0
    assert Path(taken.value.path()).read_text().splitlines() == dialogue_ids(page)


def test_a_link_holds_how_the_page_is_looked_at(open_page: OpenPage, explorer: str) -> None:
    page = open_page(f"{explorer}/photobook/", permissions=["clipboard-write", "clipboard-read"])
    page.locator(".result .id").first.click()
    page.wait_for_selector("html.js", state="attached")
    page.locator("[data-set-mode]").nth(1).click()
    page.locator("#find").fill("the")
    page.locator("#find").press("Escape")
    page.keyboard.press("x")
    page.keyboard.press("n")
    page.keyboard.press("l")
    expect(page.locator(".told")).to_have_text("Link copied.")
    link = page.evaluate("navigator.clipboard.readText()")
    assert re.search(r"\?seen=[^&]+&hide=actions#e\d+$", link)
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator("[data-set-mode]").nth(1)).to_have_attribute("aria-pressed", "true")
    assert page.evaluate("document.documentElement.dataset.showActions") == "no"
    page.keyboard.press("t")
    expect(page.locator(".told")).to_have_text("Text copied.")
    said = page.evaluate("navigator.clipboard.readText()")
    expect(page.locator(".event.current .bubble")).to_have_text(said)


def test_stars_and_notes_are_kept_and_carried_to_another_browser(
    open_page: OpenPage, explorer: str, tmp_path: Path
) -> None:
    page = open_page(f"{explorer}/frames/", **DESKTOP)
    page.locator(".result .id").first.click()
    page.wait_for_selector("html.js", state="attached")
    page.once("dialog", lambda dialog: dialog.accept("<b>odd</b>"))
    page.keyboard.press("s")
    page.keyboard.press("o")
    expect(page.locator(".event.current.starred .own-note")).to_have_text("<b>odd</b>")
    address = page.url
    page.goto(f"{explorer}/notes")
    with page.expect_download() as taken:
        page.get_by_role("button", name="Write to a file").click()
    taken.value.save_as(tmp_path / "notes.json")
    other = open_page(f"{explorer}/notes", **DESKTOP)
    expect(other.locator("#no-notes")).to_be_visible()
    other.locator("#notes-import").set_input_files(tmp_path / "notes.json")
    expect(other.locator("#notes-told")).to_have_text("1 read.")
    other.locator("#notes .id").click()
    expect(other).to_have_url(re.compile(re.escape(address.partition("#")[0].partition("?")[0])))
    expect(other.locator(".starred .own-note")).to_have_text("<b>odd</b>")


def test_rows_go_by_keys_and_pictures_by_arrows(open_page: OpenPage, explorer: str) -> None:
    page = open_page(f"{explorer}/photobook/", **DESKTOP)
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(page.locator(".result").first).to_have_class(re.compile("current"))
    page.keyboard.press("e")
    box = page.locator("dialog.enlarged")
    expect(box.locator(".placed")).to_have_text(re.compile("^1 of "))
    first = box.locator("img").get_attribute("src")
    page.keyboard.press("ArrowRight")
    expect(box.locator(".placed")).to_have_text(re.compile("^2 of "))
    page.keyboard.press("ArrowLeft")
    expect(box.locator("img")).to_have_attribute("src", str(first))
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()
    ids = dialogue_ids(page)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/d/{ids[0]}*")
    page.locator(".stage.current .pic > img").first.click()
    expect(page.locator("dialog.enlarged img")).to_be_visible()


def test_hostile_texts_do_nothing(open_page: OpenPage, demo_hostile: str) -> None:
    page = open_page(f"{demo_hostile}/photobook/?q=alert", **DESKTOP)
    alerts: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        alerts.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    page.locator(".result .id").first.click()
    expect(page.locator("article.event").first).to_be_visible()
    expect(page.locator("main")).to_contain_text("<script id=evil>")
    expect(page.locator("#evil")).to_have_count(0)
    assert alerts == []


def test_light_and_dark_are_kept(open_page: OpenPage, explorer: str) -> None:
    page = open_page(f"{explorer}/", color_scheme="light", **DESKTOP)
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.locator("#theme").click()
    dark = page.evaluate(ground)
    assert dark != light
    page.goto(f"{explorer}/frames/")
    assert page.evaluate(ground) == dark


@pytest.mark.parametrize("scheme", a_few(["light", "dark"], ["dark"]))
def test_charts_have_the_colour_of_their_corpus(
    open_page: OpenPage, explorer: str, scheme: str
) -> None:
    page = open_page(f"{explorer}/photobook/figures", color_scheme=scheme, **DESKTOP)
    bar = page.locator(f"svg.figure path[fill='{MARK}']").first
    tab = page.locator(".tabs [aria-current]")
    colour = tab.evaluate("each => getComputedStyle(each, '::before').backgroundColor")
    expect(bar).to_have_css("fill", colour)


def test_nothing_is_wider_than_the_window(open_page: OpenPage, explorer: str) -> None:
    page = open_page(explorer)
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    for path in (
        *("/", "/photobook/", "/frames/?tab=objects", "/frames/findings", "/results"),
        *("/figures", "/frames/figures", "/photobook/figures"),
    ):
        page.goto(explorer + path)
        for width in (1400, 390):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(wide) <= 0, (path, width)


@pytest.mark.parametrize(
    "path",
    a_few(
        [
            *("/", "/photobook/?q=the", "/photobook/?tab=objects", "/frames/?tab=events"),
            *("/frames/findings", "/frames/figures", "/results"),
        ],
        ["/photobook/?q=the", "/results"],
    ),
)
def test_pages_are_accessible(open_page: OpenPage, explorer: str, path: str) -> None:
    check_both_schemes(open_page(explorer + path, **DESKTOP))


@thorough
def test_narrow_pages_are_accessible(open_page: OpenPage, explorer: str) -> None:
    page = open_page(f"{explorer}/notes")
    for path in ("/notes", "/search?q=the", "/sql", "/results?only=wrong", "/photobook/"):
        page.goto(explorer + path)
        for menu in page.locator("details.take").all():
            menu.evaluate("each => { each.open = true }")
        for width in (1024, 390):
            page.set_viewport_size({"width": width, "height": 800})
            check_accessible(page)


@thorough
@pytest.mark.skipif(not os.environ.get("COMMONGROUND_DATA"), reason="COMMONGROUND_DATA is not set")
def test_the_real_photobook_with_its_pictures(
    open_page: OpenPage, serve_store: Callable[[Path], str], tmp_path: Path
) -> None:
    """Of the games every tenth is imported, and all that may have what is searched for."""
    files = Path(os.environ["COMMONGROUND_DATA"]) / "photobook"
    logs = files / "logs"
    games = [
        path
        for number, path in enumerate(sorted((logs if logs.is_dir() else files).glob("*.json")))
        if number % 10 == 0 or "suitcase" in path.read_text(encoding="utf-8").lower()
    ]
    import_corpus(get_corpus("photobook"), games, store=tmp_path, images=files / "images")
    address = serve_store(tmp_path)
    page = open_page(f'{address}/photobook/?q="green+suitcase"', **DESKTOP)
    expect(page.locator(".summary b")).to_have_text("33")
    page.locator(".hit").first.click()
    page.wait_for_url(re.compile(r"#e\d+$"))
    expect(page.locator(".pic").nth(20)).to_be_attached()
