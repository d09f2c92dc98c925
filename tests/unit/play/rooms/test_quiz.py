"""The quiz says which answers are wrong, and keeps those that are right."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.unit.play.rooms.conftest import Server
from tests.unit.play.rooms.people import QUIZ, Visitor


def test_wrong_answers_are_marked(serve: Callable[..., Server]) -> None:
    visitor = Visitor(serve())
    visitor.fill("consent", agree="yes")
    page = visitor.fill("quiz", **{**QUIZ, "chat": "0"})
    assert re.findall(r'id="wrong-(\w+)"', page) == ["chat"]
    assert page.count("This answer is not right.") == 1
    checked = re.findall(r'name="(\w+)" value="(\d)" required checked', page)
    assert dict(checked) == {"common": QUIZ["common"], "submit": QUIZ["submit"]}
