from __future__ import annotations

from array import array
from typing import Any

import msgspec
import pytest

from commonground.corpora.simmc.convert import convert, orphans, shared_objects
from commonground.corpora.simmc.convert.context import AssistantCall, Context, Ranking, Released
from commonground.corpora.simmc.convert.simmc2 import find_screenshot
from commonground.corpora.simmc.native.simmc1 import Carousel, Dialogue1, Task
from commonground.corpora.simmc.native.simmc2 import Dialogue2
from commonground.files.reading import ConversionError, Where
from commonground.model import (
    Act,
    Action,
    Candidate,
    Dialogue,
    Display,
    Grounding,
    Object,
    Span,
    Speaker,
    State,
    Utterance,
)

FILE = "simmc_fashion/fashion_train_dials.json"
SEEN = {"type": "coat", "color": ["red"]}
ANNOTATED = (
    "[{'intent': 'DA:ASK:GET:CLOTHING.price', 'slots': [{'id': 'O.color', "
    "'span': {'start': 16, 'end': 19}, 'text': 'red', 'node_id': 2, "
    "'subframe': {'intent': '.name'}}], 'span': {'start': 0, 'end': 25}, 'node_id': 1}]"
)
TURN: dict[str, Any] = {
    "turn_idx": 0,
    "domain": "fashion",
    "transcript": "What is this in red worth?",
    "system_transcript": "$40.",
    "belief_state": [
        {
            "act": "DA:ASK:GET:CLOTHING.price",
            "slots": [["fashion-O", "OBJECT_0"], ["fashion-color", "red"]],
        },
        [],
        {"act": "ERR:UNSURE", "slots": []},
    ],
    "visual_objects": {"OBJECT_0": {**SEEN, "pos": "focus"}},
    "system_belief_state": [{"act": "DA:INFORM:GET", "slots": []}],
    "transcript_annotated": ANNOTATED,
    "system_transcript_annotated": "[]",
    "turn_label": [
        {
            "act": "DA:ASK:GET:COAT.price",
            "objects": [{"obj_idx": 0, "obj_name": "OBJECT_0", "obj_type": "coat"}],
            "slots": [["color", "red"]],
        }
    ],
    "system_turn_label": [],
    "state_graph_0": {},
    "state_graph_1": {"OBJECT_0": {"color": ["red", "blue"], "pos": "focus", "size": []}},
    "state_graph_2": {"USER": {"likes": True}},
    "raw_assistant_keystrokes": [],
}
RECORD: dict[str, Any] = {
    "dialogue": [TURN],
    "dialogue_idx": 12,
    "domains": ["fashion"],
    "dialogue_task_id": 3,
    "dialogue_coref_map": {"501": 0},
}
TASK = Task(
    task_id=3, image_ids=[501, 502], focus_image=501, memory_images=[], database_images=[502]
)


def make_context() -> Context:
    return Context(
        files={FILE: Released("fashion", "train", 1.2, "train", False, {3: TASK})},
        lengths={"fashion-12": 1},
        calls={
            "fashion-12": {
                0: AssistantCall("SearchDatabase", {"focus": 502, "attributes": []}, None, 501),
                4: AssistantCall("None", None, None, 502),
            }
        },
        rankings={"fashion-12": {0: Ranking(0, array("i", [1, 0, -1]), 1)}},
        pools=[["$40.", "Hello."]],
    )


def converted(
    record: dict[str, Any] = RECORD, context: Context | None = None, file: str = FILE
) -> Dialogue:
    typed = msgspec.convert(record, Dialogue1)
    return convert(typed, Where(file, "$", "dials"), context or make_context())


def changed(**fields: Any) -> dict[str, Any]:
    return {**RECORD, "dialogue": [{**TURN, **fields}]}


def test_head_and_speakers() -> None:
    made = converted()
    assert (made.dialogue_id, made.split, made.domain) == ("fashion-12", "train", "fashion")
    assert made.attributes == {
        "version": 1.2,
        "dialogue_task_id": 3,
        "focus_image": 501,
        "memory_images": [],
        "database_images": [502],
        "dialogue_coref_map": {"501": 0},
    }
    assert made.speakers == [Speaker("user", "user"), Speaker("assistant", "assistant")]


