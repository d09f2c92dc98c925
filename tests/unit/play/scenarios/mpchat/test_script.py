from __future__ import annotations

from collections import Counter
from random import Random
from statistics import mean

import msgspec
import pytest
from tests.unit.play.scenarios.mpchat.labelling import PLAIN, Course, units

from commonground.play.labelling.answering import REASONS, LabellingState
from commonground.play.labelling.script import follows
from commonground.play.player import Moment, Move, Seat
from commonground.play.scenarios.mpchat.material import Unit
from commonground.play.scenarios.mpchat.rules import SCENARIO
from commonground.play.scenarios.mpchat.scenes import load_phrases
from commonground.play.scenarios.mpchat.script import PLAYER
from commonground.play.session import Session, play


def run(unit: Unit, person: int, seed: int = 1) -> Session[LabellingState]:
    return play(SCENARIO, unit, seed, {"worker": PLAYER.enter(Seat("worker", unit, person))})


@pytest.fixture(scope="module")
def sessions() -> list[tuple[int, Session[LabellingState]]]:
    made = units(20)
    return [
        (person, run(unit, person, seed=number * 12 + person))
        for number, unit in enumerate(made)
        for person in range(12)
    ]


def test_sessions_come_to_their_end(sessions: list[tuple[int, Session[LabellingState]]]) -> None:
    assert all(SCENARIO.is_complete(session.state) for _, session in sessions)
    assert not any(session.rejected for _, session in sessions)


def test_most_answers_are_right_and_some_are_not(
    sessions: list[tuple[int, Session[LabellingState]]],
) -> None:
    found: Counter[tuple[bool, bool]] = Counter()
    for _, session in sessions:
        known, answers = session.state.unit.known, session.state.answers
        if session.state.submitted:
            found.update(
                (known[each] == (answer == "yes"), known[each]) for each, answer in answers.items()
            )
    seen = found[True, True] / (found[True, True] + found[False, True])
    denied = found[True, False] / (found[True, False] + found[False, False])
    assert 0.75 < seen < 0.97
    assert 0.94 < denied < 1


def test_people_differ(sessions: list[tuple[int, Session[LabellingState]]]) -> None:
    unit = units(1)[0]
    assert run(unit, 1).acts == run(unit, 1).acts != run(unit, 2).acts
    seconds = {
        person: mean(s.acts[-1].at_us / 1e6 for each, s in sessions if each == person)
        for person in range(12)
    }
    assert max(seconds.values()) > 1.3 * min(seconds.values())


def test_labelling_takes_as_long_as_people_take(
    sessions: list[tuple[int, Session[LabellingState]]],
) -> None:
    seconds = [s.acts[-1].at_us / 1e6 for _, s in sessions if s.state.submitted]
    assert 15 < mean(seconds) < 90
    assert min(seconds) > 4


def test_some_units_are_skipped_and_some_answers_changed(
    sessions: list[tuple[int, Session[LabellingState]]],
) -> None:
    skipped = [session.state.skipped for _, session in sessions if session.state.skipped]
    assert 0 < len(skipped) < 0.06 * len(sessions)
    labels = [sum(a.type == "mpchat.label" for a in s.acts) for _, s in sessions]
    numbers = [len(s.state.order) for _, s in sessions]
    assert any(more > number for more, number in zip(labels, numbers, strict=True))


def test_of_other_units_the_words_decide() -> None:
    answers = Counter(run(PLAIN, person, person).state.answers.get("loaf") for person in range(20))
    assert answers["no"] > 15
    green = msgspec.structs.replace(
        PLAIN, context=(msgspec.structs.replace(PLAIN.context[2], text="I painted a shed green"),)
    )
    answers = Counter(run(green, person, person).state.answers.get("shed") for person in range(20))
    assert answers["yes"] > 12


def test_missing_pictures_are_a_reason_to_skip() -> None:
    reasons = Counter(run(PLAIN, person, person).state.skipped for person in range(100))
    assert 2 < reasons["picture_missing"] < 30


def test_a_script_goes_on_where_somebody_else_left_off() -> None:
    course = Course()
    course.answer("shed", "yes")
    player = PLAYER.enter(Seat("worker", PLAIN, 1))
    view = SCENARIO.view(course.state, "worker")
    moment = Moment("worker", view, SCENARIO.allowed(course.state, "worker"), course.now_us)
    move = player.next_move(moment, Random(3))
    assert isinstance(move, Move)
    assert move.payload["candidate"] != "shed"


@pytest.mark.parametrize(
    ("response", "candidate", "expected"),
    [
        ("I painted my shed green", "a green shed that I painted", True),
        ("no idea, sorry", "a green shed that I painted", False),
        ("both of my sheds leak", "a shed", True),
        ("it was about time", "about the first winter of a long journey", False),
    ],
)
def test_texts_are_compared_by_words(response: str, candidate: str, expected: bool) -> None:
    assert follows(response, candidate) is expected


def test_notes_are_there_for_reasons_that_exist() -> None:
    assert {"unclear", "picture_missing"} <= load_phrases().skip.keys() <= set(REASONS)
