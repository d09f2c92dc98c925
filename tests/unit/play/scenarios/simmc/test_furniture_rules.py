from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from tests.unit.play.scenarios.simmc.shops import Course, furniture_course, make_sofa, sofas

from commonground.errors import FormatError
from commonground.play.scenarios.simmc.furniture.material import FurnitureMaterial
from commonground.play.scenarios.simmc.furniture.rules import SCENARIO, FurnitureState
from commonground.play.scenarios.simmc.furniture.strokes import Query
from commonground.play.scenarios.simmc.shop.items import ShopFacts
from commonground.play.world import Desk
from commonground.play.worlds.furniture import WORLD, search

SOFAS = ("search", {"furnitureType": "Sofas"})
BLACK = ("search", {"furnitureType": "Sofas", "color": "black"})
SHARE: tuple[str, dict[str, Any]] = ("share", {})
NEXT: tuple[str, dict[str, Any]] = ("next", {})


def focus(item: int) -> tuple[str, dict[str, Any]]:
    return ("focus", {"item": item})


@pytest.fixture
def course() -> Course[FurnitureState]:
    return furniture_course()


def scene(course: Course[FurnitureState]) -> list[tuple[int, str]]:
    return [(each["item"], each["place"]) for each in course.view("user")["scene"]]


def test_nothing_reaches_the_user_until_it_is_shared(course: Course[FurnitureState]) -> None:
    course.ask()
    course.do(*SOFAS[:1], **SOFAS[1])
    assert scene(course) == []
    assert course.do("share") == ""
    assert scene(course) == [(11, "left"), (12, "center"), (13, "right")]
    course.do("focus", item=12)
    course.do("rotate", direction="back")
    assert len(scene(course)) == 3
    course.do("share")
    assert scene(course) == [(12, "focus")]
    assert course.view("user")["scene"][0]["side"] == "back"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, [11, 12, 13, 14, 15, 16, 17]),
        ({"color": "BLACK"}, [16, 17]),
        ({"material": "oak", "decorStyle": "modern", "intendedRoom": "study"}, [*range(11, 18)]),
        ({"minPrice": 150.5}, [15, 16, 17]),
        ({"maxPrice": 119.5}, [11, 12]),
        ({"minPrice": 120, "maxPrice": 130}, [12, 13]),
    ],
)
def test_a_search_finds_by_type_price_and_parts_of_words(query: Any, found: list[int]) -> None:
    wanted = msgspec.convert({"furnitureType": "Sofas", **query}, Query)
    assert [each.number for each in search(sofas().items, wanted)] == found


def test_searches_that_find_nothing_are_refused(course: Course[FurnitureState]) -> None:
    course.ask()
    assert course.do("search", furnitureType="Boats") == "unknown_furniture_type"
    assert course.do("search", furnitureType="") == "unknown_furniture_type"
    assert course.do("search", furnitureType="Sofas", color="mauve") == "nothing_found"
    assert course.do("search", furnitureType="Sofas", minPrice=-3) == "bad_payload"
    assert course.do("search", furnitureType="Sofas", minPrice=float("nan")) == "bad_payload"
    assert course.do("search", furnitureType="Sofas", maxPrice=float("inf")) == "bad_payload"
    assert course.do("search") == "bad_payload"


def test_rows_go_on_and_back_by_three(course: Course[FurnitureState]) -> None:
    course.ask()
    assert course.do("next") == "no_more"
    course.do("search", furnitureType="Sofas")
    assert course.do("prev") == "no_more"
    assert course.do("next") == course.do("next") == ""
    assert [each["item"] for each in course.view("assistant")["screen"]["row"]] == [17]
    assert course.do("next") == "no_more"
    assert course.do("prev") == ""
    assert course.view("assistant")["results"] == {"found": 7, "at": 3}


