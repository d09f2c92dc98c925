from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from commonground.corpora import Entry
from commonground.errors import UsageError
from commonground.explorer.dialogue import build_view, draw_dialogue, draw_stored, render_dialogue
from commonground.explorer.links import Links
from commonground.explorer.pages.dialogue import NativeRecord, Neighbours
from commonground.explorer.pages.parts.default_view import DefaultView
from commonground.explorer.rendering.environment import Shell
from commonground.model import Action, Dialogue, Speaker, Utterance
from commonground.store.corpus import Corpus
from commonground.store.importing.summary import ImportSummary

SHELL = Shell(links=Links(), corpora=["toy"], corpus="toy")
TALK = Dialogue(
    dialogue_id="t 1",
    speakers=[Speaker("ann", "peer"), Speaker("bob", "peer")],
    events=[
        Utterance("ann", "one", at_s=3.0),
        Utterance("ann", "two", at_s=65.0),
        Action("bob", "look_up", {"city": "Oslo", "days": [1, 2]}, {"found": None}),
    ],
)
RECORD = NativeRecord(format="talk", source_file="talks.json", source_path="$[0]", json='{"a": 1}')


@pytest.fixture(autouse=True)
def _toy(toy: Entry) -> None:
    """The pages below are of the toy corpus, which has no view of its own."""


def test_a_corpus_without_a_view_gets_the_default_one() -> None:
    assert isinstance(build_view("toy", TALK), DefaultView)


def test_the_page_shows_each_event_with_a_link_to_itself() -> None:
    html = render_dialogue(draw_dialogue("toy", TALK), SHELL)
    for number in range(3):
        assert f'id="e{number}" data-event="{number}"' in html
        assert f'class="at" href="#e{number}"' in html
    assert html.count(" again") == 1  # the second text of ann's
    assert "<time>1:05</time>" in html
    assert "look_up" in html
    assert "Oslo" in html


def test_neighbours_keep_the_list_that_the_reader_came_from() -> None:
    near = Neighbours(
        query='speaker:ann "a b"', sort="longest", position=2, total=3, previous="t 0", next=None
    )
    html = render_dialogue(draw_dialogue("toy", TALK, neighbours=near), SHELL)
    kept = "?q=speaker%3Aann+%22a+b%22&amp;sort=longest"
    assert f'<a rel="prev" href="/toy/d/t~200{kept}"' in html
    assert 'rel="next"' not in html
    assert "2 of 3" in html


@pytest.mark.parametrize(
    ("records", "href", "shown", "fetched"),
    [([], None, False, False), ([], "/n.json", True, True), ([RECORD], "/n.json", True, False)],
)
def test_released_records_are_in_the_page_or_fetched(
    records: list[NativeRecord], href: str | None, shown: bool, fetched: bool
) -> None:
    html = render_dialogue(draw_dialogue("toy", TALK, native=records), SHELL, native_href=href)
    assert ('data-toggle="native"' in html) is shown
    assert ('data-source="/n.json"' in html) is fetched
    assert ('<pre tabindex="0">{"a": 1}</pre>' in html) is bool(records)


def test_a_stored_dialogue_comes_with_its_findings_and_records(
    write_talks: Callable[..., Path],
    import_toy: Callable[..., ImportSummary],
    open_toy: Callable[[], Corpus],
) -> None:
    import_toy(write_talks({"t1": ["one", "two"], "t2": ["three"]}))
    drawn = draw_stored(open_toy(), "t1")
    assert [row.text for row in drawn.page.rows] == ["one", "two"]
    assert [each.source_file for each in drawn.page.native] == ["talks.json"]
    assert '"t1"' in drawn.page.native[0].json


def test_a_dialogue_that_is_not_there_is_named(
    write_talks: Callable[..., Path],
    import_toy: Callable[..., ImportSummary],
    open_toy: Callable[[], Corpus],
) -> None:
    import_toy(write_talks({"t1": ["one"]}))
    with pytest.raises(UsageError, match="'t9'"):
        draw_stored(open_toy(), "t9")
