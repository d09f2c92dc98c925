"""The view of Frames, on the dialogue of ``samples.py``, whose events are, in order:

0 user, 1 search with two packages, 2 search with none, 3 wizard, 4 user.
"""

from __future__ import annotations

import os
from collections import Counter
from itertools import islice
from pathlib import Path

import msgspec
import pytest
from tests.unit.corpora.frames.samples import converted, held, sample, simulated
from tests.unit.corpora.parsed_html import ParsedHtml

from commonground.corpora import get_corpus
from commonground.corpora.frames.view.frames import Value
from commonground.corpora.frames.view.metro_map import COLUMN_PX, LEFT_PX, TOP_PX, Stop
from commonground.corpora.frames.view.page import FramesView, build_view
from commonground.explorer.dialogue import draw_dialogue, render_dialogue
from commonground.explorer.links import Links
from commonground.explorer.rendering.environment import Shell
from commonground.model import Dialogue, Speaker, Utterance
from commonground.store.importing import import_corpus
from commonground.store.opening import open_store


@pytest.fixture
def view() -> FramesView:
    return build_view(converted(sample()))


def changes(view: FramesView, event: int, card: int) -> dict[str, str | None]:
    return {each.slot: each.change for each in view.turns[event].cards[card].entries}


def test_a_card_shows_what_its_turn_added(view: FramesView) -> None:
    assert changes(view, 0, 0) == {"dst_city": "added"}


def test_the_active_frame_is_shown_whole_and_first(view: FramesView) -> None:
    first, second = view.turns[3].cards
    assert (first.frame, first.active, first.created) == (1, True, False)
    assert changes(view, 3, 0) == {"dst_city": None, "budget": "added"}
    assert (second.frame, second.active, second.created, second.parent) == (2, False, True, 1)


def test_a_new_frame_is_compared_with_its_parent(view: FramesView) -> None:
    # Frame 1 held dst_city, which frame 2 has not taken over.
    assert changes(view, 3, 1) == {
        "dst_city": "removed",
        "price": "added",
        "name": "added",
        "wifi": "added",
    }


def test_an_answered_request_is_removed(view: FramesView) -> None:
    cards = {card.frame: card for card in view.turns[4].cards}
    slots = {(each.kind, each.slot): each.change for each in cards[1].entries}
    assert slots["request", "budget"] == "removed"
    assert slots["compare_request", "seat"] == "added"


def test_a_negated_value_says_so(view: FramesView) -> None:
    seat = next(each for each in view.turns[4].cards[0].entries if each.slot == "seat")
    assert seat.values == (Value("business", negated=True),)


def test_a_change_shows_what_was_there_before() -> None:
    record = sample()
    record["turns"][1]["labels"]["frames"][0]["info"] = {"dst_city": [held("Arden")]}
    card = build_view(converted(record)).turns[3].cards[0]
    city = next(each for each in card.entries if each.slot == "dst_city")
    assert (city.change, city.before, city.values) == (
        "changed",
        (Value("Brook"),),
        (Value("Arden"),),
    )


def test_other_order_and_repetition_of_values_is_no_change() -> None:
    record = sample()
    first, second = held("Brook"), held("Arden")
    record["turns"][0]["labels"]["frames"][0]["info"] = {"dst_city": [first, second]}
    record["turns"][1]["labels"]["frames"][0]["info"] = {"dst_city": [second, first, first]}
    assert changes(build_view(converted(record)), 3, 0)["dst_city"] is None


def test_marks_stand_apart_from_slots_and_before_them() -> None:
    record = sample()
    frame = record["turns"][0]["labels"]["frames"][0]
    frame["info"] = {"dst_city": [held("Brook")], "REJECTED": [held(True)]}
    entries = build_view(converted(record)).turns[0].cards[0].entries
    assert [(each.kind, each.slot) for each in entries] == [
        ("mark", "REJECTED"),
        ("info", "dst_city"),
    ]


def test_a_frame_is_named_by_its_hotel_else_its_city(view: FramesView) -> None:
    assert view.labels == {1: "Brook", 2: "Elm House"}


def stops(view: FramesView) -> list[Stop]:
    assert view.map is not None
    return view.map.stops


