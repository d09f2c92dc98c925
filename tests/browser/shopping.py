"""Customers and assistants in real browsers: their way to the shop, and what they do there."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from tests.browser.visiting import Served, consent

import commonground.corpora.simmc.scenario as scenario

ROOMS = Path(scenario.__path__[0])


def pass_the_quiz(page: Any, shop: str) -> None:
    plan = tomllib.loads((ROOMS / shop / "room" / "room.toml").read_text(encoding="utf-8"))
    for question in plan["quiz"]:
        page.locator(f"input[name={question['name']}][value='{question['right']}']").check()
    page.locator("button.main").click()


def come_in(page: Any, shop: str) -> None:
    """Leads somebody from the start page into the waiting room, or to the shop."""
    page.locator("button.main").click()
    consent(page)
    page.locator("#quiz").wait_for()
    pass_the_quiz(page, shop)


def seat_two(served: Served, open_page: Any, shop: str, *views: dict[str, Any]) -> tuple[Any, Any]:
    """Seats a customer and an assistant; returns their pages."""
    options = dict(zip(("user", "assistant"), views, strict=False))
    pages = [
        open_page(f"{served.address}/?role={role}", **options.get(role, {}))
        for role in ("user", "assistant")
    ]
    for page in pages:
        come_in(page, shop)
    for page in pages:
        in_the_shop(page)
    return pages[0], pages[1]


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
