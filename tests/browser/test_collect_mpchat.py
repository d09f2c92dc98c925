"""Responses are labelled in real browsers: by hand, by keyboard alone, on small screens."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from tests.browser.labelling import (
    answer_all,
    at_unit,
    come_in,
    pass_the_quiz,
    read_plan,
    sit_down,
    submit,
    try_it,
    type_answers,
)
from tests.browser.test_collect_keyboard import Typist
from tests.browser.visiting import COLOURS, Served, check_accessible, check_fits, consent, keep
from tests.thorough import a_few, thorough

from commonground.corpora import get_corpus
from commonground.play.collect.exports.replaying import list_played, replay_session
from commonground.play.collect.setup.study import open_study
from commonground.play.scenarios import get_scenario
from commonground.play.simulating import simulate_corpus
from commonground.store.importing import import_corpus
from commonground.store.opening import open_store

EACH = 3
"""Units that one person may label here."""

SIZES = ((512, 384), (1024, 768), (1440, 900), (360, 740))
"""Windows that pages must fit; the first shows what one of twice its size does at 200 %."""

CUT = """() => [...document.querySelectorAll("#main button, #main label, #main p, #main h2")]
  .filter((each) => each.offsetParent && each.scrollWidth > each.clientWidth + 1)
  .map((each) => each.outerHTML)"""
"""Texts that are wider than what they stand in."""


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Served]:
    """A labelling study in English and German that is not served yet."""
    study = Served(tmp_path, "en", "de", scenario="mpchat")
    path = study.folder / "study.toml"
    text, count = re.subn(r"sessions_each = \d+", f"sessions_each = {EACH}", path.read_text())
    assert count == 1
    path.write_text(text)
    yield study
    study.kill()


def make_material(folder: Path, threads: int) -> Path:
    """Invents a folder of threads with their pictures, as somebody's own files would lie there."""
    simulate_corpus(get_corpus("mpchat"), folder, dialogues=threads, seed=4)
    return folder


@pytest.mark.parametrize("threads_given", a_few([1, 2], [1]))
def test_three_people_label_what_is_released(
    tmp_path: Path, open_page: Callable[..., Any], afterwards: ExitStack, threads_given: int
) -> None:
    material = make_material(tmp_path / "mine", threads_given)
    study = Served(tmp_path, scenario="mpchat", material=material)
    afterwards.callback(study.kill)
    study.start()
    pages = [open_page(study.address) for _ in range(3)]
    made = get_scenario("mpchat").material_source().read(material)
    units, threads = len(made), len({unit.id.rpartition(":")[0] for unit in made})
    for page, answer in zip(pages, ("yes", "yes", "no"), strict=True):
        come_in(page)
        for number in range(1, units + 1):
            at_unit(page, number)
            submit(page, answer)
        page.locator(".code-text").wait_for()
    check_accessible(pages[0])
    exported = tmp_path / "OUT"
    said = study.run("export", str(study.folder), str(exported))
    assert said.startswith(f"{3 * units} complete sessions")
    check_labels(exported, threads)
    check_import(exported, tmp_path / "store")
    check_replays(study)


def check_labels(exported: Path, number: int) -> None:
    """Two of three said yes to everything."""
    released = json.loads((exported / "mpchat_nrp.json").read_bytes())
    threads = [thread for split in released.values() for thread in split]
    assert len(threads) == number > 0
    labelled = [each for t in threads for side in t["grounded_personas"] for each in side]
    assert {each["label_overall"] for each in labelled} == {"E"}
    assert {tuple(vote for _, vote in e["label_per_worker"]) for e in labelled} == {(1, 1, 0)}
    assert not any(side for t in threads for side in t["ungrounded_personas"])


