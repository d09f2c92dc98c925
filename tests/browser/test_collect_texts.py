"""With a catalogue in which all texts are in brackets, all that is shown is in brackets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.browser.bracketing import bracket_texts, check_brackets
from tests.browser.visiting import (
    ANSWERS,
    MARKS,
    Served,
    at_the_table,
    began,
    consent,
    mark,
    pass_quiz,
    practise,
    say,
    seat_people,
)
from tests.thorough import thorough
from tests.unit.play.rooms.leaving import see_everybody_out

TURK = "assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE"


@pytest.fixture
def pseudo(study: Served) -> Served:
    """The study with all of its texts in brackets, not served yet; it takes people of MTurk."""
    bracket_texts(study.folder, "photobook")
    path = study.folder / "study.toml"
    text = path.read_text(encoding="utf-8").replace("mturk = false", "mturk = true")
    text = text.replace('contact = ""', 'contact = "me@example.org"')
    text = text.replace("partial = 0", "partial = 1")
    path.write_text(text.replace("# roles = {A = 50, B = 50}", "roles = {A = 1}"), "utf-8")
    return study


def ask(page: Any, button: str) -> str:
    """Presses a button that asks whether one is sure, says no; returns the ends of the question."""
    asked: list[str] = []

    def refuse(dialog: Any) -> None:
        asked.append(dialog.message)
        dialog.dismiss()

    page.once("dialog", refuse)
    page.locator(button).first.click()
    (text,) = asked
    return text[0] + text[-1]


def test_every_page_before_the_game(pseudo: Served, open_page: Callable[..., Any]) -> None:
    pseudo.start()
    check_brackets(open_page(f"{pseudo.address}/?{TURK}"))
    page = open_page(pseudo.address)
    check_brackets(page)
    page.locator("button.main").click()
    page.locator("input[name=agree]").wait_for()
    check_brackets(page)
    page.evaluate("document.querySelectorAll('form').forEach(each => { each.noValidate = true; })")
    page.locator("button.main").click()
    page.locator("[role=alert]:visible").first.wait_for()
    check_brackets(page)
    consent(page)
    for answers in ({}, {**ANSWERS, "chat": "0"}):
        page.locator("#quiz").wait_for()
        check_brackets(page)
        for name, value in answers.items():
            page.locator(f"input[name={name}][value='{value}']").check()
        page.evaluate(
            "document.querySelectorAll('form').forEach(each => { each.noValidate = true; })"
        )
        with page.expect_navigation():  # the page before may have said something, too
            page.locator("button.main").click()
        page.locator("[role=alert]:visible").first.wait_for()
        check_brackets(page)
    pass_quiz(page)
    page.locator(".pb-practice").wait_for()
    check_brackets(page)
    for name in MARKS:
        page.locator(f"input[name={name}][value=common]").check()
    page.locator("button.main").click()
    page.locator(".pb-result").first.wait_for()
    check_brackets(page)
    practise(page)
    page.locator("#waited:not(:empty)").wait_for()
    check_brackets(page)
    monitor = open_page(pseudo.monitor)
    monitor.locator("#waiting li").wait_for()
    check_brackets(monitor)


def test_what_happens_in_a_game_and_who_watches_it(
    pseudo: Served, open_page: Callable[..., Any]
) -> None:
    """What stands there at each stage of the work is looked at in test_room_texts."""
    page, other = seat_people(pseudo, open_page)
    monitor = open_page(pseudo.monitor)
    at_the_table(page)
    at_the_table(other)
    say(other, "plain words")
    page.locator(".partner .text").wait_for()
    while not page.locator("#typing:not(:empty)").count():  # it is said for some seconds only
        other.locator("#text").press_sequentially("more")
    check_brackets(page)
    monitor.locator("#sessions a.button").wait_for()
    check_brackets(monitor)
    monitor.locator("#sessions a.button").click()
    monitor.locator("#talk li").wait_for()
    monitor.locator("[name=text]").fill("a word")
    monitor.locator("#tell button").click()
    page.locator(".researcher .text").wait_for()
    monitor.locator("[data-order=pause]").click()
    page.locator("#banner:visible").wait_for()
    monitor.locator("[data-order=resume]:visible").wait_for()
    check_brackets(page)
    check_brackets(monitor)
    monitor.locator("[data-order=resume]").click()
    page.locator("#banner").wait_for(state="hidden")
    mark(page)
    page.locator("#pb-submit").click()
    check_brackets(page)
    mark(other, "different")
    other.locator("#pb-submit").click()
    page.locator("#pb-score").wait_for()
    check_brackets(page)
    page.locator("#pb-next").click()
    page.locator("#pb-wait").wait_for()
    check_brackets(page)
    monitor.locator(".facts-line span").nth(2).wait_for()
    check_brackets(monitor)
    assert ask(monitor, "[data-order=end]") == "⟦⟧"
    monitor.once("dialog", lambda dialog: dialog.accept())
    monitor.locator("[data-order=end]").click()
    monitor.locator(".orders").wait_for(state="hidden")
    check_brackets(monitor)


@thorough
def test_every_way_out_and_what_goes_wrong(pseudo: Served, open_page: Callable[..., Any]) -> None:
    tokens = see_everybody_out(pseudo.folder)
    pseudo.start()
    titles = set()
    stranger = open_page(f"{pseudo.address}/p/{tokens['withdrew']}")
    check_brackets(stranger)
    assert stranger.locator(".code-text").count() == 0
    assert stranger.locator("input[name=receipt]").count() == 1
    for token in tokens.values():
        page = open_page(f"{pseudo.address}/p/{token}", storage_state=began(pseudo, token))
        check_brackets(page)
        page.locator(".code-text").wait_for()
        titles.add(page.locator("h1").inner_text())
        page.context.close()
    assert len(titles) == len(tokens)
    monitor = open_page(pseudo.monitor)
    monitor.locator("#out tr").nth(len(tokens)).wait_for()
    check_brackets(monitor)
    assert ask(monitor, "#out button") == "⟦⟧"
    monitor.locator("#people").click()
    monitor.locator("#rows tr").nth(len(tokens)).wait_for()
    monitor.locator("[data-act=look]").first.click()
    monitor.locator("#look-sessions li").first.wait_for()
    check_brackets(monitor)
    for each in ("exclude", "tell", "bonus"):
        assert ask(monitor, f"[data-act={each}]") == "⟦⟧"
    state = began(pseudo, tokens["withdrew"])
    page = open_page(f"{pseudo.address}/p/{tokens['withdrew']}", storage_state=state)
    page.locator("summary").click()
    page.locator("input[name=sure]").check()
    page.locator("button.danger").click()
    page.locator(".danger").wait_for(state="detached")
    check_brackets(page)


def test_pages_that_say_what_is_wrong(pseudo: Served, new_context: Callable[..., Any]) -> None:
    pseudo.start()
    page = new_context().new_page()  # browsers complain of a 404 in their console
    for path in ("/nowhere", "/p/nobody-x", "/?PROLIFIC_PID=somebody"):
        page.goto(pseudo.address + path)
        check_brackets(page)