def test_a_turn_is_utterance_action_answer_and_calls_go_on_behind() -> None:
    assert converted().events == [
        Utterance("user", "What is this in red worth?", 0),
        Action("assistant", "SearchDatabase", {"focus": 502, "attributes": []}, None, 0),
        Utterance("assistant", "$40.", 0),
        Action("assistant", "None", None, None, 4),
    ]


def test_acts_of_all_layers() -> None:
    act, layer = "DA:ASK:GET:CLOTHING.price", "belief_state"
    label, annotated = "turn_label", "transcript_annotated"
    assert converted().acts == [
        Act(0, layer, 0, act, 0, "fashion-O", "OBJECT_0", 0),
        Act(0, layer, 0, act, 1, "fashion-color", "red"),
        Act(0, layer, 2, "ERR:UNSURE"),
        Act(0, annotated, 0, act, 0, "O.color", "red"),
        Act(0, label, 0, "DA:ASK:GET:COAT.price", 0, "color", "red"),
        Act(
            0,
            label,
            0,
            "DA:ASK:GET:COAT.price",
            1,
            "object",
            "OBJECT_0",
            0,
            attributes={"obj_type": "coat"},
        ),
        Act(2, "system_belief_state", 0, "DA:INFORM:GET"),
    ]


def test_spans_of_intent_and_slot() -> None:
    act, layer = "DA:ASK:GET:CLOTHING.price", "transcript_annotated"
    facts = {"node_id": 2, "intent": act, "subframe": {"intent": ".name"}}
    assert converted().spans == [
        Span(0, layer, 0, 25, "What is this in red worth", act, {"node_id": 1}),
        Span(0, layer, 16, 19, "red", "O.color", facts),
    ]


def test_state_graphs_are_rows_per_value() -> None:
    kind = "attribute"
    assert converted().states == [
        State(0, "state_graph_0", kind),
        State(0, "state_graph_1", kind, 0, slot="color", value="red"),
        State(0, "state_graph_1", kind, 0, slot="color", value="blue"),
        State(0, "state_graph_1", kind, 0, slot="pos", value="focus"),
        State(0, "state_graph_1", kind, 0, slot="size"),
        State(2, "state_graph_2", kind, slot="USER.likes", value="true"),
    ]


def test_what_is_in_view_is_displayed() -> None:
    assert converted().displays == [
        Display(
            "fashion/501",
            None,
            0,
            None,
            0,
            None,
            {"name": "OBJECT_0", "type": "coat", "color": ["red"], "pos": "focus"},
        ),
        Display("fashion/502", None, 3, None, 0, None, {"source": "focus_images"}),
    ]


def test_objects_without_a_catalogue_come_from_what_is_seen() -> None:
    assert converted().objects == [
        Object("fashion/501", "item", "coat", None, SEEN),
        Object("fashion/502", "item"),
    ]


def test_objects_of_the_catalogue_are_shared() -> None:
    context = make_context()
    for number in (501, 502):
        item = Object(f"fashion/{number}", "item", "Coat")
        context.catalogue[item.object_id] = item
    assert converted(context=context).objects == []
    assert [each.object_id for each in shared_objects(context)] == ["fashion/501", "fashion/502"]


def test_references_are_groundings() -> None:
    assert converted().groundings == [
        Grounding(0, "fashion/501", "mentioned", "DA:ASK:GET:CLOTHING.price", "OBJECT_0"),
        Grounding(0, "fashion/501", "mentioned", "DA:ASK:GET:COAT.price", "OBJECT_0"),
        Grounding(1, "fashion/502", "shown", "SearchDatabase"),
    ]


def test_candidates_say_which_is_right() -> None:
    assert converted().candidates == [
        Candidate(2, "retrieval", 0, "Hello.", None, False, "1"),
        Candidate(2, "retrieval", 1, "$40.", None, True, "0"),
        Candidate(2, "retrieval", 2, None, None, False, "-1"),
    ]


