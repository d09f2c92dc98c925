"""Rows that are columns behave as the list of rows that they stand for."""

from __future__ import annotations

import copy
from array import array
from collections.abc import Sequence
from typing import Any

import pytest

from commonground.model import Action, Dialogue, Event, Outcome, Utterance, Withheld, make_event
from commonground.rows import Repeated, keep_columns, read_column
from commonground.store.tables.columns import (
    PlacedDialogue,
    build_part,
    build_tables,
)

EVENTS: list[Event] = [
    Utterance("A", "hello", 1),
    Action("B", "wave", {"hand": "left"}, turn=2),
    Withheld("A", 3),
]


def keep_events() -> list[Event]:
    return keep_columns(
        make_event,
        kind=["utterance", "action", "withheld"],
        speaker=["A", "B", "A"],
        turn=[1, 2, 3],
        text=["hello", None, None],
        name=[None, "wave", None],
        arguments=[None, {"hand": "left"}, None],
    )


def test_rows_are_those_that_the_columns_say() -> None:
    assert keep_events() == EVENTS
    assert keep_events() == EVENTS
    assert list(keep_events()) == EVENTS
    assert keep_events()[1:] == EVENTS[1:]
    assert keep_events() + EVENTS == [*EVENTS, *EVENTS]
    assert repr(keep_events()) == repr(EVENTS)


@pytest.mark.parametrize("change", [copy.copy, copy.deepcopy, lambda rows: rows.copy()])
def test_copies_are_others(change: Any) -> None:
    rows = keep_events()
    copied = change(rows)
    copied.pop()
    assert rows == EVENTS
    assert copied == EVENTS[:2]


def test_columns_are_read_without_making_a_row() -> None:
    def never(**values: Any) -> Outcome:
        raise AssertionError(values)

    rows = keep_columns(never, name=["score", "col"], value=[1.0, 2.0])
    assert len(rows) == 2
    assert read_column(rows, "value") == [1.0, 2.0]
    assert read_column(rows, "text") == [None, None]


def test_a_changed_row_counts() -> None:
    rows = keep_events()
    rows[0].speaker = "C"
    rows.append(Utterance("D", "bye"))
    assert read_column(rows, "speaker") == ["C", "B", "A", "D"]
    assert read_column(rows, "kind") == ["utterance", "action", "withheld", "utterance"]


def test_repeated_values_are_a_sequence() -> None:
    column = Repeated(["a", "b"], array("i", [1, 0, 1]))
    assert list(column) == ["b", "a", "b"]
    assert (len(column), column[0], column[-1]) == (3, "b", "b")
    assert list(column[1:]) == ["a", "b"]


def test_no_rows_are_an_empty_list() -> None:
    rows = keep_columns(Outcome, name=[])
    assert rows == []
    assert not rows
    rows.append(Outcome("score"))
    assert read_column(rows, "name") == ["score"]


def test_a_column_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="column value has 1 values for 2 rows"):
        keep_columns(Outcome, name=["score", "col"], value=[1.0])


@pytest.mark.parametrize("kept", [[True, True], [True, False], [False, True]])
def test_tables_are_those_of_rows(kept: Sequence[bool]) -> None:
    """Also where some dialogues have columns, and others rows."""

    def place(columns: Sequence[bool]) -> list[PlacedDialogue]:
        lists = [keep_events() if each else list(EVENTS) for each in columns]
        dialogues = [
            Dialogue(dialogue_id=str(number), events=events) for number, events in enumerate(lists)
        ]
        return [PlacedDialogue(each, "games.json", "$") for each in dialogues]

    found = build_tables("toy", place(kept))
    assert found == build_tables("toy", place([False, False]))
    assert found["dialogues"]["n_utterances"].to_pylist() == [1, 1]
    assert found["events"]["event"].to_pylist() == [0, 1, 2, 0, 1, 2]
    assert found["events"]["details"].null_count == 6


@pytest.mark.parametrize("kept", [[True, True, True], [True, False, True], [False, True, True]])
def test_tables_have_repeated_values_as_often_as_rows_do(kept: Sequence[bool]) -> None:
    outcomes = [
        [Outcome("score", 1.0), Outcome("score", 2.0), Outcome("score", 1.0)],
        [],
        [Outcome("score", 7.0)],
    ]
    columns = [
        keep_columns(
            Outcome,
            name=Repeated(["score"], array("i", [0] * len(values))),
            value=Repeated(sorted(set(values)), array("i", places)),
        )
        for values, places in (([1.0, 2.0, 1.0], [0, 1, 0]), ([], []), ([7.0], [0]))
    ]
    assert columns == outcomes

    def build(lists: list[list[Outcome]]) -> Any:
        dialogues = [Dialogue(dialogue_id=str(n), outcomes=each) for n, each in enumerate(lists)]
        return build_part("toy", "outcomes", dialogues)

    made = [a if is_kept else b for a, b, is_kept in zip(columns, outcomes, kept, strict=True)]
    assert build(made) == build(outcomes)
    assert build(made)["value"].to_pylist() == [1.0, 2.0, 1.0, 7.0]
