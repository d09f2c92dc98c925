"""Each text runs as its own script does: what people write, and texts of the study itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from tests.browser.labelling import sit_down
from tests.browser.test_dialogue import address_of
from tests.browser.visiting import (
    Served,
    answer_questions,
    keep,
    mark,
    say,
    seat_people,
)
from tests.browser.writing import TURNS, Writers, write
from tests.browser.writing import enter as fill_in
from tests.browser.writing import sit_down as sit_at_script
from tests.thorough import a_few, thorough

from commonground.figures.drawing.charts import finish_svg

HEBREW = "יש לך כלב חום ליד עץ?"
ENGLISH = "No, mine is a cat on a sofa."
MIXED = "לי יש <b>poster</b> אדום!"
CONSENT = f"# {HEBREW}\n\n{MIXED}\n\n{ENGLISH}\n\n- {HEBREW}\n"
Open = Callable[..., Any]

# Where the last sign, as a question mark, is seen of the first letter.
_RUNS = """(each) => {
  const whole = each.lastChild;
  const at = (place) => {
    const range = new Range();
    range.setStart(whole, place);
    range.setEnd(whole, place + 1);
    return range.getBoundingClientRect().left;
  };
  return at(whole.length - 1) < at(0) ? "rtl" : "ltr";
}"""


def runs(text: Any) -> str:
    """Returns the direction in which the last piece of an element's text is seen to run."""
    return str(text.evaluate(_RUNS))


def list_fixed(page: Any) -> list[str]:
    """Returns the text fields of a page that do not run as what is written in them does."""
    fields = "textarea, input:is(:not([type]), [type=text], [type=search])"
    script = """(all) => all.filter((each) => each.dir !== "auto"
        && getComputedStyle(each).unicodeBidi !== "plaintext").map((each) => each.outerHTML)"""
    found = page.locator(fields)
    assert found.count() > 0
    return list(found.evaluate_all(script))


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Served]:
    """A study in one language whose text of consent is in two."""
    study = Served(tmp_path, "en")
    (study.folder / "consent" / "en.md").write_text(CONSENT, encoding="utf-8")
    yield study
    study.kill()


def test_partners_write_in_two_directions(study: Served, open_page: Open) -> None:
    a, b = seat_people(study, open_page)
    say(a, HEBREW)
    b.locator(".partner .text", has_text=HEBREW).wait_for()
    say(b, ENGLISH)
    a.locator(".partner .text", has_text=ENGLISH).wait_for()
    for page, width in product((a, b), (1280, 390)):
        page.set_viewport_size({"width": width, "height": 800})
        assert runs(page.locator(".text", has_text=HEBREW)) == "rtl"
        assert runs(page.locator(".text", has_text=ENGLISH)) == "ltr"
        page.locator("#text").fill(HEBREW)
        assert list_fixed(page) == []
        keep(page, f"directions-{width}-{'ab'[page is b]}")


@thorough
def test_the_last_question_is_answered_in_hebrew(study: Served, open_page: Open) -> None:
    page, _ = seat_people(study, open_page, until=lambda view: view["phase"] == "questionnaire")
    field = page.locator("#pb-questions textarea")
    field.fill(HEBREW)
    assert list_fixed(page) == []
    keep(page, "directions-questions", whole=True)
    answer_questions(page)
    page.locator("#pb-wait").wait_for()


def test_the_consent_is_in_two_directions(served: Served, open_page: Open) -> None:
    page = open_page(served.address)
    page.locator("button.main").click()
    parts = page.locator(".consent :is(h2, p, li)")
    parts.first.wait_for()
    assert [runs(each) for each in parts.all()] == ["rtl", "rtl", "ltr", "rtl"]
    keep(page, "directions-consent")


