from __future__ import annotations

import copy
from datetime import datetime
from itertools import islice
from typing import Any

import msgspec
import pytest
from tests.unit.corpora.frames.samples import (
    FIRST_MS,
    converted,
    package,
    sample,
    simulated,
    typed,
)

from commonground.corpora.frames.convert import convert
from commonground.corpora.frames.convert.labels import render_value
from commonground.files.reading import ConversionError
from commonground.model import (
    Act,
    Action,
    Display,
    Grounding,
    Outcome,
    Speaker,
    State,
    Utterance,
)


def test_dialogue() -> None:
    dialogue = converted(sample())
    assert dialogue.dialogue_id == "0123abcd-0123-4abc-8abc-0123456789ab"
    assert dialogue.split == "fold-3"
    # 1,471,000,000 s after 1970 is 2016-08-12 11:06:40 UTC.
    assert dialogue.started_at == datetime(2016, 8, 12, 11, 6, 40)
    assert (dialogue.domain, dialogue.attributes) == (None, None)


def test_speakers() -> None:
    assert converted(sample()).speakers == [
        Speaker("user", "user", "U22HTHYNP"),
        Speaker("wizard", "assistant", "UWIZARD01"),
    ]


def test_searches_are_actions_right_before_the_answer() -> None:
    events = converted(sample()).events
    query = {"DESTINATION_CITY": "brook", "NUM_ADULTS": "2", "RESULT_LIMIT": "10"}
    found = [package("Oak Inn", 700.0), package()]
    assert events == [
        Utterance("user", "Hi, to Brook please", 0, None, 0.0),
        Action("wizard", "search", query, found, 1, None, 20.25),
        Action("wizard", "search", {"MAX_DURATION": 86400000}, [], 1, None, 30.0),
        Utterance("wizard", "Elm House for $812.50?", 1, None, 60.0005),
        Utterance("user", "That one. Is there wifi?", 2, None, 90.0),
    ]


def test_packages_are_objects_that_the_wizard_sees() -> None:
    dialogue = converted(sample())
    oak, elm = dialogue.objects
    assert (elm.kind, elm.title, elm.uri) == ("package", "3.5 star hotel Elm House in Brook", None)
    assert elm.attributes == package()
    assert dialogue.displays == [
        Display(oak.object_id, "wizard", 1, None, 0),
        Display(elm.object_id, "wizard", 1, None, 1),
    ]


def test_a_package_found_twice_is_one_object() -> None:
    record = sample()
    record["turns"][1]["db"]["result"][1] = [package()]
    dialogue = converted(record)
    assert len(dialogue.objects) == 2
    assert dialogue.displays[2] == Display(dialogue.objects[1].object_id, "wizard", 2, None, 0)


def test_an_offer_is_grounded_in_the_package_it_means() -> None:
    dialogue = converted(sample())
    elm = dialogue.objects[1].object_id
    assert dialogue.groundings == [Grounding(3, elm, "offered", "offer", "2")]


def test_an_offer_of_nothing_shown_is_not_grounded() -> None:
    record = sample()
    record["turns"][1]["labels"]["acts"][0]["args"][0]["val"] = "Ash Hall"
    assert converted(record).groundings == []


def test_acts_with_references_have_their_frames() -> None:
    acts = [each for each in converted(sample()).acts if each.layer == "acts"]
    assert acts == [
        Act(0, "acts", 0, "greeting"),
        Act(0, "acts", 1, "inform", 0, "dst_city", "Brook", 1, None, 0),
        # The slots of an offer are of the frame that it creates.
        Act(3, "acts", 0, "offer", 0, "name", "Elm House", 2, None, 0),
        Act(3, "acts", 0, "offer", 1, "price", "$812.50", 2, None, 1),
        Act(3, "acts", 0, "offer", 2, "id", "2", 2, "id", 2),
        Act(4, "acts", 0, "switch_frame", 0, None, None, 2, "ref", 0, 0, {"fromrange": False}),
        Act(4, "acts", 1, "confirm", 0, "wifi", "true", 2, None, 0),
        Act(
            4, "acts", 2, "request_compare", 0, "price", None, 1, "ref", 0, 0, {"fromrange": False}
        ),
    ]


