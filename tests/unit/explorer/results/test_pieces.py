"""Answers in pieces: every form that a task answers in, and every kind of error."""

from __future__ import annotations

from typing import Any

import pytest

from commonground.explorer.results.pieces import cut_answer, find_difference

ACT = {"act": "inform", "slots": [["city", "Oslo"], ["date", None]]}
SPAN = {"start": 0, "end": 4, "label": "city"}


@pytest.mark.parametrize(
    ("answer", "form", "pieces"),
    [
        (["a.jpg", "b.jpg"], "flat", [(None, None, "a.jpg"), (None, None, "b.jpg")]),
        (
            [ACT],
            "acts",
            [("inform", None, None), ("inform", "city", "Oslo"), ("inform", "date", None)],
        ),
        (
            [{"name": "offer", "args": [{"key": "price", "val": 3}]}],
            "acts",
            [("offer", None, None), ("offer", "price", "3")],
        ),
        (
            {"call": "find", "arguments": {"x": [1, 2]}, "text": None},
            "acts",
            [("find", None, None), ("find", "x", "1, 2")],
        ),
        ({"call": None, "text": "hello"}, "words", [(None, None, "hello")]),
        ({"acts": [ACT], "frame": 2}, "acts", None),
        ({"colour": {"is": None}}, "acts", [(None, "colour", "is null")]),
        ([[7, 0, [1, 2], ["a.jpg"]]], "parts", [("part 0: 1, 2", None, "a.jpg")]),
        ([], "flat", []),
        (None, "flat", []),
        (True, "flat", [(None, None, "true")]),
    ],
)
def test_answers_are_cut_by_their_form(answer: Any, form: str, pieces: Any) -> None:
    cut = cut_answer(answer)
    assert cut.form == form
    if pieces is not None:
        assert [(each.head, each.name, each.value) for each in cut.pieces] == pieces


@pytest.mark.parametrize(
    ("gold", "predicted", "kinds"),
    [
        (["a", "b"], ["b", "a"], []),
        (["a", "a"], ["a"], ["missed"]),
        (["a"], ["a", "b"], ["extra"]),
        (["a"], ["b"], ["value"]),
        (["a"], None, ["none"]),
        ([ACT], [{**ACT, "slots": [["city", "Bergen"], ["date", None]]}], ["value"]),
        ([ACT], [{**ACT, "act": "ask", "slots": []}], ["name", "missed"]),
        ([SPAN], [{**SPAN, "end": 6}], ["bounds"]),
        ([SPAN], [{**SPAN, "label": "name"}], ["label"]),
        ([SPAN], [{"start": 8, "end": 9, "label": "city"}], ["missed", "extra"]),
        ([], [SPAN], ["extra"]),
        ("hello", "hello", []),
        ("hello", "hi", ["words"]),
        (3, 3, []),
        (3, 5, ["rank"]),
        (3, {"rank": 1}, []),
        (3, {"rank": 2}, ["rank"]),
        (3, [], ["rank"]),
    ],
)
def test_differences_are_of_a_kind(gold: Any, predicted: Any, kinds: list[str]) -> None:
    assert find_difference(gold, predicted).kinds == kinds


def test_pieces_say_which_side_has_them() -> None:
    found = find_difference(["a", "b"], ["b", "c"])
    assert [(each.piece.value, each.mark) for each in found.gold] == [
        ("a", "missed"),
        ("b", "same"),
    ]
    assert found.predicted is not None
    assert [each.mark for each in found.predicted] == ["same", "extra"]
