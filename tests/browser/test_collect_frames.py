"""A user and a wizard talk about a trip in real browsers, whatever they do and whatever happens."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from tests.browser.bracketing import bracket_texts, check_brackets
from tests.browser.test_collect_keyboard import Typist
from tests.browser.travelling import (
    PRACTICE,
    QUIZ,
    WISH,
    at_the_desk,
    close,
    confirm_all,
    offer,
    search,
    seat_two,
    send,
    show,
    write,
)
from tests.browser.visiting import Served, check_accessible, check_fits, keep, run
from tests.thorough import a_few, thorough

WIDE: dict[str, Any] = {"viewport": {"width": 1440, "height": 900}}
NARROW: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}

FEW, EVERY = "offered", "task noted found offered survey"
"""Stages of the talk at which both pages are looked at."""


@pytest.fixture
def trip(tmp_path: Path) -> Iterator[Served]:
    study = Served(tmp_path, "en", "de", scenario="frames")
    yield study
    study.kill()


def export(study: Served) -> Any:
    """Exports the one session; it is imported without an error or a warning, and plays again."""
    out, store = study.folder.parent / "OUT", study.folder.parent / "store"
    assert "1 complete session" in study.run("export", str(study.folder), str(out))
    assert "no errors" in run("import", "frames", out, "--store", store)
    checked = json.loads(run("check", "frames", "--store", store, "--json"))
    assert {rule["severity"] for rule in checked["rules"]} <= {"note"}
    assert "1 of 1 file equal" in run("roundtrip", "frames", out)
    (dialogue,) = json.loads((out / "frames.json").read_bytes())
    return dialogue


def acts_of(turn: dict[str, Any]) -> list[str]:
    return [act["name"] for act in turn["labels"]["acts"]]


def check_pages(pages: tuple[Any, Any], name: str) -> None:
    """Looks at both pages in a narrow dark window and in a wide light one."""
    for page, role in zip(pages, ("user", "wizard"), strict=True):
        check_accessible(page)
        check_fits(page)
        keep(page, f"frames-{name}-{role}-narrow")
        page.set_viewport_size(WIDE["viewport"])
        page.emulate_media(color_scheme="light")
        check_accessible(page)
        check_fits(page)
        keep(page, f"frames-{name}-{role}")
        page.set_viewport_size(NARROW["viewport"])
        page.emulate_media(color_scheme="dark")


@pytest.mark.parametrize("stages", a_few([FEW, EVERY], [FEW]), ids=["few", "every"])
def test_two_people_book_a_trip(trip: Served, open_page: Callable[..., Any], stages: str) -> None:
    """They have narrow windows, where parts of the wizard's page take turns."""

    def look(stage: str) -> None:
        if stage in stages.split():
            check_pages(pages, stage)

    pages = user, wizard = seat_two(trip, open_page, **NARROW)
    look("task")
    write(user, WISH, wizard)
    confirm_all(wizard)
    look("noted")
    search(wizard)
    look("found")
    hotel = offer(wizard)
    show(wizard, "notes")
    look("offered")
    assert hotel in wizard.locator("#fr-preview").inner_text()
    show(wizard, "chat")
    send(wizard, user, hotel)
    write(user, f"The {hotel} sounds good. Is there wifi?", wizard)
    confirm_all(wizard)
    wizard.locator("#fr-proposals button").click()
    wizard.locator("#fr-draft li").wait_for()
    show(wizard, "chat")
    send(wizard, user, "wifi")
    write(user, "Book it! Thanks, bye", wizard)
    user.locator("#fr-end-open").click()
    check_accessible(user)
    user.locator("#fr-end-yes").click()
    user.locator("#fr-rating").wait_for()
    wizard.locator("#fr-success").wait_for()
    look("survey")
    confirm_all(wizard)
    user.locator("input[name=rating][value='4']").check()
    user.locator("#fr-rating button").click()
    wizard.locator("#fr-success [value=yes]").click()
    for page in pages:
        page.locator(".code-text").wait_for()
    dialogue = export(trip)
    assert dialogue["labels"] == {"userSurveyRating": 4, "wizardSurveyTaskSuccessful": True}
    first, offered, asked, told, last = dialogue["turns"]
    assert acts_of(first) == ["greeting", "inform"]
    assert acts_of(offered) == ["offer"]
    assert len(offered["db"]["search"]) == 1
    assert acts_of(asked) == ["switch_frame", "request"]
    assert asked["labels"]["active_frame"] == 2
    assert acts_of(told) == ["inform"]
    assert acts_of(last) == ["inform", "thankyou", "goodbye"]


