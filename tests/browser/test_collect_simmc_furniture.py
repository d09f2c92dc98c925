"""Two people in the furniture shop: searching, turning and sharing, by mouse and keyboard."""

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
    say,
    seat_two,
)
from tests.browser.test_collect_keyboard import Typist
from tests.browser.visiting import Served
from tests.thorough import a_few, thorough

from commonground.play.scenarios.simmc.furniture.material import MATERIAL

SHOP = "furniture"
EVERY = "begin row text focus"
"""Stages of a talk at which both pages are looked at."""


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Served]:
    study = Served(tmp_path, "en", "de", scenario="simmc-furniture")
    yield study
    study.kill()


@pytest.fixture
def pictured(tmp_path: Path) -> Iterator[Served]:
    """A shop of one's own, with pictures of all sides of its furniture."""
    MATERIAL.write(MATERIAL.invent(1, 1), tmp_path, 1)
    folder = tmp_path / "simmc_furniture"
    (tmp_path / "images" / folder.name).rename(folder / "images")
    study = Served(tmp_path, "en", scenario="simmc-furniture", material=folder)
    yield study
    study.kill()


def search(assistant: Any, kind: str = "Sofas", **fields: str) -> None:
    """Searches, and waits for what is found."""
    form = assistant.locator("#fu-search")
    form.locator("[name=furnitureType]").select_option(kind)
    for name, value in fields.items():
        form.locator(f"[name={name}]").fill(value)
    assistant.locator("#fu-find").click()
    assistant.locator("#fu-found:not(:empty)").wait_for()
    assistant.locator(".fu-card").first.wait_for()


def share(assistant: Any, user: Any, things: list[int], side: str = "front") -> None:
    """Shares, and waits until the customer sees just these."""
    assistant.locator("#fu-share").click()
    places = (
        ["focus"] if assistant.locator(".fu-turntable").count() else ["left", "center", "right"]
    )
    shown = [f'[{thing},"{place}","{side}"]' for thing, place in zip(things, places, strict=False)]
    user.locator(f"#fu-scene[data-shown='[{','.join(shown)}]']").wait_for()


def row_of(assistant: Any) -> list[int]:
    keys = assistant.locator(".fu-card [data-key^=focus-]").evaluate_all(
        "(all) => all.map((each) => each.dataset.key)"
    )
    return [int(key.partition("-")[2]) for key in keys]


def press(assistant: Any, selector: str) -> None:
    assistant.locator(selector).click()
    assistant.locator(f"{selector}[aria-pressed=true]").wait_for()


@pytest.mark.parametrize("stages", a_few(["focus", EVERY], ["focus"]))
def test_a_whole_talk_with_a_reload_and_a_second_tab(
    study: Served, open_page: Callable[..., Any], stages: str
) -> None:
    def look(stage: str, *pages: Any) -> None:
        if stage in stages.split():
            look_at(f"furniture-{stage}", *pages)

    dark = {"color_scheme": "dark", "viewport": {"width": 1024, "height": 768}}
    user, assistant = seat_two(study, open_page, dark, {})
    look("begin", user, assistant)
    assert user.locator("#fu-screen-part").is_hidden()
    say(user, "I need a sofa", assistant)
    search(assistant)
    row = row_of(assistant)
    assert user.locator("#fu-empty").is_visible(), "what is not shared is not seen"
    share(assistant, user, row)
    assistant.locator("#fu-action", has_text="search found").wait_for()
    look("row", user, assistant)
    say(assistant, "Here are some.", user)

    say(user, "How much is the middle one?", assistant)
    assistant.locator(f"[data-key=text-{row[1]}]").click()
    press(assistant, f"[data-key=price-{row[1]}]")
    assistant.reload()
    in_the_shop(assistant)
    assistant.locator(f"[data-key=price-{row[1]}][aria-pressed=true]").wait_for()
    assert assistant.locator("#fu-search [name=furnitureType] option").count() == 5
    look("text", assistant)
    say(assistant, "It is cheap.", user)

    say(user, "Let me see its back", assistant)
    assistant.locator(f"[data-key=focus-{row[1]}]").click()
    press(assistant, "[data-side=back]")
    share(assistant, user, row[1:2], "back")
    look("focus", user, assistant)
    assistant.locator(f"[data-key=cart-{row[1]}]").click()
    assistant.locator("[data-cart][aria-pressed=true]").wait_for()
    say(assistant, "That is it; I put it into the cart.", user)

    again = open_page(user.url, storage_state=user.context.storage_state(), **dark)
    in_the_shop(again)
    user.locator("#banner button").wait_for()
    user = again
    user.locator("#fu-scene.focused .fu-thing", has_text="behind").wait_for()
    user.locator("#shop-end summary").click()
    user.locator("#shop-bye-text").fill("I take it, bye!")
    user.locator("#shop-bye-send").click()
    assistant.locator(".partner .text", has_text="bye").wait_for()
    say(assistant, "Goodbye!", user)
    for page in (user, assistant):
        grade(page)
    for page in (user, assistant):
        page.locator(".code-text").wait_for()

    dialogue = check_export(study, SHOP)
    actions = ["SearchFurniture", "SpecifyInfo", "AddToCart", "None"]
    assert actions_of(study, SHOP) == actions
    assert dialogue["dialogue_coref_map"] == {str(item): n for n, item in enumerate(row)}


