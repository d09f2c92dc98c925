from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.unit.corpora.simmc.shelf import Shelf

from commonground.corpora import get_corpus
from commonground.corpora.simmc.native.catalogue import FurnitureItem, parse_furniture
from commonground.corpora.simmc.native.targets import parse_numbers, parse_targets

Plant = Callable[[Any], str]
"""Breaks a record and returns the path at which that is to be found."""

FASHION = "fashion_train_dials.json"
FURNITURE = "furniture_train_dials.json"
CALLS = "fashion_train_dials_api_calls.json"
ROW_CALLS = "furniture_train_dials_api_calls.json"
CHOICES = "fashion_train_dials_retrieval_candidates.json"
ITEMS = "fashion_metadata.json"


def put(*keys: str | int, value: Any, at: str | None = None) -> Plant:
    """Plants a value; it is found at ``at``, or at the very place."""

    def plant(record: Any) -> str:
        parent = record
        for key in keys[:-1]:
            parent = parent[key]
        parent[keys[-1]] = value
        return at if at is not None else path_of(*keys)

    return plant


def path_of(*keys: str | int) -> str:
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys)


def with_attribute(name: str, value: Any, more: str = "") -> Plant:
    def plant(record: Any) -> str:
        index, turn = next((i, t) for i, t in enumerate(record["dialogue"]) if t["visual_objects"])
        thing = next(iter(turn["visual_objects"]))
        turn["visual_objects"][thing][name] = value
        return f".dialogue[{index}].visual_objects.{thing}.{name}{more}"

    return plant


def drop_task(record: Any) -> str:
    del record["dialogue_task_id"]
    return ".dialogue_task_id"


def two_in_focus(record: Any) -> str:
    scene = record["dialogue"][0]["visual_objects"]
    scene["OBJECT_9"] = next(iter(scene.values()))
    return ".dialogue[0].visual_objects"


def row_at_once(record: Any) -> str:
    late = next(turn for turn in record["dialogue"] if turn["visual_objects"])
    record["dialogue"][0]["visual_objects"] = late["visual_objects"]
    return ".dialogue[0].visual_objects"


def add_slot(slot: str, value: str) -> Plant:
    def plant(record: Any) -> str:
        slots = record["dialogue"][1]["belief_state"][0]["slots"]
        slots.append([slot, value])
        return f".dialogue[1].belief_state[0].slots[{len(slots) - 1}]"

    return plant


def unseen(record: Any) -> str:
    record["dialogue_coref_map"]["1"] = 77
    return add_slot("fashion-O", "OBJECT_77")(record)


def empty_act(record: Any) -> str:
    belief = record["dialogue"][0]["belief_state"]
    belief.append([])
    return f".dialogue[0].belief_state[{len(belief) - 1}]"


def map_clash(record: Any) -> str:
    record["dialogue_coref_map"]["1"] = 0
    return '.dialogue_coref_map["1"]'


def shifted_span(record: Any) -> str:
    turn = record["dialogue"][0]
    turn["transcript_annotated"] = (
        "[{'intent': 'ERR:UNSURE', 'slots': [{'id': 'O.color', 'text': 'zebra',"
        " 'span': {'start': 1, 'end': 6}}]}]"
    )
    return ".dialogue[0].transcript_annotated"


def extra_turn(record: Any) -> str:
    last = dict(record["dialogue"][-1])
    last["turn_idx"] += 1
    record["dialogue"].append(last)
    return f".dialogue[{len(record['dialogue']) - 1}]"


def other_task(record: Any) -> str:
    record["dialogue_task_id"] = 1000 if record["dialogue_task_id"] != 1000 else 1001
    return ".dialogue_task_id"