def test_a_hidden_right_answer_is_null() -> None:
    context = make_context()
    context.rankings["fashion-12"][0] = Ranking(0, array("i", [1]), None)
    assert [each.gold for each in converted(context=context).candidates] == [None]


def test_without_a_map_the_focus_image_names_the_thing() -> None:
    record = {key: value for key, value in RECORD.items() if key != "dialogue_coref_map"}
    assert converted(record).displays[0].object_id == "fashion/501"


def test_without_map_and_calls_things_are_the_dialogues_own() -> None:
    record = {key: value for key, value in RECORD.items() if key != "dialogue_coref_map"}
    made = converted(record, Context())
    assert made.displays[0].object_id == "fashion-12/OBJECT_0"
    assert made.split == "train"
    assert [each.mention for each in made.groundings] == ["OBJECT_0", "OBJECT_0"]


def test_furniture_places_are_resolved_by_the_carousel() -> None:
    scene = {"OBJECT_0": {"pos": "left"}, "OBJECT_1": {"pos": "center"}}
    turn = {
        "turn_idx": 0,
        "domain": "furniture",
        "transcript": "The left one, please.",
        "system_transcript": "",
        "belief_state": {},
        "visual_objects": scene,
    }
    record = {"dialogue": [turn], "dialogue_idx": 5, "domains": ["furniture"]}
    # Numbers may be texts, with whatever stands before them.
    row = Carousel(focus=None, carousel=["071", "72"])
    given = {"furniture_id": "left"}
    calls = {0: AssistantCall("AddToCart", given, {"focus": None, "carousel": []}, None, row)}
    context = Context(calls={"furniture-5": calls})
    made = converted(record, context, "furniture_dev_dials.json")
    assert [(d.object_id, d.position) for d in made.displays] == [
        ("furniture/71", 0),
        ("furniture/72", 1),
    ]
    assert made.groundings == [Grounding(1, "furniture/71", "selected", "AddToCart")]
    assert made.events[1].result == {"focus": None, "carousel": []}


def test_a_public_copy_stands_beside_the_whole_dialogue() -> None:
    context = make_context()
    context.files[FILE].is_public_copy = True
    context.files[FILE].released_split = "devtest_teststd-format"
    context.in_full.add("fashion-12")
    made = converted(context=context)
    assert (made.dialogue_id, made.split) == ("fashion-12~public", "devtest_teststd-format")


def test_calls_without_words_are_a_dialogue_of_actions() -> None:
    calls = {0: AssistantCall("None", None, None, 9), 1: AssistantCall("AddToCart", None, None, 9)}
    context = Context(calls={"fashion-8": calls}, call_splits={"fashion-8": "dev"})
    (made,) = orphans(context)
    assert (made.dialogue_id, made.split, made.domain) == ("fashion-8", "dev", "fashion")
    assert [(event.name, event.turn) for event in made.events] == [("None", 0), ("AddToCart", 1)]
    assert list(orphans(Context(calls={"a-1": calls}, lengths={"a-1": 3}))) == []


def test_a_slot_without_a_value_is_located() -> None:
    record = changed(belief_state=[{"act": "ERR:UNSURE", "slots": [["fashion-O"]]}])
    with pytest.raises(ConversionError) as caught:
        converted(record)
    assert caught.value.path == ".dialogue[0].belief_state[0].slots[0]"


def test_a_huge_turn_number_is_located() -> None:
    with pytest.raises(ConversionError) as caught:
        converted(changed(turn_idx=2**40))
    assert caught.value.path == ".dialogue[0].turn_idx"


def test_an_unreadable_annotation_gives_no_spans() -> None:
    assert converted(changed(transcript_annotated="[{'intent': ")).spans == []