class Guide(Typist):
    """A user or a wizard who has a keyboard only."""

    def enter(self) -> None:
        self.press("button.main")
        self.page.locator("input[name=agree]").wait_for()
        self.press("input[name=agree]", "Space")
        self.press("button.main")
        self.page.locator("#quiz").wait_for()
        for question in QUIZ:
            self.choose(question.name, str(question.right))
        self.press("button.main")
        self.page.locator("form[action$='/practice']").wait_for()
        for field in PRACTICE:
            self.choose(field.name, field.right)
        self.press("form[action$='/practice'] button.main")
        self.page.locator("form[action$='/ready']").wait_for()
        self.press("form[action$='/ready'] button")

    def jump(self, key: str, then: str) -> None:
        """Goes by a key to a part of the page."""
        self.page.keyboard.press(key)
        self.wait_for_focus(then)

    def wait_for_focus(self, then: str) -> None:
        focused = "(each) => document.activeElement.matches(each)"
        self.page.wait_for_function(focused, arg=then)


@thorough
def test_a_trip_is_found_by_keyboard_alone(trip: Served, open_page: Callable[..., Any]) -> None:
    trip.start()
    links = (f"{trip.address}/?role={role}" for role in ("user", "wizard"))
    user, wizard = (Guide(open_page(link, **WIDE)) for link in links)
    for each in (user, wizard):
        each.enter()
    for each in (user, wizard):
        at_the_desk(each.page)
    user.say(WISH)
    wizard.page.locator("#fr-all").wait_for()
    # Note, search, offer, send: a key to each part, and Enter.
    wizard.jump("F2", "#fr-all")
    wizard.page.keyboard.press("Enter")
    wizard.page.locator("#fr-heard li").nth(1).wait_for()
    wizard.jump("F4", "[name=DESTINATION_CITY]")
    wizard.page.keyboard.press("Enter")
    wizard.wait_for_focus("#fr-rows button")  # the first row's, by itself
    wizard.page.keyboard.press("2")
    wizard.page.locator("#fr-draft li").wait_for()
    wizard.jump("F8", "#text")
    wizard.page.keyboard.press("Enter")
    user.page.locator(".partner .text").wait_for()
    user.say("A pity.")
    wizard.page.locator(".partner .text", has_text="A pity.").wait_for()
    # Words are selected with the arrows.
    wizard.page.locator("#fr-heard-none").wait_for(state="hidden")
    wizard.jump("F2", "#fr-more summary")
    wizard.page.keyboard.press("Enter")
    wizard.go_to(".fr-word")
    wizard.page.keyboard.press("Shift+ArrowRight")
    assert wizard.page.locator(".fr-word[aria-pressed=true]").count() == 2
    wizard.press("#fr-acts button:nth-child(4)")  # not this
    wizard.page.locator("#fr-heard li").wait_for()
    wizard.say("Goodbye!")
    user.page.locator(".partner .text").nth(1).wait_for()
    user.press("#fr-end-open")
    user.page.locator("#fr-end[open]").wait_for()
    user.press("#fr-end-yes")
    user.page.locator("#fr-rating").wait_for()
    user.choose("rating", "2")
    user.press("#fr-rating button")
    wizard.page.locator("#fr-success").wait_for()
    wizard.press("#fr-success [value=no]")
    for each in (user, wizard):
        each.page.locator(".code-text").wait_for()
    dialogue = export(trip)
    assert dialogue["labels"]["wizardSurveyTaskSuccessful"] is False
    assert [acts_of(turn) for turn in dialogue["turns"]] == [
        ["greeting", "inform"],
        ["offer"],
        ["negate"],
        [],
    ]


