"""Two people play in real browsers, whatever happens to the server, and on small screens."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import ExitStack, closing
from typing import Any

import pytest
from playwright.sync_api import expect
from tests.browser.relaying import Relay
from tests.browser.visiting import (
    Served,
    all_sent,
    answer_questions,
    at_page,
    at_the_table,
    began,
    check_accessible,
    check_fits,
    consent,
    enter,
    keep,
    mark,
    pass_quiz,
    play_pages,
    practise,
    say,
    seat_people,
)
from tests.thorough import thorough

from commonground.play.collect.events import ParticipantChecked
from commonground.play.collect.setup.study import open_study


def test_two_people_play_a_whole_game(served: Served, open_page: Callable[..., Any]) -> None:
    views = (
        {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light"},
        {"viewport": {"width": 820, "height": 1180}, "color_scheme": "dark"},
    )
    pages = [open_page(served.address, **view) for view in views]
    for page, name in zip(pages, "ab", strict=True):
        enter(page)
        keep(page, f"entered-{name}")
    for page in pages:
        at_the_table(page)
    a, b = pages
    say(a, "hello <b>you</b>")
    b.locator(".partner .text", has_text="hello <b>you</b>").wait_for()
    say(b, "hi! mine is a green triangle over a red cross")
    a.locator(".partner .text").wait_for()
    mark(a)
    mark(b, "different")
    for page, name in zip(pages, "ab", strict=True):
        check_accessible(page)
        check_fits(page)
        keep(page, f"play-{name}")
    watcher = open_page(served.monitor)
    watcher.locator("td", has_text="page 1").wait_for()
    assert watcher.locator("#no-out").inner_text() == "Nobody has left."
    assert not watcher.locator("#out-table").is_visible()
    check_accessible(watcher)
    keep(watcher, "monitor")
    watcher.locator("text=Watch").first.click()
    watcher.locator("text=hello").first.wait_for()
    check_accessible(watcher)
    keep(watcher, "watch")
    play_pages(pages)
    for page, name in zip(pages, "ab", strict=True):
        page.locator("#pb-questions").wait_for()
        check_accessible(page)
        keep(page, f"questions-{name}", whole=True)
        answer_questions(page)
    left = open_page(served.monitor)
    left.locator("#out tr").nth(1).wait_for()
    assert not left.locator("#no-out").is_visible()
    codes = [page.locator(".code-text").inner_text() for page in pages]
    assert len({*codes, ""}) == 3
    told = [page.locator("#result").inner_text() for page in pages]
    assert re.fullmatch(r"Together you reached \d+ of 30 points. Time: \d+ min.", told[0])
    assert told[0] == told[1]
    check_accessible(a)
    keep(a, "exit-a")
    exported = served.folder.parent / "OUT"
    assert "1 complete session" in served.run("export", str(served.folder), str(exported))
    assert len(list((exported / "logs").glob("*.json"))) == 1


@pytest.fixture
def open_failing_page(new_context: Callable[..., Any]) -> Callable[..., Any]:
    """Opens pages that complain in the console of what they cannot load, as they should."""

    def open_page(address: str, **options: Any) -> Any:
        page = new_context(reduced_motion="reduce", **options).new_page()
        page.goto(address)
        return page

    return open_page


def test_browsers_go_on_after_the_server_was_killed(
    study: Served, open_failing_page: Callable[..., Any]
) -> None:
    pages = seat_people(study, open_failing_page, until=lambda view: view["round"] == 2)
    for page in pages:
        at_page(page, 2)
    before = [page.locator(".partner .text").count() for page in pages]
    say(pages[0], "before the fall")
    pages[1].locator(".partner .text", has_text="before the fall").wait_for()
    for page, label in zip(pages, ("common", "different"), strict=True):
        at_page(page, 2)
        page.locator(f".pb-choice input[value={label}]").first.check()
        say(page, f"marked {label}")
    for page in pages:
        page.locator(".partner .text", has_text="marked").wait_for()
        all_sent(page)
    study.kill()
    for page in pages:
        page.locator("#banner:visible").wait_for()
    say(pages[0], "in the dark")
    pages[0].locator(".you", has_text="in the dark").locator(".sending").wait_for()
    study.start()
    pages[1].locator(".partner .text", has_text="in the dark").wait_for()
    all_sent(pages[0])
    for page, label in zip(pages, ("common", "different"), strict=True):
        page.locator("#banner").wait_for(state="hidden")
        for _ in range(2):  # as it went on, and when it is loaded anew
            assert "2" in page.locator("#pb-page").inner_text()
            assert page.locator(".pb-choice :checked").count() == 1
            assert page.locator(f".pb-choice input[value={label}]").first.is_checked()
            page.reload()
            at_the_table(page)
    first, second = (
        page.locator(".partner .text").all_inner_texts()[number:]
        for page, number in zip(pages, before, strict=True)
    )
    assert second == ["before the fall", "marked common", "in the dark"]
    assert first == ["marked different"]


def test_a_line_that_dies_is_noticed_by_everybody_and_loses_nothing(
    study: Served, afterwards: ExitStack, open_failing_page: Callable[..., Any]
) -> None:
    study.change("heartbeat_s = 10", "heartbeat_s = 0.4")
    study.change("absent_s = 30", "absent_s = 1")
    tokens = study.seat()
    study.start()
    relay = Relay(int(study.port), afterwards)
    lost, other = (
        open_failing_page(f"{address}/p/{tokens[role]}", storage_state=began(study, tokens[role]))
        for role, address in (("A", relay.address), ("B", study.address))
    )
    monitor = open_failing_page(study.monitor)
    for page in (lost, other):
        at_the_table(page)
    say(lost, "before")
    other.locator(".partner .text").wait_for()
    all_sent(lost)
    relay.kill()
    lost.locator("#banner", has_text="The connection is lost").wait_for()
    say(lost, "in the dark")
    lost.locator(".you", has_text="in the dark").locator(".sending").wait_for()
    other.locator("#partner-state", has_text="lost the connection at").wait_for()
    # On a busy machine the other one may be lost for a moment, too.
    monitor.locator(".player", has_text="connection lost").first.wait_for()
    say(other, "are you there?")
    lost.context.set_offline(True)
    relay.revive()
    lost.context.set_offline(False)
    lost.locator("#banner").wait_for(state="hidden")
    all_sent(lost)
    lost.locator(".partner .text", has_text="are you there?").wait_for()
    other.locator("#partner-state").wait_for(state="hidden")
    other.locator(".partner .text", has_text="in the dark").wait_for()
    assert other.locator(".partner .text").all_inner_texts() == ["before", "in the dark"]


def test_a_picture_that_is_not_drawn_is_an_alarm_of_the_monitor(
    study: Served, open_failing_page: Callable[..., Any]
) -> None:
    tokens = study.seat()
    study.start()
    for picture in (study.folder / "images").rglob("*.jpg"):
        picture.write_text("<html>429 Too Many Requests</html>", encoding="utf-8")
    role, token = next(iter(tokens.items()))
    at_the_table(open_failing_page(f"{study.address}/p/{token}", storage_state=began(study, token)))
    watcher = open_failing_page(study.monitor)
    alarm = watcher.locator("#undrawn")
    alarm.locator("[data-own]").nth(2).wait_for()
    assert "could not be shown" in alarm.inner_text()
    watcher.locator("#sessions .badge.undrawn", has_text="picture missing").wait_for()
    check_accessible(watcher)
    keep(watcher, "monitor-undrawn")
    assert role in study.run("status", str(study.folder), "--json")
    assert "pages could not draw pictures" in study.run("status", str(study.folder))


def test_a_browser_that_cannot_show_the_study_is_told_why(
    study: Served, open_failing_page: Callable[..., Any]
) -> None:
    study.change("partial = 0.0", "partial = 0.5")
    study.start()
    page = open_failing_page(study.address, viewport={"width": 300, "height": 740})
    page.route("**/picture/**", lambda route: route.abort())
    page.locator("button.main").click()
    consent(page)
    page.locator("#device:visible").wait_for()
    said = page.locator("#device li:visible").all_inner_texts()
    assert [each.partition(".")[0] for each in said] == [
        "The pictures of the study cannot be shown",
        "The window is too narrow",
    ]
    assert not page.locator("#quiz").is_visible()
    assert "0.50 EUR" in page.locator("#device").inner_text()
    check_accessible(page)
    check_fits(page)
    keep(page, "device-check")
    page.unroute("**/picture/**")
    page.set_viewport_size({"width": 360, "height": 740})
    page.locator("#device-again").click()
    page.locator("#quiz:visible").wait_for()
    assert not page.locator("#device").is_visible()
    other = open_failing_page(study.address)
    other.route("**/picture/**", lambda route: route.abort())
    other.locator("button.main").click()
    consent(other)
    other.locator("#device button[type=submit]").click()
    other.locator(".code-text").wait_for()
    assert "That is not your fault" in other.locator("main").inner_text()
    assert "0.50 EUR" in other.locator("#total").inner_text()
    study.kill()
    with closing(open_study(study.folder).open_log()) as log:
        events = [event.what for event in log.read()]
    checks = [each.failed for each in events if isinstance(each, ParticipantChecked)]
    assert checks == [["pictures", "width"], [], ["pictures"]]


@thorough
def test_small_screens_and_the_keyboard_alone(
    served: Served, open_page: Callable[..., Any]
) -> None:
    view = {"viewport": {"width": 360, "height": 740}}
    page = open_page(f"{served.address}/?lang=de", **view)
    check_accessible(page)
    check_fits(page)
    page.keyboard.press("Tab")
    while page.evaluate("document.activeElement.tagName") != "BUTTON":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator("input[name=agree]").wait_for()
    check_accessible(page)
    check_fits(page)
    keep(page, "consent-360", whole=True)
    page.locator("input[name=agree]").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator("#quiz").wait_for()
    check_accessible(page)
    check_fits(page)
    keep(page, "instructions-360", whole=True)
    pass_quiz(page)
    page.locator(".pb-practice").wait_for()
    check_accessible(page)
    check_fits(page)
    keep(page, "warm-up-360", whole=True)
    practise(page)
    page.locator("#wait").wait_for()
    check_accessible(page)
    check_fits(page)
    keep(page, "waiting-360")
    other = open_page(f"{served.address}/?lang=de")
    enter(other)
    at_the_table(page)
    at_the_table(other)
    check_accessible(page)
    check_fits(page)
    # Marks and messages by keys only.
    first = page.locator(".pb-choice input").first
    first.focus()
    page.keyboard.press("Space")
    assert first.is_checked()
    page.keyboard.press("ArrowRight")
    assert page.locator(".pb-choice input").nth(1).is_checked()
    page.locator("#text").focus()
    page.keyboard.type("guten Tag")
    page.keyboard.press("Enter")
    other.locator(".partner .text", has_text="guten Tag").wait_for()
    keep(page, "chat-360", whole=True)


def test_of_many_games_only_those_in_sight_are_drawn_anew(
    study: Served, open_page: Callable[..., Any]
) -> None:
    page, _ = seat_people(study, open_page)
    at_the_table(page)
    watcher = open_page(study.monitor)
    many: dict[str, Any] = {"games": 300, "messages": 0}

    def multiply(route: Any) -> None:
        answer = route.fetch()
        data = answer.json()
        (session,) = data["sessions"]
        each = range(many["games"])
        session["messages"] = many["messages"]
        data["sessions"] = [session | {"session": f"s{number:04}"} for number in each]
        route.fulfill(response=answer, json=data)

    watcher.route("**/data.json", multiply)
    rows = watcher.locator("#sessions tr")
    expect(rows).to_have_count(300)
    many["messages"] = 7
    seen, unseen = (rows.nth(at).locator("td").nth(4) for at in (0, 299))
    expect(seen).to_have_text("7")
    expect(unseen).to_have_text("0")
    rows.nth(299).scroll_into_view_if_needed()
    expect(unseen).to_have_text("7")
    many["games"] = 2
    expect(rows).to_have_count(2)
    assert rows.locator("td:first-child").all_inner_texts() == ["s0000", "s0001"]
