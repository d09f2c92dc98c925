"""A labelling study of one's own: answers that the researcher chose, pictures of a corpus."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.labelling import at_unit, submit, type_answers
from tests.browser.visiting import Served, check_accessible, check_fits, consent, keep

from commonground.corpora import get_corpus
from commonground.play.simulating import simulate_corpus
from commonground.store.importing import import_corpus

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
    exported = tmp_path / "OUT"
    assert study.run("export", str(study.folder), str(exported)).startswith("4 complete")
    made = json.loads((exported / "labels" / "tones.json").read_bytes())
    labels = {tuple(sorted(a for _, a in each["votes"])): each["label"] for each in made["labels"]}
    # Who came second had the events in some order; one was answered alike, the other was not.
    assert labels == {("asks", "asks"): "asks", ("asks", "tells"): None}


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