LAST = -1
PLANTS: dict[str, tuple[str, Plant]] = {
    "001": (FASHION, put("dialogue", 0, "transcript", value="What does it 212 Localt?")),
    "002": (FASHION, put("dialogue", 0, "system_transcript", value="They 212 Localts $5.")),
    "003": (FASHION, put("dialogue", 0, "transcript", value="Tell meWhat it is.")),
    "004": (FASHION, with_attribute("hemlength", ["maxi"])),
    "005": (FASHION, with_attribute("embellishment", ["beaded"])),
    "006": (FURNITURE, with_attribute("decor_style", "['Modern', 'Rustic'']")),
    "007": (FURNITURE, with_attribute("decor_style", "")),
    "008": (FURNITURE, with_attribute("color", ["Grey,Black"], "[0]")),
    "009": (FURNITURE, with_attribute("decor_style", ["Traditionall"], "[0]")),
    "010": (FASHION, with_attribute("sleeveStyle", ["cap_sleeveStyle"], "[0]")),
    "011": (FASHION, drop_task),
    "012": (FASHION, put("dialogue_task_id", value=5)),
    "013": (FASHION, put("dialogue", 1, "turn_idx", value=90)),
    "014": (FASHION, put("dialogue", 0, "domain", value="garden")),
    "015": (FASHION, put("dialogue", LAST, "system_transcript", value="")),
    "016": (FASHION, put("dialogue", 0, "system_transcript", value="")),
    "017": (FASHION, two_in_focus),
    "018": (FURNITURE, row_at_once),
    "019": (FASHION, put("dialogue", 0, "belief_state", value={})),
    "020": (FASHION, empty_act),
    "021": (FASHION, put("dialogue", 0, "belief_state", 0, "act", value="DA:SING:GET")),
    "022": (FASHION, add_slot("fashion-O", "the red one")),
    "023": (FASHION, add_slot("fashion-size_1", "XL")),
    "024": (FASHION, unseen),
    "025": (FASHION, add_slot("fashion-O", "OBJECT_78")),
    "026": (FASHION, map_clash),
    "027": (FASHION, put("dialogue", 0, "transcript_annotated", value="[{'intent': ")),
    "028": (FASHION, shifted_span),
    "029": (FASHION, put("dialogue", 0, "system_transcript", value="Something else.")),
    "030": (FASHION, extra_turn),
    "031": (FASHION, other_task),
    "101": (CALLS, put("focus_images", value=[1], at=".focus_images")),
    "102": (CALLS, put("actions", 0, "turn_idx", value=8)),
    "103": (CALLS, put("actions", 0, "action", value="Sing")),
    "104": (ROW_CALLS, put("actions", 1, "action_supervision", value=None)),
    "105": (
        CALLS,
        put(
            "actions",
            LAST,
            "action_supervision",
            value={"attributes": ["price", "price"]},
            at=".actions[-1].action_supervision.attributes",
        ),
    ),
    "106": (
        ROW_CALLS,
        put(
            "actions",
            0,
            "action_supervision",
            value={"args": {"navigateDirection": "Here"}},
        ),
    ),
    "107": (
        CALLS,
        put(
            "actions",
            0,
            "action_supervision",
            value={"focus": 5, "attributes": []},
            at=".focus_images[1]",
        ),
    ),
    "111": (
        CHOICES,
        put(
            "retrieval_candidates",
            0,
            value={"turn_idx": 0, "retrieval_candidates": [1], "gt_index": 0},
        ),
    ),
    "121": (ITEMS, put("metadata", "availableSizes", value="['XS', 'S']")),
    "122": (ITEMS, put("metadata", "availableSizes", value="['XS', ")),
    "123": (ITEMS, put("metadata", "hemlength", value=["mini"])),
    "125": (ITEMS, put("metadata", "price", value="cheap")),
    "126": (ITEMS, put("metadata", "sleeveStyle", value=["cap_sleeveStyle"])),
}
WITH: dict[str, set[str]] = {
    "001": {"028"},
    "002": {"028", "029"},
    "003": {"028"},
    "013": {"030"},
    "016": {"028"},
    "018": {"024"},
    "022": {"024", "025"},
    "025": {"024"},
    "029": {"028"},
    "105": {"104"},
    "106": {"104"},
    "122": {"121"},
}
"""Codes that cannot but come with another one."""


