"""Whatever two people, a moderator and a slow network try, some things always hold."""

from __future__ import annotations

import json
import os
from itertools import pairwise
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.play.scenarios.simmc.shops import clothes, sofas

from commonground.corpora.simmc.native.simmc1 import ApiCalls, Dialogue1
from commonground.play.scenario import Act, Refusal, Sitting
from commonground.play.scenarios.simmc.annotation.material import material_of
from commonground.play.scenarios.simmc.annotation.rules import SCENARIO as ANNOTATION
from commonground.play.scenarios.simmc.fashion.rules import SCENARIO as FASHION
from commonground.play.scenarios.simmc.furniture.rules import SCENARIO as FURNITURE
from commonground.play.schema_player import draw_value
from commonground.play.session import replay_acts

MOST = int(os.environ.get("COMMONGROUND_EXAMPLES", "20"))
"""Sessions that are tried; a bigger number takes longer and finds more."""

GAMES: dict[str, tuple[Any, Any]] = {
    "fashion": (FASHION, clothes()),
    "furniture": (FURNITURE, sofas()),
}
ANYTHING: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=3,
)
FIELDS = st.sampled_from(
    [
        *("text", "image", "item", "attributes", "direction", "furnitureType", "minPrice"),
        *("grade", "reason", "utterance", "frames"),
    ]
)
WILD = st.tuples(
    st.integers(0, 60), st.integers(0, 30), st.dictionaries(FIELDS, ANYTHING, max_size=4)
)


class Run:
    """A session in which people do what they may, and at times what they may not."""

    def __init__(self, game: Any, material: Any, seed: int) -> None:
        self.game = game
        self.material = material
        self.state = game.start(material, seed)
        self.rng = Random(seed)
        self.acts: list[Act] = []
        self.now_us = 0

    def attempt(self, kind: str, role: str | None, payload: Any) -> str:
        self.now_us += 1
        act = Act(kind, role, payload, self.now_us)
        before = msgspec.json.encode(self.state)
        result = self.game.apply(self.state, act)
        assert msgspec.json.encode(self.state) == before, "a state was changed from outside"
        if isinstance(result, Refusal):
            assert result.code in self.game.refusals
            return result.code
        self.state = result
        self.acts.append(act)
        return ""

    def do_something_allowed(self) -> None:
        options = [
            (role, each) for role in self.game.roles for each in self.game.allowed(self.state, role)
        ]
        if not options:
            assert self.game.is_over(self.state)
            return
        role, chosen = self.rng.choice(options)
        refused = self.attempt(chosen.type, role, draw_value(chosen.payload, self.rng))
        # A search may find nothing; everything else that is offered is accepted.
        assert refused in ("", "nothing_found"), (chosen.type, refused)

    def do_something_wild(self, wild: tuple[int, int, dict[str, Any]]) -> None:
        number, who, payload = wild
        kinds = sorted(self.game.act_types - {"moderator.end", "session.ended"})
        role = (*self.game.roles, "nobody", None)[who % (len(self.game.roles) + 2)]
        self.attempt([*kinds, "nobody.knows"][number % (len(kinds) + 1)], role, payload)


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=MOST, deadline=None)
@given(data=st.data(), seed=st.integers(0, 100_000), steps=st.integers(1, 120))
def test_sessions_stay_sound(name: str, data: st.DataObject, seed: int, steps: int) -> None:
    game, material = GAMES[name]
    run = Run(game, material, seed)
    for wild in data.draw(st.lists(WILD, max_size=8)):
        for _ in range(steps // 8 + 1):
            run.do_something_allowed()
        run.do_something_wild(wild)
        check_secrets(name, run)
    check_records(run)
    acts = msgspec.json.decode(msgspec.json.encode(run.acts), type=list[Act])
    assert replay_acts(game, material, seed, acts) == run.state


def check_secrets(name: str, run: Run) -> None:
    view = run.game.view(run.state, "user")
    assert json.loads(json.dumps(view)) == view
    seen = json.dumps({key: value for key, value in view.items() if key not in ("chat", "cart")})
    assert "Pale Kite" not in seen
    assert "sale_price" not in seen
    if name == "fashion":
        shown = {run.state.focus, *view["cart"]}
        hidden = {f'"{each.number}.png"' for each in run.material.items if each.number not in shown}
        assert not any(each in seen for each in hidden)
    else:
        shared = {each["item"] for each in view["scene"]}
        assert shared <= run.state.known.numbers.keys()


def check_records(run: Run) -> None:
    records = run.game.finish(run.state, Sitting(1, {"user": 2, "assistant": 3}))
    if not records:
        return
    dialogue = next(each for each in records if isinstance(each, Dialogue1))
    calls = next(each for each in records if isinstance(each, ApiCalls))
    assert len(calls.actions) == len(dialogue.dialogue)
    numbers = list((dialogue.dialogue_coref_map or {}).values())
    assert numbers == list(range(len(numbers)))
    for before, after in pairwise(dialogue.dialogue):
        assert before.state_graph_2 == after.state_graph_0
    for turn in dialogue.dialogue:
        assert (turn.visual_objects or {}).keys() <= (turn.state_graph_0 or {}).keys()
        assert turn.transcript
        assert turn.system_transcript
    shelf = {each.number: each for each in run.material.items}
    assert ANNOTATION.start(material_of(records, shelf), 0).utterances


@settings(max_examples=MOST, deadline=None)
@given(st.lists(WILD, max_size=30))
def test_nothing_makes_labelling_fail(wilds: list[tuple[int, int, dict[str, Any]]]) -> None:
    run = Run(FASHION, clothes(), 1)
    while not run.game.finish(run.state, Sitting(0, {})):
        run.do_something_allowed()
    shelf = {each.number: each for each in clothes().items}
    talk = material_of(run.game.finish(run.state, Sitting(0, {})), shelf)
    labelling = Run(ANNOTATION, talk, 0)
    for wild in wilds:
        labelling.do_something_wild(wild)