def check_import(exported: Path, store: Path) -> None:
    summary = import_corpus(get_corpus("mpchat"), [exported], store=store, jobs=1)
    assert summary.errors == 0
    query = "SELECT code FROM findings WHERE severity <> 'note'"
    assert open_store(store).corpus("mpchat").rows(query) == []
    assert summary.manifest.counts["dialogues"] > 0


def check_replays(study: Served) -> None:
    opened = open_study(study.folder)
    log = opened.open_log()
    try:
        played = list_played(list(log.read()))
    finally:
        log.close()
    rules = get_scenario("mpchat").rules
    for each in played:
        assert rules.is_complete(replay_session(opened, each))


@thorough
def test_units_come_one_after_the_other_on_one_page(
    study: Served, open_page: Callable[..., Any]
) -> None:
    page = sit_down(study, open_page)
    page.evaluate("window.stayed = true")
    seen = set()
    for number in range(1, EACH):
        at_unit(page, number)
        assert page.locator("#lb-progress").get_attribute("value") == str(number - 1)
        seen.add(page.locator("#lb-lines").inner_text())
        submit(page)
        at_unit(page, number + 1)
        assert page.locator("#lb-candidates :checked").count() == 0
        assert page.evaluate("document.activeElement.id") == "lb-place"
    assert page.evaluate("window.stayed") is True
    assert len(seen) == EACH - 1
    submit(page)
    page.locator(".code-text").wait_for()
    check_accessible(page)


@thorough
def test_answers_can_be_changed_until_they_are_submitted(
    study: Served, open_page: Callable[..., Any]
) -> None:
    page = sit_down(study, open_page)
    answer_all(page, "no")
    first = page.locator("#lb-candidates > li").first
    first.locator("input[value=yes]").check()
    page.reload()
    at_unit(page, 1)
    page.locator("#lb-submit:enabled").wait_for()
    expect(first.locator("input[value=yes]")).to_be_checked()
    expect(page.locator("#lb-candidates input[value=yes]:checked")).to_have_count(1)


@thorough
def test_a_reload_and_a_second_tab_go_on_where_one_was(
    study: Served, open_page: Callable[..., Any]
) -> None:
    page = sit_down(study, open_page)
    submit(page)
    at_unit(page, 2)
    page.keyboard.press("1")
    page.reload()
    at_unit(page, 2)
    page.locator("#lb-candidates :checked").first.wait_for()
    other = page.context.new_page()
    other.goto(page.url)
    at_unit(other, 2)
    page.locator("#banner button").wait_for()
    submit(other)
    at_unit(other, 3)
    page.locator("#banner button").click()
    at_unit(page, 3)


@thorough
def test_a_unit_is_skipped_with_a_reason(study: Served, open_page: Callable[..., Any]) -> None:
    page = sit_down(study, open_page)
    page.locator("#lb-skip-open").click()
    check_accessible(page)
    keep(page, "skip")
    page.locator("#lb-skip-form button.main").click()
    assert page.locator("dialog#lb-skip").is_visible()  # the browser asks for a reason
    page.locator("#lb-reasons input[value=other]").check()
    page.locator("#lb-note").fill("   ")
    page.locator("#lb-skip-form button.main").click()
    refusal = page.locator("#lb-skip-refusal")
    refusal.wait_for()
    assert refusal.inner_text() == "Write down the reason."
    page.locator("#lb-note").fill("not in English")
    page.locator("#lb-skip-form button.main").click()
    at_unit(page, 2)
    assert not page.locator("dialog#lb-skip").is_visible()