def test_what_was_noted_can_be_mended(trip: Served, open_page: Callable[..., Any]) -> None:
    user, wizard = seat_two(trip, open_page, **WIDE)
    write(user, WISH, wizard)
    # A slot that is suggested wrongly is left out, the others are confirmed by a click.
    wizard.locator(".fr-suggestion .fr-toggle", has_text="Lisbon").click()
    wizard.locator(".fr-suggestion .fr-confirm").nth(1).click()
    wizard.locator("#fr-heard li", has_text="Cusco").wait_for()
    assert "Lisbon" not in wizard.locator("#fr-heard").inner_text()
    wizard.locator(".fr-suggestion", has_text="Cusco").wait_for(state="detached")
    assert "Lisbon" not in wizard.locator("#fr-suggestions").inner_text()
    confirm_all(wizard)
    # Whatever was recorded is taken back by itself.
    wizard.locator("#fr-heard li", has_text="Greeting").locator(".fr-back").click()
    wizard.locator("#fr-heard li", has_text="Greeting").wait_for(state="detached")
    assert wizard.locator("#fr-heard .fr-note").count() == 1
    # A slot of a frame is put right in a dialog.
    wizard.locator(".fr-slot", has_text="adults 4").click()
    check_accessible(wizard)
    wizard.locator("#fr-mend [name=value]").first.fill("5")
    wizard.locator("#fr-mend button.main").click()
    wizard.locator(".fr-slot", has_text="adults 5").wait_for()
    assert wizard.locator("[name=NUM_ADULTS]").input_value() == "5"
    # Words of the chat are selected, and said to be a wish.
    wizard.locator(".partner .text").evaluate(
        """(said) => {
          const range = document.createRange();
          const at = said.firstChild.data.indexOf("Lisbon");
          range.setStart(said.firstChild, at);
          range.setEnd(said.firstChild, at + 6);
          getSelection().removeAllRanges();
          getSelection().addRange(range);
          said.dispatchEvent(new MouseEvent("mouseup", { bubbles: true }));
        }"""
    )
    wizard.locator(".fr-word[aria-pressed=true]", has_text="Lisbon").wait_for()
    assert wizard.locator("#fr-slot").input_value() == "dst_city"
    assert wizard.locator("#fr-acts button", has_text="Wants something else").is_disabled()
    wizard.locator("#fr-acts button").first.click()  # says
    wizard.locator("#fr-heard li", has_text="Lisbon").wait_for()
    write(wizard, "I see.", user)
    close(user, wizard)
    dialogue = export(trip)
    info = dialogue["turns"][0]["labels"]["frames"][0]["info"]
    held = {slot: [each["val"] for each in values] for slot, values in info.items()}
    assert (held["n_adults"], held["dst_city"], held["or_city"]) == (["5"], ["Lisbon"], ["Cusco"])


@thorough
def test_one_act_takes_several_slots_and_a_comparison_two_clicks(
    trip: Served, open_page: Callable[..., Any]
) -> None:
    user, wizard = seat_two(trip, open_page, **WIDE)
    write(user, WISH, wizard)
    wizard.locator("#fr-more summary").click()
    for word, slot in (("Cusco", "or_city"), ("Lisbon,", "dst_city")):
        if slot == "dst_city":
            wizard.locator("#fr-and").click()
        wizard.locator(".fr-word", has_text=word).first.click()
        wizard.locator("#fr-slot").select_option(slot)
    wizard.locator("#fr-acts button").first.click()  # says
    wizard.locator("#fr-heard li", has_text="Lisbon").wait_for()
    assert wizard.locator("#fr-heard .fr-note").count() == 1
    search(wizard)
    hotels = [offer(wizard, 1), offer(wizard, 2)]
    # A question whether to book is proposed, and makes no frame.
    wizard.locator("#fr-proposals button", has_text="Suggests").click()
    wizard.locator("#fr-draft li").nth(2).wait_for()
    assert "Shall I book it for you?" in wizard.locator("#text").input_value()
    send(wizard, user, hotels[1])
    asked = f"Which is cheaper, the {hotels[0]} or the {hotels[1]}? What is the price of each?"
    write(user, asked, wizard)
    suggested = wizard.locator("#fr-suggestions li", has_text="Compares")
    expect(suggested.locator(".fr-toggle")).to_have_text(["price"])
    expect(suggested.locator(".fr-tag", has_text="Frame")).to_have_text(["Frame 2", "Frame 3"])
    for hotel in hotels:
        card = wizard.locator(".fr-frame", has=wizard.locator("h3", has_text=hotel))
        card.locator("button", has_text="Compare").click()
    wizard.locator("#fr-heard .fr-note").wait_for()
    wizard.locator("#fr-proposals button").first.click()
    wizard.locator("#fr-draft li").first.wait_for()
    # Facts of one frame join the act that was begun; the list of more stays open.
    card = wizard.locator(".fr-frame", has=wizard.locator("h3", has_text=hotels[0]))
    card.locator(".fr-facts summary").click()
    card.locator(".fr-facts button", has_text="stay").click()
    wizard.locator("#fr-draft li", has_text="stay").wait_for()
    card.locator(".fr-facts button", has_text="class").click()
    wizard.locator("#fr-draft li", has_text="class").wait_for()
    write(wizard, wizard.locator("#text").input_value(), user)
    close(user, wizard)
    dialogue = export(trip)
    first, offered, comparing, told = dialogue["turns"]
    assert [len(act["args"]) for act in first["labels"]["acts"]] == [2]
    assert acts_of(offered) == ["offer", "offer", "suggest"]
    assert offered["labels"]["acts"][2]["args"] == [{"key": "action", "val": "book"}]
    assert len(offered["labels"]["frames"]) == 3
    (compared,) = comparing["labels"]["acts"]
    assert [arg["key"] for arg in compared["args"]] == ["price", "ref"]
    assert [each["frame"] for each in compared["args"][1]["val"]] == [2, 3]
    assert max(len(act["args"][0]["val"][0]["annotations"]) for act in told["labels"]["acts"]) == 4


