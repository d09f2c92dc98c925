"""People are called when a partner is found, and lose nothing that they wrote."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect
from tests.browser.visiting import (
    ANSWERS,
    Served,
    all_sent,
    ask_nobody,
    at_the_table,
    check_both_schemes,
    check_fits,
    consent,
    enter,
    keep,
    say,
    seat_people,
)
from tests.thorough import a_few, thorough
from tests.unit.play.rooms.test_questions import ASKED

WIDTHS = (1440, 768, 360)


def shoot(page: Any, name: str) -> None:
    """Looks at a page at three widths, in both schemes."""
    size = page.viewport_size
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        check_fits(page)
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme=scheme)
            keep(page, f"{name}-{width}-{scheme}", whole=True)
    page.set_viewport_size(size)


def test_both_click_when_a_partner_is_found(study: Served, open_page: Callable[..., Any]) -> None:
    ask_nobody(study.folder, on=True)
    study.change("ready_s = 60", "ready_s = 600")  # pages are looked at meanwhile
    study.start()
    a, b = (open_page(study.address) for _ in range(2))
    enter(a)
    a.locator("#wait h1").wait_for()
    assert a.locator("#sound").is_checked()
    assert not a.locator("#notice").is_checked()
    check_both_schemes(a)
    shoot(a, "waiting")
    enter(b)
    for page in (a, b):
        page.locator("#ready").wait_for()
        assert page.locator(".pb-card").count() == 0
    a.wait_for_function("document.title === 'Your partner is here!'")
    check_both_schemes(a)
    shoot(a, "found")
    # The page may be loaded anew meanwhile; a click before its line is there would be lost.
    assert 'id="ready" disabled' in a.request.get(a.url).text()
    a.reload()
    a.locator("#ready").click()
    a.locator("#ready-said").wait_for()
    keep(a, "found-said")
    b.locator("#ready").press("Enter")
    for page in (a, b):
        at_the_table(page)


CLICK_AT_ONCE = """() => {
  const found = document.getElementById("found");
  const click = () => { if (!found.hidden) document.getElementById("ready").click(); };
  new MutationObserver(click).observe(found, { attributes: true });
}"""
"""Clicks when a partner is found, sooner than somebody could from outside the page."""


@thorough
def test_who_does_not_click_leaves_and_the_other_waits_on(
    study: Served, open_page: Callable[..., Any]
) -> None:
    ask_nobody(study.folder, on=True)
    study.change("ready_s = 60", "ready_s = 3")
    study.start()
    a, b = (open_page(study.address) for _ in range(2))
    enter(a)
    a.locator("#wait h1").wait_for()
    a.evaluate(CLICK_AT_ONCE)
    enter(b)
    b.locator("h1", has_text="We have not heard from you").wait_for()
    a.locator("#again").wait_for()
    assert a.locator("#wait").is_visible()
    shoot(a, "waiting-again")


def test_a_draft_survives_a_reload(study: Served, open_page: Callable[..., Any]) -> None:
    a, _ = seat_people(study, open_page)
    at_the_table(a)
    a.locator("#text").fill("a dog on a red")
    a.reload()
    at_the_table(a)
    a.wait_for_function("document.getElementById('text').value === 'a dog on a red'")
    say(a, "a dog on a red sofa")
    a.locator(".you .text", has_text="sofa").wait_for()
    a.reload()
    at_the_table(a)
    # What was not answered when the page was loaded anew stands there twice until it is.
    expect(a.locator(".you .text", has_text="sofa")).to_have_count(1)
    assert a.locator("#text").input_value() == ""


def test_a_tab_that_was_taken_over_loses_nothing(
    study: Served, open_page: Callable[..., Any]
) -> None:
    old, b = seat_people(study, open_page)
    at_the_table(old)
    # What the old tab sends comes to nobody: the server has taken the new one already.
    old.evaluate("WebSocket.prototype.send = () => {}")
    say(old, "the one with the kite")
    old.locator("#text").fill("and the")
    new = old.context.new_page()
    new.goto(old.url)
    b.locator(".partner .text", has_text="the one with the kite").wait_for()
    at_the_table(new)
    expect(new.locator("#text")).to_have_value("and the")
    old.locator("#banner", has_text="another tab").wait_for()
    old.locator("#text").press("Enter")
    old.locator("#refusal", has_text="another tab").wait_for()
    assert old.locator("#text").input_value() == "and the"
    new.locator("#text").press("Enter")
    b.locator(".partner .text", has_text="and the").wait_for()
    assert b.locator(".partner .text", has_text="kite").count() == 1


def test_what_came_meanwhile_is_told(study: Served, open_page: Callable[..., Any]) -> None:
    a, b = seat_people(study, open_page)
    for page in (a, b):
        at_the_table(page)
    for number in range(30):
        say(b, f"message {number}")
    a.locator(".partner .text", has_text="message 29").wait_for()
    assert not a.locator("#new-below").is_visible()
    a.evaluate("document.getElementById('messages').scrollTop = 0")
    for text in ("one more", "and another"):
        say(b, text)
    a.locator("#new-below", has_text="New messages (2)").wait_for()
    keep(a, "new-below")
    check_both_schemes(a)
    a.locator("#new-below").click()
    a.locator("#new-below").wait_for(state="hidden")
    a.evaluate("Object.defineProperty(document, 'hidden', { get: () => true, configurable: true })")
    say(b, "are you there?")
    expect(a).to_have_title(re.compile(r"^\(1\) "))
    a.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")
    expect(a).to_have_title(re.compile(r"^[^(]"))


@pytest.mark.parametrize("height", a_few([700, 1000], [700]))
def test_pictures_use_the_window_and_can_be_enlarged(
    study: Served, open_page: Callable[..., Any], height: int
) -> None:
    a, _ = seat_people(study, open_page, {"viewport": {"width": 1600, "height": height}})
    at_the_table(a)
    a.wait_for_function("document.querySelector('.pb-card img').naturalWidth > 0")
    board = a.locator(".board")
    assert board.evaluate("board => board.scrollHeight <= board.clientHeight")
    foot = a.locator("#pb-submit").bounding_box()
    assert foot["y"] + foot["height"] > 0.8 * height
    small = a.locator(".pb-card img").first.bounding_box()
    a.locator(".zoom").first.press("Enter")
    a.wait_for_function("document.querySelector('#zoom img').naturalWidth > 0")
    large = a.locator("#zoom img").bounding_box()
    assert large["width"] > small["width"]
    keep(a, f"zoomed-{height}")
    a.keyboard.press("Escape")
    a.locator("#zoom").wait_for(state="hidden")
    shoot(a, f"play-{height}")


_CUT = """() => [...document.querySelectorAll(".pb-choice span, #text")].filter((each) =>
  each.localName === "span" ? each.offsetHeight > 36 : each.scrollHeight > each.clientHeight + 1,
).map((each) => each.outerHTML)"""
"""Returns labels of more than one line, and fields whose hint is cut."""


def test_long_words_have_room_and_the_end_of_the_chat_stays_in_sight(
    study: Served, open_page: Callable[..., Any]
) -> None:
    view = {"viewport": {"width": 1440, "height": 900}}
    page, _ = seat_people(study, open_page, view, language="de")
    at_the_table(page)
    for number in range(12):
        say(page, f"Nachricht {number}")
    page.locator(".you .text", has_text="Nachricht 11").wait_for()
    all_sent(page)
    for width, height in ((1440, 900), (940, 700), (768, 1024), (360, 740)):
        page.set_viewport_size({"width": width, "height": height})
        page.locator("#write").scroll_into_view_if_needed()
        expect(page.locator("#message-list li").last).to_be_in_viewport(ratio=0.9)
        assert page.evaluate(_CUT) == [], width
        check_fits(page)
    # What is said of the partner takes its place from the pictures, not from what is below them.
    page.set_viewport_size(view["viewport"])
    page.evaluate("document.getElementById('nudge').textContent = 'Schreiben Sie bitte etwas.'")
    page.evaluate("document.getElementById('nudge').hidden = false")
    expect(page.locator("#pb-submit")).to_be_in_viewport(ratio=1)


@thorough
def test_own_questions_are_asked_before_the_instructions(
    study: Served, open_page: Callable[..., Any]
) -> None:
    path = study.folder / "study.toml"
    path.write_text(path.read_text(encoding="utf-8") + ASKED, encoding="utf-8")
    study.start()
    page = open_page(study.address)
    page.locator("button.main").click()
    consent(page)
    page.locator("h1", has_text="A few questions about you").wait_for()
    check_both_schemes(page)
    shoot(page, "questions-own")
    page.locator("label", has_text="25 or more").click()
    page.locator("label", has_text="two").click()
    page.locator("button.main").click()
    page.locator("#quiz").wait_for()
    for name, value in {**ANSWERS, "chat": "0"}.items():
        page.locator(f"input[name={name}][value='{value}']").check()
    page.locator("button.main").click()
    page.locator("#wrong-chat").wait_for()
    assert page.locator("input[name=common]:checked").count() == 1
    assert page.locator("input[name=chat]:checked").count() == 0
    check_both_schemes(page)
    shoot(page, "quiz-wrong")


@thorough
def test_the_monitor_takes_no_more_people(study: Served, open_page: Callable[..., Any]) -> None:
    a, _ = seat_people(study, open_page)
    at_the_table(a)
    watcher = open_page(study.monitor)
    watcher.on("dialog", lambda dialog: dialog.accept())
    watcher.locator("#close").click()
    watcher.locator("#closed").wait_for()
    check_both_schemes(watcher)
    keep(watcher, "monitor-closed")
    late = open_page(study.address)
    late.locator("button.main").click()
    late.locator("h1", has_text="The study is complete").wait_for()
    say(a, "we go on")
    a.locator(".you .text", has_text="we go on").wait_for()
    watcher.locator("#open").click()
    watcher.locator("#close").wait_for()