@thorough
def test_a_message_of_the_researcher_runs_as_it_is_written(
    tmp_path: Path, open_page: Open, afterwards: ExitStack
) -> None:
    study = Served(tmp_path, "en", scenario="mpchat")
    afterwards.callback(study.kill)
    page = sit_down(study, open_page)
    watcher = open_page(study.monitor)
    watcher.locator("#sessions a.button").click()
    watcher.wait_for_load_state()
    watcher.locator("[name=text]").fill(MIXED)
    assert list_fixed(watcher) == []
    keep(watcher, "directions-watch")
    watcher.locator("#tell button").click()
    told = page.locator("#notice [dir=auto]")
    told.wait_for()
    assert told.inner_text() == MIXED
    assert runs(told) == "rtl"
    assert page.locator("#notice").inner_text() == f"Researcher: {MIXED}"
    assert list_fixed(page) == []
    keep(page, "directions-notice")


@thorough
def test_the_researcher_sees_what_was_written_as_it_runs(study: Served, open_page: Open) -> None:
    pages = seat_people(study, open_page)
    mark(pages[0])
    say(pages[0], HEBREW)
    pages[1].locator(".partner .text").wait_for()
    say(pages[1], ENGLISH)
    pages[0].locator(".partner .text").wait_for()
    watcher = open_page(study.monitor)
    keep(watcher, "directions-monitor")
    watcher.locator("#sessions a.button").click()
    said = watcher.locator("#talk > li > [data-own]")
    assert [runs(each) for each in (said.first, said.last)] == ["rtl", "ltr"]
    # The time that is told after a text is no part of it.
    text, time = (watcher.locator(f"#talk > li {each}").first for each in ("> [data-own]", ".soft"))
    said_at, told_at = text.bounding_box(), time.bounding_box()
    assert told_at["x"] >= said_at["x"] + said_at["width"]
    keep(watcher, "directions-watched-chat")


def test_words_to_be_marked_run_as_their_turn(
    tmp_path: Path, open_page: Open, afterwards: ExitStack
) -> None:
    study = Writers(tmp_path)
    afterwards.callback(study.kill)
    page = sit_at_script(study, open_page)
    fill_in(page, HEBREW)
    assert list_fixed(page) == []
    write(page, 1, f"{MIXED} {TURNS[1]}")
    write(page, 3, TURNS[3].replace("my sister and me", HEBREW))
    for turn, order in ((1, "rtl"), (3, "ltr")):
        words = page.locator(f"[data-turn='{turn}'] [role=button]")
        first, second = (words.nth(number).bounding_box() for number in range(2))
        assert ("rtl" if second["x"] < first["x"] else "ltr") == order
    keep(page, "directions-words")


def test_what_is_searched_for_runs_as_it_is_written(
    explorer: str, demo_store: Path, open_page: Open
) -> None:
    page = open_page(address_of(explorer, demo_store, "photobook"))
    field = page.locator("#find")
    field.fill(HEBREW)
    assert field.evaluate("(each) => getComputedStyle(each).direction") == "rtl"
    for address in ("/", "/search", "/photobook/", "/photobook/compare"):
        page.goto(f"{explorer}{address}")
        assert list_fixed(page) == []


@pytest.mark.parametrize("is_printed", a_few([True, False], [False]))
def test_a_label_of_a_figure_on_disk_runs_as_its_script(
    is_printed: bool, tmp_path: Path, open_page: Open
) -> None:
    space = 'xmlns="http://www.w3.org/2000/svg"'
    drawn = f'<svg class="marks" {space}><text y="20">{HEBREW}</text></svg>'
    path = tmp_path / "figure.svg"
    path.write_text(finish_svg(drawn, "Dogs", {}, is_printed=is_printed), encoding="utf-8")
    label = open_page(path.as_uri()).locator("text")
    places = (
        """(each) => [0, each.getNumberOfChars() - 1].map((at) => each.getExtentOfChar(at).x)"""
    )
    first, last = label.evaluate(places)
    assert last < first


@thorough
def test_labels_of_figures_run_as_their_script(explorer: str, open_page: Open) -> None:
    page = open_page(f"{explorer}/photobook/figures")
    ways = "(all) => [...new Set(all.map((each) => getComputedStyle(each).unicodeBidi))]"
    assert page.locator("svg.figure text").evaluate_all(ways) == ["plaintext"]