def test_searching_paging_turning_and_buying_are_calls_of_the_world(
    course: Course[FurnitureState],
) -> None:
    desk = Desk(WORLD.load(ShopFacts(sofas().items)))
    course.ask()
    for (gesture, payload), (name, arguments) in (
        (SOFAS, ("SearchFurniture", {"furnitureType": "Sofas"})),
        (NEXT, ("NavigateCarousel", {"navigate_direction": "Next"})),
        (("prev", {}), ("NavigateCarousel", {"navigate_direction": "Previous"})),
        (focus(12), ("FocusOnFurniture", {"position": "center"})),
        (("rotate", {"direction": "left"}), ("Rotate", {"direction": "left"})),
    ):
        assert course.do(gesture, **payload) == ""
        desk.call(name, arguments)
        assert course.state.view == desk.state
    course.do("share")
    course.do("cart", item=12)
    course.answer()
    desk.call("AddToCart", {"furniture_id": 12})
    assert course.state.view == desk.state
    assert desk.state.cart == (12,)


def test_one_thing_of_the_row_comes_into_focus_and_goes_back(
    course: Course[FurnitureState],
) -> None:
    course.ask()
    assert course.do("unfocus") == course.do("rotate", direction="left") == "nothing_in_focus"
    course.do("search", furnitureType="Sofas")
    assert course.do("focus", item=17) == "not_on_screen"
    assert course.do("focus", item=12) == ""
    assert course.do("focus", item=11) == "in_focus"
    assert course.do("rotate", direction="askew") == "bad_payload"
    assert course.do("unfocus") == ""
    assert course.view("assistant")["screen"]["focus"] is None


def test_only_what_was_prepared_can_be_shared(course: Course[FurnitureState]) -> None:
    course.ask()
    assert course.do("share") == "nothing_prepared"
    course.do("search", furnitureType="Sofas")
    assert course.do("share") == ""
    assert course.do("share") == "nothing_prepared"


def test_texts_open_and_close(course: Course[FurnitureState]) -> None:
    course.ask()
    course.do("search", furnitureType="Sofas")
    assert course.do("click", item=17) == "not_on_screen"
    course.do("click", item=11)
    assert course.view("assistant")["screen"]["texts"]["11"]["sale_price"] == "110.0"
    course.do("click", item=11)
    assert course.view("assistant")["screen"]["texts"] == {}
    course.do("focus", item=12)
    assert course.do("click", item=11) == "not_on_screen"
    course.do("click", item=12)
    assert list(course.view("assistant")["screen"]["texts"]) == ["12"]


def test_the_user_sees_no_search_and_no_catalogue(course: Course[FurnitureState]) -> None:
    course.round(SOFAS, SHARE, ("click", {"item": 11}), NEXT)
    view = course.view("user")
    assert {"screen", "results", "form", "pressed", "action", "shown"}.isdisjoint(view)
    seen = json.dumps({name: value for name, value in view.items() if name != "chat"})
    assert "14" not in seen
    assert "110" not in seen


def test_buttons_are_for_what_was_shown(course: Course[FurnitureState]) -> None:
    course.ask()
    course.do("search", furnitureType="Sofas")
    assert course.do("specify", item=11, attributes=["price"]) == "never_shown"
    assert course.do("cart", item=11) == "never_shown"
    course.do("share")
    assert course.do("specify", item=11, attributes=["mood"]) == "unknown_attribute"
    assert course.do("cart", item=11) == ""
    course.answer()
    course.ask()
    assert course.do("cart", item=11) == "in_cart"
    assert course.do("cart", item=12) == ""
    assert course.do("cart", item=12) == ""
    course.answer()
    assert course.view("user")["cart"] == [11]


def test_prices_and_sizes_that_are_spoken_count_as_specified(
    course: Course[FurnitureState],
) -> None:
    course.round(SOFAS, SHARE)
    course.round(("click", {"item": 12}), answer="It is $120, and 70 wide.")
    course.round(answer="It is $120.")
    first, second = course.calls().actions[1:]
    assert first.action == "SpecifyInfo"
    assert (first.action_supervision or {})["args"] == {"matches": "info", "furniture_id": "center"}
    assert second.action == "None"
    graph: Any = course.dialogue().dialogue[1].state_graph_2
    assert graph["OBJECT_1"]["price"] == ["$120"]
    assert graph["OBJECT_1"]["width"] == ["70 inches"]


