"""A labelling study of one's own: answers that the researcher chose, pictures of a corpus."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.labelling import at_unit, submit, type_answers
from tests.browser.visiting import Served, check_accessible, check_fits, consent, keep, run
from tests.thorough import thorough

from commonground.corpora import get_corpus
from commonground.explorer.corpora import OpenCorpora
from commonground.play.simulating import simulate_corpus
from commonground.store.importing import import_corpus
from commonground.store.opening import open_store

PLAN = """
layer = "tones"
corpus = "photobook"
question = "What does this message do?"
answers = ["asks", "tells", "something else <b>altogether</b>"]
people = 2
context = 3
store = "../store"
query = '''
    SELECT dialogue_id, event FROM events
    WHERE corpus = 'photobook' AND kind = 'utterance' ORDER BY ALL LIMIT 2 OFFSET 3
'''
"""
PICTURES = """
layer = "named"
corpus = "photobook"
question = "Does the message name this picture?"
store = "../store"
query = '''
    SELECT dialogue_id, events.event, object_id AS candidate
    FROM events JOIN displays USING (corpus, dialogue_id, segment)
    WHERE kind = 'utterance' AND viewer = speaker AND events.event = 2
    ORDER BY position
'''
"""


MARKS = """
layer = "earned"
corpus = "photobook"
question = "Does the player know this from the conversation?"
people = 1
context = 12
store = "../store"
query = '''
    SELECT dialogue_id, event FROM events WHERE name = 'selection' ORDER BY ALL LIMIT 3 OFFSET 6
'''
"""
IN_VIEW = """() => {
  const asked = document.querySelector(".lb-asked").getBoundingClientRect();
  const box = document.querySelector("#lb-context").getBoundingClientRect();
  const seen = Math.min(asked.height, box.height);
  const bottom = Math.min(box.bottom, innerHeight) + 1;
  return box.top >= 0 && asked.top >= box.top - 1 && asked.top + seen <= bottom;
}"""
"""Whether the line that is judged is to be seen, in its box and in the window."""
SIZES = ((1440, 900), (768, 1024), (360, 740))


@pytest.fixture
def make_study(tmp_path: Path) -> Iterator[Callable[[str], Served]]:
    """Makes and serves a study of a plan, over a store with an invented game."""
    files = tmp_path / "files"
    simulate_corpus(get_corpus("photobook"), files, dialogues=1, seed=3)
    corpus, images = get_corpus("photobook"), files / "images"
    import_corpus(corpus, [files], store=tmp_path / "store", images=images, jobs=1)
    made: list[Served] = []

    def run(plan: str) -> Served:
        folder = tmp_path / "plan"
        folder.mkdir()
        (folder / "labelling.toml").write_text(plan, encoding="utf-8")
        study = Served(tmp_path, "en", "de", scenario="labelling", material=folder)
        made.append(study)
        study.start()
        return study

    yield run
    for study in made:
        study.kill()


def come_in(page: Any) -> None:
    page.locator("button.main").click()
    consent(page)
    page.locator("form[action$='/quiz'] button").click()
    at_unit(page, 1)


def test_answers_of_ones_own_become_a_layer(
    make_study: Callable[[str], Served], open_page: Callable[..., Any], tmp_path: Path
) -> None:
    study = make_study(PLAN)
    for person, keys in enumerate("12"):
        view = {"viewport": {"width": 360 if person else 1024, "height": 740}}
        page = open_page(study.address, **view)
        come_in(page)
        check_accessible(page)
        check_fits(page)
        keep(page, f"labelling-{person}")
        assert page.locator("#lb-lines li").count() == 4
        last = page.locator(".lb-choice span").last
        assert last.inner_text() == "something else <b>altogether</b>"
        if person:
            type_answers(page, keys)
            at_unit(page, 2)
            type_answers(page, "1")
        else:
            submit(page, "asks")
            at_unit(page, 2)
            submit(page, "asks")
        page.locator(".code-text").wait_for()
    decide(open_page(study.monitor))
    exported = tmp_path / "OUT"
    assert study.run("export", str(study.folder), str(exported)).startswith("4 complete")
    made = json.loads((exported / "labels" / "tones.json").read_bytes())
    labels = {tuple(sorted(a for _, a in each["votes"])): each["label"] for each in made["labels"]}
    # Who came second had the events in some order; one was answered alike, the other was not.
    assert labels == {("asks", "asks"): "asks", ("asks", "tells"): None}
    made = json.loads((exported / "labels" / "tones-adjudicated.json").read_bytes())
    (decision,) = [each["decision"] for each in made["labels"] if "decision" in each]
    assert (decision["answer"], decision["by"], decision["note"]) == ("tells", "Kim", "it does")
    # What was collected with default settings is found by its layer and value.
    store = str(tmp_path / "store")
    for name in ("tones.json", "tones-adjudicated.csv"):
        run("layer", "add", str(exported / "labels" / name), "--store", store)
    searcher = OpenCorpora(open_store(tmp_path / "store")).get("photobook").searcher
    for query in ("layer:tones/asks", "layer:tones-adjudicated/tells"):
        assert searcher.search(query).dialogues.sum() == 1, query


def decide(page: Any) -> None:
    """Decides on the only unit on which people differ, behind the monitor's key."""
    page.locator("a[href='/adjudicate']").click()
    page.locator(".lb-votes li").first.wait_for()
    assert page.locator(".lb-votes li").count() == 2
    check_accessible(page)
    check_fits(page)
    keep(page, "adjudicate", whole=True)
    page.locator(".lb-dispute input[value=tells]").check()
    page.locator(".lb-dispute button.main").click()
    assert page.evaluate("document.activeElement.id") == "by"
    page.locator("#by").fill("Kim")
    page.locator(".lb-dispute input[type=text]").fill("it does")
    page.locator(".lb-dispute button.main").click()
    page.locator("#none:visible").wait_for()
    page.locator("#all").check()
    page.locator(".lb-dispute .note", has_text="tells, by Kim").wait_for()
    keep(page, "adjudicated", whole=True)


