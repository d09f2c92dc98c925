"""Whatever two players, a moderator and a slow network try, some things always hold."""

from __future__ import annotations

import json
import os
from random import Random
from typing import Any

import msgspec
from hypothesis import event, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from commonground.corpora.photobook.native import Game
from commonground.play.scenario import Act, Refusal, Sitting
from commonground.play.scenarios.photobook.material import (
    PhotobookMaterial,
    check_material,
    invent_material,
)
from commonground.play.scenarios.photobook.release import render_clock
from commonground.play.scenarios.photobook.replay import REPLAY
from commonground.play.scenarios.photobook.rules import LONGEST, SCENARIO, PhotobookState
from commonground.play.schema_player import draw_value
from commonground.play.session import replay_acts

MATERIALS = invent_material(32, 9)
IMAGES = sorted({path for page in MATERIALS[0].pages for path in page.A.images + page.B.images})
MOST = int(os.environ.get("COMMONGROUND_EXAMPLES", "20"))
"""Games that are tried; a bigger number takes longer and finds more."""

ROLES = st.sampled_from(["A", "B"])
ANYTHING: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=120),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=3,
)
FIELDS = st.sampled_from(["text", "image", "label", "col", "partner_u", "self_u", "reason"])


class Table(RuleBasedStateMachine):
    """Two players who do what they may, and what they may not."""

    @initialize(seed=st.integers(0, 10_000), chosen=st.sampled_from(MATERIALS[:2]))
    def begin(self, seed: int, chosen: PhotobookMaterial) -> None:
        self.material, self.seed = chosen, seed
        self.state: PhotobookState = SCENARIO.start(chosen, seed)
        self.now_us = 1_700_000_000_000_000
        self.acts: list[Act] = []

    def attempt(self, kind: str, role: str | None, payload: Any, number: int | None = None) -> str:
        self.now_us += 250_000
        act = Act(kind, role, payload, self.now_us, number)
        before = msgspec.json.encode(self.state)
        result = SCENARIO.apply(self.state, act)
        assert msgspec.json.encode(self.state) == before, "a state was changed from outside"
        if isinstance(result, Refusal):
            assert result.code in SCENARIO.refusals
            return result.code
        self.state = result
        self.acts.append(act)
        return ""

    @rule(role=ROLES, text=st.text(max_size=110), number=st.none() | st.integers(0, 6))
    def write(self, role: str, text: str, number: int | None) -> None:
        was = self.state.round
        refused = self.attempt("chat.message", role, {"text": text}, number)
        if not refused:
            assert 0 < len(text) <= LONGEST
            assert text.strip()
            assert text[0] != "<"
            assert number in (None, was)

    @rule(role=ROLES, image=st.sampled_from(IMAGES), label=st.sampled_from(["common", "different"]))
    def mark(self, role: str, image: str, label: str) -> None:
        goal, side = self.state.goal(role), self.state.sides[role]
        refused = self.attempt("photobook.mark", role, {"image": image, "label": label})
        if not refused:
            assert image in goal
            assert not side.submitted

    @rule(steps=st.integers(1, 60), seed=st.integers(0, 1_000))
    def do_what_is_allowed(self, steps: int, seed: int) -> None:
        """Takes what the rules offer at its word."""
        rng = Random(seed)
        for _ in range(steps):
            role = rng.choice("AB")
            allowed = SCENARIO.allowed(self.state, role)
            clicks = [each for each in allowed if each.type != "chat.message"]
            if clicks:
                chosen = clicks[-1]
                payload = draw_value(chosen.payload, rng)
                assert self.attempt(chosen.type, role, payload) == ""

    @rule(role=st.sampled_from(["A", "B", "C", None]), payload=st.dictionaries(FIELDS, ANYTHING))
    def do_anything(self, role: str | None, payload: Any) -> None:
        for kind in sorted(SCENARIO.act_types - {"moderator.end", "session.ended"}):
            self.attempt(kind, role, payload)
        assert self.attempt("photobook.cheat", role, payload) != ""

    @rule(role=ROLES)
    def come_too_late(self, role: str) -> None:
        act = Act("chat.message", role, {"text": "hi"}, self.state.last_us or 0)
        refused = SCENARIO.apply(self.state, act)
        if self.acts:
            assert isinstance(refused, Refusal)

    @rule()
    def end(self) -> None:
        if len(self.acts) < 40:
            return
        over = SCENARIO.is_over(self.state)
        assert (self.attempt("moderator.end", None, {"reason": "broken"}) == "") != over

    @invariant()
    def nothing_happens_after_the_end(self) -> None:
        if SCENARIO.is_over(self.state):
            assert SCENARIO.allowed(self.state, "A") == ()
            for kind in SCENARIO.act_types:
                assert isinstance(SCENARIO.apply(self.state, Act(kind, "A", {}, 1 << 60)), Refusal)

    @invariant()
    def scores_are_the_right_marks(self) -> None:
        for role in ("A", "B"):
            marks = self.state.sides[role].marks
            assert marks.keys() <= self.state.goal(role).keys()
            right = sum(self.state.goal(role)[image] == label for image, label in marks.items())
            assert self.state.score(self.state.round, role) == right <= 3

    @invariant()
    def nobody_sees_what_only_the_partner_sees(self) -> None:
        page = self.state.setting.pages[self.state.round - 1]
        for role, mine, other in (("A", page.A, page.B), ("B", page.B, page.A)):
            view = SCENARIO.view(self.state, role)
            seen = json.dumps([each for name, each in view.items() if name != "chat"])
            assert not any(image in seen for image in {*other.images} - {*mine.images})

    def teardown(self) -> None:
        acts = msgspec.json.decode(msgspec.json.encode(self.acts), type=list[Act])
        assert acts == self.acts
        assert replay_acts(SCENARIO, self.material, self.seed, acts) == self.state
        for game in SCENARIO.finish(self.state, Sitting(1, {"A": 2, "B": 3})):
            check_log(game, complete=SCENARIO.is_complete(self.state))


def check_log(game: Game, *, complete: bool) -> None:
    stamps = [message.timestamp for each in game.rounds for message in each.messages]
    assert stamps[0] == "00:00:00"
    assert all(len(stamp) == 15 for stamp in stamps[1:])
    assert stamps == sorted(set(stamps))
    if complete:
        event("a game was played to its end")
        assert [each.round_nr for each in game.rounds] == [1, 2, 3, 4, 5]
        assert REPLAY.replay is not None
        found = REPLAY.replay("game.json", msgspec.json.encode(game))
        assert found.differences == []


Table.TestCase.settings = settings(max_examples=MOST, stateful_step_count=30, deadline=None)
TestTable = Table.TestCase


@given(st.integers(0, 100_000), st.sampled_from(MATERIALS))
@settings(max_examples=50, deadline=None)
def test_every_dealt_page_keeps_the_invariants(seed: int, material: PhotobookMaterial) -> None:
    assert check_material(material) == []
    state = SCENARIO.start(material, seed)
    assert sorted(map(hash, state.setting.pages)) == sorted(map(hash, material.pages))
    assert {len(goal) for goals in state.setting.goals for goal in goals.values()} == {3}


@given(st.integers(1, 200_000_000_000))
def test_clocks_are_read_as_written(elapsed_us: int) -> None:
    from commonground.corpora.photobook.native import parse_clock

    seconds = parse_clock(render_clock(elapsed_us))
    assert seconds is not None
    assert round(seconds * 1_000_000) == elapsed_us
