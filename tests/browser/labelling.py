"""People who label in real browsers: their way to the first unit, and what they do with units."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from tests.browser.visiting import Served, at_place, consent, seat_people

from commonground.play.scenarios import get_scenario

MISSING = "#lb-candidates > li:not(.lb-answered)"


def read_plan(scenario: str) -> Any:
    room = get_scenario(scenario).room
    return tomllib.loads((Path(room) / "room.toml").read_text(encoding="utf-8"))


def pass_the_quiz(page: Any, scenario: str = "mpchat") -> None:
    for question in read_plan(scenario).get("quiz", ()):
        page.locator(f"input[name={question['name']}][value='{question['right']}']").check()
    page.locator("button.main").click()


def try_it(page: Any, scenario: str = "mpchat") -> None:
    for field in read_plan(scenario).get("practice", ()):
        page.locator(f"input[name={field['name']}][value={field['right']}]").check()
    page.locator("button.main").click()
    page.locator("form[action$='/ready'] button").click()


def come_in(page: Any) -> None:
    """Leads somebody from the start page to the first response."""
    page.locator("button.main").click()
    consent(page)
    page.locator("#quiz").wait_for()
    pass_the_quiz(page)
    page.locator("form[action$='/practice']").wait_for()
    try_it(page)
    at_unit(page, 1)


def sit_down(study: Served, open_page: Any, **view: Any) -> Any:
    """Serves a study in which somebody is at the first response; returns their page."""
    (page,) = seat_people(study, open_page, view)
    at_unit(page, 1)
    return page


def at_unit(page: Any, number: int) -> None:
    at_place(page, "#lb-place", number)
    page.locator("#lb-candidates > li").first.wait_for()


def answer_all(page: Any, answer: str = "no") -> None:
    """Answers what has no answer yet; the server has all of it then."""
    while page.locator(MISSING).count():
        page.locator(f"{MISSING} >> input[value={answer}]").first.check()
    page.locator("#lb-submit:enabled").wait_for()


def submit(page: Any, answer: str = "no") -> None:
    answer_all(page, answer)
    page.locator("#lb-submit").click()


def type_answers(page: Any, key: str) -> None:
    """Answers all candidates and submits by the keyboard alone."""
    while page.locator(MISSING).count():
        page.keyboard.press(key)
    page.locator("#lb-submit:enabled").wait_for()
    page.keyboard.press("Enter")
