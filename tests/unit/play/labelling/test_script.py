"""Scripted people who label what nobody knows the answer of."""

from __future__ import annotations

from random import Random

import pytest

from commonground.play.labelling.script import ScriptedLabeller
from commonground.play.player import Moment, Move


@pytest.mark.parametrize("answers", [["yes", "no"], ["tea", "milk", "none"]])
def test_they_agree_on_most_of_what_they_know_nothing_of(answers: list[str]) -> None:
    said = {
        text: [answer(ScriptedLabeller("x", {}, {}, seed), text, answers) for seed in range(9)]
        for text in map(str, range(30))
    }
    majorities = [max(set(each), key=each.count) for each in said.values()]
    assert set(majorities) == set(answers)
    agreed = [each.count(m) for each, m in zip(said.values(), majorities, strict=True)]
    # They err in a quarter of the answers at most.
    assert sum(agreed) / (9 * 30) > 0.75


def answer(labeller: ScriptedLabeller, text: str, answers: list[str]) -> str:
    """Returns what somebody says of a message, about which nothing else is asked."""
    line = {"text": text, "lacks_picture": False}
    asked = {**line, "id": "event", "text": "", "answer": None}
    view = {"phase": "label", "answers": answers, "context": [line], "candidates": [asked]}
    labeller._began = True  # nobody skips
    moment = Moment(role="w", view=view, allowed=[], at_us=0, pending=None, refusal=None)
    move = labeller.next_move(moment, Random(f"{labeller._pace}{text}"))
    assert isinstance(move, Move)
    return str(move.payload["answer"])