@thorough
def test_the_last_question_and_the_end_stay_in_sight(
    trip: Served, open_page: Callable[..., Any]
) -> None:
    """In a window of 1440x900, while the wizard works at the end of a long page."""
    user, wizard = seat_two(trip, open_page, **WIDE)
    for turn in range(8):
        write(user, f"{WISH} This is wish {turn}.", wizard)
        write(wizard, f"Let me see, that is number {turn} of the wishes that you told me.", user)
    write(user, "Is there wifi in the last of them?", wizard)
    confirm_all(wizard)
    search(wizard)
    wizard.locator("#fr-more summary").click()
    for each in (user, wizard):
        each.evaluate("window.scrollTo(0, document.body.scrollHeight)")
        assert is_in_sight(each, each.locator(".text", has_text="Is there wifi").last)
        assert is_in_sight(each, each.locator("#text"))
    assert is_in_sight(user, user.locator("#fr-end-open"))


def is_in_sight(page: Any, part: Any) -> bool:
    """Whether all of a part is in the window, and nothing covers its middle."""
    box = part.bounding_box()
    if not (box and box["y"] >= 0 and box["y"] + box["height"] <= page.viewport_size["height"]):
        return False
    return bool(
        part.evaluate(
            """(each) => {
              const box = each.getBoundingClientRect();
              const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
              const top = document.elementFromPoint(x, y);
              return each.contains(top) || top.contains(each);
            }"""
        )
    )


@thorough
def test_what_was_typed_survives_a_reload(trip: Served, open_page: Callable[..., Any]) -> None:
    pages = seat_two(trip, open_page, **WIDE)
    write(pages[0], WISH, pages[1])
    for page in pages:
        page.locator("#text").fill("Not sent yet")
        page.reload()
        at_the_desk(page)
        expect(page.locator("#text")).to_have_value("Not sent yet")
    send(*pages, "Not sent yet")
    pages[0].reload()
    at_the_desk(pages[0])
    assert pages[0].locator("#text").input_value() == ""


@thorough
def test_refusals_are_said_in_words(trip: Served, open_page: Callable[..., Any]) -> None:
    user, wizard = seat_two(trip, open_page, **WIDE)
    assert wizard.locator("#write button").is_disabled()
    write(user, WISH, wizard)
    confirm_all(wizard)
    wizard.locator("[name=NUM_ADULTS]").fill("")
    wizard.locator("[name=PRICE_MAX]").fill("1.5")
    wizard.locator("#fr-go").click()
    wizard.locator("#refusal", has_text="use whole numbers").wait_for()
    wizard.locator("[name=PRICE_MAX]").fill("")
    search(wizard)
    hotel = offer(wizard)
    wizard.locator("#text").fill("Something else")
    missing = wizard.locator(".fr-missing", has_text=hotel)
    missing.wait_for()
    wizard.locator("#text").press("Enter")
    wizard.locator("#refusal", has_text="Your message does not contain").wait_for()
    # What was typed is not lost, and what is missing is put in by clicks.
    assert wizard.locator("#text").input_value() == "Something else"
    while wizard.locator(".fr-missing").count():
        wizard.locator(".fr-missing").first.click()
    send(wizard, user, hotel)
    for tell in ("price", "hotel"):
        wizard.locator("#fr-tell button", has_text=tell).first.click()
    write(user, "Go on", wizard)
    wizard.locator("#fr-rows button").nth(1).click()
    wizard.locator("#refusal", has_text="must name the hotel or the price").wait_for()


