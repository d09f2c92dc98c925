"""The view of Taskmaster, on the records of ``samples.py``."""

from __future__ import annotations

from typing import Any

import msgspec
from tests.unit.corpora.parsed_html import ParsedHtml
from tests.unit.corpora.taskmaster.samples import (
    COFFEE,
    PLAIN,
    TICKETS,
    convert_sample,
    copy,
    segment,
)

from commonground.corpora.taskmaster.view.page import DEEPEST, TaskmasterView, build_view, share
from commonground.explorer.dialogue import draw_dialogue, render_dialogue
from commonground.explorer.links import Links
from commonground.explorer.rendering.environment import Shell
from commonground.model import Action, Dialogue, Event, Utterance


def test_a_call_is_a_block_of_request_and_response() -> None:
    view = build_view(convert_sample(TICKETS, "dialogs3"))
    call = view.calls[1]
    assert [(f.key, f.text) for f in call.request.fields] == [("location", "Köln")]
    assert [(f.key, f.text) for f in call.response.fields] == [("name.movie_1", "Nebel")]
    assert call.flat


def test_bodies_tell_absent_from_unreadable_from_empty() -> None:
    # Events: utterance, then the calls 0, 1, 2 of the sample.
    calls = build_view(convert_sample(COFFEE, "dialogs4")).calls
    assert calls[1].response.state == "read"
    assert [(f.key, f.text) for f in calls[1].response.fields] == [("menu_items", "[]")]
    assert calls[2].request.state == "absent"
    assert [(f.key, f.text) for f in calls[2].response.fields] == [("success", "true")]
    assert (calls[3].request.state, calls[3].request.text) == ("unreadable", '{"query": ""ice""}')


def view_of(result: Any) -> TaskmasterView:
    return build_view(Dialogue(dialogue_id="x", events=[Action("assistant", "get", None, result)]))


def test_nested_values_are_lines_below_their_key() -> None:
    call = view_of({"items": [{"id": "a", "n": 2}], "ok": None}).calls[0]
    assert [(f.depth, f.key, f.text) for f in call.response.fields] == [
        (0, "items", None),
        (1, "1", None),
        (2, "id", "a"),
        (2, "n", "2"),
        (0, "ok", "null"),
    ]
    assert not call.flat


def test_what_is_nested_too_deep_is_written_as_json() -> None:
    value: Any = "end"
    for _ in range(DEEPEST + 2):
        value = {"k": value}
    *_, last = view_of(value).calls[0].response.fields
    # Levels 0 to 5 have lines of their own; the last of the 7 is text.
    assert (last.depth, last.text) == (DEEPEST, '{"k":"end"}')


def test_equal_values_share_whatever_their_case_and_spaces() -> None:
    assert share("AMC  Mountain") == share("amc mountain")
    assert share("a") != share("b")
    view = build_view(convert_sample(TICKETS, "dialogs3"))
    assert view.marked[0].spans[0].shared == view.calls[1].request.fields[0].shared


def test_labels_drop_what_all_of_them_begin_with() -> None:
    dialogue = convert_sample(PLAIN, "dialogs1")
    assert {e.scope for e in build_view(dialogue).brief.entities} == {""}
    dialogue.spans = [span for span in dialogue.spans if span.label != "other"]
    view = build_view(dialogue)
    assert [(e.scope, e.name) for e in view.brief.entities] == [
        ("pizza_ordering.", "name.store.accept"),
        ("pizza_ordering.", "num"),
    ]
    assert [mark.label for mark in view.marked[1].spans] == ["name.store.accept", "num"]


def test_overlapping_spans_keep_their_places() -> None:
    view = build_view(convert_sample(PLAIN, "dialogs1"))
    # "Noir" is at 5 to 9 twice over; "Noir, two" at 5 to 14.
    assert [(m.start_char, m.end_char) for m in view.marked[1].spans] == [(5, 9), (5, 9), (5, 14)]
    assert 0 not in view.marked


def test_a_text_is_listed_once_with_its_events() -> None:
    dialogue = convert_sample(TICKETS, "dialogs3")
    (entity,) = build_view(dialogue).brief.entities
    (mention,) = entity.mentions
    assert (entity.label, mention.text, mention.events) == ("location", "Köln", [0])


def test_the_brief_lasts_the_whole_dialogue() -> None:
    view = build_view(convert_sample(TICKETS, "dialogs3"))
    # Three utterances and one call.
    assert (view.brief.first, view.brief.last, view.brief.scenario) == (0, 3, "Open")
    assert [part.runs[0].text for part in view.brief.parts or []] == ["Buy a ticket."]


def test_generations_without_instructions_say_which_they_had() -> None:
    brief = build_view(convert_sample(PLAIN, "dialogs1")).brief
    assert (brief.scenario, brief.parts) == ("pizza-ordering-7", None)
    assert build_view(convert_sample(COFFEE, "dialogs4")).brief.parts is None


def test_calls_are_the_outline() -> None:
    result = {"status": "success"}
    events: list[Event] = [
        Utterance("user", "Yes"),
        Action("assistant", "book_tickets", {}, result),
    ]
    view = build_view(Dialogue(dialogue_id="x", events=events))
    assert [(e.label, e.event, e.detail) for e in view.outline] == [("book_tickets", 1, "success")]


def test_a_dialogue_without_events_has_a_view() -> None:
    view = build_view(Dialogue(dialogue_id="x"))
    assert (view.brief.first, view.brief.last, view.brief.scenario) == (0, 0, None)


HOSTILE = """<script>alert(1)</script><svg onload="x">"'><a href="javascript:x">\u202e"""


def test_hostile_texts_are_shown_as_text() -> None:
    record = copy(TICKETS)
    record["scenario"] = HOSTILE
    record["instructions"] = f"{HOSTILE} {{{{LIST {HOSTILE}}}}} {{{{HIDE a b {HOSTILE}}}}}"
    first = record["utterances"][0]
    first["text"] = HOSTILE
    first["segments"] = [segment(HOSTILE, HOSTILE[8:20], HOSTILE)]
    first["apis"][0].update(name=HOSTILE, args={HOSTILE: HOSTILE}, response={HOSTILE: HOSTILE})
    html = page_of(convert_sample(record, "dialogs3"), "taskmaster3")
    parsed = ParsedHtml(html)
    assert parsed.text.count(HOSTILE) >= 8
    assert parsed.dangers() == []


def test_the_page_shows_spans_call_and_brief() -> None:
    html = page_of(convert_sample(TICKETS, "dialogs3"), "taskmaster3")
    assert 'data-object="value köln">Köln<span class="span-label">location</span>' in html
    assert html.count('<div class="body">') == 2
    assert "Buy a ticket." in html


def test_what_cannot_be_read_is_shown_as_released() -> None:
    html = page_of(convert_sample(COFFEE, "dialogs4"), "taskmaster4")
    assert "none in the release" in html
    assert "{&#34;query&#34;: &#34;&#34;ice&#34;&#34;}" in html


def page_of(dialogue: Dialogue, corpus: str) -> str:
    drawn = draw_dialogue(corpus, dialogue)
    assert msgspec.json.encode(drawn.view)
    return render_dialogue(drawn, Shell(links=Links(), corpus=corpus))
