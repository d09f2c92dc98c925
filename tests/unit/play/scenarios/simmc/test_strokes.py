"""What keystrokes of a round come to, where the rules alone would take many acts to get there."""

from __future__ import annotations

import pytest

from commonground.corpora.simmc.native.simmc1 import Carousel
from commonground.play.scenarios.simmc.furniture.strokes import (
    Action,
    Name,
    Query,
    Screen,
    Stroke,
    dominant_action,
    fill_query,
    place_of,
    scene_actions,
    seen_after,
    specify,
    split_shared,
    spoken_facts,
    supervision,
)

NOTHING = Screen()
ROW = Screen(row=("1", "2", "3"))
OTHER = Screen(row=("4", "5"))
SEEN = Screen(shared_row=("1", "2", "3"))
NEAR = Screen(shared_focus="2", shared_row=("1", "2", "3"))


def stroke(name: Name, before: Screen = NOTHING, after: Screen = NOTHING, side: str = "") -> Stroke:
    return Stroke(name, before, after, side)


def names(strokes: list[Stroke]) -> list[str]:
    return [each.name for each in strokes]


def test_keystrokes_count_up_to_the_last_share() -> None:
    shown, rest = split_shared(
        [stroke("Next"), stroke("Share"), stroke("Previous"), stroke("Share"), stroke("Next")]
    )
    assert names(shown) == ["Next", "Previous"]
    assert names(rest) == ["Next"]
    assert split_shared([stroke("Next")]) == ([], [stroke("Next")])


def test_what_came_before_a_search_was_never_shown() -> None:
    strokes = [
        stroke("SearchFurniture"),
        stroke("Next"),
        stroke("SearchFurniture"),
        stroke("Share"),
    ]
    assert names(split_shared(strokes)[0]) == ["SearchFurniture"]


def test_a_move_to_the_same_row_is_none() -> None:
    there = stroke("Next", SEEN, Screen(row=("4",), shared_row=SEEN.shared_row))
    back = stroke("Previous", there.after, Screen(row=("1", "2", "3"), shared_row=SEEN.shared_row))
    assert [each.args for each in scene_actions([there])] == [{"navigate_direction": "Next"}]
    assert scene_actions([there, back]) == []


def test_putting_back_shows_the_row_again() -> None:
    after = Screen(row=NEAR.shared_row, shared_focus="2", shared_row=NEAR.shared_row)
    (action,) = scene_actions([stroke("RemoveObjectInFocus", NEAR, after)])
    assert (action.name, action.args) == ("NavigateCarousel", {"navigate_direction": "Here"})


def test_the_last_of_several_rotations_counts() -> None:
    turns = [stroke("Rotate", NEAR, NEAR, side) for side in ("left", "front", "up")]
    (action,) = scene_actions(turns)
    assert action.args == {"direction": "up"}


def test_the_front_is_shown_anyway_by_coming_into_focus() -> None:
    after = Screen(focus="2", row=("1", "2", "3"), shared_row=("1", "2", "3"))
    near = stroke("BringObjectToFocus", SEEN, after)
    assert [
        each.name for each in scene_actions([near, stroke("Rotate", after, after, "front")])
    ] == ["FocusOnFurniture"]
    assert [each.name for each in scene_actions([stroke("Rotate", NEAR, NEAR, "front")])] == [
        "Rotate"
    ]


def test_a_position_is_that_in_the_shared_row_where_it_is_in_one() -> None:
    after = Screen(focus="2", row=("2", "9"), shared_row=("1", "2", "3"))
    assert scene_actions([stroke("BringObjectToFocus", SEEN, after)])[0].args == {
        "position": "center"
    }
    after = Screen(focus="9", row=("2", "9"), shared_row=("1", "2", "3"))
    (action,) = scene_actions([stroke("BringObjectToFocus", SEEN, after)])
    assert action.args == {"position": "center"}
    assert seen_after(action, Carousel(focus=None, carousel=[])).carousel == ["2", "9"]


def test_texts_that_are_opened_move_nothing() -> None:
    assert scene_actions([stroke("FurnitureClick", SEEN, SEEN)]) == []


def test_of_several_actions_the_first_of_a_fixed_order_counts() -> None:
    found = [Action("NavigateCarousel", {}), Action("SpecifyInfo", {"n": 1}), Action("Rotate", {})]
    assert dominant_action(found) == Action("SpecifyInfo", {"n": 1})
    assert dominant_action([*found, Action("SpecifyInfo", {"n": 2})]) == Action(
        "SpecifyInfo", {"n": 2}
    )
    assert dominant_action([]) is None
    assert supervision(None)["api"] == "None"


def test_limits_near_those_of_the_type_are_none() -> None:
    given, argued = fill_query(Query("Sofas", min_price=100.5, max_price=198.9), (100.0, 200.0))
    assert (given["minPrice"], argued["minPrice"]) == (100.5, -1)
    assert argued["maxPrice"] == 198.9
    given, argued = fill_query(Query("Sofas"), (100.0, 200.0))
    assert (given["maxPrice"], argued["maxPrice"]) == (200.0, -1)


@pytest.mark.parametrize(
    ("told", "matches"),
    [(["price"], "price"), (["price", "color"], "info"), (["intendedRoom"], "info")],
)
def test_several_attributes_are_info(told: list[str], matches: str) -> None:
    action = specify(told, "3", Carousel(focus="", carousel=["1", "3"]))
    assert action.args == {"matches": matches, "furniture_id": "center"}


def test_a_thing_out_of_view_has_no_place() -> None:
    assert place_of("9", Carousel(focus="", carousel=["1"])) == ""
    assert place_of("1", Carousel(focus="2", carousel=["1"])) == ""
    assert place_of("1", Carousel(focus=None, carousel=["1"])) == "left"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("It is $1,499.", ("price",)),
        ("That's 1499.00 dollars", ("price",)),
        ("30 wide", ("dimensions",)),
        ("1499 and 31 high", ("price", "dimensions")),
        ("14990 or 3", ()),
    ],
)
def test_numbers_are_recognised_however_they_are_written(text: str, told: tuple[str, ...]) -> None:
    facts = {"sale_price": "1499.0", "x_dim": "30", "y_dim": "31", "z_dim": "32"}
    assert spoken_facts(text, facts) == told
