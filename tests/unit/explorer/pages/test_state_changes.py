from __future__ import annotations

from commonground.explorer.pages.parts.state_changes import find_changes
from commonground.model import State


def told(states: list[State]) -> dict[int, list[tuple[str, str, list[str], list[str]]]]:
    return {
        event: [(each.sign, each.slot, each.before, each.after) for each in changes]
        for event, changes in find_changes(states).items()
    }


def belief(event: int, slot: str | None, value: str | None = None, **rest: object) -> State:
    return State(event, "belief", "info", slot=slot, value=value, **rest)  # type: ignore[arg-type]


def test_each_state_is_compared_with_the_one_before() -> None:
    states = [
        belief(0, "city", "Oslo"),
        belief(2, "city", "Rome"),
        belief(2, "days", "3"),
        belief(4, "days", "3"),
    ]
    assert told(states) == {
        0: [("added", "city", [], ["Oslo"])],
        2: [("changed", "city", ["Oslo"], ["Rome"]), ("added", "days", [], ["3"])],
        4: [("removed", "city", ["Rome"], [])],
    }


def test_the_order_of_values_is_no_change() -> None:
    states = [
        *(belief(0, "color", each) for each in ("red", "blue")),
        *(belief(1, "color", each) for each in ("blue", "red")),
    ]
    assert list(told(states)) == [0]


def test_an_empty_state_takes_all_away() -> None:
    states = [belief(0, "city", "Oslo"), belief(1, None)]
    assert told(states)[1] == [("removed", "city", ["Oslo"], [])]


def test_layers_are_compared_with_themselves() -> None:
    other = State(1, "graph", "info", slot="city", value="Rome")
    assert told([belief(0, "city", "Oslo"), other])[1] == [("added", "city", [], ["Rome"])]


def test_a_ruled_out_value_says_so() -> None:
    states = [belief(0, "city", "Oslo"), belief(1, "city", "Oslo", negated=True)]
    assert told(states)[1] == [("changed", "city", ["Oslo"], ["not Oslo"])]
