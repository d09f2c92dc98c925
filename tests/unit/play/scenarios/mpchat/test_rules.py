from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import jsonschema
import msgspec
import pytest
from tests.unit.play.scenarios.mpchat.labelling import PLAIN, Course, units

from commonground.errors import FormatError
from commonground.play.labelling.answering import LONGEST_NOTE, REASONS
from commonground.play.scenario import Act, Refusal, Sitting
from commonground.play.scenarios.mpchat.material import Unit
from commonground.play.scenarios.mpchat.rules import SCENARIO
from commonground.play.session import replay_acts

ANSWERS = {"loaf": False, "shed": True, "boat": False}


def test_answers_become_votes() -> None:
    course = Course()
    course.answer_all(ANSWERS)
    ballot = course.ballot()
    assert ballot.votes == {"loaf": 0, "shed": 1, "boat": 0}
    assert (ballot.worker, ballot.number, ballot.skipped) == (7, 3, None)
    assert SCENARIO.is_complete(course.state)


def test_the_last_answer_counts() -> None:
    course = Course()
    assert course.answer("shed", "no") == ""
    course.answer_all(ANSWERS)
    assert course.ballot().votes["shed"] == 1


def test_an_answer_that_is_changed_after_submitting_counts() -> None:
    course = Course()
    course.answer_all(ANSWERS)
    assert course.submit() == "over"
    assert course.answer("shed", "no") == ""
    assert course.ballot().votes["shed"] == 0
    assert SCENARIO.is_over(course.state)
    assert SCENARIO.is_complete(course.state)


def test_a_skipped_unit_cannot_be_answered_after_all() -> None:
    course = Course()
    course.skip("unclear", "")
    assert course.answer("shed", "no") == "over"


def test_answers_are_submitted_all_together() -> None:
    course = Course()
    course.answer("shed", "yes")
    assert course.submit() == "answers_missing"
    refusal = SCENARIO.apply(course.state, Act("mpchat.submit", "worker", {}, course.now_us + 1))
    assert isinstance(refusal, Refusal)
    assert refusal.parameters == {"missing": 2}


@pytest.mark.parametrize("reason", REASONS)
def test_a_unit_can_be_skipped_with_a_reason(reason: str) -> None:
    course = Course()
    course.answer("shed", "yes")
    assert course.skip(reason, "I cannot see it") == ""
    ballot = course.ballot()
    assert (ballot.votes, ballot.skipped, ballot.note) == ({}, reason, "I cannot see it")
    assert SCENARIO.is_complete(course.state)


REFUSED: dict[str, Callable[[Course], str]] = {
    "unknown_type": lambda course: course.act("mpchat.cheat"),
    "wrong_role": lambda course: course.act("mpchat.submit", "boss"),
    "bad_payload": lambda course: course.answer("shed", "perhaps"),
    "no_candidate": lambda course: course.answer("fence", "yes"),
    "answers_missing": lambda course: course.submit(),
    "no_reason": lambda course: course.skip("bored"),
    "note_missing": lambda course: course.skip("other", " "),
    "too_long": lambda course: course.skip("other", "x" * (LONGEST_NOTE + 1)),
    "over": lambda course: course.skip("unclear") or course.skip("unclear"),
}


@pytest.mark.parametrize("code", REFUSED)
def test_what_is_not_allowed_is_refused(code: str) -> None:
    assert REFUSED[code](Course()) == code


def test_every_refusal_is_tried() -> None:
    assert {*REFUSED, "time_order"} == SCENARIO.refusals


def test_time_does_not_run_back() -> None:
    course = Course()
    course.answer("shed", "yes")
    course.now_us -= 1_000_000
    assert course.answer("loaf", "no") == "time_order"


@pytest.mark.parametrize("payload", [{}, {"candidate": "shed"}, {"candidate": 1, "answer": "no"}])
def test_payloads_of_another_form_are_faults_of_a_program(payload: dict[str, Any]) -> None:
    assert Course().act("mpchat.label", **payload) == "bad_payload"


@pytest.mark.parametrize("kind", ["moderator.message", "moderator.end", "session.ended"])
def test_workers_do_not_moderate(kind: str) -> None:
    assert Course().act(kind, text="hi", reason="bored") == "wrong_role"


