"""Whatever a worker, a moderator and a slow network try, some things always hold."""

from __future__ import annotations

import json
import os
from typing import Any

import msgspec
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from tests.unit.play.scenarios.taskmaster.sessions import FREE, SHORT

from commonground.corpora.taskmaster.script_language import Response, ScriptCall
from commonground.play.scenario import Act, Refusal, Sitting
from commonground.play.scenarios.taskmaster.game.self_dialog import SelfDialog
from commonground.play.scenarios.taskmaster.game.state import TaskmasterState
from commonground.play.scenarios.taskmaster.material import TaskmasterMaterial
from commonground.play.scenarios.taskmaster.taskmaster3.material import invent_material
from commonground.play.scenarios.taskmaster.taskmaster3.rules import SCENARIO
from commonground.play.session import replay_acts

MOST = int(os.environ.get("COMMONGROUND_EXAMPLES", "20"))
"""Sessions that are tried; a bigger number takes longer and finds more."""

MATERIALS = [
    TaskmasterMaterial("Short", SHORT),
    TaskmasterMaterial("Free", FREE, least_turns=2, most_turns=3),
    *invent_material(8, 1)[:2],
]
ANYTHING: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=4,
)
FIELDS = st.sampled_from(["values", "turn", "text", "name", "checked", "spans", "reason"])
SPANS = st.lists(
    st.fixed_dictionaries(
        {
            "turn": st.integers(-1, 9),
            "start": st.integers(-1, 30),
            "end": st.integers(-1, 30),
            "label": st.sampled_from(["name.movie", "num.tickets", "nothing"]),
        }
    ),
    max_size=3,
)


class Desk(RuleBasedStateMachine):
    """A worker who does what it may, and what it may not."""

    scenario: SelfDialog = SCENARIO

    @initialize(seed=st.integers(0, 1_000), chosen=st.sampled_from(MATERIALS))
    def begin(self, seed: int, chosen: TaskmasterMaterial) -> None:
        self.material, self.seed = chosen, seed
        self.state: TaskmasterState = self.scenario.start(chosen, seed)
        self.now_us = 1_700_000_000_000_000
        self.acts: list[Act] = []

    def attempt(self, kind: str, role: str | None, payload: Any, number: int | None = None) -> str:
        self.now_us += 250_000
        before = repr(self.state)
        result = self.scenario.apply(self.state, Act(kind, role, payload, self.now_us, number))
        assert repr(self.state) == before, "a state was changed from outside"
        if isinstance(result, Refusal):
            assert result.code in self.scenario.refusals
            return result.code
        self.state = result
        self.acts.append(Act(kind, role, payload, self.now_us, number))
        return ""

    @rule(value=st.text(max_size=12))
    def enter(self, value: str) -> None:
        names = ["people", "seats", "size"]
        known = {part["name"] for part in self.view["page"] if part["kind"] == "field"}
        self.attempt(
            "taskmaster.enter", "worker", {"values": {n: value for n in names if n in known}}
        )

    @rule(number=st.integers(-1, 40), text=st.text(max_size=20))
    def write(self, number: int, text: str) -> None:
        if self.attempt("taskmaster.turn", "worker", {"turn": number, "text": text}) == "":
            assert text.strip()
            assert not self.view["bubbles"][number]["fixed"]

    @rule()
    def write_what_is_next(self) -> None:
        for bubble in self.view["bubbles"]:
            if bubble["open"] and bubble["text"] is None:
                text = f"Well, {bubble['hint']} indeed"
                payload = {"turn": bubble["number"], "text": text}
                assert self.attempt("taskmaster.turn", "worker", payload) == ""
                return

    @rule(spans=SPANS)
    def mark(self, spans: list[dict[str, Any]]) -> None:
        self.attempt("taskmaster.mark", "worker", {"spans": spans})

    @rule(checked=st.booleans())
    def check(self, checked: bool) -> None:
        for check in self.view["checks"]:
            payload = {"name": check["name"], "checked": checked}
            self.attempt("taskmaster.check", "worker", payload)

    @rule()
    def submit(self) -> None:
        self.attempt("taskmaster.submit", "worker", {})

    @rule(
        role=st.sampled_from(["worker", "user", None]),
        payload=st.dictionaries(FIELDS, ANYTHING),
        number=st.sampled_from([None, None, 1]),
    )
    def do_anything(self, role: str | None, payload: Any, number: int | None) -> None:
        for kind in sorted(self.scenario.act_types - {"moderator.end", "session.ended"}):
            self.attempt(kind, role, payload, number)
        assert self.attempt("taskmaster.cheat", role, payload) != ""

    @property
    def view(self) -> dict[str, Any]:
        return self.scenario.view(self.state, "worker")

    @invariant()
    def nothing_happens_after_the_end(self) -> None:
        if self.scenario.is_over(self.state):
            assert list(self.scenario.allowed(self.state, "worker")) == []
            for kind in self.scenario.act_types:
                assert isinstance(
                    self.scenario.apply(self.state, Act(kind, "worker", {}, 1 << 60)), Refusal
                )

    @invariant()
    def the_machine_is_never_seen(self) -> None:
        seen = json.dumps(self.view, ensure_ascii=False)
        for line in self.state.setting.script.lines:
            if isinstance(line, ScriptCall | Response):
                assert line.api not in seen

    @invariant()
    def every_marked_stretch_is_in_its_turn(self) -> None:
        for record in self.scenario.finish(self.state, Sitting(0, {"worker": 0})):
            for each in record.utterances:
                for segment in each.segments or ():
                    assert each.text[segment.start_index : segment.end_index] == segment.text

    def teardown(self) -> None:
        acts = msgspec.json.decode(msgspec.json.encode(self.acts), type=list[Act])
        assert replay_acts(self.scenario, self.material, self.seed, acts) == self.state


Desk.TestCase.settings = settings(max_examples=MOST, stateful_step_count=25, deadline=None)
TestDesk = Desk.TestCase