def test_units_are_labelled_by_keyboard_alone(
    served: Served, open_page: Callable[..., Any]
) -> None:
    page = open_page(served.address)
    typist = Typist(page)
    typist.press("button.main")
    page.locator("input[name=agree]").wait_for()
    typist.press("input[name=agree]", "Space")
    typist.press("button.main")
    page.locator("#quiz").wait_for()
    plan = read_plan("mpchat")
    for question in plan["quiz"]:
        typist.choose(question["name"], str(question["right"]))
    typist.press("button.main")
    page.locator("form[action$='/practice']").wait_for()
    for field in plan["practice"]:
        typist.choose(field["name"], field["right"])
    typist.press("button.main")
    typist.press("form[action$='/ready'] button")
    at_unit(page, 1)
    # Digits go to the marked candidate, and on to the next; Tab and arrows do the same work.
    type_answers(page, "1")
    at_unit(page, 2)
    groups = page.locator("#lb-candidates > li").count()
    for number in range(groups):
        typist.go_to(f"input[name=answer-{number}]")
        page.keyboard.press("Space")
    page.locator("#lb-submit:enabled").wait_for()
    typist.press("#lb-submit")
    at_unit(page, 3)
    typist.press("#lb-skip-open")
    page.keyboard.press("Space")
    typist.press("#lb-skip-form button.main")
    page.locator(".code-text").wait_for()


@thorough
def test_every_page_fits_and_is_accessible(served: Served, open_page: Callable[..., Any]) -> None:
    page = open_page(f"{served.address}/?lang=de", color_scheme="light")

    def look(name: str, *, whole: bool = True) -> None:
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme="dark" if width == 1024 else "light")
            check_fits(page)
            keep(page, f"mpchat-{name}-{width}", whole=whole)
            if width != 512:
                check_accessible(page, rules=() if width == 360 else COLOURS)

    look("welcome")
    page.locator("button.main").click()
    consent(page)
    page.locator("#quiz").wait_for()
    look("rules")
    pass_the_quiz(page)
    page.locator("form[action$='/practice']").wait_for()
    look("try")
    try_it(page)
    at_unit(page, 1)
    look("unit", whole=False)
    page.set_viewport_size({"width": SIZES[0][0], "height": SIZES[0][1]})
    assert page.evaluate(CUT) == []
    page.locator("button.lb-picture").first.click()
    page.locator("#lb-zoom[open]").wait_for()
    look("zoom", whole=False)
    page.keyboard.press("Escape")
    answer_all(page)
    look("answered", whole=False)


@thorough
def test_the_monitor_shows_a_unit_and_how_people_agree(
    study: Served, open_page: Callable[..., Any]
) -> None:
    page = sit_down(study, open_page)
    page.keyboard.press("1")
    watcher = open_page(study.monitor)
    watcher.locator("#figures dt", has_text="alpha").wait_for()
    check_accessible(watcher)
    keep(watcher, "mpchat-monitor")
    watcher.locator("#sessions a.button").click()
    watcher.locator("figcaption b", has_text="yes").wait_for()
    watcher.locator("[name=text]").fill("take your time")
    watcher.locator("#tell button").click()
    page.locator("#notice", has_text="take your time").wait_for()
    check_accessible(watcher)
    keep(watcher, "mpchat-watch")


@thorough
def test_who_stops_keeps_what_is_done(study: Served, open_page: Callable[..., Any]) -> None:
    page = sit_down(study, open_page)
    submit(page)
    at_unit(page, 2)
    page.locator("#leave-open").click()
    page.locator("#leave button.main").click()
    page.locator(".code-text").wait_for()
    page.locator("form[action$='/ready'] button").click()
    page.locator("#lb-candidates > li").first.wait_for()


@thorough
def test_missing_pictures_have_a_placeholder(
    tmp_path: Path, open_page: Callable[..., Any], afterwards: ExitStack
) -> None:
    material = make_material(tmp_path / "mine", 4)
    for picture in (material / "images").rglob("*.*"):
        picture.unlink()
    study = Served(tmp_path, scenario="mpchat", material=material)
    afterwards.callback(study.kill)
    page = sit_down(study, open_page)
    assert page.locator("#lb-candidates .lb-missing").first.inner_text() == "Picture missing"
    assert page.locator("#lb-lines img, #lb-candidates img").count() == 0
    check_accessible(page)
    keep(page, "mpchat-missing")