RECORD2: dict[str, Any] = {
    "dialogue": [
        {
            "turn_idx": 0,
            "transcript": "How big is it?",
            "system_transcript": "It is S, and $9.5.",
            "transcript_annotated": {
                "act": "ASK:GET",
                "act_attributes": {"slot_values": {}, "request_slots": ["size"], "objects": []},
                "disambiguation_label": 1,
                "disambiguation_candidates": [3],
                "disambiguation_candidates_raw": ["all"],
            },
            "system_transcript_annotated": {
                "act": "INFORM:GET",
                "act_attributes": {
                    "slot_values": {
                        "type": "coat",
                        "Object ID: 3": {"price": 9.5, "availableSizes": ["S", "M"]},
                    },
                    "request_slots": [],
                    "objects": [3],
                },
            },
            "disambiguation_label": 0,
        }
    ],
    "dialogue_idx": 7,
    "scene_ids": {"0": "corner", "4": "window"},
    "domain": "fashion",
    "mentioned_object_ids": [3],
}


def converted2(record: dict[str, Any] = RECORD2) -> Dialogue:
    typed = msgspec.convert(record, Dialogue2)
    where = Where("simmc2_dials_dstc10_dev.json", "$", "dials2")
    return convert(typed, where, Context(pictures={"corner": "corner.png"}))


def test_version_2_head_events_and_scenes() -> None:
    made = converted2()
    assert (made.dialogue_id, made.split, made.domain) == ("7", "dev", "fashion")
    assert made.attributes == {"scene_ids": RECORD2["scene_ids"], "mentioned_object_ids": [3]}
    assert [event.text for event in made.events] == ["How big is it?", "It is S, and $9.5."]
    # The second scene begins at a turn that is not there.
    assert made.displays == [
        Display("corner", event=0, position=0),
        Display("window", event=1, position=0, attributes={"turn": "4"}),
    ]
    assert made.objects == [
        Object("7/3", "item", attributes={"number": 3}),
        Object("corner", "scene", "corner", "corner.png"),
        Object("window", "scene", "window", "window.png"),
    ]


def test_version_2_acts() -> None:
    layer, act = "system_transcript_annotated", "INFORM:GET"
    assert converted2().acts == [
        Act(0, "transcript_annotated", 0, "ASK:GET", 0, "size", relation="request"),
        Act(1, layer, 0, act, 0, "type", "coat"),
        Act(1, layer, 0, act, 1, "price", "9.5", 3, "object"),
        Act(1, layer, 0, act, 2, "availableSizes", "S", 3, "object"),
        Act(1, layer, 0, act, 3, "availableSizes", "M", 3, "object"),
    ]


def test_version_2_doubt_and_references() -> None:
    made = converted2()
    layer, kind = "disambiguation", "annotation"
    assert made.states == [
        State(0, layer, kind, slot="label", value="0"),
        State(0, layer, kind, slot="label", value="1"),
        State(0, layer, kind, slot="candidates_raw", value="all"),
    ]
    assert made.groundings == [
        Grounding(0, "7/3", "candidate", None, "3"),
        Grounding(1, "7/3", "mentioned", "INFORM:GET", "3"),
    ]


def test_version_2_a_huge_turn_number_is_located() -> None:
    record = {**RECORD2, "dialogue": [{**RECORD2["dialogue"][0], "turn_idx": -1}]}
    with pytest.raises(ConversionError) as caught:
        converted2(record)
    assert caught.value.path == ".dialogue[0].turn_idx"


@pytest.mark.parametrize(
    ("scene", "files", "found"),
    [
        ("room_5", ["room_5"], "room_5.png"),
        ("m_room_5", ["room_5"], "room_5.png"),
        ("m_room_5", ["m_room_5"], "m_room_5.png"),
        ("m_room_5", ["room_5", "m_room_5"], "room_5.png"),
        ("m_room_5", ["room_6"], "room_5.png"),
        ("m_room_5", [], None),
    ],
)
def test_a_scene_has_the_picture_of_its_room(
    scene: str, files: list[str], found: str | None
) -> None:
    assert find_screenshot(scene, {name: f"{name}.png" for name in files}) == found