@thorough
def test_what_is_not_possible_is_said_in_words(
    study: Served, open_page: Callable[..., Any]
) -> None:
    user, assistant = seat_two(study, open_page)
    refusal = assistant.locator("#refusal")
    assistant.locator("#fu-find").click(force=True)
    refusal.filter(has_text="your partner's turn").wait_for()
    say(user, "I need a very cheap sofa", assistant)
    assistant.locator("#fu-search [name=maxPrice]").fill("1")
    assistant.locator("#fu-find").click()
    refusal.filter(has_text="Nothing in the catalogue fits").wait_for()
    search(assistant, maxPrice="")
    row = row_of(assistant)
    assistant.locator("[data-key=prev]").click(force=True)
    refusal.filter(has_text="no more").wait_for()
    assistant.locator(f"[data-key=cart-{row[0]}]").click(force=True)
    refusal.filter(has_text="has not seen this").wait_for()
    share(assistant, user, row)
    assistant.locator("#fu-share").click(force=True)
    refusal.filter(has_text="sees all of your screen").wait_for()
    # What was shown once and is on the screen no more can still be bought.
    assistant.locator("[data-key=next]").click()
    assistant.locator("#fu-gallery .fu-thing").nth(2).wait_for()
    press(assistant, f"#fu-gallery [data-cart='{row[2]}']")
    say(assistant, "The right one is yours.", user)
    user.locator("#shop-cart li").wait_for()
    assert user.locator("#fu-scene .fu-thing").count() == 3


def test_a_thing_is_turned_by_drag_and_arrows(
    pictured: Served, open_page: Callable[..., Any]
) -> None:
    user, assistant = seat_two(pictured, open_page)
    say(user, "A sofa, please", assistant)
    search(assistant)
    item = row_of(assistant)[0]
    assistant.locator(f"[data-key=focus-{item}]").click()
    turn = assistant.locator(".fu-turn")
    box = turn.bounding_box()
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def drag(x: float, y: float) -> None:
        assistant.mouse.move(*middle)
        assistant.mouse.down()
        assistant.mouse.move(middle[0] + x, middle[1] + y, steps=2)
        assistant.mouse.up()

    def seen(side: str) -> None:
        assistant.locator(f"[data-side={side}][aria-pressed=true]").wait_for()
        assert assistant.locator(".fu-sides [aria-pressed=true]").count() == 1

    drag(-80, 0)
    seen("right")
    drag(80, 0)
    seen("front")
    drag(0, 80)
    seen("up")
    # Keys that come faster than the server answers are all counted.
    turn.focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
        assistant.keyboard.press(key)
    seen("back")
    share(assistant, user, [item], "back")
    assert turn.locator("img").get_attribute("src").endswith(f"{item}_back.png")


@thorough
def test_a_talk_by_keyboard_alone(study: Served, open_page: Callable[..., Any]) -> None:
    user, assistant = (Typist(each) for each in seat_two(study, open_page))
    user.say("I need something to sit on")
    assistant.page.locator(".partner .text").wait_for()
    assistant.go_to("#fu-search [name=furnitureType]")
    assistant.page.keyboard.type("Sofas")
    assistant.press("#fu-find")
    assistant.page.locator(".fu-card").first.wait_for()
    assistant.press("[data-key=next]")
    assistant.page.locator("#fu-found", has_text="4 to 6").wait_for()
    # The focus stays where it was, though the row is another one.
    assert assistant.page.evaluate("document.activeElement.dataset.key") == "next"
    assistant.press("[data-key^=focus-]")
    assistant.page.locator(".fu-turn").wait_for()
    assistant.go_to(".fu-turn")
    assistant.page.keyboard.press("ArrowLeft")
    assistant.page.locator("[data-side=left][aria-pressed=true]").wait_for()
    assistant.press("[data-key^=text-]")
    assistant.page.locator(".fu-text").wait_for()
    assistant.press("#fu-share")
    user.page.locator("#fu-scene.focused").wait_for()
    assistant.go_to(".fu-text button[tabindex='0']")
    assistant.page.keyboard.press("End")
    assistant.page.keyboard.press("Enter")
    assistant.page.locator("[data-attribute=info][aria-pressed=true]").wait_for()
    assistant.say("A fine sofa, seen from the left.")
    user.page.locator(".partner .text").wait_for()
    user.press("#shop-end summary")
    user.press("#shop-done")
    for each in (user, assistant):
        each.page.locator("#shop-survey").wait_for()
        each.choose("grade", "5")
        each.press("#shop-survey button.main")
    for each in (user, assistant):
        each.page.locator(".code-text").wait_for()
    check_export(study, SHOP)
    assert actions_of(study, SHOP) == ["SpecifyInfo"]