def test_each_turn_is_a_stop_on_the_line_of_its_active_frame(view: FramesView) -> None:
    assert view.map is not None
    heights = {line.frame: line.y for line in view.map.lines}
    assert [(s.event, s.frame, s.y) for s in stops(view)] == [
        (0, 1, heights[1]),
        (3, 1, heights[1]),
        (4, 2, heights[2]),
    ]
    assert heights[1] == TOP_PX
    assert [s.x for s in stops(view)] == [LEFT_PX, LEFT_PX + COLUMN_PX, LEFT_PX + 2 * COLUMN_PX]


def test_a_switch_crosses_and_a_creation_branches(view: FramesView) -> None:
    assert view.map is not None
    assert [leg.switch for leg in view.map.legs] == [False, True]
    assert [s.switched_from for s in stops(view)] == [None, None, 1]
    assert [s.creates for s in stops(view)] == [[1], [2], [3]]
    assert [line.branch is None for line in view.map.lines] == [True, False, False]
    assert [line.visited for line in view.map.lines] == [True, True, False]


def test_a_stop_counts_the_searches_before_it(view: FramesView) -> None:
    assert [(s.searches, s.search_event) for s in stops(view)] == [(0, None), (2, 1), (0, None)]


def test_a_long_name_is_cut_to_the_room_before_its_line() -> None:
    record = sample()
    record["turns"][0]["labels"]["frames"][0]["info"] = {"dst_city": [held("B" * 50)]}
    del record["turns"][1:]
    metro = build_view(converted(record)).map
    assert metro is not None
    # (140 - 48) px at 6.6 px a character are 13, the last of them an ellipsis.
    assert metro.lines[0].label == "B" * 12 + "…"
    assert metro.lines[0].title == "B" * 50


def test_a_frame_without_its_parent_has_no_branch() -> None:
    record = sample()
    record["turns"][1]["labels"]["frames"][1]["frame_parent_id"] = 9
    metro = build_view(converted(record)).map
    assert metro is not None
    assert metro.lines[1].branch is None


def test_a_dialogue_without_frames_has_no_map() -> None:
    dialogue = Dialogue(
        dialogue_id="x", speakers=[Speaker("user", "user")], events=[Utterance("user", "Hi", 0)]
    )
    view = build_view(dialogue)
    assert view.map is None
    assert view.turns[0].cards == []


def test_a_dialogue_without_events_has_a_view() -> None:
    assert build_view(Dialogue(dialogue_id="x")).outline == []


def test_a_search_is_its_query_and_what_it_found(view: FramesView) -> None:
    conditions = {each.field: each.meaning for each in view.searches[1].conditions or []}
    assert conditions == {"DESTINATION_CITY": "brook", "NUM_ADULTS": "2", "RESULT_LIMIT": "10"}
    first, second = view.searches[1].hits or []
    assert (first.hotel, first.price, first.offers) == ("Oak Inn", 700.0, [])
    assert (second.dates, second.where) == ("3 Sep to 9 Sep, 6 days", "Brook, Nowhere")
    assert second.extras == ["free wifi"]
    assert view.searches[2].hits == []


def test_the_offered_row_names_event_act_and_frame(view: FramesView) -> None:
    (offer,) = (view.searches[1].hits or [])[1].offers
    assert (offer.event, offer.act, offer.frame) == (3, "offer", 2)
    assert view.searches[1].offered == 1


def test_milliseconds_are_written_as_a_day_or_a_length() -> None:
    record = sample()
    search = record["turns"][1]["db"]["search"]
    # 2016-08-17 00:00 UTC is 1,471,392,000 s after 1970; a day has 86,400,000 ms.
    search[0]["START_TIME"], search[0]["END_TIME"] = "1471392000000", "soon"
    view = build_view(converted(record))
    meanings = {each.field: each.meaning for each in view.searches[1].conditions or []}
    assert (meanings["START_TIME"], meanings["END_TIME"]) == ("2016-08-17", "soon")
    (length,) = view.searches[2].conditions or []
    assert (length.value, length.meaning) == ("86400000", "1 day")


def test_a_search_without_query_or_result_shows_what_is_there() -> None:
    record = sample()
    record["turns"][1]["db"]["search"].pop()
    record["turns"][1]["db"]["result"] = [[]]
    assert (build_view(converted(record)).searches[1].hits) == []
    record["turns"][1]["db"] = {"search": [], "result": [[]]}
    view = build_view(converted(record))
    assert view.searches[1].conditions is None


