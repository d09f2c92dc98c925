"""Worlds: their functions, what they are made of, and released calls executed again."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator
from tests.released import find_released
from tests.unit.play.scenarios.simmc.shops import sofas

import commonground as cg
from commonground.errors import (
    CommongroundError,
    FormatError,
    SourceError,
    StoreError,
    UnknownNameError,
)
from commonground.games import open_world
from commonground.play.reruns import Rerun, rerun_files
from commonground.play.scenarios.simmc.shop.items import ShopFacts
from commonground.play.simulating import simulate
from commonground.play.world import (
    CallError,
    Course,
    Desk,
    SeenCall,
    World,
    WorldSource,
    describe_tools,
)
from commonground.play.worlds import get_world, iterate_worlds
from commonground.play.worlds.coffee import Addon, BarFacts, Choice, Item
from commonground.play.worlds.tickets import CinemaFacts

WORLDS = [pytest.param(each, id=each.name) for each in iterate_worlds()]

BAR = BarFacts(
    items=(Item("latte-1", "Latte", "with milk"), Item("tea-2", "Green Tea")),
    choices=(Choice("milk", ["Whole Milk", "Oat Milk"], "Milk"),),
    addons=(Addon("syrup-3", "Vanilla Syrup", ["NO", "ADD"]),),
    labels={"order-1": [{"attribute_id": "name", "option": "Ada"}]},
)
CINEMAS = CinemaFacts(
    rows=[
        {"name.movie": "Orbit", "name.theater": "Rialto 9", "time.showing": "7pm"},
        {"name.movie": "Orbit", "name.theater": "Rialto 9", "time.showing": "9pm"},
        {"name.movie": "Fog", "name.theater": "Odeon", "time.showing": "8pm"},
    ],
    films={"Orbit": {"name.genre": "comedy"}, "Fog": {"name.genre": "thriller"}},
    names={"name.movie": {"the space one": ["Orbit"]}},
    unavailable=[{"name.movie": "Fog", "name.theater": "Odeon"}],
)


SOFA = {"number": 1, "kind": "Sofas", "facts": {}, "seen": {}}
TASK = {
    "task_id": 1,
    "image_ids": [1, 2],
    "focus_image": 1,
    "memory_images": [],
    "database_images": [2],
}


def open_bar() -> Desk:
    return Desk(get_world("taskmaster4").load(BAR))


def open_cinemas() -> Desk:
    return Desk(get_world("taskmaster3").load(CINEMAS))


@pytest.mark.parametrize("source", WORLDS)
def test_tools_have_schemas_without_references(source: WorldSource) -> None:
    tools = describe_tools(source.invent(1))
    assert tools
    for tool in tools:
        schema = tool["function"]["parameters"]
        Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False
        assert "$ref" not in json.dumps(schema)
        assert tool["function"]["description"].endswith(".")


@pytest.mark.parametrize("source", WORLDS)
def test_the_same_seed_invents_the_same_world(source: WorldSource) -> None:
    facts = [msgspec.json.encode(source.invent(seed).facts) for seed in (1, 1, 2)]
    assert facts[0] == facts[1]
    assert facts[0] != facts[2]


@pytest.mark.parametrize("source", WORLDS)
def test_facts_are_read_from_a_file_of_ones_own(source: WorldSource) -> None:
    data = msgspec.json.encode(source.invent(3).facts)
    assert msgspec.json.encode(source.load_bytes(data, "mine.json").facts) == data
    with pytest.raises(FormatError, match=r"^mine\.json: "):
        source.load_bytes(b"[1]", "mine.json")


@pytest.mark.parametrize(
    ("name", "facts", "words"),
    [
        ("simmc-furniture", {"items": [SOFA]}, "expected a value of sale_price, found none"),
        ("simmc-fashion", {"items": [], "task": TASK}, "expected an item with number 1"),
    ],
)
def test_facts_that_a_function_would_miss_are_refused(name: str, facts: Any, words: str) -> None:
    with pytest.raises(FormatError, match=words):
        get_world(name).load_bytes(json.dumps(facts).encode(), "mine.json")


@pytest.mark.parametrize("source", WORLDS)
def test_unknown_functions_and_arguments_are_refused(source: WorldSource) -> None:
    desk = Desk(source.invent(1))
    with pytest.raises(UnknownNameError, match="no function 'fly'"):
        desk.call("fly", {})
    for name in desk.world.functions:
        with pytest.raises(CallError, match=f"{name}: .*unknown field `wrong`"):
            desk.call(name, {"wrong": 1})


def test_an_order_is_what_was_added_and_changed() -> None:
    bar = open_bar()
    options = [{"attribute_id": "milk", "option": "Oat Milk"}]
    added = bar.call(
        "add_order_item", {"menu_item_id": "latte-1", "quantity": "1", "attributes": options}
    )
    assert added == {"order_id": "order-1", "order_item_id": "item-1"}
    change = [{"attribute_id": "milk", "option": "Whole Milk"}]
    bar.call("update_order_item", {"order_item_id": "item-1", "attributes": change})
    bar.call(
        "update_order",
        {"order_id": "order-1", "attributes": [{"attribute_id": "order-type", "option": "Togo"}]},
    )
    assert bar.call("get_order_details", {"order_id": "order-1"}) == {
        "order_id": "order-1",
        "attributes": [
            {"attribute_id": "name", "option": "Ada"},
            {"attribute_id": "order-type", "option": "Togo"},
        ],
        "menu_items": [
            {
                "order_item_id": "item-1",
                "menu_item_id": "latte-1",
                "menu_item_name": "Latte",
                "attributes": change,
            }
        ],
    }
    assert bar.call("finish_order", {"order_id": "order-1"}) == {"success": True}
    assert bar.state.orders["order-1"].is_finished


def test_orders_that_were_never_made_are_refused() -> None:
    bar = open_bar()
    for name in ("get_order_details", "finish_order"):
        with pytest.raises(CallError, match=f"{name}: there is no order '9'"):
            bar.call(name, {"order_id": "9"})
    with pytest.raises(CallError, match="no order has an item 'x'"):
        bar.call("update_order_item", {"order_item_id": "x"})


def test_the_menu_is_searched_by_names() -> None:
    bar = open_bar()
    latte = {"menu_item_id": "latte-1", "name": "Latte"}
    assert bar.call("get_menu_items", {"query": "latte"}) == {"menu_items": [latte]}
    found = bar.call("get_menu_items", {"query": "a latte", "fields": ["description"]})
    assert found == {"menu_items": [{**latte, "description": "with milk"}]}
    assert bar.call("get_menu_items", {"query": "cola"}) == {"menu_items": []}
    found = bar.call("get_addons", {"query": "oat milk OR vanilla syrup"})
    assert [each["attribute_id"] for each in found["attributes"]] == ["milk"]
    assert [each["addon_id"] for each in found["addons"]] == ["syrup-3"]
    assert bar.call("get_addons", {"query": "cinnamon"}) == {"attributes": []}


def test_films_are_found_by_place_time_and_what_is_known_of_them() -> None:
    cinemas = open_cinemas()
    found = cinemas.call("find_movies", {"name.genre": "Comedy"})
    assert found == {"name.movie": ["Orbit"]}
    assert cinemas.call("find_movies", {"name.genre": "western"}) == {"name.movie": ["empty"]}
    where = {"name.movie": "orbit", "name.theater": "rialto", "time.preference": "late"}
    assert cinemas.call("find_showtimes", where) == {"time.showing": ["7pm", "9pm"]}
    asked = {"name.movie": "Fog", "attribute": "name.genre"}
    assert cinemas.call("get_movie_attribute", asked) == {"name.genre": ["thriller"]}
    said = {"name.movie": "The space one"}
    assert cinemas.call("resolve_movie", said) == {"name.movie": ["Orbit"]}


def test_what_is_booked_is_kept_and_what_cannot_be_had_is_not() -> None:
    cinemas = open_cinemas()
    orbit = {"name.movie": "Orbit", "name.theater": "Rialto 9", "num.tickets": "two"}
    fog = {"name.movie": "Fog", "name.theater": "Odeon"}
    assert cinemas.call("check_tickets", fog) == {"status": "unavailable"}
    assert cinemas.call("book_tickets", fog) == {"status": "failure"}
    assert cinemas.call("book_tickets", orbit) == {"status": "success"}
    assert cinemas.state.bookings == (orbit,)


def test_a_party_pays_for_each_of_its_people() -> None:
    desk = Desk(get_world("frames").invent(4))
    deal = desk.world.facts
    one = desk.call("search", {"NUM_ADULTS": "1"})["packages"]
    two = desk.call("search", {"NUM_ADULTS": "2"})["packages"]
    assert len(one) == len(two) == 10
    assert [each["price"] * 2 for each in one] == pytest.approx([each["price"] for each in two])
    assert desk.world.facts is deal
    nowhere = {"ORIGIN_CITY": "Atlantis", "DESTINATION_CITY": two[0]["hotel"]["dst_city"]}
    near = desk.call("search", nowhere)["packages"]
    assert {each["hotel"]["dst_city"] for each in near} == {nowhere["DESTINATION_CITY"]}


def open_sofas() -> Desk:
    return Desk(get_world("simmc-furniture").load(ShopFacts(sofas().items)))


def test_three_things_are_seen_turned_and_bought() -> None:
    desk = open_sofas()
    every = [each.number for each in sofas().items]
    seen = desk.call("SearchFurniture", {"furnitureType": "Sofas"})
    assert seen["found"] == len(every) > 3
    assert [each["id"] for each in seen["carousel"]] == every[:3]
    later = desk.call("NavigateCarousel", {"navigate_direction": "Next"})
    assert [each["id"] for each in later["carousel"]] == every[3:6]
    desk.call("SearchFurniture", {"furnitureType": "Sofas", "maxPrice": -1})
    with pytest.raises(CallError, match="there is nothing previous"):
        desk.call("NavigateCarousel", {"navigate_direction": "Previous"})
    assert desk.call("FocusOnFurniture", {"position": "center"})["focus"]["id"] == every[1]
    assert desk.call("Rotate", {"direction": "back"})["focus"]["side"] == "back"
    price = desk.call("SpecifyInfo", {"matches": "price"})
    assert price == {"id": every[1], "facts": {"price": [sofas().items[1].price]}}
    assert desk.call("AddToCart", {})["cart"] == [every[1]]
    desk.call("NavigateCarousel", {"navigate_direction": "Here"})
    with pytest.raises(CallError, match="AddToCart: there are 3 things in the row"):
        desk.call("AddToCart", {})
    assert desk.call("AddToCart", {"furniture_id": "left"})["cart"] == [every[1], every[0]]
    assert desk.call("AddToCart", {"furniture_id": str(every[1])})["cart"] == [every[1], every[0]]


def test_a_shop_without_a_search_has_nothing_to_turn_or_buy() -> None:
    desk = open_sofas()
    for name, arguments, why in (
        ("FocusOnFurniture", {"position": "left"}, "nothing is at 'left'"),
        ("Rotate", {"direction": "left"}, "nothing is in focus"),
        ("AddToCart", {}, "nothing is in focus"),
        ("AddToCart", {"furniture_id": 99}, "the catalogue has no item 99"),
    ):
        with pytest.raises(CallError, match=f"{name}: {why}"):
            desk.call(name, arguments)


def test_images_are_listed_brought_into_focus_told_of_and_bought() -> None:
    desk = Desk(get_world("simmc-fashion").invent(1))
    task, items = desk.world.facts.task, desk.world.facts.by_number
    there = desk.call("SearchDatabase", {"attributes": ["price"]})
    assert [each["id"] for each in there["images"]] == task.database_images
    first = there["images"][0]
    assert first["facts"] == {"price": [items[first["id"]].facts["price"]]}
    dear = {"wanted": {"price": first["facts"]["price"][0], "type": items[first["id"]].kind}}
    assert first["id"] in [each["id"] for each in desk.call("SearchDatabase", dear)["images"]]
    assert desk.call("SearchDatabase", {"wanted": {"type": "kite"}})["images"] == []
    with pytest.raises(CallError, match=f"no image {task.focus_image} in the database"):
        desk.call("SearchDatabase", {"focus": task.focus_image})
    desk.call("SearchDatabase", {"focus": first["id"]})
    told = desk.call("SpecifyInfo", {"attributes": ["brand", "info"]})["facts"]
    assert told == {"brand": [items[first["id"]].facts["brand"]], "info": items[first["id"]].facts}
    for _ in range(2):
        assert desk.call("AddToCart", {})["cart"] == [first["id"]]


@pytest.mark.parametrize("name", ["simmc-fashion", "simmc-furniture"])
def test_a_shop_is_opened_from_a_folder_with_a_catalogue(name: str, tmp_path: Path) -> None:
    simulate("simmc", tmp_path, dialogues=2, seed=4)
    desk = open_world(name, facts=tmp_path / name.replace("-", "_"))
    invented = get_world(name).invent(4).facts.items
    found = {each.number: each.facts for each in desk.world.facts.items}
    assert {each.number for each in invented} <= found.keys()
    with pytest.raises(SourceError, match="has neither"):
        open_world(name, facts=tmp_path)


@pytest.mark.parametrize("from_store", [False, True])
def test_facts_are_taken_from_released_dialogues_or_an_import(
    from_store: bool, tmp_path: Path
) -> None:
    folder = simulate("taskmaster4", tmp_path / "files", dialogues=6, seed=2)
    if from_store:
        cg.import_files("taskmaster4", folder, store=tmp_path / "store")
        folder = tmp_path / "store"
        with pytest.raises(StoreError, match="taskmaster3"):
            open_world("taskmaster3", facts=folder)
    every = open_world("taskmaster4", facts=folder).world.facts.items
    first = json.loads((tmp_path / "files" / "data" / "data_00.json").read_bytes())[0]
    bar = open_world("taskmaster4", facts=folder, dialogue=first["conversation_id"])
    assert 0 < len(bar.world.facts.items) < len(every)
    notes = [note for turn in first["utterances"] for note in turn["annotations"]]
    names = [each["value"] for each in notes if each["name"] == "api_call"]
    at = names.index("get_menu_items")
    request, seen = (
        [each["value"] for each in notes if each["name"] == name][at]
        for name in ("request", "response")
    )
    assert bar.call("get_menu_items", json.loads(request)) == json.loads(seen)
    with pytest.raises(UnknownNameError, match="no dialogue 'x'"):
        open_world("taskmaster4", facts=folder, dialogue="x")


def test_a_folder_without_calls_is_no_world(tmp_path: Path) -> None:
    simulate("photobook", tmp_path / "files", dialogues=2)
    with pytest.raises(CommongroundError, match="has no calls of frames"):
        open_world("frames", facts=tmp_path / "files")


def test_a_call_never_changes_the_state_before_it() -> None:
    world = get_world("taskmaster4").load(BAR)
    before = msgspec.json.encode(world.beginning)
    world.call(world.beginning, "add_order_item", {"menu_item_id": "tea-2", "quantity": "1"})
    assert msgspec.json.encode(world.beginning) == before


def test_what_people_saw_goes_before_what_is_worked_out() -> None:
    source = get_world("taskmaster4").load(BAR)
    seen = {"menu_items": [{"menu_item_id": "x", "name": "Surprise"}]}
    answers = {'get_menu_items {"query":"latte"}': seen}
    world: World[Any, Any] = World("w", source.functions.values(), BAR, source.beginning, answers)
    answer = world.call(world.beginning, "get_menu_items", {"query": "latte"})
    assert (answer.result, answer.known) == (seen, True)
    answer.result["menu_items"].clear()
    assert answers == {'get_menu_items {"query":"latte"}': seen}
    assert seen["menu_items"]


def rerun(name: str, *paths: Path) -> Rerun:
    found = rerun_files(get_world(name), paths)
    total = found.total
    assert total.as_seen == total.worked_out + total.elsewhere + total.own
    # Every call comes out as seen, has no answer, or is listed with its reason.
    unread = {"unreadable", "unknown_function", "untyped"}
    listed = [each for each in found.differences if each.code not in unread]
    assert total.calls == len(found.differences) - len(listed) + total.typed
    assert len(found.differences) == sum(found.reasons.values())
    return found


@pytest.mark.parametrize("source", WORLDS)
def test_invented_calls_come_to_what_was_invented(source: WorldSource, tmp_path: Path) -> None:
    # Of SIMMC every second dialogue is about clothes, in which three calls of four only tell.
    count = 36 if source.corpus == "simmc" else 12
    simulate(source.corpus, tmp_path / "files", dialogues=count, seed=5)
    found = rerun(source.name, tmp_path / "files")
    assert found.total.typed == found.total.calls
    assert found.total.executed > 10
    assert found.total.rate is not None
    assert found.total.rate >= 0.95
    assert found.unread == {}


def test_calls_that_differ_are_listed_with_place_and_reason(tmp_path: Path) -> None:
    def note(name: str, value: Any) -> dict[str, str]:
        side = "response" if name.endswith("response") else "call"
        text = value if isinstance(value, str) else json.dumps(value)
        return {"name": name, "value": text, "context": f"api_{side}_{note.number}"}  # type: ignore[attr-defined]

    def call(name: str, request: Any, response: Any) -> list[dict[str, str]]:
        note.number += 1  # type: ignore[attr-defined]
        parts = (("api_call", name), ("request", request))
        return [note(*each) for each in (*parts, ("api_response", name), ("response", response))]

    note.number = -1  # type: ignore[attr-defined]
    notes = [
        *call("get_menu_items", {"query": "tea"}, {"menu_items": []}),
        *call("get_menu_items", '{"query": ""tea""}', {"menu_items": []}),
        *call("sing", {}, {"success": True}),
        *call("finish_order", {}, {"success": True}),
        *call("finish_order", {"order_id": "7"}, {"success": True}),
        *call("show_menu", {}, {"success": False}),
    ]
    utterance = {
        "index": 0,
        "speaker": "user",
        "text": "Tea!",
        "segments": [],
        "annotations": notes,
    }
    dialogue = {
        "conversation_id": "dlg-1",
        "vertical": "Coffee",
        "scenario": "s",
        "instructions": None,
        "utterances": [utterance],
    }
    (tmp_path / "data_00.json").write_text(json.dumps([dialogue]), encoding="utf-8")
    found = rerun("taskmaster4", tmp_path)
    assert found.reasons == {
        "unreadable": 1,
        "unknown_function": 1,
        "untyped": 1,
        "refused": 1,
        "other_answer": 1,
    }
    by_code = {each.code: each for each in found.differences}
    assert by_code["unreadable"].path == ".utterances[0].annotations api_call_1"
    assert by_code["untyped"].detail == "finish_order: Object missing required field `order_id`."
    assert by_code["refused"].detail == "finish_order: there is no order '7'."
    assert {(each.source, each.dialogue) for each in found.differences} == {
        ("data_00.json", "dlg-1")
    }


def write_calls(path: Path, actions: list[dict[str, Any]], **more: Any) -> None:
    numbered = [{"turn_idx": number, **each} for number, each in enumerate(actions)]
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps([{"dialog_id": 7, "actions": numbered, **more}]), encoding="utf-8")


def test_what_clothes_look_like_is_compared_where_dialogues_are_at_hand(tmp_path: Path) -> None:
    simulate("simmc", tmp_path, dialogues=2, seed=4)
    folder = tmp_path / "simmc_fashion"
    catalogue = folder / "fashion_metadata.json"
    first, second, third = (int(each) for each in list(json.loads(catalogue.read_bytes()))[:3])
    look = json.loads(catalogue.read_bytes())[str(second)]["metadata"]["type"]

    def search(focus: int) -> dict[str, Any]:
        supervision = {"focus": focus, "attributes": []}
        return {"action": "SearchDatabase", "action_supervision": supervision}

    mine = tmp_path / "mine"
    write_calls(
        mine / "fashion_dev_dials_api_calls.json",
        [search(second), search(third), {"action": "None", "action_supervision": None}],
        focus_images=[first, second, third],
    )
    (mine / catalogue.name).write_bytes(catalogue.read_bytes())
    assert rerun("simmc-fashion", mine).total.worked_out == 2
    scenes = [{}, {"OBJECT_1": {"pos": "focus", "type": look}}, {"OBJECT_2": {"type": "kite"}}]
    turns = [
        {
            "turn_idx": number,
            "domain": "fashion",
            "transcript": "",
            "system_transcript": "",
            "belief_state": {},
            "visual_objects": each,
        }
        for number, each in enumerate(scenes)
    ]
    dialogue = {"dialogue": turns, "dialogue_idx": 7, "domains": ["fashion"]}
    around = {"split": "dev", "version": 1.0, "year": 2020, "domain": "fashion"}
    (mine / "fashion_dev_dials.json").write_text(
        json.dumps({**around, "dialogue_data": [dialogue]}), encoding="utf-8"
    )
    found = rerun("simmc-fashion", mine)
    (differs,) = found.differences
    assert (differs.code, differs.dialogue) == ("other_answer", "fashion-7")
    assert (differs.source, differs.path) == ("fashion_dev_dials_api_calls.json", ".actions[1]")


def test_target_lines_are_calls_on_what_their_scenes_show(tmp_path: Path) -> None:
    row = "OBJECT_0 : pos left class_name Sofas OBJECT_1 : pos center class_name Sofas"
    focus = "OBJECT_1 : pos focus class_name Sofas"
    turns = (
        ("", "SearchFurniture [ furnitureType = Sofas, color =  ]"),
        (row, "FocusOnFurniture [ position = center ]"),
        (focus, "Rotate [ direction = sideways ]"),
        (focus, "SpecifyInfo [ matches = price ]"),
        ("", "FocusOnFurniture [ position = left ]"),
        (focus, "None [  ]"),
    )
    lines, before = [], ""
    for scene, action in turns:
        said = f"User : Hm? <SOM> {scene} <EOM>"
        lines.append(f"{before}{said} => Belief State :  <EOB> Yes. <EOR> {action} <EOS>\n")
        before = f"{said} System : Yes. "
    path = tmp_path / "furniture_devtest_task1_target.txt"
    path.write_text("".join(lines), encoding="utf-8")
    found = rerun("simmc-furniture", tmp_path)
    total = found.total
    assert (total.calls, total.typed, total.unanswered) == (5, 4, 1)
    # In the dialogue itself, the focus comes from the row; at the end it is not what was shown.
    assert (total.worked_out, found.reasons) == (2, {"untyped": 1, "other_answer": 1})
    assert [each.path for each in found.differences] == ["line 3", "line 5"]


@pytest.mark.parametrize(
    ("name", "corpus", "least"),
    [
        ("taskmaster3", "taskmaster3", 0.95),
        ("taskmaster4", "taskmaster4", 0.98),
        ("simmc-fashion", "simmc1", 0.99),
        ("simmc-furniture", "simmc1", 0.84),
    ],
)
def test_released_calls_come_to_what_people_saw(name: str, corpus: str, least: float) -> None:
    found = rerun(name, find_released(corpus))
    assert found.total.typed == found.total.calls or name.startswith("taskmaster")
    assert found.total.rate is not None
    assert found.total.rate >= least


def test_released_searches_come_to_what_wizards_saw() -> None:
    path = os.environ.get("COMMONGROUND_FRAMES")
    if path is None:
        pytest.skip("COMMONGROUND_FRAMES names no file")
    found = rerun("frames", Path(path))
    assert found.total.rate is not None
    assert found.total.rate >= 0.99


def test_an_order_made_anew_is_shown_without_what_a_call_gave_the_released_one() -> None:
    togo = [{"attribute_id": "order-type", "option": "Togo"}]
    name = [{"attribute_id": "Name", "option": "Ada"}]
    numbers = {"order_id": "7", "order_item_id": "8"}
    added = {"menu_item_id": "latte-1", "quantity": "1"}
    details = {"order_id": "7", "attributes": [*name, *togo], "menu_items": []}
    calls = [
        SeenCall("", "add_order_item", added, numbers),
        SeenCall("", "update_order", {"order_id": "7", "attributes": togo}, {"order_id": "7"}),
        SeenCall("", "get_order_details", {"order_id": "7"}, details),
    ]
    bar = Desk(get_world("taskmaster4").build([Course("a", calls, "a")]))
    bar.call("add_order_item", added)
    shown = bar.call("get_order_details", {"order_id": "7"})
    assert isinstance(shown, dict)
    assert shown["attributes"] == name
    bar.call("update_order", {"order_id": "7", "attributes": togo})
    shown = bar.call("get_order_details", {"order_id": "7"})
    assert isinstance(shown, dict)
    assert shown["attributes"] == [*name, *togo]
