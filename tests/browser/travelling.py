"""Users and wizards in real browsers: their way to the chat, and what they do in it."""

from __future__ import annotations

from typing import Any

from tests.browser.visiting import Served, seat_people

from commonground.play.collect.setup.plan import read_plan
from commonground.play.scenarios import get_scenario

WISH = "Hello! We are 4 adults from Cusco and want to see Lisbon, not before August 22nd."
"""What the user says first; the invented list has packages that fit it."""

_PLAN = read_plan(get_scenario("frames").room)
QUIZ, PRACTICE = _PLAN.quiz, _PLAN.practice


def seat_two(study: Served, open_page: Any, **view: Any) -> tuple[Any, Any]:
    """Serves a study in which a user and a wizard are seated; returns their pages."""
    user, wizard = seat_people(study, open_page, view, view)
    for page in (user, wizard):
        at_the_desk(page)
    return user, wizard


def at_the_desk(page: Any) -> None:
    page.locator("body.as-user, body.as-wizard").wait_for()
    page.locator("#banner").wait_for(state="hidden")  # nobody is waited for


def write(page: Any, text: str, to: Any) -> None:
    """Writes a text, and waits until the other one has it."""
    page.locator("#text").fill(text)
    send(page, to, text)


def send(page: Any, to: Any, text: str) -> None:
    page.locator("#text").press("Enter")
    to.locator(".partner .text", has_text=text).wait_for()


def show(wizard: Any, tab: str) -> None:
    """Turns to a part of the wizard's page where it has tabs."""
    found = wizard.locator(f"#fr-tabs [data-tab={tab}]")
    if found.is_visible():
        found.click()


def confirm_all(wizard: Any) -> None:
    """Confirms everything that is suggested."""
    show(wizard, "notes")
    wizard.locator("#fr-suggestions li").first.wait_for()
    if wizard.locator("#fr-all").is_visible():
        wizard.locator("#fr-all").click()
    else:
        wizard.locator(".fr-confirm").first.click()
    wizard.locator("#fr-suggestions:empty").wait_for(state="attached")


def search(wizard: Any) -> None:
    """Searches as the form was filled in."""
    show(wizard, "search")
    before = wizard.locator("#fr-found-title").inner_text() if _has_found(wizard) else ""
    wizard.locator("[name=DESTINATION_CITY]").press("Enter")
    title = wizard.locator("#fr-found-title")
    title.filter(has_not_text=before).wait_for() if before else title.wait_for()


def _has_found(wizard: Any) -> bool:
    return bool(wizard.locator("#fr-found").is_visible())


def offer(wizard: Any, row: int = 1) -> str:
    """Offers a row of the list; returns the name of its hotel."""
    show(wizard, "search")
    found = wizard.locator(f"#fr-rows tr[data-row='{row}']")
    begun = wizard.locator("#fr-draft li").count()
    found.locator("button").click()
    wizard.locator("#fr-draft li").nth(begun).wait_for(state="attached")
    name: str = found.locator("strong").text_content()
    return name


def close(user: Any, wizard: Any, *, success: str = "yes") -> None:
    """Ends the chat, and answers both last questions."""
    user.locator("#fr-end-open").click()
    user.locator("#fr-end-yes").click()
    user.locator("input[name=rating][value='5']").check()
    user.locator("#fr-rating button").click()
    wizard.locator(f"#fr-success [value={success}]").click()
    for page in (user, wizard):
        page.locator(".code-text").wait_for()
