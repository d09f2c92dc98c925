"""One person writes both sides of a dialogue: on a phone, by keyboard, with faults and reloads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.browser.visiting import check_accessible, check_fits, keep
from tests.browser.writing import (
    PHONE,
    TURNS,
    Writers,
    begin,
    enter,
    said,
    sit_down,
    submit,
    write,
    write_all,
)
from tests.thorough import thorough

Open = Callable[..., Any]


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Writers]:
    study = Writers(tmp_path)
    yield study
    study.kill()


def look(page: Any, name: str) -> None:
    check_accessible(page)
    check_fits(page)
    keep(page, f"taskmaster-{name}")


def spans(record: dict[str, Any]) -> set[tuple[int, str, str]]:
    """Returns the stretches of a record: utterance, words, label."""
    return {
        (number, each["text"], note["name"])
        for number, turn in enumerate(record["utterances"])
        for each in turn.get("segments", ())
        for note in each["annotations"]
    }


def name_labels(page: Any, *labels: str) -> list[str]:
    """Returns labels as the page names them."""
    script = "labels => import('/static/marks.js').then(({ nameLabel }) => labels.map(nameLabel))"
    named: list[str] = page.evaluate(script, list(labels))
    return named


def cut(page: Any, text: str) -> list[str]:
    """Returns the words of a text that can be marked."""
    script = """text => import('/static/words.js').then(({ cutText }) =>
        cutText(text, []).filter((each) => each.word).map((each) => each.text))"""
    words: list[str] = page.evaluate(script, text)
    return words


def test_a_dialogue_is_written_on_a_phone(study: Writers, open_page: Open) -> None:
    study.start()
    page = open_page(f"{study.address}/?lang=de", color_scheme="dark", **PHONE)
    begin(page)
    look(page, "forms-360")
    enter(page, "my sister and me")
    look(page, "turn-360")
    # What must be in a turn is put in by a touch.
    page.locator(".tm-must").tap()
    assert page.locator("#tm-text-1").input_value() == "Big Sky"
    write(page, 1, TURNS[1])
    assert page.evaluate("document.activeElement.id") == "tm-text-3"
    write(page, 3, TURNS[3])
    page.locator("#tm[data-phase=review]").wait_for()
    look(page, "review-360")
    # One stretch is taken away, one gets another name, one is new: from its first word to its last.
    page.locator("[data-turn='2'] .tm-mark", has_text="4:30pm").tap()
    page.locator(".tm-editor .danger").tap()
    page.locator("[data-turn='3'] .tm-mark", has_text="9:10pm").tap()
    look(page, "editor-360")
    page.locator(".tm-editor select").select_option("time.preference")
    page.locator(".tm-editor .main").tap()
    page.locator("[data-turn='1'] .tm-word >> text=/^on$/").tap()
    page.locator("[data-turn='1'] .tm-word", has_text="tonight").tap()
    options = page.locator(".tm-editor option").all_inner_texts()
    assert "Tag der Vorstellung" in options
    assert not any("." in each for each in options)
    page.locator(".tm-editor select").select_option("date.showing")
    page.locator(".tm-editor .main").tap()
    marked = page.locator("[data-turn='1'] .tm-kind", has_text="Tag der Vorstellung")
    assert marked.get_attribute("title") == "date.showing"
    assert name_labels(page, "flight.date.depart", "end_time") == ["depart, date", "end time"]
    assert cut(page, "بله می\u200cخواهم 👨\u200d👩\u200d👧!") == [
        "بله",
        "می\u200cخواهم",
        "👨\u200d👩\u200d👧",
    ]
    submit(page)
    (record,) = study.export()
    assert spans(record) == {
        (1, "Big Sky", "name.movie"),
        (1, "on tonight", "date.showing"),
        (2, "Big Sky", "name.movie"),
        (2, "9:10pm", "time.showing"),
        (3, "9:10pm", "time.preference"),
        (3, "my sister and me", "num.tickets"),
    }
    (call,) = record["utterances"][1]["apis"]
    assert call["args"] == {"name.movie": "Big Sky"}


@thorough
def test_a_dialogue_is_written_by_keyboard_alone(study: Writers, open_page: Open) -> None:
    page = sit_down(study, open_page, viewport={"width": 1440, "height": 900})
    keys = Keys(page)
    keys.go_to("#tm-forms-page input")
    keys.press("my sister and me", "Enter")
    for turn, text in TURNS.items():
        keys.go_to(f"#tm-text-{turn}")
        keys.press(text, "Enter")
        said(page, turn, text)
    page.locator("#tm[data-phase=review]").wait_for()
    look(page, "review-1440")
    # An arrow goes on by a word, with Shift it takes the word in; Enter asks what it is.
    keys.go_to("[data-turn='1'] [role=button]")
    keys.press("ArrowRight", "ArrowRight", "Shift+ArrowRight", "Enter")
    assert page.locator(".tm-editor q").inner_text() == "on tonight"
    page.keyboard.type("date.sh")
    keys.press("Enter")
    keys.go_to(".tm-editor button.main")
    keys.press("Enter")
    page.locator(".tm-editor").wait_for(state="detached")
    # And Delete takes a stretch away.
    keys.go_to("[data-turn='2'] .tm-mark")
    keys.press("Delete")
    # What was written can be changed, or left.
    keys.go_to("[data-turn='3'] .tm-change")
    keys.press("Enter", "Escape")
    said(page, 3, TURNS[3])
    for selector in ("#tm-confirm", "#tm-check-flow", "#tm-check-kind"):
        keys.go_to(selector)
        keys.press("Space")
    keys.go_to("#tm-submit")
    keys.press("Enter")
    page.locator(".code-text").wait_for()
    (record,) = study.export()
    found = spans(record)
    assert (1, "on tonight", "date.showing") in found
    assert not {each for each in found if each[:2] == (2, "Big Sky")}


class Keys:
    """A keyboard: Tab until something has the focus, and keys."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def go_to(self, selector: str) -> None:
        ready = """(each) => [...document.querySelectorAll(each)]
            .some((one) => !one.disabled && one.checkVisibility())"""
        self.page.wait_for_function(ready, arg=selector)
        for _ in range(80):
            if self.page.evaluate("(each) => document.activeElement.matches(each)", selector):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{selector} cannot be reached by Tab")

    def press(self, *keys: str) -> None:
        for each in keys:
            named = each[0].isupper() and " " not in each
            (self.page.keyboard.press if named else self.page.keyboard.type)(each)