def test_acts_without_references_have_no_frames() -> None:
    acts = [each for each in converted(sample()).acts if each.layer == "acts_without_refs"]
    layer = "acts_without_refs"
    assert acts == [
        Act(0, layer, 0, "greeting"),
        Act(0, layer, 1, "inform", 0, "dst_city", "Brook", argument_index=0),
        Act(4, layer, 0, "switch_frame"),
        Act(4, layer, 1, "confirm", 0, "wifi", "true", argument_index=0),
        Act(4, layer, 2, "request_compare", 0, "price", argument_index=0),
    ]


@pytest.mark.parametrize("relation", ["read", "write"])
def test_read_and_write_are_relations(relation: str) -> None:
    record = sample()
    note = {"key": "seat", "val": "economy"}
    other = {"frame": 1, "annotations": [note], "fromrange": False}
    value = [{"frame": 2, "annotations": [note, note], "fromrange": True}, other]
    args = record["turns"][1]["labels"]["acts"][0]["args"]
    args[:] = [{"key": relation, "val": value}, {"key": "wifi", "val": False}]
    rows = [each for each in converted(record).acts if each.event == 3]
    both, one = {"fromrange": True}, {"fromrange": False}
    assert rows == [
        Act(3, "acts", 0, "offer", 0, "seat", "economy", 2, relation, 0, 0, both),
        Act(3, "acts", 0, "offer", 1, "seat", "economy", 2, relation, 0, 0, both),
        Act(3, "acts", 0, "offer", 2, "seat", "economy", 1, relation, 0, 1, one),
        Act(3, "acts", 0, "offer", 3, "wifi", "false", 1, None, 1),
    ]


def test_an_argument_without_references_is_a_row() -> None:
    record = sample()
    args = record["turns"][1]["labels"]["acts"][0]["args"]
    args[:] = [{"key": "read", "val": []}, {"key": "wifi", "val": False}]
    rows = [each for each in converted(record).acts if each.event == 3]
    assert rows == [
        Act(3, "acts", 0, "offer", 0, None, None, None, "read", 0),
        Act(3, "acts", 0, "offer", 1, "wifi", "false", 1, None, 1),
    ]


def test_every_frame_is_a_state_after_every_turn() -> None:
    states = converted(sample()).states
    layer = "frames"
    assert states == [
        State(0, layer, "info", 1, None, True, "dst_city", "Brook", False, 0),
        State(3, layer, "info", 1, None, True, "dst_city", "Brook", False, 0),
        State(3, layer, "request", 1, None, True, "budget", None, None, 0, "wizard"),
        State(3, layer, "info", 2, 1, False, "name", "Elm House", False, 0),
        State(3, layer, "info", 2, 1, False, "price", "812.5", False, 0),
        State(3, layer, "info", 2, 1, False, "wifi", "true", False, 0),
        State(4, layer, "compare_request", 1, None, False, "price", None, None, 0, "user"),
        State(4, layer, "compare_request", 1, None, False, "seat", None, None, 0, "user"),
        State(4, layer, "info", 2, 1, True, "seat", "business", True, 0),
        State(4, layer, "binary_question", 2, 1, True, "wifi", "true", None, 0, "user"),
        # An empty frame is a row too, of a kind of its own.
        State(4, layer, "empty", 3, 1, False),
    ]


def test_the_slots_of_a_comparison_share_its_number() -> None:
    record = sample()
    frame = record["turns"][2]["labels"]["frames"][0]
    frame["compare_requests"].append({"author": "wizard", "keys": ["name"]})
    rows = [each for each in converted(record).states if each.kind == "compare_request"]
    found = [(each.slot, each.item_index, each.asked_by) for each in rows]
    assert found == [("price", 0, "user"), ("seat", 0, "user"), ("name", 1, "wizard")]


