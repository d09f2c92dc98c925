"""People annotate shopping dialogues in real browsers: by keyboard, mouse and finger."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.annotating import (
    WORDS,
    at_utterance,
    go_on,
    mark,
    pick,
    sit_down,
    word,
    write_dialogues,
)
from tests.browser.shopping import come_in
from tests.browser.test_collect_keyboard import Typist
from tests.browser.visiting import (
    Served,
    check_accessible,
    check_both_schemes,
    check_fits,
    keep,
    run,
)
from tests.thorough import thorough

PHONE: dict[str, Any] = {
    "viewport": {"width": 360, "height": 740},
    "has_touch": True,
    "is_mobile": True,
}


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Served]:
    """A study of two collected dialogues that is not served yet."""
    material = write_dialogues(tmp_path / "collected")
    study = Served(tmp_path, "en", "de", scenario="simmc-annotation", material=material)
    yield study
    study.kill()


def export(served: Served) -> list[dict[str, Any]]:
    """Exports the study; returns the dialogues."""
    out = served.folder.parent / "OUT"
    served.run("export", str(served.folder), str(out))
    path = out / "simmc_fashion" / "fashion_collected_dials.json"
    found: list[dict[str, Any]] = json.loads(path.read_bytes())["dialogue_data"]
    return found


def test_two_dialogues_by_keyboard_alone(served: Served, open_page: Callable[..., Any]) -> None:
    typist = Typist(open_page(served.address))
    page = typist.page
    typist.press("button.main")
    page.locator("input[name=agree]").wait_for()
    typist.press("input[name=agree]", "Space")
    typist.press("button.main")
    page.locator("#quiz").wait_for()
    for name, value in {"act": "1", "slot": "2", "thing": "0"}.items():
        typist.choose(name, value)
    typist.press("button.main")
    at_utterance(page, 1)
    # The words have the focus, so that one key takes an utterance that needs no change.
    page.locator("#sa-words:focus").wait_for()
    go_on(page, 4)
    page.locator(".sa-said", has_text="sure").wait_for()
    go_on(page, 2)
    assert page.locator(".code-text").inner_text()

    first, second = export(served)
    assert [first["dialogue_idx"], second["dialogue_idx"]] == [5, 6]
    turn = first["dialogue"][0]
    assert [each["act"] for each in turn["belief_state"]] == [
        *("DA:INFORM:PREFER:CLOTHING", "DA:ASK:GET:CLOTHING.price")
    ]
    assert turn["belief_state"][0]["slots"] == [
        *(["fashion-O", "OBJECT_0"], ["fashion-attentionOn", "this"], ["fashion-color", "red"])
    ]
    # An act is what its sentence does.
    assert "'span': {'start': 22, 'end': 31}" in turn["transcript_annotated"]
    out, store = served.folder.parent / "OUT", served.folder.parent / "store"
    assert "2 dialogues" in run("import", "simmc", out, "--store", store)
    assert json.loads(run("check", "simmc", "--store", store, "--json"))["rules"] == []
    assert "annotator" in served.run("replay", str(served.folder), "s0001")


def test_words_and_marks_by_mouse(study: Served, open_page: Callable[..., Any]) -> None:
    page = sit_down(study, open_page, viewport={"width": 1280, "height": 900})
    assert page.locator(".sa-mark.sa-proposed").count() == 6
    # A word, and words that are drawn over.
    word(page, "coat").click()
    pick(page, "clothingc", "clothingCategory")
    word(page, "How").hover()
    page.mouse.down()
    word(page, "much").hover()
    page.mouse.up()
    page.locator("#sa-asks", has_text="How much").wait_for()
    page.keyboard.press("Escape")
    assert page.locator(".sa-word.sa-chosen").all_inner_texts() == ["How", "much"]
    # What is proposed is accepted by a click, dropped, or changed.
    mark(page, "attentionOn").click()
    page.locator(".sa-mark.sa-proposed").nth(4).wait_for()
    page.locator(".sa-mark", has_text="color").locator(".sa-drop").click()
    # A third act gets a thing.
    page.locator("#sa-add").click()
    pick(page, "dispref", "INFORM:DISPREFER")
    page.locator(".sa-thing").click()
    page.locator(".sa-active", has_text="DISPREFER").locator(".sa-link").wait_for()
    keep(page, "annotation-marks")
    watcher = open_page(study.monitor)
    watcher.locator("text=Watch").first.click()
    page.locator("#sa-next").click()
    at_utterance(page, 2)
    watcher.locator(".sa-watched", has_text="DA:INFORM:PREFER").wait_for()
    keep(watcher, "annotation-watched")
    go_on(page, 4)
    page.locator(".sa-said", has_text="sure").wait_for()

    (first, *_) = export(study)
    label = first["dialogue"][0]["turn_label"]
    assert [each["act"] for each in label] == [
        *("DA:INFORM:PREFER:CLOTHING", "DA:ASK:GET:CLOTHING.price"),
        "DA:INFORM:DISPREFER:CLOTHING",
    ]
    assert label[0]["slots"] == [["attentionOn", "this"], ["clothingCategory", "coat"]]
    named = [[each["obj_name"] for each in act["objects"]] for act in label]
    assert named == [["OBJECT_0"]] * 3
    assert "PREFER by" in first["dialogue"][0]["state_graph_1"]["OBJECT_0"]


@thorough
def test_the_words_hear_every_key(study: Served, open_page: Callable[..., Any]) -> None:
    page = sit_down(study, open_page)
    keys = page.keyboard
    chosen = page.locator(".sa-word.sa-chosen")
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "Shift+ArrowRight"):
        keys.press(key)
    assert chosen.all_inner_texts() == ["this", "red"]
    assert page.evaluate("document.activeElement.getAttribute('aria-activedescendant')")
    # Enter accepts what is proposed there, Delete drops it, a letter searches.
    keys.press("Enter")
    assert page.locator(".sa-slot.sa-proposed").count() == 0
    assert chosen.count() == 0
    keys.press("End")
    keys.press("Home")
    keys.press("Shift+End")
    assert chosen.count() == 7
    keys.press("Delete")
    assert page.locator(".sa-slot").count() == 0
    keys.press("Escape")
    keys.press("1")
    assert page.locator(".sa-link:not(.sa-proposed)").count() == 1
    keys.press("1")
    # That of the other act stays.
    assert page.locator(".sa-link").count() == 1
    # Without words chosen a letter changes the act, plus adds one, arrows go from one to another.
    keys.press("p")
    pick(page, "rice", "ASK:GET:CLOTHING.price")
    keys.press("+")
    pick(page, "small", "ERR:CHITCHAT")
    assert page.locator(".sa-active").inner_text().startswith("ERR")
    keys.press("ArrowUp")
    assert page.locator(".sa-active").inner_text().startswith("ASK")
    # On a mark Delete drops it; with the last act goes all that hangs on it.
    for _ in range(3):
        page.locator(".sa-act .sa-main").last.focus()
        keys.press("Delete")
    assert page.locator(".sa-mark").count() == 0
    page.locator("#sa-next", has_text="No act fits").wait_for()
    keys.press("Enter")
    at_utterance(page, 2)
    keys.press("PageUp")
    at_utterance(page, 1)
    assert page.locator(".sa-mark").count() == 0


@thorough
def test_a_reload_and_a_second_tab_keep_labels_and_drafts(
    study: Served, open_page: Callable[..., Any]
) -> None:
    page = sit_down(study, open_page)
    page.keyboard.press("Enter")
    at_utterance(page, 2)
    page.keyboard.press("+")
    pick(page, "refine", "PROMPT:REFINE")
    page.locator("#sa-talk .sa-labelled").wait_for()
    page.reload()
    at_utterance(page, 2)
    page.locator(".sa-mark", has_text="PROMPT:REFINE").wait_for()
    assert page.locator("#sa-progress").evaluate("(each) => each.value") == 1
    other = page.context.new_page()
    other.goto(page.url)
    at_utterance(other, 2)
    page.locator("#banner:visible", has_text="another tab").wait_for()
    other.keyboard.press("Enter")
    at_utterance(other, 3)
    page.locator("#banner button").click()
    at_utterance(page, 3)
    assert page.locator("#sa-talk .sa-labelled").count() == 2


@thorough
def test_what_is_refused_is_said_and_at_work_again(
    study: Served, open_page: Callable[..., Any]
) -> None:
    page = sit_down(study, open_page)
    page.keyboard.press("+")
    pick(page, "DA:SING:GET", "DA:SING:GET")
    page.keyboard.press("Control+Enter")
    page.locator("#refusal:visible", has_text="That is not an act").wait_for()
    at_utterance(page, 1)
    assert page.locator("#sa-talk .sa-labelled").count() == 0
    page.locator(".sa-mark", has_text="SING:GET").locator(".sa-drop").click()
    page.locator("#sa-next").click()
    at_utterance(page, 2)
    page.locator("#sa-talk .sa-labelled").wait_for()
    # Back by the list, changed, and saved anew: the last label counts.
    page.locator("#sa-talk button").first.click()
    at_utterance(page, 1)
    for act in ("INFORM:PREFER", "ASK:GET"):
        page.locator(".sa-act", has_text=act).locator(".sa-drop").click()
    page.locator("#sa-next").click()
    at_utterance(page, 2)
    go_on(page, 4)
    page.locator(".sa-said", has_text="sure").wait_for()
    (first, *_) = export(study)
    assert first["dialogue"][0]["belief_state"] == []


def look_at(page: Any, name: str) -> None:
    """Looks at a page on a light phone, and in a dark window of 1,024 pixels."""
    check_accessible(page)
    check_fits(page)
    keep(page, f"annotation-{name}-360", whole=True)
    page.set_viewport_size({"width": 1024, "height": 768})
    page.emulate_media(color_scheme="dark")
    check_accessible(page)
    check_fits(page)
    keep(page, f"annotation-{name}-1024", whole=True)
    page.set_viewport_size(PHONE["viewport"])
    page.emulate_media(color_scheme="light")


@thorough
def test_it_fits_and_is_accessible(served: Served, open_page: Callable[..., Any]) -> None:
    page = open_page(f"{served.address}/?lang=de", **PHONE)
    check_both_schemes(page)
    page.emulate_media(color_scheme="light")
    come_in(page, "annotation")
    at_utterance(page, 1)
    look_at(page, "begin")
    # A tap chooses a word, a second tap further on the words up to there.
    word(page, "this").tap()
    page.locator("#sa-picker").wait_for()
    word(page, "coat").tap()
    page.locator("#sa-asks", has_text="this red coat").wait_for()
    look_at(page, "picker")
    page.locator("#sa-options li", has_text="attentionOn").tap()
    page.locator(".sa-mark", has_text="this red coat").wait_for()
    for number in (2, 3, 4):
        page.locator("#sa-next").click()
        at_utterance(page, number)
    assert page.locator("#sa-who").inner_text().endswith("SearchDatabase")
    # One thing has a picture, the other one is drawn.
    assert (
        page.locator(".sa-thing img").count()
        == page.locator(".sa-thing .shop-drawing").count()
        == 1
    )
    assert page.locator(".sa-said").all_inner_texts() == list(WORDS)
    look_at(page, "last")
    page.locator("#rules-open").click()
    look_at(page, "rules")