@thorough
def test_refusals_are_said_in_words_where_they_belong(study: Writers, open_page: Open) -> None:
    page = sit_down(study, open_page, **PHONE)
    page.locator("#tm-enter").click()
    fault = page.locator("#tm-forms-page .tm-fault")
    assert fault.inner_text() == "Fill this in."
    assert page.evaluate("document.activeElement.matches('#tm-forms-page input')")
    enter(page, "my sister and me")
    box, fault = page.locator("#tm-text-1"), page.locator("[data-turn='1'] .tm-fault")
    for text, word in (
        ("", "Write something"),
        ("Ask for ‘Big Sky’.", "the hint itself"),
        ("What is on?", "“Big Sky” must be in it"),
        ("Big Sky, sir", "leave out “sir”"),
    ):
        box.fill(text)
        box.press("Enter")
        fault.filter(has_text=word).wait_for()
        # What was written stays, and the keyboard with it.
        assert box.input_value() == text
        assert page.evaluate("document.activeElement.id") == "tm-text-1"
        assert not page.locator("#refusal").is_visible()
    look(page, "refused-360")
    write(page, 1, TURNS[1])
    assert page.locator(".tm-fault:visible").count() == 0


@thorough
def test_a_page_that_is_loaded_anew_has_all_of_it(study: Writers, open_page: Open) -> None:
    page = sit_down(study, open_page, **PHONE)
    page.locator("#tm-forms-page input").fill("my sister and me")
    page.reload()
    page.locator("#tm-forms-page input").wait_for()
    assert page.locator("#tm-forms-page input").input_value() == "my sister and me"
    enter(page, "my sister and me")
    write(page, 1, TURNS[1])
    page.locator("#tm-text-3").fill("half a thou")
    page.reload()
    said(page, 1, TURNS[1])
    page.locator("#tm-text-3").wait_for()
    assert page.locator("#tm-text-3").input_value() == "half a thou"
    write(page, 3, TURNS[3])
    page.locator("[data-turn='2'] .tm-mark").first.tap()
    page.locator(".tm-editor .danger").tap()
    before = page.locator(".tm-mark").all_inner_texts()
    page.reload()
    page.locator(".tm-mark").first.wait_for()
    assert page.locator(".tm-mark").all_inner_texts() == before
    submit(page)
    assert len(spans(study.export()[0])) == len(before)


