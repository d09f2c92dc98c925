"""Two people in the fashion shop: with mouse and keyboard, on small screens, after a reload."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.shopping import (
    actions_of,
    check_enlarged,
    check_export,
    come_in,
    grade,
    in_the_shop,
    look_at,
    pass_the_quiz,
    practise,
    say,
    seat_two,
)
from tests.browser.test_collect_keyboard import Typist
from tests.browser.visiting import Served, consent
from tests.thorough import a_few, thorough

SHOP = "fashion"
EVERY = "begin shown end survey"
"""Stages of a talk at which both pages are looked at."""
ROW = "{},{},$30,Otter Lane,4.1,S; M,{},{}\n"


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Served]:
    study = Served(tmp_path, "en", "de", scenario="simmc-fashion")
    yield study
    study.kill()


@pytest.fixture
def drawn(tmp_path: Path) -> Iterator[Served]:
    """A shop of one's own whose clothes have no pictures."""
    kinds, colors = ("dress", "skirt", "coat", "sweater", "boots"), ("red", "black", "army_green")
    patterns = ("striped", "polka_dot", "floral", "plaid", "")
    rows = [ROW.format(n, kinds[n % 5], colors[n % 3], patterns[n // 4]) for n in range(20)]
    folder = tmp_path / "own"
    folder.mkdir()
    head = "id,type,price,brand,customerRating,availableSizes,color,pattern\n"
    (folder / "catalogue.csv").write_text(head + "".join(rows), encoding="utf-8")
    study = Served(tmp_path, "en", scenario="simmc-fashion", material=folder)
    yield study
    study.kill()


def focus_of(page: Any) -> str:
    shown: str = page.locator("#fa-picture").get_attribute("data-shown")
    return shown


def show_another(assistant: Any, number: int) -> str:
    """Clicks an image of the catalogue that is not in focus; returns its number."""
    thumb = assistant.locator("#fa-database .fa-thumb:not([aria-current=true])").nth(number)
    image: str = thumb.get_attribute("data-image")
    thumb.click()
    return image


def press(assistant: Any, attribute: str) -> None:
    assistant.locator(f"[data-attribute={attribute}]").click()
    assistant.locator(f"[data-attribute={attribute}][aria-pressed=true]").wait_for()


@pytest.mark.parametrize("stages", a_few(["shown", EVERY], ["shown"]))
def test_a_whole_talk_with_a_reload_and_a_second_tab(
    study: Served, open_page: Callable[..., Any], stages: str
) -> None:
    def look(stage: str, *pages: Any) -> None:
        if stage in stages.split():
            look_at(f"fashion-{stage}", *pages)

    dark = {"color_scheme": "dark", "viewport": {"width": 1024, "height": 768}}
    user, assistant = seat_two(study, open_page, {}, dark)
    look("begin", user, assistant)
    assert user.locator("#fa-finds").is_hidden()
    say(user, "What does this one cost?", assistant)
    press(assistant, "price")
    press(assistant, "brand")
    assistant.reload()
    in_the_shop(assistant)
    for attribute in ("price", "brand"):  # what was pressed is the server's
        assistant.locator(f"[data-attribute={attribute}][aria-pressed=true]").wait_for()
    say(assistant, "$30, of Otter Lane.", user)

    say(user, "And another one?", assistant)
    image = show_another(assistant, 1)
    user.locator(f"#fa-picture[data-shown='{image}']").wait_for()
    look("shown", user, assistant)
    # One in a round: another click is answered in words, and changes nothing.
    assistant.locator("#fa-database .fa-thumb").last.click(force=True)
    assistant.locator("#refusal", has_text="already").wait_for()
    assert focus_of(assistant) == focus_of(user) == image
    assistant.locator("#fa-cart").click()
    assistant.locator("#fa-cart[aria-pressed=true]").wait_for()
    assert user.locator("#shop-cart").is_hidden()
    say(assistant, "Take this; it is in your cart.", user)

    again = open_page(user.url, storage_state=user.context.storage_state())
    in_the_shop(again)
    user.locator("#banner button").wait_for()
    user = again
    assert focus_of(user) == image
    user.locator("#shop-cart li").wait_for()
    user.locator("#shop-end summary").click()
    look("end", user, assistant)
    user.locator("#shop-bye-text").fill("Thank you, bye!")
    user.locator("#shop-bye-send").click()
    assistant.locator(".partner .text", has_text="Thank you").wait_for()
    say(assistant, "Goodbye!", user)
    for page in (user, assistant):
        page.locator("#shop-survey").wait_for()
        look("survey", page)
        grade(page)
    for page in (user, assistant):
        page.locator(".code-text").wait_for()

    dialogue = check_export(study, SHOP)
    assert actions_of(study, SHOP) == ["SpecifyInfo", "SearchDatabase", "None"]
    assert len(dialogue["dialogue"]) == 3
    graph = dialogue["dialogue"][1]["state_graph_2"]
    assert [each.get("in_cart") for each in graph.values()] == [None, True]


@thorough
def test_a_talk_by_keyboard_alone(study: Served, open_page: Callable[..., Any]) -> None:
    user, assistant = (Typist(each) for each in seat_two(study, open_page))
    user.say("Do you have another one?")
    assistant.page.locator(".partner .text").wait_for()
    # Groups of buttons are one stop of the Tab key; arrows lead through them.
    assistant.go_to("#fa-facts button[tabindex='0']")
    assistant.page.keyboard.press("ArrowRight")
    assistant.page.keyboard.press("End")
    assistant.page.keyboard.press("Home")
    assistant.page.keyboard.press("Enter")
    assistant.page.locator("[data-attribute=price][aria-pressed=true]").wait_for()
    assistant.go_to("#fa-database button[tabindex='0']")
    while assistant.page.evaluate("document.activeElement.ariaCurrent") == "true":
        assistant.page.keyboard.press("ArrowRight")
    image = assistant.page.evaluate("document.activeElement.dataset.image")
    assistant.page.keyboard.press("Enter")
    user.page.locator(f"#fa-picture[data-shown='{image}']").wait_for()
    assistant.press("#fa-cart")
    assistant.page.locator("#fa-cart[aria-pressed=true]").wait_for()
    assistant.say("This one, for $30.")
    user.page.locator("#shop-cart li").wait_for()
    user.press("#shop-end summary")
    user.go_to("#shop-bye-text")
    user.page.keyboard.type("I take it, bye")
    user.page.keyboard.press("Enter")
    assistant.page.locator(".partner .text", has_text="bye").wait_for()
    assistant.say("Bye")
    for each in (user, assistant):
        each.page.locator("#shop-survey").wait_for()
        each.choose("grade", "4")
        each.press("#shop-survey button.main")
    for each in (user, assistant):
        each.page.locator(".code-text").wait_for()
    check_export(study, SHOP)
    assert actions_of(study, SHOP) == ["SearchDatabase", "None"]


@thorough
def test_a_text_can_be_drafted_before_it_is_ones_turn(
    study: Served, open_page: Callable[..., Any]
) -> None:
    user, assistant = seat_two(study, open_page)
    assistant.locator("#text").fill("Welcome to")
    assistant.locator("#text").press("Enter")
    assistant.locator("#fa-cart").click(force=True)
    assistant.locator("#refusal", has_text="your partner's turn").wait_for()
    assert assistant.locator("#write button").is_disabled()
    assert assistant.locator("#text").input_value() == "Welcome to"
    say(user, "Hello", assistant)
    say(assistant, "Welcome to our shop", user)
    # Without anything in the cart the customer can stop, and need not buy.
    user.locator("#shop-end summary").click()
    assert user.locator("#shop-bye").is_hidden()
    user.locator("#shop-done").click()
    for page in (user, assistant):
        grade(page, 3)
        page.locator("#shop-survey").wait_for(state="hidden")
    assistant.locator(".code-text").wait_for()


@thorough
def test_small_screens_in_german(served: Served, open_page: Callable[..., Any]) -> None:
    small = {"viewport": {"width": 390, "height": 800}, "locale": "de-DE"}
    pages = [open_page(f"{served.address}/?role={role}", **small) for role in ("user", "assistant")]
    for page in pages:
        page.locator("button.main").click()
        consent(page)
        page.locator("#quiz").wait_for()
        look_at("fashion-quiz-390", page)
        pass_the_quiz(page, SHOP)
        page.locator("form[action$='/practice']").wait_for()
        look_at("fashion-warm-up-390", page)
        practise(page, SHOP)
    for page in pages:
        in_the_shop(page)
    user, assistant = pages
    look_at("fashion-390", user, assistant)
    say(user, "Haben Sie das auch in Blau?", assistant)
    # The chat is out of sight: what was said stands where it is to be answered.
    assistant.locator("#shop-heard-text", has_text="Blau").wait_for()
    show_another(assistant, 0)
    user.locator("#fa-picture.arrived").wait_for()
    look_at("fashion-390-shown", user, assistant)
    for page in (user, assistant):
        check_enlarged(page)


_DRAW = """async ([kind, length]) => JSON.stringify(
  (await import("/static/glyphs.js")).clothesShapes(kind, { sleeveLength: length }))"""


def test_clothes_without_pictures_are_drawn(drawn: Served, open_page: Callable[..., Any]) -> None:
    user, assistant = seat_two(drawn, open_page)
    kinds = assistant.locator(".fa-thumb b").all_inner_texts()
    assert {each.split()[-1] for each in kinds} == {"dress", "skirt", "coat", "sweater", "boots"}
    # The first of ten is in focus, and no two of the ten have the same look.
    drawings = assistant.locator(".fa-thumb svg").evaluate_all(
        "(all) => all.map((each) => each.innerHTML.replace(/drawing-\\d+/g, ''))"
    )
    assert len(set(drawings)) == len(drawings) == 9
    assert "svg" in user.locator("#fa-picture").inner_html()
    said = user.locator("#fa-picture svg").get_attribute("aria-label")
    assert said == user.locator("#fa-picture figcaption").inner_text()
    assert "$" not in said, "a price is the assistant's to tell"
    for kind in ("dress", "coat", "sweater"):
        sleeves = [
            user.evaluate(_DRAW, [kind, length])
            for length in ("long_sleeve", "short_sleeve", "sleeveless")
        ]
        assert len(set(sleeves)) == 3, f"sleeves of a {kind} are drawn as they are"
    look_at("fashion-drawn", user, assistant)


@thorough
def test_somebody_who_comes_for_a_seat_gets_it(
    served: Served, open_page: Callable[..., Any]
) -> None:
    assistant = open_page(f"{served.address}/?role=assistant")
    come_in(assistant, SHOP)
    user = open_page(served.address)
    come_in(user, SHOP)
    in_the_shop(user)
    in_the_shop(assistant)
    assert assistant.locator("#shop-role").inner_text() == "You are the assistant"
    assert user.locator("#shop-role").inner_text() == "You are the customer"