def found_at(path: str, record: Any) -> str:
    """Returns a path with ``-1`` counted from the front."""
    for key in ("dialogue", "actions"):
        if isinstance(record, dict) and key in record:
            path = path.replace(f".{key}[-1]", f".{key}[{len(record[key]) - 1}]")
    return path


@pytest.mark.parametrize("number", PLANTS)
def test_a_planted_fault_is_found(shelf: Shelf, number: str) -> None:
    base, plant = PLANTS[number]
    record = shelf.record(base)
    path = "$" + found_at(plant(record), record)
    if number == "126":
        path += "[0]"
    codes = shelf.codes(base, record)
    assert (f"CG-SIMMC-{number}", path) in codes
    others = {code.removeprefix("CG-SIMMC-") for code, _ in codes} - {number}
    # A changed item is no longer the first of its picture.
    assert others - {"124"} <= WITH.get(number, set())


def choices(shelf: Shelf) -> Any:
    return shelf.record(CHOICES)


def test_a_candidate_that_stands_twice_is_found(shelf: Shelf) -> None:
    record = choices(shelf)
    numbers = record["retrieval_candidates"][0]["retrieval_candidates"]
    numbers[1] = numbers[0]
    path = "$.retrieval_candidates[0].retrieval_candidates"
    assert shelf.codes(CHOICES, record) == {("CG-SIMMC-112", path)}


def test_a_candidate_outside_the_pool_is_found(shelf: Shelf) -> None:
    record = choices(shelf)
    record["retrieval_candidates"][0]["retrieval_candidates"][0] = 10**6
    path = "$.retrieval_candidates[0].retrieval_candidates"
    assert shelf.codes(CHOICES, record) == {("CG-SIMMC-113", path)}


def test_a_right_answer_outside_the_list_is_found(shelf: Shelf) -> None:
    record = choices(shelf)
    record["retrieval_candidates"][0]["gt_index"] = 100
    path = "$.retrieval_candidates[0].gt_index"
    assert shelf.codes(CHOICES, record) == {("CG-SIMMC-114", path)}


def test_candidates_out_of_order_are_found(shelf: Shelf) -> None:
    record = choices(shelf)
    record["retrieval_candidates"][0]["turn_idx"] = 9
    path = "$.retrieval_candidates[0].turn_idx"
    assert shelf.codes(CHOICES, record) == {("CG-SIMMC-115", path)}


def test_a_shared_picture_is_found(shelf: Shelf) -> None:
    record = shelf.record(ITEMS, 1)
    record["url"] = shelf.record(ITEMS, 0)["url"]
    assert shelf.codes(ITEMS, record) == {("CG-SIMMC-124", "$.url")}


CSV = "product_name,obj,color\nShelf,models/7.zip,\"['Red']\"\n"


@pytest.mark.parametrize(
    ("number", "row"),
    [("131", "Lamp,models/8.zip\n"), ("132", "Lamp,,Red\n"), ("133", "Lamp,m/8.zip,[Red\n")],
)
def test_a_broken_row_is_found(shelf: Shelf, number: str, row: str) -> None:
    record = list(parse_furniture(CSV + row))[-1].record
    assert shelf.codes("furniture_metadata.csv", record) == {(f"CG-SIMMC-{number}", "$")}


def test_clean_rows_are_silent(shelf: Shelf) -> None:
    records: list[FurnitureItem] = [each.record for each in parse_furniture(CSV)]
    assert [shelf.codes("furniture_metadata.csv", each) for each in records] == [set(), set()]


LINE = "User : Hi. <SOM> OBJECT_0 : pos focus <EOM> => Belief State : {} <EOB> Yes. <EOS>\n"
TARGET_PLANTS = {
    "141": "User : Hi.\n",
    "142": LINE.format("DA:ASK:GET [  ]").replace("Hi", "They 212 Localt"),
    "143": LINE.format("DA:ASK:GET [ fashion-O = OBJECT_3 ]"),
    "144": LINE.format("DA:ASK:GET [ furniture-O = OBJECT_3 ]"),
    "145": LINE.format("DA:SING [  ]"),
    "146": LINE.format("DA:ASK:GET [ fashion-O = that ]"),
    "147": LINE.format("DA:ASK:GET [ fashion-size_1 = XL ]"),
}