@thorough
def test_a_reload_and_another_tab_find_everything(
    trip: Served, open_page: Callable[..., Any]
) -> None:
    user, wizard = seat_two(trip, open_page, **WIDE)
    write(user, WISH, wizard)
    confirm_all(wizard)
    search(wizard)
    hotel = offer(wizard, 3)
    wizard.reload()
    wizard.locator("#fr-draft li", has_text=hotel).wait_for()
    assert wizard.locator("#fr-heard .fr-note").count() == 2
    assert hotel in wizard.locator("#text").input_value()
    assert wizard.locator("#fr-rows tr").count() == 10
    other = wizard.context.new_page()
    other.goto(wizard.url)
    other.locator("#fr-draft li", has_text=hotel).wait_for()
    wizard.locator("#banner", has_text="another tab").wait_for()
    send(other, user, hotel)
    user.reload()
    user.locator(".partner .text", has_text=hotel).wait_for()
    write(user, "Thanks", other)
    # Taken back in one tab, it is gone in the other once that goes on.
    confirm_all(other)
    wizard.locator("#banner button").click()
    wizard.locator("#fr-heard li", has_text="Thanks").wait_for()
    other.locator("#banner", has_text="another tab").wait_for()
    close(user, wizard)
    export(trip)


@thorough
def test_every_text_of_both_pages_is_of_the_catalogue(
    tmp_path: Path, open_page: Callable[..., Any], afterwards: ExitStack
) -> None:
    study = Served(tmp_path, "en", scenario="frames")
    bracket_texts(study.folder, "frames")
    afterwards.callback(study.kill)
    user, wizard = seat_two(study, open_page, **WIDE)
    for page in (user, wizard):
        check_brackets(page)
    write(user, WISH, wizard)
    wizard.locator("#fr-all").wait_for()
    wizard.locator("#fr-more summary").click()
    check_brackets(wizard)
    confirm_all(wizard)
    search(wizard)
    hotel = offer(wizard)
    wizard.locator(".fr-facts summary").click()
    check_brackets(wizard)
    wizard.locator(".fr-slot").first.click()
    check_brackets(wizard)
    wizard.locator("#fr-mend-close").click()
    send(wizard, user, hotel)
    write(user, f"About the {hotel}: how is it rated?", wizard)
    confirm_all(wizard)
    check_brackets(wizard)
    user.locator("#fr-end-open").click()
    check_brackets(user)
    user.locator("#fr-end-yes").click()
    user.locator("#fr-rating").wait_for()
    wizard.locator("#fr-success").wait_for()
    for page in (user, wizard):
        check_brackets(page)
    watcher = open_page(study.monitor)
    watcher.locator("#sessions a.button").click()
    watcher.locator(".seat li").first.wait_for()
    check_brackets(watcher)


@thorough
def test_nobody_goes_on_whose_practice_is_not_all_right(
    trip: Served, open_page: Callable[..., Any]
) -> None:
    trip.start()
    page = open_page(f"{trip.address}/", **WIDE)
    page.locator("button.main").click()
    page.locator("input[name=agree]").check()
    page.locator("button.main").click()
    for question in QUIZ:
        page.locator(f"input[name={question.name}][value='{question.right}']").check()
    page.locator("button.main").click()
    page.locator("form[action$='/practice']").wait_for()
    for wrong, note in ((1, ".note.bad"), (0, ".note.good")):
        for number, field in enumerate(PRACTICE):
            value = (int(field.right) + (wrong if number == 2 else 0)) % 3
            page.locator(f"input[name={field.name}][value='{value}']").check()
        page.locator("form[action$='/practice'] button").click()
        page.locator(note).wait_for()
        assert page.locator("form[action$='/ready']").count() == 1 - wrong
        check_accessible(page)
        check_fits(page)
        keep(page, f"frames-practice-{wrong}", whole=True)


@thorough
def test_the_page_speaks_german(trip: Served, open_page: Callable[..., Any]) -> None:
    trip.start()
    page = open_page(f"{trip.address}/?lang=de&role=wizard", **NARROW)
    page.locator("button.main").click()
    page.locator("input[name=agree]").check()
    page.locator("button.main").click()
    page.locator("#quiz").wait_for()
    assert "Berater" in page.locator("main").inner_text()
    check_accessible(page)
    check_fits(page)
