"""The rules of all labelling, with answers of one's own."""

from __future__ import annotations

import pytest

from commonground.errors import FormatError
from commonground.play.labelling.answering import Labelling, LabellingState
from commonground.play.labelling.ballots import Ballot
from commonground.play.labelling.units import (
    Candidate,
    ContextLine,
    Unit,
    check_unit,
    require_sound,
)
from commonground.play.scenario import Act, Refusal

RULES: Labelling[Ballot] = Labelling("tones")
UNIT = Unit(
    id="t1",
    question="How does it sound?",
    context=(ContextLine("ann", "oh, lovely"),),
    candidates=(Candidate("event", ""),),
    answers=("kind", "angry", "neither"),
)


def act(
    state: LabellingState, kind: str, at_us: int, **payload: object
) -> LabellingState | Refusal:
    return RULES.apply(state, Act(kind, "worker", payload, at_us))


def test_any_of_the_answers_of_a_unit_may_be_given() -> None:
    state = RULES.start(UNIT, 1)
    assert RULES.view(state, "worker")["answers"] == ["kind", "angry", "neither"]
    label, _ = RULES.allowed(state, "worker")
    assert label.type == "tones.label"
    assert label.payload["properties"]["answer"] == {"enum": ["kind", "angry", "neither"]}
    after = act(state, "tones.label", 1, candidate="event", answer="neither")
    assert isinstance(after, LabellingState)
    assert after.answers == {"event": "neither"}
    submitted = act(after, "tones.submit", 2)
    assert isinstance(submitted, LabellingState)
    assert RULES.is_complete(submitted)


@pytest.mark.parametrize("answer", ["yes", "Kind", ""])
def test_no_other_answer_is_accepted(answer: str) -> None:
    refusal = act(RULES.start(UNIT, 1), "tones.label", 1, candidate="event", answer=answer)
    assert isinstance(refusal, Refusal)
    assert refusal.code == "bad_payload"


def test_acts_of_another_scenario_are_unknown() -> None:
    refusal = act(RULES.start(UNIT, 1), "mpchat.label", 1, candidate="event", answer="kind")
    assert isinstance(refusal, Refusal)
    assert refusal.code == "unknown_type"


@pytest.mark.parametrize(
    ("answers", "people", "where"),
    [
        (("only",), 3, ".answers"),
        (tuple("abcdefghij"), 3, ".answers"),
        (("a", "b", "a"), 3, ".answers[2]"),
        (("a", " "), 3, ".answers[1]"),
        (("a", "b"), 0, ".people"),
    ],
)
def test_answers_that_nobody_can_choose_from_are_found(
    answers: tuple[str, ...], people: int, where: str
) -> None:
    unit = Unit(
        id="t",
        question="?",
        context=UNIT.context,
        candidates=UNIT.candidates,
        answers=answers,
        people=people,
    )
    assert [each.path for each in check_unit(unit)] == [where]
    with pytest.raises(FormatError, match=r"Unit t, "):
        require_sound(unit)