def test_acts_name_the_frame_that_they_create(view: FramesView) -> None:
    (offer,) = view.acts[3]
    (part,) = offer.parts
    assert (part.frame, part.creates, part.relation, part.event) == (2, True, None, 3)
    assert part.slots == [("name", "Elm House"), ("price", "$812.50")]


def test_references_lead_to_where_their_frame_was_created(view: FramesView) -> None:
    switch, confirm, compare = view.acts[4]
    assert [(p.relation, p.frame, p.event) for p in switch.parts] == [("ref", 2, 3)]
    assert [(p.relation, p.frame, p.slots) for p in confirm.parts] == [
        (None, 2, [("wifi", "true")])
    ]
    assert [(p.frame, p.slots) for p in compare.parts] == [(1, [("price", None)])]


def test_the_outline_lists_stays_on_frames_and_searches(view: FramesView) -> None:
    assert [(each.label, each.event, each.detail, each.level) for each in view.outline] == [
        ("Frame 1", 0, "Brook", 0),
        ("Search: 2 found", 1, "1 offered", 1),
        ("Search: 0 found", 2, None, 1),
        ("Frame 2", 4, "Elm House", 0),
    ]


def test_every_event_of_a_simulated_dialogue_has_its_panel() -> None:
    for record in islice(simulated(), 12):
        dialogue = converted(msgspec.to_builtins(record))
        view = build_view(dialogue)
        events = list(range(len(dialogue.events)))
        assert sorted([*view.turns, *view.searches]) == events, record.id


HOSTILE = """<script>alert(1)</script><svg onload="x">"'><a href="javascript:x">\u202e"""


def test_hostile_texts_are_shown_as_text() -> None:
    record = sample()
    first, second, third = record["turns"]
    first["text"] = HOSTILE
    first["labels"]["acts"][1]["args"][0]["val"] = HOSTILE
    first["labels"]["frames"][0]["info"] = {HOSTILE: [held(HOSTILE)], "name": [held(HOSTILE)]}
    second["db"]["search"][0]["DESTINATION_CITY"] = HOSTILE
    hotel = second["db"]["result"][0][0]["hotel"]
    hotel.update(name=HOSTILE, country=HOSTILE, category=HOSTILE, amenities=[HOSTILE])
    third["labels"]["acts"][2]["args"][0]["val"][0]["annotations"] = [{"key": HOSTILE}]
    page = draw_dialogue("frames", converted(record))
    html = render_dialogue(page, Shell(links=Links(), corpus="frames"))
    parsed = ParsedHtml(html)
    assert parsed.text.count(HOSTILE) >= 8
    assert parsed.dangers() == []


def test_the_page_shows_map_cards_searches_and_acts() -> None:
    page = draw_dialogue("frames", converted(sample()))
    html = render_dialogue(page, Shell(links=Links(), corpus="frames"))
    # A line for each of 3 frames, a stop for each of 3 turns, a panel for each of 5 events.
    assert html.count('<path class="track"') == 3
    assert html.count('data-stop="') == 3
    assert html.count('<section class="stage"') == 5
    # The second package was offered, the first was not.
    assert html.count('class="offered"') == 1
    assert "offer as frame 2" in html
    assert msgspec.json.encode(page.view)


@pytest.mark.skipif(
    "COMMONGROUND_FRAMES" not in os.environ,
    reason="COMMONGROUND_FRAMES names no frames.json, folder or zip",
)
def test_every_released_dialogue_has_its_map(tmp_path: Path) -> None:
    place = Path(os.environ["COMMONGROUND_FRAMES"])
    import_corpus(get_corpus("frames"), [place], store=tmp_path, jobs=1)
    counts: Counter[str] = Counter()
    for dialogue in open_store(tmp_path).corpus("frames").dialogues():
        view = build_view(dialogue)
        assert view.map is not None
        counts["stops"] += len(view.map.stops)
        counts["switches"] += sum(each.switched_from is not None for each in view.map.stops)
        counts["lines"] += len(view.map.lines)
        counts["branches"] += sum(each.branch is not None for each in view.map.lines)
        counts["searches"] += len(view.searches)
        counts["hits"] += sum(len(each.hits or ()) for each in view.searches.values())
    # Every frame but the first of each of the 1,369 dialogues has a parent; the active frame
    # changes on 3,785 turns of users and on one of a wizard.
    assert counts == {
        "stops": 19_986,
        "switches": 3_785 + 1,
        "lines": 7_885,
        "branches": 7_885 - 1_369,
        "searches": 5_227,
        "hits": 24_179,
    }
