"""Whatever a user, a wizard and a slow network try, some things always hold."""

from __future__ import annotations

import json
import os
from random import Random
from typing import Any

import msgspec
from hypothesis import event, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from tests.unit.play.scenarios.frames.chats import material

from commonground.corpora import get_corpus
from commonground.corpora.frames.convert import convert
from commonground.corpora.frames.native import FramesDialogue
from commonground.findings import Examined
from commonground.play.scenario import Act, Refusal, Sitting
from commonground.play.scenarios.frames.game.state import FramesState
from commonground.play.scenarios.frames.rules import SCENARIO
from commonground.play.schema_player import draw_value
from commonground.play.session import replay_acts

MOST = int(os.environ.get("COMMONGROUND_EXAMPLES", "20"))
"""Sessions that are tried; a bigger number takes longer and finds more."""

WORDS = ("Brook", "Elm House", "yes", "business", "September 3rd", "812.50USD", "four")
ANYTHING: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=4,
)
FIELDS = st.sampled_from(
    [
        *("of", "name", "args", "frame", "slots", "search", "row", "tell", "parent", "slot"),
        *("values", "kind", "by", "keys", "open", "text", "rating", "success", "NUM_ADULTS"),
    ]
)


class Table(RuleBasedStateMachine):
    """A user and a wizard who do what they may, and what they may not."""

    @initialize(seed=st.integers(0, 1_000))
    def begin(self, seed: int) -> None:
        self.seed = seed
        self.state: FramesState = SCENARIO.start(material(), seed)
        self.now_us = 1_471_000_000_000_000
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

    @rule(role=st.sampled_from(["user", "wizard"]), words=st.lists(st.sampled_from(WORDS)))
    def write(self, role: str, words: list[str]) -> None:
        self.attempt("chat.message", role, {"text": " ".join(words)})

    @rule(steps=st.integers(1, 30), seed=st.integers(0, 1_000))
    def do_what_is_allowed(self, steps: int, seed: int) -> None:
        """Takes what the rules offer at its word; only what is said may still be wrong."""
        rng = Random(seed)
        for _ in range(steps):
            role = rng.choice(SCENARIO.roles)
            allowed = [
                each for each in SCENARIO.allowed(self.state, role) if _wanted(each.type, rng)
            ]
            if allowed:
                chosen = rng.choice(allowed)
                code = self.attempt(chosen.type, role, draw_value(chosen.payload, rng))
                assert code not in ("wrong_role", "unknown_type", "bad_payload", "no_frame")
                event(f"{chosen.type} {code or 'accepted'}")

    @rule(seed=st.integers(0, 1_000))
    def confirm_a_suggestion(self, seed: int) -> None:
        view = SCENARIO.view(self.state, "wizard")
        found = [*view["suggestions"], *view["proposals"]]
        if found:
            chosen = Random(seed).choice(found)
            assert self.attempt(chosen["type"], "wizard", chosen["payload"]) == ""

    @rule(
        role=st.sampled_from(["user", "wizard", "someone", None]),
        payload=st.dictionaries(FIELDS, ANYTHING),
    )
    def do_anything(self, role: str | None, payload: Any) -> None:
        for kind in sorted(SCENARIO.act_types - {"moderator.end", "session.ended"}):
            self.attempt(kind, role, payload)
        assert self.attempt("frames.cheat", role, payload) != ""

    @invariant()
    def nothing_happens_after_the_end(self) -> None:
        if SCENARIO.is_over(self.state):
            for role in SCENARIO.roles:
                assert SCENARIO.allowed(self.state, role) == ()
                for kind in SCENARIO.act_types:
                    late = SCENARIO.apply(self.state, Act(kind, role, {}, 1 << 60))
                    assert isinstance(late, Refusal)

    @invariant()
    def frames_are_numbered_and_the_active_one_exists(self) -> None:
        books = [run.book for run in self.state.runs] + [self.state.book]
        for book in books:
            assert [frame.frame_id for frame in book.frames] == [*range(1, len(book.frames) + 1)]
            assert book.has(book.active)
        sizes = [len(book.frames) for book in books]
        assert sizes == sorted(sizes)

    @invariant()
    def the_user_sees_nothing_of_the_wizards(self) -> None:
        view = SCENARIO.view(self.state, "user")
        assert "frames" not in view
        assert "searches" not in view
        assert "card" not in SCENARIO.view(self.state, "wizard")

    def teardown(self) -> None:
        acts = msgspec.json.decode(msgspec.json.encode(self.acts), type=list[Act])
        again = replay_acts(SCENARIO, material(), self.seed, acts)
        assert again == self.state
        for record in SCENARIO.finish(self.state, Sitting(1, {"user": 2, "wizard": 3})):
            check_record(record)


def _wanted(kind: str, rng: Random) -> bool:
    """Ends the chat seldom, so that something happens in it."""
    return kind != "frames.end" or rng.random() < 0.1


def check_record(record: FramesDialogue) -> None:
    """A record is in the released form, and no rule finds an error or more than a note in it."""
    data = msgspec.json.encode(record)
    assert msgspec.json.decode(data, type=FramesDialogue) == record
    assert json.loads(data)["turns"][0]["author"] == "user"
    event("a session was released")
    examined = Examined(convert(record), None, "frames.json")
    for each in get_corpus("frames").rules():
        if each.severity != "note" and each.check is not None:
            assert list(each.check(record, examined)) == [], each.code


Table.TestCase.settings = settings(max_examples=MOST, stateful_step_count=20, deadline=None)
TestTable = Table.TestCase
