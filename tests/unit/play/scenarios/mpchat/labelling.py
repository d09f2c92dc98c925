"""Units to try the rules with, sessions under way, and ballots as people would cast them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from commonground.play.labelling.answering import LabellingState
from commonground.play.labelling.units import Candidate, ContextLine
from commonground.play.scenario import Act, Refusal, Sitting
from commonground.play.scenarios.mpchat.invented_reddit import Invented, InventedReddit
from commonground.play.scenarios.mpchat.material import Unit, units_of
from commonground.play.scenarios.mpchat.release import Ballot
from commonground.play.scenarios.mpchat.rules import SCENARIO

PLAIN = Unit(
    id="fence",
    question="Does the answer follow from the picture?",
    context=(
        ContextLine("rye_anna", "look at my fence", "dialog/fence.jpg"),
        ContextLine("oar_ben", "which green is that?", None, True),
        ContextLine("rye_anna", "the same as on my shed"),
    ),
    candidates=(
        Candidate("loaf", "my first loaf", "persona/loaf.jpg"),
        Candidate("shed", "a shed I painted green", None, True),
        Candidate("boat", "a boat"),
    ),
)
"""A unit of no thread."""


@cache
def threads(number: int, seed: int = 9) -> tuple[Invented, ...]:
    """Invented threads."""
    reddit = InventedReddit(seed)
    return tuple(reddit.thread(each) for each in range(number))


@cache
def units(number: int = 8, seed: int = 9) -> tuple[Unit, ...]:
    """The units of invented threads."""
    return tuple(unit for invented in threads(number, seed) for unit in units_of(invented))


class Course:
    """A session under way; each act comes a second after the one before."""

    def __init__(self, unit: Unit = PLAIN, seed: int = 1) -> None:
        self.state: LabellingState = SCENARIO.start(unit, seed)
        self.now_us = 1_700_000_000_000_000
        self.accepted: list[Act] = []

    def act(self, kind: str, role: str | None = "worker", **payload: Any) -> str:
        """Tries an act; returns the code of its refusal, or an empty text."""
        self.now_us += 1_000_000
        act = Act(kind, role, payload, self.now_us)
        before = self.state
        result = SCENARIO.apply(self.state, act)
        if isinstance(result, Refusal):
            assert self.state is before
            return result.code
        self.state = result
        self.accepted.append(act)
        return ""

    def answer(self, candidate: str, answer: str) -> str:
        return self.act("mpchat.label", candidate=candidate, answer=answer)

    def skip(self, reason: str, note: str = "") -> str:
        return self.act("mpchat.skip", reason=reason, note=note)

    def submit(self) -> str:
        return self.act("mpchat.submit")

    def answer_all(self, answers: Mapping[str, bool]) -> None:
        """Answers every candidate and submits."""
        for candidate, yes in answers.items():
            assert self.answer(candidate, "yes" if yes else "no") == ""
        assert self.submit() == ""

    def ballot(self, worker: int = 7, number: int = 3) -> Ballot:
        """Returns what was said of the unit."""
        (ballot,) = SCENARIO.finish(self.state, Sitting(number, {"worker": worker}))
        return ballot


def vote(unit: Unit, worker: int, votes: str, number: int = 0) -> Ballot:
    """Casts a ballot of a 1 or 0 for each candidate."""
    cast = zip(unit.candidates, votes, strict=True)
    return Ballot(unit, worker, number, {each.id: int(digit) for each, digit in cast})


def skip(unit: Unit, worker: int, number: int = 0) -> Ballot:
    """Casts a ballot that says nothing."""
    return Ballot(unit, worker, number, {}, "unclear")
