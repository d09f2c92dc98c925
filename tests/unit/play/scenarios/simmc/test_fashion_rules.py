from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from tests.unit.play.scenarios.simmc.shops import Course, clothes, fashion_course

from commonground.corpora.simmc.native.simmc1 import Task
from commonground.errors import FormatError
from commonground.play.scenarios.simmc.fashion.rules import SCENARIO, FashionState
from commonground.play.world import Desk
from commonground.play.worlds.fashion import WORLD, FashionFacts


@pytest.fixture
def course() -> Course[FashionState]:
    return fashion_course()


def test_the_first_click_of_a_round_moves_the_focus_at_once(course: Course[FashionState]) -> None:
    course.ask()
    assert course.do("focus", image=5) == ""
    focus = course.view("user")["focus"]
    assert (focus["image"], focus["picture"], focus["kind"]) == (5, "5.png", "dress")
    assert course.do("focus", image=6) == "already_clicked"
    course.answer()
    course.ask()
    assert course.do("focus", image=6) == ""


def test_users_see_what_a_picture_shows_and_what_is_in_their_cart(
    course: Course[FashionState],
) -> None:
    course.round(("cart", {}))
    view = course.view("user")
    assert view["focus"]["look"] == {"type": "coat", "color": ["red"], "embellishments": ["beaded"]}
    assert view["basket"] == [view["focus"]]
    assert course.view("assistant")["basket"] == view["basket"]


def test_clicks_and_purchases_are_calls_of_the_world(course: Course[FashionState]) -> None:
    desk = Desk(WORLD.load(FashionFacts(clothes().items, clothes().task)))
    course.round(("cart", {}), ("focus", {"image": 5}))
    course.round(("focus", {"image": 3}), ("cart", {}))
    for name, arguments in (
        ("AddToCart", {}),
        ("SearchDatabase", {"focus": 5}),
        ("SearchMemory", {"focus": 3}),
        ("AddToCart", {}),
    ):
        desk.call(name, arguments)
    assert course.state.view == desk.state
    assert desk.state.cart == (1, 3)


@pytest.mark.parametrize("image", [1, 99])
def test_only_memory_and_database_can_be_clicked(course: Course[FashionState], image: int) -> None:
    course.ask()
    assert course.do("focus", image=image) == "no_such_image"


def test_actions_come_of_what_was_pressed(course: Course[FashionState]) -> None:
    course.round(("specify", {"attributes": ["price", "brand", "price"]}))
    course.round(("focus", {"image": 3}))
    course.round(("focus", {"image": 5}), ("specify", {"attributes": ["price"]}))
    course.round(("cart", {}))
    course.round()
    calls = course.calls()
    assert [(each.action, each.action_supervision) for each in calls.actions] == [
        ("SpecifyInfo", {"attributes": ["brand", "price"]}),
        ("SearchMemory", {"focus": 3, "attributes": []}),
        ("SearchDatabase", {"focus": 5, "attributes": ["price"]}),
        ("AddToCart", None),
        ("None", None),
    ]
    assert calls.focus_images == [1, 1, 3, 5, 5]


def test_of_several_the_first_of_a_fixed_order_counts(course: Course[FashionState]) -> None:
    course.round(("cart", {}), ("specify", {"attributes": ["price"]}))
    course.round(("focus", {"image": 5}), ("cart", {}))
    assert course.actions() == ["SpecifyInfo", "SearchDatabase"]
    assert course.view("user")["cart"] == [1, 5]


def test_buttons_can_be_pressed_again(course: Course[FashionState]) -> None:
    course.ask()
    course.do("specify", attributes=["price"])
    course.do("specify", attributes=[])
    course.do("cart")
    assert course.view("assistant")["pressed"]["cart"] == 1
    assert course.view("assistant")["action"] == "AddToCart"
    course.do("cart")
    course.answer()
    assert course.actions() == ["None"]
    assert course.view("user")["cart"] == []


