"""The page of a dialogue, as a reader uses it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.browser.visiting import check_accessible, check_both_schemes
from tests.thorough import a_few

from commonground.explorer.dialogue import draw_dialogue, draw_stored, render_single
from commonground.explorer.web.addresses import encode_id
from commonground.findings import Finding
from commonground.store.opening import open_store
from commonground.store.pictures import PictureFolder

OpenPage = Callable[..., Page]
IN_UPPER_HALF = "document.querySelector('.native').getBoundingClientRect().top < innerHeight / 2"
FIRST_WORD_PX = 120
CORPORA = ("frames", "mpchat", "photobook", "simmc", "simmc2", "taskmaster3")
"""Those whose dialogues are drawn each in another way; other years of Taskmaster look the same."""


@cache
def address_of(explorer: str, store: Path, corpus: str, number: int = 0) -> str:
    dialogue_id = open_store(store).corpus(corpus).ids()[number]
    return f"{explorer}/{corpus}/d/{encode_id(dialogue_id)}"


@pytest.fixture
def game(explorer: str, demo_store: Path) -> str:
    return address_of(explorer, demo_store, "photobook")


def expect_current(page: Page, event: str) -> None:
    """Waits until the event of that id has the focus."""
    expect(page.locator(".event.current")).to_have_id(event)


def attribute(page: Page, selector: str, name: str) -> str:
    """An attribute of the first element of a selector; it must be there."""
    found = page.locator(selector).first.get_attribute(name)
    assert found is not None
    return found


def test_a_permalink_leads_to_its_event_and_what_was_seen_then(
    open_page: OpenPage, game: str
) -> None:
    page = open_page(game)
    second = page.locator(".segment", has_text="Round 2").locator("xpath=following::article[1]")
    event = second.get_attribute("id")
    assert event is not None
    page = open_page(f"{game}#{event}")
    expect_current(page, event)
    expect(page.locator(".stage:visible > h2")).to_have_text(["Round 2"])
    expect(page.locator(f"#{event}")).to_be_in_viewport()


COVERED = """(id) => {
    const box = document.getElementById(id).getBoundingClientRect();
    const at = document.elementFromPoint(box.left + 3, box.top + 2);
    return !document.getElementById(id).contains(at);
}"""


SETTLED = """() => new Promise((done) => {
    let last = scrollY, same = 0;
    const look = () => {
        same = scrollY === last ? same + 1 : 0;
        last = scrollY;
        if (same < 10) requestAnimationFrame(look); else done();
    };
    look();
})"""
"""Waits until the place that a page is scrolled to was the same in ten frames."""


TOOL_ROWS = """() => new Set([...document.querySelectorAll(".tools > *")]
    .filter((each) => each.checkVisibility())
    .map((each) => Math.round(each.getBoundingClientRect().top))).size"""


def test_the_tools_have_one_row(open_page: OpenPage, game: str) -> None:
    page = open_page(game)
    for width in (1440, 1024, 390, 320):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate(TOOL_ROWS) == 1, width
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_what_has_no_room_on_a_phone_is_in_the_last_menu(open_page: OpenPage, game: str) -> None:
    page = open_page(game, viewport={"width": 390, "height": 844})
    copy = page.locator("details.menu > summary", has_text="Copy")
    expect(copy).to_be_hidden()
    page.locator("#more > summary").click()
    copy.click()
    expect(page.get_by_role("button", name="Copy as Python")).to_be_visible()
    page.set_viewport_size({"width": 1440, "height": 900})
    expect(page.locator(".tools > details.menu > summary", has_text="Copy")).to_be_visible()


def test_on_a_phone_a_search_has_the_whole_row(open_page: OpenPage, game: str) -> None:
    page = open_page(game, viewport={"width": 390, "height": 844})
    expect(page.locator(".modes")).to_be_visible()
    page.locator("#find").fill("the")
    expect(page.locator(".modes")).to_be_hidden()
    page.get_by_role("button", name="Next hit").click()
    page.locator("#find").fill("")
    page.locator("#find").blur()
    expect(page.locator(".modes")).to_be_visible()


@pytest.mark.parametrize(
    ("corpus", "width"),
    a_few(
        [
            *(("mpchat", 1024), ("photobook", 1440), ("photobook", 800)),
            *(("frames", 390), ("simmc2", 390)),
        ],
        [("photobook", 1440), ("frames", 390)],
    ),
)
def test_a_permalink_lands_in_sight_and_stays_chosen(
    open_page: OpenPage, explorer: str, demo_store: Path, corpus: str, width: int
) -> None:
    address = address_of(explorer, demo_store, corpus)
    page = open_page(address, viewport={"width": width, "height": 800})
    count = page.locator(".event").count()
    for event in (f"e{count // 2}", f"e{count - 1}"):
        page.goto("about:blank")
        page.goto(f"{address}#{event}", wait_until="load")
        page.evaluate(SETTLED)  # the browser may scroll once more by itself
        expect_current(page, event)
        expect(page.locator(f"#{event}")).to_be_in_viewport()
        assert not page.evaluate(COVERED, event)


def test_a_chosen_event_is_left_when_the_reader_scrolls_on(open_page: OpenPage, game: str) -> None:
    page = open_page(f"{game}#e3")
    expect_current(page, "e3")
    page.mouse.move(400, 500)
    page.mouse.wheel(0, 120)
    page.wait_for_function("document.querySelector('.event.current').id != 'e3'")


def test_keys_move_from_event_to_event(open_page: OpenPage, game: str) -> None:
    page = open_page(game)
    expect_current(page, "e0")
    page.keyboard.press("n")
    page.keyboard.press("ArrowDown")
    expect_current(page, "e2")
    expect(page).to_have_url(re.compile("#e2$"))
    page.keyboard.press("p")
    expect_current(page, "e1")
    expect(page.locator("#e1")).to_be_focused()


def test_keys_lead_to_the_next_dialogue_of_the_list(open_page: OpenPage, game: str) -> None:
    page = open_page(game)
    heading = page.locator("h1").inner_text()
    page.keyboard.press("j")
    page.wait_for_url(lambda url: url != game)
    expect(page.locator("h1")).not_to_have_text(heading)
    expect(page.locator("html.js")).to_be_attached()
    page.keyboard.press("k")
    page.wait_for_url(lambda url: url.partition("?")[0] == game)
    expect(page.locator("h1")).to_have_text(heading)


def test_keys_skip_what_is_hidden(open_page: OpenPage, game: str) -> None:
    page = open_page(game)
    page.keyboard.press("x")
    actions = page.locator(".event.is-action")
    expect(actions.first).to_be_attached()
    expect(actions.first).to_be_hidden()
    for _ in range(12):
        page.keyboard.press("n")
    expect(page.locator(".event.current")).to_have_class(re.compile("is-utterance"))


def test_scrolling_moves_the_focus_along(open_page: OpenPage, game: str) -> None:
    page = open_page(game)
    page.mouse.move(400, 500)
    page.mouse.wheel(0, 2_500)
    page.wait_for_function("Number(document.querySelector('.event.current').id.slice(1)) > 5")
    page.wait_for_function(
        """() => {
            const number = Number(document.querySelector('.event.current').id.slice(1));
            const all = [...document.querySelectorAll('.stage')];
            const shown = all.filter(each => each.checkVisibility());
            return shown.length === 1
                && Number(shown[0].dataset.first) <= number
                && Number(shown[0].dataset.last) >= number;
        }"""
    )


@pytest.mark.parametrize(("width", "height"), a_few([(1440, 900), (1024, 768)], [(1024, 768)]))
def test_marks_are_beside_their_picture_and_whole(
    open_page: OpenPage, game: str, width: int, height: int
) -> None:
    page = open_page(f"{game}#e999", viewport={"width": width, "height": height})
    page.wait_for_selector("html.js", state="attached")
    page.keyboard.press("End")
    page.evaluate(SETTLED)  # nothing else says that the last event is reached
    page.evaluate("document.querySelectorAll('.later').forEach((e) => e.classList.remove('later'))")
    cut = """() => [...document.querySelectorAll(".stage.current .tile")].filter((tile) => {
        const own = tile.getBoundingClientRect();
        const marks = [...tile.querySelectorAll(".marks a")].map((e) => e.getBoundingClientRect());
        return marks.some((mark) => mark.right > own.right + 1 || mark.bottom > own.bottom + 1);
    }).length"""
    assert page.locator(".stage.current .marks li:visible").count() > 2
    assert page.evaluate(cut) == 0
    pictures = page.locator(".stage.current .tiles").first
    tile = pictures.locator(".pic").first.bounding_box()
    room = pictures.bounding_box()
    assert tile is not None
    assert room is not None
    assert 3 * tile["width"] > 0.9 * room["width"], "the pictures fill the stage"


def test_marks_appear_when_they_were_made(open_page: OpenPage, game: str) -> None:
    page = open_page(game)
    made = page.locator(".stage:visible .marks li").first
    event = attribute(page, ".marks li", "data-from")
    expect(page.locator(".stage:visible .marks li:visible")).to_have_count(0)
    page.goto(f"{game}#e{event}")
    expect_current(page, f"e{event}")
    expect(made).to_be_visible()


def test_modes_show_what_one_player_saw(open_page: OpenPage, game: str) -> None:
    page = open_page(game)
    page.get_by_role("button", name="As A saw it").click()
    grids = page.locator(".stage:visible .grid:visible")
    expect(grids).to_have_count(1)
    expect(page.locator(".verdict:visible")).to_have_count(0)
    expect(page.locator('.event.is-action[data-speaker="B"]:visible')).to_have_count(0)
    page.get_by_role("button", name="All").click()
    expect(grids).to_have_count(2)


def test_the_same_image_lights_up_everywhere(open_page: OpenPage, game: str) -> None:
    page = open_page(game)
    shared = page.locator(".stage:visible .tile.shared .pic").first
    name = shared.get_attribute("data-object")
    shared.hover()
    lit = page.locator(".stage:visible .lit")
    expect(lit).to_have_count(2)
    assert set(lit.evaluate_all("all => all.map(each => each.dataset.object)")) == {name}


def test_a_text_lights_up_the_images_that_it_is_about(open_page: OpenPage, game: str) -> None:
    page = open_page(game)
    text = page.locator(".refers").first
    name = text.get_attribute("data-object")
    text.locator(".bubble").hover()
    expect(page.locator(f'.stage:visible .pic.lit[data-object="{name}"]').first).to_be_visible()


def test_an_image_leads_to_its_chain_and_back(open_page: OpenPage, game: str) -> None:
    page = open_page(game)
    page.locator(".stage:visible .chained").first.click()
    chain = page.locator(".chain:target")
    expect(chain).to_be_visible()
    event = attribute(page, ".chain:target .mention a", "href").removeprefix("#")
    chain.locator(".mention a").first.click()
    expect_current(page, event)


def test_the_find_box_counts_and_goes_through_hits(open_page: OpenPage, game: str) -> None:
    page = open_page(game)
    words = page.locator(".bubble").nth(3).inner_text().split()
    word = max(words, key=len).lower()
    texts = " \n".join(page.locator(".bubble").all_inner_texts()).lower()
    page.keyboard.press("/")
    page.keyboard.type(word)
    count = page.locator("#found")
    expect(count).to_have_text(f"1 of {texts.count(word)}")
    if texts.count(word) > 1:
        page.keyboard.press("Enter")
        expect(count).to_have_text(re.compile("^2 of "))
    page.locator("#find").fill("no such words at all")
    expect(count).to_have_text("none")


def test_toggles_are_kept_for_the_next_dialogue(open_page: OpenPage, game: str) -> None:
    page = open_page(game)
    page.locator("#more > summary").click()
    button = page.get_by_role("button", name="Annotations")
    page.keyboard.press("a")
    expect(button).to_have_attribute("aria-pressed", "false")
    page.reload()
    page.locator("#more > summary").click()
    expect(button).to_have_attribute("aria-pressed", "false")


def test_the_released_record_can_be_read_and_downloaded(open_page: OpenPage, game: str) -> None:
    page = open_page(game)
    page.keyboard.press("r")
    expect(page.locator(".native")).to_be_in_viewport()
    expect(page.locator(".native pre")).to_contain_text('"game_id"')
    # The page is scrolled again once it is as long as the record makes it.
    page.wait_for_function(f"() => {IN_UPPER_HALF}")
    page.locator("details.menu summary", has_text="Copy").click()
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Download JSON").click()
    text = Path(waiting.value.path()).read_text(encoding="utf-8")
    assert text == page.locator(".native pre").evaluate("each => each.textContent")


def test_a_finding_is_where_it_was_found(
    open_page: OpenPage, demo_store: Path, tmp_path: Path
) -> None:
    loaded = open_store(demo_store).corpus("photobook")
    dialogue = loaded.dialogue(loaded.ids()[0])
    found = Finding(code="CG-TOY-001", severity="warning", message="A planted one.", event=40)
    file = tmp_path / "one.html"
    drawn = draw_dialogue("photobook", dialogue, findings=[found])
    file.write_text(render_single(drawn, PictureFolder(None)), encoding="utf-8")
    page = open_page(file.as_uri())
    page.locator("summary", has_text="1 finding").click()
    page.get_by_role("link", name="CG-TOY-001 at 40").click()
    expect_current(page, "e40")
    expect(page.locator("#e40 .finding", has_text="A planted one.")).to_be_visible()
    page.keyboard.press("a")
    expect(page.locator("#e40 .finding")).to_be_hidden()


def test_code_can_be_copied(open_page: OpenPage, game: str) -> None:
    page = open_page(game, permissions=["clipboard-read", "clipboard-write"])
    page.locator("summary", has_text="Copy").click()
    page.get_by_role("button", name="Copy as SQL").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert "WHERE corpus = 'photobook'" in page.evaluate("navigator.clipboard.readText()")


def test_a_menu_that_is_left_gives_the_focus_back(open_page: OpenPage, game: str) -> None:
    page = open_page(game)
    summary = page.locator("details.menu summary", has_text="Copy")
    summary.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.locator("details.menu[open] :focus")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("details.menu[open]")).to_have_count(0)
    expect(summary).to_be_focused()


def test_the_keys_are_listed(open_page: OpenPage, game: str) -> None:
    page = open_page(game)
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("next event")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_on_a_phone_the_stage_folds_away(open_page: OpenPage, game: str) -> None:
    page = open_page(game, viewport={"width": 390, "height": 844})
    page.get_by_role("button", name="Hide").click()
    expect(page.locator(".stage:visible")).to_have_count(0)
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390
    page.get_by_role("button", name="Show what they saw").click()
    expect(page.locator(".stage:visible")).to_have_count(1)


def test_without_script_all_is_there(open_page: OpenPage, game: str) -> None:
    page = open_page(game, java_script_enabled=False)
    expect(page.locator(".stage")).to_have_count(5)
    expect(page.locator(".stage:visible")).to_have_count(5)
    expect(page.get_by_role("button", name="Actions")).to_be_hidden()


# Colours are compared with their grounds, in both schemes, in tests/unit/explorer/test_colours.py.
@pytest.mark.parametrize("corpus", a_few(CORPORA, ["frames"]))
def test_the_page_is_accessible(
    open_page: OpenPage, explorer: str, demo_store: Path, corpus: str
) -> None:
    is_dark = CORPORA.index(corpus) % 2 == 1
    scheme = "dark" if is_dark else "light"
    page = open_page(address_of(explorer, demo_store, corpus), color_scheme=scheme)
    check_both_schemes(page) if corpus == "photobook" else check_accessible(page)


@pytest.mark.parametrize("corpus", a_few(CORPORA, ["photobook"]))
def test_a_single_file_needs_nothing_else(
    open_page: OpenPage, demo_store: Path, tmp_path: Path, corpus: str
) -> None:
    loaded = open_store(demo_store).corpus(corpus)
    images = loaded.manifest.images
    drawn = draw_stored(loaded, loaded.ids()[0])
    file = tmp_path / "one.html"
    text = render_single(drawn, PictureFolder(Path(images) if images else None))
    file.write_text(text, encoding="utf-8")
    page = open_page(file.as_uri())
    page.keyboard.press("n")
    expect_current(page, f"e{min(1, len(drawn.page.rows) - 1)}")
    page.keyboard.press("r")
    expect(page.locator(".native pre").first).to_be_visible()
    if corpus == "photobook":
        picture = page.locator(".stage:visible .pic-in").first
        expect(picture).to_be_visible()
        box = picture.bounding_box()
        assert box is not None
        assert box["width"] > 50


@pytest.mark.parametrize("corpus", a_few(["frames", "photobook", "simmc"], ["photobook"]))
def test_the_talk_begins_high_beside_what_was_seen(
    open_page: OpenPage, explorer: str, demo_store: Path, corpus: str
) -> None:
    page = open_page(
        address_of(explorer, demo_store, corpus), viewport={"width": 1440, "height": 900}
    )
    first, stage = page.locator(".bubble").first, page.locator(".stages")
    assert (first.bounding_box() or {"y": 999})["y"] <= FIRST_WORD_PX
    assert (stage.bounding_box() or {"y": 999})["y"] <= FIRST_WORD_PX
    head = page.locator(".dialogue-head").bounding_box() or {"height": 99}
    assert head["height"] <= 41  # one line


def test_all_that_is_known_of_a_dialogue_opens_below_its_one_line(
    open_page: OpenPage, game: str
) -> None:
    page = open_page(game)
    expect(page.locator(".all-facts")).to_be_hidden()
    page.locator(".about > summary").click()
    expect(page.locator(".all-facts .speaker")).to_have_count(2)
    expect(page.locator(".all-facts .pairs")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".all-facts")).to_be_hidden()


def test_pictures_fill_the_stage_and_fit_the_window(open_page: OpenPage, game: str) -> None:
    page = open_page(game, viewport={"width": 1440, "height": 900})
    tiles = page.locator(".stage.current .tile .pic")
    assert (tiles.first.bounding_box() or {"width": 0})["width"] > 160
    expect(tiles.last).to_be_in_viewport(ratio=0.9)


def test_findings_of_a_turn_stand_behind_one_mark_with_a_switch_of_its_own(
    open_page: OpenPage, demo_store: Path, tmp_path: Path
) -> None:
    corpus = open_store(demo_store).corpus("photobook")
    talk = corpus.dialogue(corpus.ids()[0])
    planted = [
        Finding(
            code="CG-PHOTOBOOK-001",
            severity="warning",
            message="Said again." if number else "Said once.",
            source_file="a.json",
            source_path=f"$[{number}]",
            dialogue_id=talk.dialogue_id,
            event=2,
        )
        for number in range(4)
    ]
    drawn = draw_dialogue("photobook", talk, findings=planted)
    path = tmp_path / "findings.html"
    path.write_text(render_single(drawn, PictureFolder(None)), encoding="utf-8")
    page = open_page(path.as_uri())
    mark = page.locator("#e2 .finding.several")
    expect(mark.locator("> summary")).to_have_text("4 findings")
    expect(page.locator("#e2 .finding .finding:visible")).to_have_count(0)
    mark.locator("> summary").click()
    expect(mark.locator(".finding > summary")).to_have_text(
        ["warning Said again. × 3", "warning Said once."]
    )
    page.keyboard.press("f")
    expect(mark).to_be_hidden()


def test_a_mark_shows_the_picture_that_it_is_about(open_page: OpenPage, game: str) -> None:
    page = open_page(game)
    mark = page.locator(".event.is-action .thin", has_text="marks").first
    expect(mark.locator(".pic")).to_be_visible()
    shown = attribute(page, ".event.is-action .thin .pic", "data-object")
    assert attribute(page, ".event.is-action .thin .image", "data-object") == shown