@pytest.mark.parametrize("number", TARGET_PLANTS)
def test_a_broken_target_is_found(shelf: Shelf, number: str) -> None:
    record = next(iter(parse_targets(TARGET_PLANTS[number]))).record
    codes = {code for code, _ in shelf.codes("fashion_dev_dials_target.txt", record)}
    assert codes - ({"CG-SIMMC-143"} if number == "146" else set()) == {f"CG-SIMMC-{number}"}


def test_a_line_without_a_number_is_found(shelf: Shelf) -> None:
    record = list(parse_numbers("12\nx\n"))[1].record
    assert shelf.codes("train_dialog_ids", record) == {("CG-SIMMC-151", "$")}


MINI = "simmc2.1_dials_dstc11_mini.json"
SIDE = ("transcript_annotated", "act_attributes")
PLANTS2: dict[str, Plant] = {
    "201": put("dialogue", 1, "turn_idx", value=90),
    "202": put("scene_ids", "99", value="corner", at='.scene_ids["99"]'),
    "203": put("scene_ids", value={}),
    "204": put("mentioned_object_ids", value=[], at=""),
    "206": put("dialogue", 0, *SIDE, "slot_values", "price", value=9.5),
    "207": put(
        "dialogue",
        0,
        *SIDE,
        "slot_values",
        "Object ID: 999",
        value={"size": "S"},
        at='.dialogue[0].transcript_annotated.act_attributes.slot_values["Object ID: 999"]',
    ),
    "208": put(
        "dialogue", 0, "system_transcript_annotated", "act", value="REQUEST:DISAMBIGUATE", at=""
    ),
    "209": put("dialogue", 0, "transcript_annotated", "disambiguation_candidates", value=[]),
}


def never_used(record: Any) -> str:
    record["mentioned_object_ids"].append(998)
    return f".mentioned_object_ids[{len(record['mentioned_object_ids']) - 1}]"


def candidates_without_doubt(record: Any) -> str:
    turn = record["dialogue"][0]["transcript_annotated"]
    turn["disambiguation_candidates"] = [1, 2]
    return ".dialogue[0].transcript_annotated.disambiguation_candidates"


PLANTS2 |= {"205": never_used, "209": candidates_without_doubt}


@pytest.mark.parametrize("number", sorted(PLANTS2))
def test_a_planted_fault_in_version_2_is_found(shelf2: Shelf, number: str) -> None:
    record = shelf2.record(MINI)
    path = "$" + PLANTS2[number](record)
    codes = shelf2.codes(MINI, record)
    assert {code for code, _ in codes} == {f"CG-SIMMC-{number}"}
    if number not in ("204", "208"):
        assert codes == {(f"CG-SIMMC-{number}", path)}


def test_clean_data_is_silent(shelf: Shelf, shelf2: Shelf) -> None:
    for each in (shelf, shelf2):
        for document, _ in each.known:
            for record in each.records(document.base):
                assert each.codes(document.base, record) == set(), document.name


def test_every_rule_has_a_planted_fault() -> None:
    planted = {*PLANTS, *TARGET_PLANTS, *PLANTS2, "112", "113", "114", "115", "124"}
    planted |= {"131", "132", "133", "151"}
    rules = [*get_corpus("simmc").rules(), *get_corpus("simmc2").rules()]
    assert {rule.code.removeprefix("CG-SIMMC-") for rule in rules} == planted


def test_calls_without_any_image_are_no_crash(shelf: Shelf) -> None:
    record = shelf.record(CALLS, 0)
    record["focus_images"] = []
    record["actions"] = [
        {**record["actions"][0], "turn_idx": n, "action_supervision": {"focus": 1}}
        for n in range(3)
    ]
    assert "CG-DATA-005" not in {code for code, _ in shelf.codes(CALLS, record)}