def test_positions_are_of_what_the_user_saw_before(course: Course[FurnitureState]) -> None:
    course.round(SOFAS, SHARE)
    course.round(("specify", {"item": 13, "attributes": ["material"]}))
    course.round(focus(13), SHARE)
    course.round(("specify", {"item": 13, "attributes": ["price"]}))
    course.round(("specify", {"item": 11, "attributes": ["price"]}))
    course.round(("cart", {"item": 13}))
    given = [(each.action_supervision or {})["args"] for each in course.calls().actions]
    assert given[1:] == [
        {"matches": "material", "furniture_id": "right"},
        {"position": "right"},
        {"matches": "price", "furniture_id": "focus"},
        {"matches": "price", "furniture_id": ""},
        {"furniture_id": "focus"},
    ]


def test_keystrokes_are_logged_with_the_screens_around_them(course: Course[FurnitureState]) -> None:
    course.round(SOFAS, SHARE, focus(12), SHARE, ("unfocus", {}), SHARE)
    raw: Any = course.dialogue().dialogue[0].raw_assistant_keystrokes
    strokes = [json.loads(each) for each in raw]
    assert [each["actionName"] for each in strokes] == [
        *("SearchFurniture", "Share", "BringObjectToFocus", "Share"),
        *("RemoveObjectInFocus", "Share"),
    ]
    for before, after in pairwise(strokes):
        assert before["nextState"] == after["previousState"]
    row = ["11", "12", "13"]
    shares = [each for each in strokes if each["actionName"] == "Share"]
    for share in shares:  # what is shared was prepared, and nothing is prepared after it
        before, after = share["previousState"], share["nextState"]
        assert before["prefabInFocus"] == after["sharedPrefabInFocus"]
        assert before["prefabsInCarousel"] == after["sharedPrefabsInCarousel"] == row
        assert (after["prefabInFocus"], after["prefabsInCarousel"]) == ("", [])
    assert strokes[4]["nextState"]["prefabsInCarousel"] == row
    assert strokes[4]["nextState"]["sharedPrefabInFocus"] == "12"


def test_searches_log_both_prices(course: Course[FurnitureState]) -> None:
    course.round(("search", {"furnitureType": "Sofas", "minPrice": 110.5, "maxPrice": 150}), SHARE)
    raw: Any = course.dialogue().dialogue[0].raw_assistant_keystrokes
    given = json.loads(raw[0])["actionMetadata"]
    assert (given["minPrice"], given["maxPrice"]) == (110.5, 150)
    args = (course.calls().actions[0].action_supervision or {})["args"]
    # The cheapest costs $110: a limit so near to it is none.
    assert (args["minPrice"], args["maxPrice"]) == (-1, 150)


@pytest.mark.parametrize(
    ("gestures", "action"),
    [
        ([SOFAS], "None"),
        ([SOFAS, SHARE], "SearchFurniture"),
        ([SOFAS, NEXT, SHARE], "SearchFurniture"),
        ([SOFAS, SHARE, focus(11), SHARE], "SearchFurniture"),
        ([SOFAS, SHARE, focus(11), SHARE, ("rotate", {"direction": "up"}), SHARE], "Rotate"),
        ([SOFAS, SHARE, ("cart", {"item": 11})], "AddToCart"),
    ],
)
def test_the_action_of_a_round(course: Course[FurnitureState], gestures: Any, action: str) -> None:
    course.round(*gestures)
    assert course.actions() == [action]
    assert course.state.rounds[0].left is not None


