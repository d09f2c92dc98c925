"""Whatever a worker, a moderator and a slow network try, some things always hold."""

from __future__ import annotations

import json
import os
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from tests.unit.play.scenarios.mpchat.labelling import PLAIN, units

from commonground.play.labelling.answering import REASONS, LabellingState
from commonground.play.labelling.assigning import LabellingAssignments
from commonground.play.labelling.ballots import is_done
from commonground.play.labelling.units import YES_OR_NO as ANSWERS
from commonground.play.scenario import Act, Refusal, Sitting
from commonground.play.scenarios.mpchat.material import VOTES, Unit
from commonground.play.scenarios.mpchat.release import Ballot, label_threads
from commonground.play.scenarios.mpchat.rules import SCENARIO
from commonground.play.session import replay_acts

MOST = int(os.environ.get("COMMONGROUND_EXAMPLES", "20"))
"""Sessions that are tried; a bigger number takes longer and finds more."""

ANYTHING: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=600),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=3,
)
FIELDS = st.sampled_from(["candidate", "answer", "reason", "note", "text"])


class Table(RuleBasedStateMachine):
    """A worker who does what may be done, and what may not."""

    @initialize(seed=st.integers(0, 10_000), unit=st.sampled_from([PLAIN, *units()[:4]]))
    def begin(self, seed: int, unit: Unit) -> None:
        self.unit, self.seed = unit, seed
        self.state: LabellingState = SCENARIO.start(unit, seed)
        self.now_us = 1_700_000_000_000_000
        self.acts: list[Act] = []

    def attempt(self, kind: str, role: str | None, payload: Any) -> str:
        self.now_us += 250_000
        act = Act(kind, role, payload, self.now_us)
        before = msgspec.json.encode(self.state)
        result = SCENARIO.apply(self.state, act)
        assert msgspec.json.encode(self.state) == before, "a state was changed from outside"
        if isinstance(result, Refusal):
            assert result.code in SCENARIO.refusals
            return result.code
        self.state = result
        self.acts.append(act)
        return ""

    @rule(number=st.integers(0, 5), answer=st.sampled_from([*ANSWERS, "perhaps"]))
    def answer(self, number: int, answer: str) -> None:
        names = [*(each.id for each in self.unit.candidates), "nobody"]
        payload = {"candidate": names[number % len(names)], "answer": answer}
        refused = self.attempt("mpchat.label", "worker", payload)
        if not refused:
            assert self.state.answers[payload["candidate"]] == answer != "perhaps"

    @rule()
    def submit(self) -> None:
        whole = self.state.missing == 0 and not SCENARIO.is_over(self.state)
        assert (self.attempt("mpchat.submit", "worker", {}) == "") == whole

    @rule(reason=st.sampled_from([*REASONS, "bored"]), note=st.text(max_size=510))
    def skip(self, reason: str, note: str) -> None:
        if len(self.acts) > 6:
            self.attempt("mpchat.skip", "worker", {"reason": reason, "note": note})

    @rule(role=st.sampled_from(["worker", "A", None]), payload=st.dictionaries(FIELDS, ANYTHING))
    def do_anything(self, role: str | None, payload: Any) -> None:
        for kind in sorted(SCENARIO.act_types - {"moderator.end", "session.ended"}):
            self.attempt(kind, role, payload)
        assert self.attempt("mpchat.cheat", role, payload) != ""

    @rule()
    def end(self) -> None:
        if len(self.acts) < 12:
            return
        over = SCENARIO.is_over(self.state)
        assert (self.attempt("moderator.end", None, {"reason": "broken"}) == "") != over

    @invariant()
    def nothing_happens_after_the_end(self) -> None:
        if SCENARIO.is_over(self.state):
            assert SCENARIO.allowed(self.state, "worker") == ()
            for kind in SCENARIO.act_types:
                late = Act(kind, "worker", {}, 1 << 60)
                assert isinstance(SCENARIO.apply(self.state, late), Refusal)

    @invariant()
    def the_view_says_what_was_answered_and_nothing_else(self) -> None:
        view = SCENARIO.view(self.state, "worker")
        assert json.loads(json.dumps(view)) == view
        shown = {each["id"]: each["answer"] for each in view["candidates"] if each["answer"]}
        assert shown == self.state.answers
        bare = msgspec.structs.replace(self.unit, known={}, gold=None, origin=None)
        assert SCENARIO.view(msgspec.structs.replace(self.state, unit=bare), "worker") == view

    def teardown(self) -> None:
        acts = msgspec.json.decode(msgspec.json.encode(self.acts), type=list[Act])
        assert replay_acts(SCENARIO, self.unit, self.seed, acts) == self.state
        ballots = list(SCENARIO.finish(self.state, Sitting(1, {"worker": 2})))
        assert len(ballots) == SCENARIO.is_complete(self.state)
        for ballot in ballots:
            names = {each.id for each in self.unit.candidates}
            assert ballot.votes.keys() == (set() if ballot.skipped else names)


Table.TestCase.settings = settings(max_examples=MOST, stateful_step_count=30, deadline=None)
TestTable = Table.TestCase

DOINGS = st.lists(
    st.tuples(st.integers(0, 6), st.sampled_from(["label", "skip", "leave", "stay"])), max_size=120
)


@given(DOINGS, st.integers(0, 1_000))
@settings(max_examples=MOST, deadline=None)
def test_whoever_comes_and_goes_three_people_label_each_unit(
    doings: list[tuple[int, str]], seed: int
) -> None:
    made = list(units()[:5])
    assignments = LabellingAssignments(made, seed)
    given_to: set[tuple[int, int]] = set()
    ballots: dict[int, list[Ballot]] = {number: [] for number in range(len(made))}
    open_now: dict[int, int] = {}
    for person, doing in doings:
        number = open_now.pop(person, None)
        if number is not None:
            unit = made[number]
            votes = dict.fromkeys((each.id for each in unit.candidates), 1)
            cast = {
                "label": [Ballot(unit, person, len(given_to), votes)],
                "skip": [Ballot(unit, person, len(given_to), {}, "unclear")],
            }.get(doing, [])
            assignments.end(person, number, cast)
            ballots[number] += cast
        chosen = assignments.choose(person)
        if chosen is not None:
            assert (person, chosen) not in given_to
            assert not is_done(ballots[chosen])
            assignments.begin(person, chosen)
            given_to.add((person, chosen))
            open_now[person] = chosen
    for number, cast in ballots.items():
        labelled = sum(each.skipped is None for each in cast)
        assert labelled + sum(open_now[p] == number for p in open_now) <= VOTES
    whole = [each for cast in ballots.values() for each in cast]
    assert len(label_threads(whole)) <= len(made)