@thorough
def test_another_tab_takes_over_and_the_first_can_take_it_back(
    study: Writers, open_page: Open
) -> None:
    page = sit_down(study, open_page)
    enter(page, "my sister and me")
    other = page.context.new_page()
    other.goto(page.url)
    write(other, 1, TURNS[1])
    page.locator("#banner button").click()
    said(page, 1, TURNS[1])
    write(page, 3, TURNS[3])
    submit(page)
    (record,) = study.export()
    assert [turn["text"] for turn in record["utterances"]][1::2] == list(TURNS.values())


@thorough
def test_a_turn_that_is_changed_late_is_looked_over_again(study: Writers, open_page: Open) -> None:
    page = sit_down(study, open_page)
    write_all(page)
    page.locator("#tm-confirm").click()
    page.locator("#tm-marks-state.good").wait_for()
    page.locator("[data-turn='1'] .tm-change").click()
    # Nothing is submitted while a turn is open.
    page.locator("#tm-left", has_text="save the turn").wait_for()
    write(page, 1, "Two for 🎬 Big Sky!")
    page.locator("#tm-left", has_text="confirm the marks").wait_for()
    assert page.locator("#tm-submit").is_disabled()
    submit(page)
    (record,) = study.export()
    (segment,) = record["utterances"][1]["segments"]
    # Places are counted in code points: the picture is one.
    assert (segment["start_index"], segment["text"]) == (10, "Big Sky")


def test_words_are_marked_by_drawing_the_mouse_over_them(study: Writers, open_page: Open) -> None:
    page = sit_down(study, open_page, viewport={"width": 1280, "height": 900})
    write_all(page)
    first, last = (
        page.locator("[data-turn='1'] [role=button]", has_text=word).bounding_box()
        for word in ("Is", "tonight")
    )
    page.mouse.move(first["x"] + 4, first["y"] + first["height"] / 2)
    page.mouse.down()
    page.mouse.move(last["x"] + 4, last["y"] + last["height"] / 2, steps=8)
    page.mouse.up()
    # Drawn over a mark it is one stretch from the first word to the last.
    assert page.locator(".tm-editor q").inner_text() == "Is Big Sky on tonight"
    page.locator(".tm-editor select").select_option("name.movie")
    page.locator(".tm-editor .main").click()
    assert page.locator("[data-turn='1'] .tm-mark").count() == 1
    page.locator("[data-turn='1'] .tm-mark").click()
    page.locator(".tm-editor .danger").click()
    assert page.locator("[data-turn='1'] .tm-mark").count() == 0
    submit(page)
    assert {each[0] for each in spans(study.export()[0])} == {2, 3}


@thorough
def test_the_monitor_shows_what_is_written(study: Writers, open_page: Open) -> None:
    page = sit_down(study, open_page)
    enter(page, "my sister and me")
    write(page, 1, TURNS[1])
    watcher = open_page(study.monitor)
    watcher.locator("#sessions a.button").click()
    watcher.locator(".turns li", has_text=TURNS[1]).wait_for()
    watcher.locator(".facts-line", has_text="turns missing: 1").wait_for()
    check_accessible(watcher)
    keep(watcher, "taskmaster-watch")
    watcher.locator("[name=text]").fill("Take your time.")
    watcher.locator("#tell button").click()
    page.locator("#notice", has_text="Take your time.").wait_for()


@thorough
@pytest.mark.parametrize("scenario", ["taskmaster1", "taskmaster4"])
def test_the_other_dialects_are_written_on_the_same_page(
    scenario: str, tmp_path: Path, open_page: Open, afterwards: ExitStack
) -> None:
    label = {"taskmaster1": "pizza_ordering.size.pizza", "taskmaster4": "request"}[scenario]
    free = f"Order a pizza.\n{{{{ENTER size {label} How big?}}}}\n{{{{CONVERSATION}}}}\n"
    study = Writers(tmp_path, scenario, free)
    afterwards.callback(study.kill)
    page = sit_down(study, open_page, **PHONE)
    enter(page, "huge")
    for turn in range(10):
        write(page, turn, f"Turn {turn}, a huge one")
    page.locator("#tm[data-phase=review]").wait_for()
    look(page, f"{scenario}-360")
    # More may be said, up to a limit, and nothing that was begun is lost unseen.
    page.locator("#tm-confirm").click()
    page.locator("#tm-text-10").fill("Bye")
    page.locator("#tm-submit:enabled").click()
    page.locator("[data-turn='10'] .tm-fault", has_text="not sent yet").wait_for()
    write(page, 10, "Bye")
    submit(page)
    (told,) = study.replay()
    assert len(told["utterances"]) == 11
    assert len(spans(told)) == 10