def test_a_slot_without_values_is_a_row() -> None:
    record = sample()
    record["turns"][0]["labels"]["frames"][0]["info"] = {"seat": []}
    assert converted(record).states[0] == State(0, "frames", "info", 1, None, True, "seat")


def test_outcomes() -> None:
    assert converted(sample()).outcomes == [
        Outcome("rating", 4.5, None, "user"),
        Outcome("success", 1.0, None, "wizard"),
    ]


def test_no_rating_is_no_outcome() -> None:
    record = sample()
    record["labels"] = {"userSurveyRating": None, "wizardSurveyTaskSuccessful": False}
    assert converted(record).outcomes == [Outcome("success", 0.0, None, "wizard")]


def test_a_user_of_no_fold_is_in_no_split() -> None:
    assert converted(sample() | {"user_id": "U1"}).split is None


def test_a_dialogue_without_turns() -> None:
    dialogue = converted(sample() | {"turns": []})
    assert (dialogue.events, dialogue.started_at) == ([], None)


def test_searches_without_result_and_results_without_search() -> None:
    record = sample()
    record["turns"][1]["db"]["search"].pop()
    record["turns"][1]["db"]["result"][0:1] = []
    first = converted(record).events[1]
    assert isinstance(first, Action)
    assert (first.arguments is not None, first.result) == (True, [])
    record["turns"][1]["db"] = {"search": [], "result": [[package()]]}
    (second,) = converted(record).actions()
    assert (second.arguments, second.result, second.at_s) == (None, [package()], None)


HUGE = 10**12


def break_parent(record: dict[str, Any]) -> None:
    record["turns"][1]["labels"]["frames"][1]["frame_parent_id"] = HUGE


def break_reference(record: dict[str, Any]) -> None:
    record["turns"][2]["labels"]["acts"][0]["args"][0]["val"][0]["frame"] = HUGE


def break_creation(record: dict[str, Any]) -> None:
    record["turns"][1]["labels"]["acts"][0]["args"][2]["val"] = HUGE


@pytest.mark.parametrize(
    ("breaking", "path"),
    [
        (break_parent, ".turns[1].labels.frames[1]"),
        (break_reference, ".turns[2].labels.acts[0]"),
        (break_creation, ".turns[1].labels.acts[0]"),
    ],
)
def test_numbers_out_of_range_are_located(breaking: Any, path: str) -> None:
    record = sample()
    breaking(record)
    with pytest.raises(ConversionError) as caught:
        converted(record)
    assert caught.value.path == path


@pytest.mark.parametrize("odd", [1e30, "2016-08-15T10:00:00Z", None])
def test_a_time_that_is_none_costs_itself(odd: object) -> None:
    record = sample()
    record["turns"][1]["timestamp"] = odd
    dialogue = converted(record)
    by_turn = {event.turn: event.at_s for event in dialogue.events if isinstance(event, Utterance)}
    assert (by_turn[0], by_turn[1], by_turn[2]) == (0, None, 90)
    record["turns"][0]["timestamp"] = odd
    dialogue = converted(record)
    assert dialogue.started_at is None
    assert {event.at_s for event in dialogue.events} == {None}


def test_converting_leaves_the_record_alone() -> None:
    for record in (typed(sample()), *islice(simulated(), 5)):
        before = msgspec.json.encode(record)
        dialogue = convert(record)
        dialogue.objects.clear()
        assert msgspec.json.encode(record) == before


def test_converting_twice_gives_the_same() -> None:
    record = typed(sample())
    assert convert(record) == convert(copy.copy(record))


@pytest.mark.parametrize(
    ("value", "text"),
    [("a", "a"), (True, "true"), (False, "false"), (None, None), (3, "3"), (["x"], '["x"]')],
)
def test_render_value(value: object, text: str | None) -> None:
    assert render_value(value) == text


def test_times_count_from_the_first_turn() -> None:
    record = sample()
    record["turns"][0]["timestamp"] = FIRST_MS - 500
    assert [each.at_s for each in converted(record).events][-1] == 90.5