def test_what_was_not_shared_counts_when_it_is(course: Course[FurnitureState]) -> None:
    course.round(SOFAS)
    course.round(SHARE)
    course.round(NEXT)
    course.round(focus(14), SHARE)
    assert course.actions() == ["None", "SearchFurniture", "None", "FocusOnFurniture"]


def test_calls_say_what_was_in_view(course: Course[FurnitureState]) -> None:
    course.round()
    course.round(SOFAS, SHARE)
    course.round(focus(11), SHARE)
    course.round()
    calls: list[Any] = course.calls().actions
    row = ["11", "12", "13"]
    assert [(each.carousel_state.focus, each.carousel_state.carousel) for each in calls] == [
        *((None, []), (None, []), ("", row), ("11", row))
    ]
    outputs = [(c.action_output_state.focus, c.action_output_state.carousel) for c in calls]
    assert outputs == [(None, []), (None, row), ("11", row), ("11", row)]
    assert calls[1].final_carousel_state == calls[2].carousel_state


def test_names_go_by_first_sight(course: Course[FurnitureState]) -> None:
    course.round(BLACK, SHARE)
    course.round(SOFAS, SHARE)
    assert course.dialogue().dialogue_coref_map == {"16": 0, "17": 1, "11": 2, "12": 3, "13": 4}
    scenes = [turn.visual_objects for turn in course.dialogue().dialogue]
    assert scenes[0] == {}
    turns = course.dialogue().dialogue
    assert turns[0].state_graph_2 == turns[1].state_graph_0


def test_pages_get_what_to_draw_and_all_that_was_ever_shown(course: Course[FurnitureState]) -> None:
    course.round(SOFAS, SHARE)
    course.round(NEXT, SHARE)
    course.ask()
    course.do("cart", item=12)
    view = course.view("assistant")
    assert [each["item"] for each in view["gallery"]] == [11, 12, 13, 14, 15, 16]
    assert view["pressed"]["cart"] == 12
    assert "gallery" not in course.view("user")
    course.answer()
    [bought] = course.view("user")["basket"]
    assert (bought["item"], bought["picture"], bought["size"]) == (12, "12.png", [70, 30, 31])
    assert bought["look"]["color"] == ["White"]


def test_a_side_without_a_picture_shows_the_front(course: Course[FurnitureState]) -> None:
    course.ask()
    for kind, payload in (SOFAS, focus(11), ("rotate", {"direction": "back"})):
        course.do(kind, **payload)
    shown = course.view("assistant")["screen"]["focus"]
    assert (shown["side"], shown["shows"], shown["picture"]) == ("back", "front", "11.png")


@pytest.mark.parametrize("width", ["", "wide", "0", "nan"])
def test_things_of_unknown_size_have_none(width: str) -> None:
    sofa = make_sofa(1, "10")
    facts = {**sofa.facts, "x_dim": width}
    course = Course(
        SCENARIO,
        SCENARIO.start(FurnitureMaterial((msgspec.structs.replace(sofa, facts=facts),)), 1),
    )
    course.round(SOFAS, SHARE)
    assert course.view("user")["scene"][0]["size"] is None


def test_everything_allowed_is_accepted(course: Course[FurnitureState]) -> None:
    course.ask()
    assert course.allowed("assistant") == {"chat.message", "simmc.search"}
    course.do("search", furnitureType="Sofas")
    assert {"simmc.focus", "simmc.click", "simmc.next", "simmc.share"} < course.allowed("assistant")
    course.do("focus", item=11)
    assert {"simmc.unfocus", "simmc.rotate"} < course.allowed("assistant")
    assert "simmc.focus" not in course.allowed("assistant")


def test_a_catalogue_must_be_whole() -> None:
    for items, words in (
        ((), "an item or more"),
        ((make_sofa(1, "10.0"), make_sofa(1, "20.0")), r"items\[1\].number: expected a number of"),
        ((make_sofa(1, "dear"),), "a price, found dear"),
    ):
        with pytest.raises(FormatError, match=words):
            SCENARIO.start(FurnitureMaterial(items), 1)
