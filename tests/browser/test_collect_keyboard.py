"""A whole game without a mouse: Tab, arrows, Space and Enter lead everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.browser.visiting import ANSWERS, MARKS, Served, at_page, at_the_table, seat_people
from tests.thorough import thorough

MOST_TABS = 60


class Typist:
    """Somebody who has a keyboard only.

    Args:
        page: that has the focus.
    """

    def __init__(self, page: Any) -> None:
        self.page = page
        # A click by any means would be a fault of this test.
        for name in ("click", "check", "fill", "focus", "tap"):
            setattr(page, name, None)

    def go_to(self, selector: str) -> None:
        """Tabs on until something is focused, as soon as it can be."""
        ready = """(each) => [...document.querySelectorAll(each)]
            .some((one) => !one.disabled && one.checkVisibility())"""
        self.page.wait_for_function(ready, arg=selector)
        for _ in range(MOST_TABS):
            if self.page.evaluate("(each) => document.activeElement.matches(each)", selector):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{selector} cannot be reached by Tab")

    def press(self, selector: str, key: str = "Enter") -> None:
        self.go_to(selector)
        self.page.keyboard.press(key)

    def choose(self, name: str, value: str) -> None:
        """Chooses one of several radio buttons."""
        self.go_to(f"input[name={name}]")
        self.page.keyboard.press("Space")
        for _ in range(5):
            checked = f"input[name={name}]:checked"
            if self.page.evaluate("(each) => document.querySelector(each).value", checked) == value:
                return
            self.page.keyboard.press("ArrowDown")
        raise AssertionError(f"{name} cannot be {value}")

    def enter(self) -> None:
        self.press("button.main")
        self.page.locator("input[name=agree]").wait_for()
        self.press("input[name=agree]", "Space")
        self.press("button.main")
        self.page.locator("#quiz").wait_for()
        for name, value in ANSWERS.items():
            self.choose(name, value)
        self.press("button.main")
        self.page.locator(".pb-practice").wait_for()
        for name, value in MARKS.items():
            self.choose(name, value)
        self.press("button.main")
        self.press("form[action$='/ready'] button")

    def say(self, text: str) -> None:
        self.go_to("#text")
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")

    def mark(self) -> None:
        numbers = self.page.locator(".pb-choice input").evaluate_all(
            "(all) => [...new Set(all.map((each) => each.name))]"
        )
        assert len(numbers) == 3
        for name in numbers:
            self.choose(name, "different")


def test_the_last_page_and_the_questions_need_no_mouse(
    study: Served, open_page: Callable[..., Any]
) -> None:
    pages = seat_people(study, open_page, until=lambda view: view["round"] == view["rounds"])
    typists = [Typist(page) for page in pages]
    for each in typists:
        at_page(each.page, 5)
        each.say("the last page, typed")
    for each in typists:
        each.page.locator(".partner .text", has_text="the last page, typed").wait_for()
        each.mark()
        each.press("#pb-submit")
    for each in typists:
        for name in ("col", "partner_u", "self_u"):
            each.choose(name, "4")
        each.go_to("textarea")
        each.page.keyboard.type("by keys")
        each.press("#pb-questions button")
    for each in typists:
        each.page.locator(".code-text").wait_for()
    exported = study.folder.parent / "OUT"
    assert "1 complete session" in study.run("export", str(study.folder), str(exported))
    (log,) = (exported / "logs").glob("*.json")
    assert log.read_text(encoding="utf-8").count("typed") == 2


@thorough
def test_whoever_writes_when_the_page_turns_writes_on(
    served: Served, open_page: Callable[..., Any]
) -> None:
    """Two people come in, write and turn to the next page by keyboard alone."""
    one, two = (Typist(open_page(served.address)) for _ in range(2))
    for each in (one, two):
        each.enter()
    for each in (one, two):
        at_the_table(each.page)
        each.mark()
        each.press("#pb-submit")
    for each in (one, two):
        each.page.locator("#pb-score").wait_for()
    two.press("#pb-next")
    two.go_to("#text")
    two.page.keyboard.type("half of it, ")
    one.press("#pb-next")
    for each in (one, two):
        at_page(each.page, 2)
    assert one.page.evaluate("document.activeElement.id") == "pb-page"
    two.page.keyboard.type("and the rest")
    two.page.keyboard.press("Enter")
    one.page.locator(".partner .text", has_text="half of it, and the rest").wait_for()


def test_dialogs_open_and_close_by_keyboard(study: Served, open_page: Callable[..., Any]) -> None:
    one, two = (Typist(page) for page in seat_people(study, open_page))
    at_the_table(one.page)
    for name in ("rules", "leave"):
        one.press(f"#{name}-open")
        one.page.locator(f"dialog#{name}[open]").wait_for()
        one.page.keyboard.press("Escape")
        one.page.locator(f"dialog#{name}[open]").wait_for(state="detached")
        assert one.page.evaluate("document.activeElement.id") == f"{name}-open"
    one.press("#leave-open")
    one.press("#leave button.main")
    for each in (one, two):
        each.page.locator(".code-text").wait_for()
