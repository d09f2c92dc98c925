"""What pages look like on a phone, on paper and without a script, and where they stand."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from tests.thorough import a_few

from commonground.corpora import get_corpus
from commonground.explorer.dialogue import draw_dialogue, render_single
from commonground.model import Action, Dialogue, Speaker, Utterance
from commonground.play.simulating import simulate_corpus
from commonground.store.importing import import_corpus
from commonground.store.opening import open_store
from commonground.store.pictures import PictureFolder

OpenPage = Callable[..., Page]
DESKTOP = {"viewport": {"width": 1400, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 844}}
TARGET_PX = 24
SMALL = f"""() => [...document.querySelectorAll("a, button, summary, input, select")]
    .filter((each) => {{
    const box = each.getBoundingClientRect(), style = getComputedStyle(each);
    return box.width && style.display !== "inline" && each.matches(":not(.ring, .skip)")
        && Math.min(box.width, box.height) < {TARGET_PX - 0.5} && !each.closest(".hidden, .marks");
}}).map((each) => each.outerHTML.slice(0, 120))"""
UTTERANCES = 400
STUCK = """() => Math.max(0, ...[...document.querySelectorAll(".top, .dialogue-head, .stages")]
    .filter((each) => getComputedStyle(each).position === "sticky")
    .map((each) => each.getBoundingClientRect().bottom))"""


@pytest.fixture(scope="module")
def game(explorer: str, demo_store: Path) -> str:
    return f"{explorer}/photobook/d/{open_store(demo_store).corpus('photobook').ids()[0]}"


def test_the_search_box_has_room_beside_all_else(open_page: OpenPage, explorer: str) -> None:
    page = open_page(f"{explorer}/photobook/", **PHONE)
    expect(page.get_by_role("link", name="Results")).to_be_in_viewport()
    box = page.get_by_role("searchbox").bounding_box()
    assert box is not None
    assert box["width"] > 160
    page.set_viewport_size({"width": 1000, "height": 700})
    tabs = page.locator(".tabs")
    assert tabs.evaluate("(each) => each.scrollWidth > each.clientWidth")  # nine corpora
    box = page.get_by_role("searchbox").bounding_box()
    assert box is not None
    assert box["width"] >= 160


def test_the_map_of_frames_leaves_room_to_fold_it(
    open_page: OpenPage, explorer: str, demo_store: Path
) -> None:
    talk = open_store(demo_store).corpus("frames").ids()[0]
    page = open_page(f"{explorer}/frames/d/{talk}", **PHONE)
    map_of_frames = page.locator(".metro").bounding_box()
    button = page.get_by_role("button", name="Hide").bounding_box()
    assert map_of_frames is not None
    assert button is not None
    assert map_of_frames["x"] + map_of_frames["width"] < button["x"]


@pytest.mark.parametrize("window", a_few([DESKTOP, PHONE], [PHONE]), ids=["desktop", "phone"])
def test_what_is_clicked_is_large_enough(
    open_page: OpenPage, explorer: str, window: dict[str, dict[str, int]]
) -> None:
    page = open_page(explorer, **window)
    searched = ("/photobook/?q=the", "/frames/?tab=events")
    for path in ("/", *searched, "/frames/findings", "/frames/figures"):
        page.goto(f"{explorer}{path}")
        assert page.evaluate(SMALL) == [], path


def test_what_is_clicked_in_a_dialogue_is_large_enough(
    open_page: OpenPage, explorer: str, demo_store: Path
) -> None:
    page = open_page(explorer, **DESKTOP)
    for corpus in ("frames", "mpchat", "photobook", "simmc", "taskmaster3"):
        number = open_store(demo_store).corpus(corpus).ids()[0]
        page.goto(f"{explorer}/{corpus}/d/{number}")
        assert page.evaluate(SMALL) == [], corpus


def test_on_paper_all_is_there_on_white(open_page: OpenPage, game: str) -> None:
    page = open_page(f"{game}#e3", color_scheme="dark", **DESKTOP)
    marks = page.locator(".marks li")
    expect(page.locator(".stage:visible")).to_have_count(1)
    page.emulate_media(media="print", color_scheme="dark")
    expect(page.locator("body")).to_have_css("background-color", "rgb(255, 255, 255)")
    expect(page.locator(".stage:visible")).to_have_count(5)  # as many as there are rounds
    assert marks.count() > 0
    expect(page.locator(".marks li:visible")).to_have_count(marks.count())
    for hidden in (".top", ".tools", ".outline", "[data-fold]", ".neighbours"):
        expect(page.locator(hidden).first).to_be_hidden()


def test_on_paper_no_candidate_is_left_out(
    open_page: OpenPage, explorer: str, demo_store: Path
) -> None:
    number = open_store(demo_store).corpus("simmc").ids()[0]
    page = open_page(f"{explorer}/simmc/d/{number}", **DESKTOP)
    page.emulate_media(media="print")
    lists = page.locator(".candidates ol")
    expect(lists.first.locator("li").last).to_be_visible()
    hidden = "each => each.scrollHeight - each.clientHeight"
    assert [each.evaluate(hidden) for each in lists.all()] == [0] * lists.count()


def test_on_paper_a_list_has_every_column_and_no_filters(
    open_page: OpenPage, explorer: str
) -> None:
    page = open_page(f"{explorer}/photobook/", **DESKTOP)
    expect(page.locator(".facets")).to_be_visible()
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 718, "height": 1000})  # A4 within its margins
    for needless in (".facets", ".sort", ".columns-menu"):
        expect(page.locator(needless).first).to_be_hidden()
    wide = page.locator(".scroll:has(.listing)")
    assert wide.evaluate("each => each.scrollWidth - each.clientWidth") <= 0
    expect(page.locator(".result")).to_have_count(8)


def test_without_script_the_search_finds(open_page: OpenPage, explorer: str) -> None:
    page = open_page(f"{explorer}/photobook/", java_script_enabled=False, **DESKTOP)
    page.get_by_role("searchbox").fill("split:train the")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("q=split"))
    expect(page.locator("mark").first).to_have_text("the", ignore_case=True)
    page.locator("select[name=sort]").select_option("events-down")
    page.get_by_role("button", name="Sort").click()
    page.wait_for_url(re.compile("q=split.*sort=events-down"))


def test_nothing_found_leaves_nothing_empty(open_page: OpenPage, explorer: str) -> None:
    page = open_page(f"{explorer}/photobook/?q=nosuchword", **PHONE)
    expect(page.locator(".nothing")).to_be_visible()
    for needless in (".facets", ".sort"):
        expect(page.locator(needless)).to_be_hidden()


def test_back_leads_to_the_same_place_of_the_same_list(open_page: OpenPage, explorer: str) -> None:
    address = f"{explorer}/photobook/?q=the&sort=events-down"
    page = open_page(address, viewport={"width": 1000, "height": 400})
    result = page.locator(".result .id").nth(6)
    result.scroll_into_view_if_needed()
    place = page.evaluate("scrollY")
    assert place > 0
    result.click()
    page.wait_for_url(re.compile("/photobook/d/"))
    page.go_back()
    expect(page).to_have_url(address)
    expect(page.get_by_role("searchbox")).to_have_value("the")
    page.wait_for_function("place => Math.abs(scrollY - place) < 2", arg=place)


@pytest.mark.parametrize("window", a_few([DESKTOP, PHONE], [PHONE]), ids=["desktop", "phone"])
def test_a_permalink_shows_its_event_below_all_that_sticks(
    new_context: Callable[..., Any], long_talk: str, window: dict[str, dict[str, int]]
) -> None:
    page: Page = new_context(**window).new_page()
    page.goto(f"{long_talk}#e{UTTERANCES - 150}")
    event = page.locator(f"#e{UTTERANCES - 150}")
    expect(event).to_be_in_viewport()
    expect(event).to_have_class(re.compile("current"))
    box = event.bounding_box()
    assert box is not None
    below = page.evaluate(
        "Math.max(...[...document.querySelectorAll('.top, .tools')]"
        ".map((each) => each.getBoundingClientRect().bottom))"
    )
    assert below <= box["y"] < window["viewport"]["height"] - box["height"]


@pytest.fixture(scope="module")
def long_talk(serve_store: Callable[[Path], str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """Address of a dialogue of many utterances."""
    files, store = tmp_path_factory.mktemp("long"), tmp_path_factory.mktemp("long-store")
    entry = get_corpus("taskmaster3")
    simulate_corpus(entry, files, dialogues=1, seed=1)
    (path,) = files.glob("data/*.json")
    (record,) = json.loads(path.read_text(encoding="utf-8"))
    record["utterances"] = [
        {"index": number, "speaker": ("user", "assistant")[number % 2], "text": f"Line {number}."}
        for number in range(UTTERANCES)
    ]
    path.write_text(json.dumps([record]), encoding="utf-8")
    import_corpus(entry, [files], store=store, jobs=1)
    talk = open_store(store).corpus("taskmaster3").ids()[0]
    return f"{serve_store(store)}/taskmaster3/d/{talk}"


def test_a_page_enlarged_four_times_keeps_its_room_for_the_talk(
    open_page: OpenPage, game: str
) -> None:
    page = open_page(game, viewport={"width": 360, "height": 225})
    expect(page.locator(".stage.current")).to_be_hidden()
    bubble = page.locator(".bubble").first
    bubble.scroll_into_view_if_needed()
    assert page.evaluate(STUCK) == 0
    page.locator("[data-fold]").click()
    expect(page.locator(".stage.current")).to_be_visible()


def test_words_of_any_length_make_no_page_wider(open_page: OpenPage, tmp_path: Path) -> None:
    word = "w" * 5000
    talk = Dialogue(
        dialogue_id=word,
        split=word,
        domain=word,
        speakers=[Speaker(word, "user", word)],
        events=[Utterance(word, word), Action(word, word, {word: [word]}, word)],
    )
    path = tmp_path / "wide.html"
    drawn = draw_dialogue("taskmaster3", talk)
    path.write_text(render_single(drawn, PictureFolder(None)), encoding="utf-8")
    page = open_page(path.as_uri(), **DESKTOP)
    for width in (1400, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_list_fits_every_window(open_page: OpenPage, explorer: str) -> None:
    page = open_page(f"{explorer}/photobook/", **DESKTOP)
    for width in (390, 700, 721, 788, 850, 1000, 1023, 1024, 1100, 1201, 1280, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        room, taken = page.locator(".scroll:has(.listing)").evaluate(
            "(each) => [each.clientWidth, each.scrollWidth]"
        )
        assert taken <= room, width


def test_what_is_folded_is_printed(open_page: OpenPage, game: str) -> None:
    page = open_page(game, **DESKTOP)
    folded = page.locator(".about .pairs")
    expect(folded).to_be_hidden()
    page.emulate_media(media="print")
    expect(folded).to_be_visible()
    box = folded.bounding_box()
    assert box is not None
    assert box["height"] > 0


def test_words_that_were_searched_for_are_lit_on_arrival(open_page: OpenPage, game: str) -> None:
    count = "() => CSS.highlights.get('asked')?.size ?? 0"
    assert open_page(game, **DESKTOP).evaluate(count) == 0
    page = open_page(f"{game}?q=The", **DESKTOP)
    said = page.locator(".bubble").all_inner_texts()
    expected = sum(len(re.findall(r"\bthe\b", each, re.IGNORECASE)) for each in said)
    assert expected > 0
    assert page.evaluate(count) == expected