@thorough
def test_pictures_of_the_corpus_are_candidates(
    make_study: Callable[[str], Served], open_page: Callable[..., Any]
) -> None:
    page = open_page(make_study(PICTURES).address)
    come_in(page)
    assert page.locator("#lb-candidates img").count() == 6
    widths = page.locator("#lb-candidates img").evaluate_all(
        "(all) => Promise.all(all.map((each) => each.decode().then(() => each.naturalWidth)))"
    )
    assert all(widths)
    check_accessible(page)
    check_fits(page)
    keep(page, "labelling-pictures")


def test_each_unit_starts_at_what_is_judged_and_one_can_go_back(
    make_study: Callable[[str], Served], open_page: Callable[..., Any], tmp_path: Path
) -> None:
    study = make_study(MARKS)
    touch = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
    page = open_page(study.address, **touch)
    come_in(page)
    assert page.locator("kbd:visible, #lb-keys:visible").count() == 0
    assert page.locator("#lb-place").inner_text() == "Unit 1 of 3"
    asked = page.locator(".lb-asked")
    assert "marks this picture as" in asked.inner_text()
    assert "COCO" not in page.locator("#main").inner_text()
    assert asked.locator("img").count() == 1
    look(page, "marks")
    page.locator("#lb-form").evaluate("(form) => form.scrollIntoView({ block: 'end' })")
    submit(page, "no")
    at_unit(page, 2)
    assert page.locator("#lb-place").inner_text() == "Unit 2 of 3"
    look(page, "second")
    page.locator("#lb-back").click()
    at_unit(page, 1)
    assert page.locator("input[value=no]").is_checked()
    look(page, "back")
    page.locator("input[value=yes]").check()
    page.locator("#lb-on").click()
    at_unit(page, 2)
    page.reload()
    at_unit(page, 2)
    page.locator("#lb-back").click()
    page.locator("input[value=yes]:checked").wait_for()
    page.locator("#lb-on").click()
    for number in (2, 3):
        at_unit(page, number)
        submit(page, "no")
    page.locator(".code-text").wait_for()
    study.run("export", str(study.folder), str(tmp_path / "OUT"))
    made = json.loads((tmp_path / "OUT" / "labels" / "earned.json").read_bytes())
    assert sorted(each["label"] for each in made["labels"]) == ["no", "no", "yes"]


def look(page: Any, name: str) -> None:
    """Checks that a unit starts where it should, in windows of all sizes, light and dark."""
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("dispatchEvent(new Event('resize'))")
        check_fits(page)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            keep(page, f"labelling-{name}-{width}-{scheme}")
        assert page.evaluate(IN_VIEW), (name, width)