def test_nothing_is_bought_twice(course: Course[FashionState]) -> None:
    course.round(("cart", {}))
    course.ask()
    assert course.do("cart") == "in_cart"
    assert "simmc.cart" not in course.allowed("assistant")


def test_only_attributes_that_people_ask_for_are_specified(course: Course[FashionState]) -> None:
    course.ask()
    assert course.do("specify", attributes=["price", "weather"]) == "unknown_attribute"
    assert course.do("specify", attributes="price") == "bad_payload"


def test_the_user_sees_one_image_and_no_facts(course: Course[FashionState]) -> None:
    course.round(("focus", {"image": 5}), ("specify", {"attributes": ["price"]}))
    view = {name: value for name, value in course.view("user").items() if name != "chat"}
    assert "Pale Kite" not in json.dumps(view)
    assert view["focus"]["image"] == 5
    assert {"memory", "database", "pressed", "action"}.isdisjoint(view)


def test_the_assistant_sees_everything(course: Course[FashionState]) -> None:
    view = course.view("assistant")
    assert [each["image"] for each in view["memory"]] == [2, 3, 4]
    assert [each["image"] for each in view["database"]] == [5, 6, 7, 8, 9, 10]
    assert view["focus"]["facts"]["price"] == "$1"


def test_records_hold_clicks_scenes_and_names(course: Course[FashionState]) -> None:
    course.round(("focus", {"image": 5}))
    course.round()
    course.round()
    record = course.dialogue()
    assert record.dialogue_task_id == 77
    assert record.dialogue_coref_map == {"1": 0, "5": 1}
    assert record.dialogue[0].raw_assistant_keystrokes == [{"image_id": 5}]
    # From the third turn on a scene that does not change is released as empty.
    scenes = [list(turn.visual_objects or {}) for turn in record.dialogue]
    assert scenes == [["OBJECT_0"], ["OBJECT_1"], []]
    assert record.dialogue[0].visual_objects == {
        "OBJECT_0": {"type": "coat", "color": ["red"], "embellishments": ["beaded"], "pos": "focus"}
    }
    tasks = [each for each in course.records() if isinstance(each, Task)]
    assert [each.task_id for each in tasks] == [77]


def test_state_graphs_grow_by_what_is_shown_told_and_bought(course: Course[FashionState]) -> None:
    course.round(("focus", {"image": 5}))
    course.round(("specify", {"attributes": ["price", "embellishment", "info"]}), ("cart", {}))
    course.round()
    turns = course.dialogue().dialogue
    for before, after in pairwise(turns):
        assert before.state_graph_2 == after.state_graph_0
    graphs: list[Any] = [turn.state_graph_0 for turn in turns]
    assert [list(each) for each in graphs] == [
        ["OBJECT_0"],
        ["OBJECT_0", "OBJECT_1"],
        ["OBJECT_0", "OBJECT_1"],
    ]
    assert "price" not in graphs[1]["OBJECT_1"]
    told = graphs[2]["OBJECT_1"]
    assert (told["price"], told["embellishment"], told["in_cart"]) == (["$5"], ["beaded"], True)


def test_views_are_plain_values(course: Course[FashionState]) -> None:
    course.ask()
    for role in ("user", "assistant"):
        assert json.loads(json.dumps(course.view(role))) == course.view(role)


def test_a_task_whose_images_are_elsewhere_cannot_be_played() -> None:
    material = clothes()
    for change, words in (
        ({"focus_image": 2}, "each image in one place"),
        ({"database_images": []}, "the image in focus"),
        ({"image_ids": [*range(1, 11), 99]}, "the image in focus"),
    ):
        task = msgspec.structs.replace(material.task, **change)
        with pytest.raises(FormatError, match=f"Task 77.*{words}"):
            SCENARIO.start(msgspec.structs.replace(material, task=task), 1)
    with pytest.raises(FormatError, match="an item with number 10"):
        SCENARIO.start(msgspec.structs.replace(material, items=material.items[:9]), 1)
