"""Dialogues to annotate whose every word is known, and the steps of people who annotate them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.browser.visiting import Served, at_place, seat_people
from tests.unit.play.scenarios.simmc.shops import clothes, fashion_course

from commonground.play.scenario import Sitting
from commonground.play.scenarios.simmc.fashion.material import write_material
from commonground.play.scenarios.simmc.fashion.rules import SCENARIO
from commonground.play.scenarios.simmc.shop.pictures import draw_item

WORDS = (
    *("I like this red coat. How much?", "It is $1."),
    *("Show me a dress.", "Here is a red dress."),
)
"""What is said in the first dialogue; in the second one hello and sure."""


def write_dialogues(folder: Path) -> Path:
    """Writes two collected dialogues, with a catalogue and a picture of the dress only."""
    first, second = fashion_course(), fashion_course()
    first.ask(WORDS[0])
    first.do("specify", attributes=["price"])
    first.answer(WORDS[1])
    first.ask(WORDS[2])
    first.do("focus", image=5)
    first.answer(WORDS[3])
    second.round()
    records = [
        *SCENARIO.finish(first.state, Sitting(5, {})),
        *SCENARIO.finish(second.state, Sitting(6, {})),
    ]
    write_material([clothes()], folder, None)
    for each in clothes().items:
        if each.number == 5:
            draw_item(each, folder / "images")
    for file in SCENARIO.release(records):
        (folder / file.path).write_bytes(file.data)
    return folder


def sit_down(study: Served, open_page: Any, **view: Any) -> Any:
    """Serves a study in which an annotator is at the first utterance; returns their page."""
    (page,) = seat_people(study, open_page, view)
    at_utterance(page, 1)
    return page


def at_utterance(page: Any, number: int) -> None:
    at_place(page, "#sa-place", number)


def word(page: Any, text: str) -> Any:
    return page.locator(".sa-word", has_text=text).first


def mark(page: Any, text: str) -> Any:
    """The button of a mark: what it says, such as ``color``."""
    return page.locator(".sa-mark", has_text=text).first.locator(".sa-main")


def pick(page: Any, typed: str, option: str) -> None:
    """Searches, and takes the first that is found, which must be this one."""
    page.locator("#sa-query").press_sequentially(typed)
    page.locator("#sa-options [aria-selected=true]", has_text=option).wait_for()
    page.keyboard.press("Enter")
    page.locator("#sa-picker").wait_for(state="hidden")


def go_on(page: Any, last: int) -> None:
    """Accepts what is proposed for all utterances from the one at work on, and finishes."""
    for number in range(last - 1):
        if page.locator(f"#sa-talk li:nth-child({number + 1}) button[aria-current]").count():
            page.keyboard.press("Enter")
            at_utterance(page, number + 2)
    page.keyboard.press("Enter")
    page.locator("#sa-finish:focus").wait_for()
    page.keyboard.press("Enter")