def test_a_session_that_was_ended_has_no_ballot() -> None:
    course = Course()
    course.answer("shed", "yes")
    assert course.act("moderator.end", None, reason="broken") == ""
    assert SCENARIO.is_over(course.state)
    assert not SCENARIO.is_complete(course.state)
    assert list(SCENARIO.finish(course.state, Sitting(0, {"worker": 1}))) == []


def test_moderators_are_read() -> None:
    course = Course()
    assert course.act("moderator.message", None, text="take your time") == ""
    [message] = SCENARIO.view(course.state, "worker")["chat"]
    assert (message["role"], message["text"]) == (None, "take your time")


def test_the_view_is_what_the_question_needs() -> None:
    course = Course()
    course.answer("shed", "yes")
    view = SCENARIO.view(course.state, "worker")
    assert view["question"] == PLAIN.question
    assert view["context"][0] == {
        "speaker": "rye_anna",
        "text": "look at my fence",
        "picture": "dialog/fence.jpg",
        "lacks_picture": False,
    }
    assert view["context"][1]["lacks_picture"]
    assert {each["id"]: each["answer"] for each in view["candidates"]} == {
        "loaf": None,
        "shed": "yes",
        "boat": None,
    }
    assert view["missing"] == 2


def test_the_view_is_the_same_whatever_is_known_of_the_answers() -> None:
    unit = units()[0]
    secret = msgspec.structs.replace(unit, gold=dict(unit.known))
    bare = msgspec.structs.replace(unit, known={}, origin=None)
    shown = [SCENARIO.view(SCENARIO.start(each, 4), "worker") for each in (unit, secret, bare)]
    assert shown[0] == shown[1] == shown[2]
    assert json.loads(json.dumps(shown[0])) == shown[0]


def test_the_view_holds_nothing_of_the_thread_behind_the_response() -> None:
    unit = next(each for each in units() if len(each.context) < len(_messages(each)))
    text = json.dumps(SCENARIO.view(SCENARIO.start(unit, 4), "worker"))
    assert json.dumps(_messages(unit)[len(unit.context)])[1:-1] not in text


def _messages(unit: Unit) -> list[str]:
    assert unit.origin is not None
    return unit.origin.thread.messages


def test_the_order_of_candidates_is_drawn_by_the_seed() -> None:
    orders = [[each.id for each in SCENARIO.start(PLAIN, seed).order] for seed in range(20)]
    assert orders[0] == [each.id for each in SCENARIO.start(PLAIN, 0).order]
    assert {tuple(sorted(order)) for order in orders} == {("boat", "loaf", "shed")}
    assert len({order[0] for order in orders}) == 3


def types(course: Course) -> list[str]:
    return [each.type for each in SCENARIO.allowed(course.state, "worker")]


def test_submitting_is_offered_once_all_are_answered() -> None:
    course = Course()
    assert types(course) == ["mpchat.label", "mpchat.skip"]
    for candidate in ("loaf", "shed", "boat"):
        course.answer(candidate, "no")
    assert types(course) == ["mpchat.label", "mpchat.skip", "mpchat.submit"]
    course.submit()
    assert types(course) == []


@pytest.mark.parametrize(
    ("payload", "fits"),
    [
        ({"reason": "unclear", "note": ""}, True),
        ({"reason": "other", "note": "too dark"}, True),
        ({"reason": "other", "note": " "}, False),
        ({"reason": "bored", "note": "x"}, False),
        ({"reason": "unclear"}, False),
    ],
)
def test_the_schema_of_a_skip_says_what_is_accepted(payload: dict[str, Any], fits: bool) -> None:
    schema = next(
        e.payload for e in SCENARIO.allowed(Course().state, "worker") if e.type == "mpchat.skip"
    )
    assert jsonschema.Draft202012Validator(schema).is_valid(payload) == fits
    assert (Course().act("mpchat.skip", **payload) == "") == fits


def test_material_seed_and_acts_give_the_state_again() -> None:
    course = Course()
    course.answer_all(ANSWERS)
    assert replay_acts(SCENARIO, PLAIN, 1, course.accepted) == course.state


def test_a_unit_without_a_question_is_not_begun() -> None:
    with pytest.raises(FormatError, match="Unit fence, question: expected a question"):
        SCENARIO.start(msgspec.structs.replace(PLAIN, question=" "), 1)
