"""Functions that are found take what they want to know, and no more."""

from __future__ import annotations

import pytest

from commonground.discovery import offer
from commonground.errors import FormatError


def test_a_function_gets_what_it_names() -> None:
    taken = offer(lambda record, context: (record, context), "record", "where", "context")
    assert taken("a", "b", "c") == ("a", "c")


def test_the_first_argument_may_have_any_name_and_the_others_any_order() -> None:
    taken = offer(lambda game, context, where: (game, context, where), "record", "where", "context")
    assert taken("a", "b", "c") == ("a", "b", "c"), "one that takes all is given all, in order"
    taken = offer(lambda game, d, b: (game, d, b), "a", "b", "c", "d")
    assert taken(1, 2, 3, 4) == (1, 4, 2)


def test_a_function_of_anything_gets_everything() -> None:
    assert offer(lambda *given: given, "record", "where")("a", "b") == ("a", "b")


def test_what_is_not_offered_is_named() -> None:
    def convert(record: str, place: str) -> str:
        return record + place

    with pytest.raises(FormatError, match=r"convert asks for place\.") as caught:
        offer(convert, "record", "where", "context")
    assert caught.value.advice == "It can be given record, where, context."
