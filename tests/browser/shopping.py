"""Customers and assistants in real browsers: their way to the shop, and what they do there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.browser.visiting import (
    Served,
    check_accessible,
    check_fits,
    consent,
    keep,
    run,
    seat_people,
)

import commonground.play.scenarios.simmc as scenario
from commonground.play.collect.setup.plan import read_plan

ROOMS = Path(scenario.__path__[0])


def pass_the_quiz(page: Any, shop: str) -> None:
    for question in read_plan(ROOMS / shop / "room").quiz:
        page.locator(f"input[name={question.name}][value='{question.right}']").check()
    page.locator("button.main").click()


def practise(page: Any, shop: str) -> None:
    """Answers the warm-up, where there is one: first all wrong, then as is right."""
    fields = read_plan(ROOMS / shop / "room").practice
    if not fields:
        return
    page.locator("form[action$='/practice']").wait_for()
    for number in (1, 0):
        for field in fields:
            value = (int(field.right) + number) % 3
            page.locator(f"input[name={field.name}][value='{value}']").check()
        page.locator("button.main").click()
        page.locator(".note.bad" if number else ".note.good").wait_for()
    page.locator("form[action$='/ready'] button").click()


def come_in(page: Any, shop: str) -> None:
    """Leads somebody from the start page into the waiting room, or to the shop."""
    page.locator("button.main").click()
    consent(page)
    page.locator("#quiz").wait_for()
    pass_the_quiz(page, shop)
    practise(page, shop)


def seat_two(
    study: Served, open_page: Any, *views: dict[str, Any], language: str = "en"
) -> tuple[Any, Any]:
    """Serves a study in which a customer and an assistant are seated; returns their pages."""
    user, assistant = seat_people(study, open_page, *views, language=language)
    for page in (user, assistant):
        in_the_shop(page)
    return user, assistant


def look_at(name: str, *pages: Any) -> None:
    """Checks that pages are accessible and fit their windows, and keeps pictures of them."""
    for number, page in enumerate(pages):
        check_accessible(page)
        check_fits(page)
        keep(page, f"{name}-{number}", whole=True)


def check_enlarged(page: Any) -> None:
    """Checks that a page fits a browser that enlarges it to 200 %."""
    page.set_viewport_size({"width": 720, "height": 450})  # half as many pixels for the page
    check_fits(page)
    cut = page.evaluate(
        """() => [...document.querySelectorAll("button, h1, h2, summary")].filter((each) =>
          each.offsetParent && each.scrollWidth > each.clientWidth + 1 &&
          getComputedStyle(each).overflow === "hidden").length"""
    )
    assert cut == 0


def in_the_shop(page: Any) -> None:
    page.locator("#shop-role:visible").wait_for()


def say(page: Any, text: str, to: Any) -> None:
    """Writes a text, and waits until the other one has it."""
    page.locator("#text").fill(text)
    page.locator("#write button:enabled").wait_for()
    page.locator("#text").press("Enter")
    to.locator(".partner .text", has_text=text).wait_for()


def grade(page: Any, value: int = 5) -> None:
    page.locator("#shop-survey").wait_for()
    page.locator(f"#shop-survey input[value='{value}']").check()
    page.locator("#shop-survey button.main").click()


def check_export(served: Served, shop: str) -> dict[str, Any]:
    """Exports, imports and replays the one talk that was held; returns its dialogue."""
    out, store = served.folder.parent / "OUT", served.folder.parent / "store"
    assert "1 complete session" in served.run("export", str(served.folder), str(out))
    said = run("import", "simmc", out, "--store", store, "--json")
    assert json.loads(said)["manifest"]["findings"] == {}
    path = out / f"simmc_{shop}" / f"{shop}_collected_dials.json"
    [dialogue] = json.loads(path.read_bytes())["dialogue_data"]
    replayed = json.loads(served.run("replay", str(served.folder), "s0001", "--json"))
    assert replayed["records"][0] == dialogue
    return dict(dialogue)


def actions_of(served: Served, shop: str) -> list[str]:
    """Returns the actions of the rounds of the talk that was exported."""
    path = served.folder.parent / f"OUT/simmc_{shop}/{shop}_collected_dials_api_calls.json"
    [calls] = json.loads(path.read_bytes())
    return [each["action"] for each in calls["actions"]]
