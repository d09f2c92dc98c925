"""One thing through all dialogues, and two dialogues side by side, as a reader gets there."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.browser.visiting import check_accessible
from tests.thorough import a_few

from commonground.explorer.web.addresses import encode_id
from commonground.store.opening import open_store

OpenPage = Callable[..., Page]


def test_from_a_picture_to_all_games_and_two_of_them_side_by_side(
    open_page: OpenPage, explorer: str, demo_store: Path
) -> None:
    game = open_store(demo_store).corpus("photobook").ids()[0]
    page = open_page(f"{explorer}/photobook/d/{game}", viewport={"width": 1440, "height": 900})
    page.locator(".stage:visible .tile .pic").first.click()
    page.get_by_role("link", name="In all dialogues").click()
    page.wait_for_url(re.compile(r"/photobook/chain\?object="))
    expect(page.locator(".link").first).to_be_visible()
    check_accessible(page)
    boxes = page.locator(".link input")
    chosen = [boxes.nth(number).get_attribute("value") for number in range(2)]
    boxes.nth(0).check()
    boxes.nth(1).check()
    page.get_by_role("button", name="Side by side").click()
    page.wait_for_url(re.compile("/photobook/compare"))
    heads = page.locator(".side > h2 a").all_inner_texts()
    assert heads == [f"Game {each}" for each in chosen]
    second = page.locator(".side").nth(1)
    page.locator(".side").first.locator(".segment").nth(1).click()
    expect(second.locator(".segment").nth(1)).to_be_in_viewport()
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    check_accessible(page)


@pytest.mark.parametrize("width", a_few([1440, 390], [1440]))
def test_a_frame_that_was_left_alone_opens_as_it_stands_at_that_turn(
    open_page: OpenPage, explorer: str, demo_store: Path, width: int
) -> None:
    corpus = open_store(demo_store).corpus("frames")
    events = {
        each: max(
            (state.event for state in corpus.dialogue(each).states if (state.frame or 0) > 2),
            default=-1,
        )
        for each in corpus.ids()
    }
    dialogue, event = max(events.items(), key=lambda each: each[1])
    page = open_page(
        f"{explorer}/frames/d/{encode_id(dialogue)}#e{event}",
        viewport={"width": width, "height": 900},
    )
    ring = page.locator(".stage:visible .others a").first
    target = (ring.get_attribute("href") or "")[1:]
    expect(page.locator(f'[id="{target}"]')).to_be_hidden()
    ring.click()
    expect(page.locator(f'[id="{target}"]')).to_be_in_viewport()
    assert page.locator(".every-frame .frame-card:visible").count() > 1
    if width == 1440:
        expect(page.locator(".metro")).to_be_in_viewport()  # it stays while frames are read


def test_figures_come_in_while_they_are_counted(open_page: OpenPage, explorer: str) -> None:
    page = open_page(f"{explorer}/frames/")
    whole = page.request.get(f"{explorer}/frames/figures").text()
    head, *sections = whole.split('<section class="figure"')
    last, tail = sections[-1].split("</section>")
    sections[-1] = f"{last}</section>"
    sign = '<p class="waits" role="status">Others are being counted.</p>'
    script = '<script src="/static/figures.js"></script></body>'
    # Two of them first, none of them the first of all; then all.
    some = '<section class="figure"'.join([head + sign, sections[1], sections[3] + tail])
    answers = [some.replace("</body>", script), whole]
    page.route(
        "**/frames/figures",
        lambda route: route.fulfill(
            body=answers.pop(0) if len(answers) > 1 else answers[0], content_type="text/html"
        ),
    )
    page.goto(f"{explorer}/frames/figures")
    shown = page.locator("section.figure")
    expect(shown).to_have_count(2)
    expect(shown).to_have_count(len(sections))
    expect(page.locator(".waits")).to_have_count(0)
    ids = "all => all.map((each) => each.id)"
    assert shown.evaluate_all(ids) == re.findall(r'<section class="figure" id="([^"]+)"', whole)