@thorough
def test_small_screens_in_german(study: Served, open_page: Callable[..., Any]) -> None:
    small = {"viewport": {"width": 390, "height": 800}, "locale": "de-DE"}
    user, assistant = seat_two(study, open_page, small, small, language="de")
    say(user, "Ich brauche ein Sofa", assistant)
    search(assistant)
    row = row_of(assistant)
    share(assistant, user, row)
    assistant.locator(f"[data-key=text-{row[0]}]").click()
    assistant.locator(".fu-text").wait_for()
    look_at("furniture-390-row", user, assistant)
    # Left is left for the customer, on the smallest screen, too.
    tops = "(all) => all.map((each) => each.offsetTop)"
    assert len(set(user.locator("#fu-scene .fu-thing").evaluate_all(tops))) == 1
    assistant.locator(f"[data-key=focus-{row[0]}]").click()
    assistant.locator(".fu-turn").wait_for()
    share(assistant, user, row[:1])
    look_at("furniture-390-focus", user, assistant)
    for page in (user, assistant):
        check_enlarged(page)


@thorough
def test_furniture_without_pictures_is_drawn(study: Served, open_page: Callable[..., Any]) -> None:
    user, assistant = seat_two(study, open_page)
    say(user, "What do you have?", assistant)
    shapes = set()
    for kind in ("Bookcases", "Dining Chairs", "Coffee Tables", "Table Lamps", "Sofas"):
        search(assistant, kind)
        assistant.locator(".fu-card figcaption", has_text=kind.lower()).first.wait_for()
        drawing = assistant.locator(".fu-card svg path").first.get_attribute("d")
        shapes.add(drawing)
    assert len(shapes) == 5
    item = row_of(assistant)[0]
    assistant.locator(f"[data-key=focus-{item}]").click()
    solid = assistant.locator(".fu-turn .fu-solid")
    front = solid.get_attribute("style")
    press(assistant, "[data-side=left]")
    left = solid.get_attribute("style")
    assert left != front
    # It follows the pointer, and goes back where it was let go before it came to another side.
    box = assistant.locator(".fu-turn").bounding_box()
    assistant.mouse.move(box["x"] + 100, box["y"] + 100)
    assistant.mouse.down()
    assistant.mouse.move(box["x"] + 130, box["y"] + 100)
    assert solid.get_attribute("style") not in (left, front)
    assistant.mouse.up()
    assert solid.get_attribute("style") == left
    assert assistant.locator(".fu-sides [aria-pressed=true]").get_attribute("data-side") == "left"
    share(assistant, user, [item], "left")
    look_at("furniture-drawn", user, assistant)


@thorough
def test_the_researcher_sees_both_screens(study: Served, open_page: Callable[..., Any]) -> None:
    user, assistant = seat_two(study, open_page)
    say(user, "A sofa", assistant)
    search(assistant)
    monitor = open_page(study.monitor)
    monitor.locator("text=Watch").first.click()
    seats = monitor.locator(".seat")
    seats.nth(0).locator("figure").nth(2).wait_for()
    assert seats.nth(1).locator("figure").count() == 0, "nothing is shared yet"
    share(assistant, user, row_of(assistant))
    seats.nth(1).locator("figure").nth(2).wait_for()


@thorough
def test_who_came_for_no_seat_gets_the_other_one(
    served: Served, open_page: Callable[..., Any]
) -> None:
    assistant = open_page(f"{served.address}/?role=assistant")
    come_in(assistant, SHOP)
    user = open_page(served.address)
    come_in(user, SHOP)
    in_the_shop(user)
    assert user.locator("#shop-role").inner_text() == "You are the customer"
