"""A scenario in one file: ann and bob greet each other so many times, and ann begins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec
from commonground.corpora.toy.native import Line, Talk

from commonground.play.player import Moment, Move, Wait
from commonground.play.scenario import (
    Act,
    Allowed,
    MaterialSource,
    Refusal,
    ReleasedFile,
    Sitting,
    Timer,
    payload_schema,
)


class Goal(msgspec.Struct, frozen=True):
    greetings: int


class Talking(msgspec.Struct, frozen=True):
    goal: Goal
    said: tuple[Act, ...] = ()


class Greeting:
    name, corpus, version = "toy", "toy", "1"
    roles = ("Ann", "Bob")
    act_types = frozenset({"chat.message"})
    refusals = frozenset({"not_your_turn"})
    material = Goal

    def start(self, material: Goal, seed: int) -> Talking:
        return Talking(material)

    def apply(self, state: Talking, act: Act) -> Talking | Refusal:
        if not self.allowed(state, act.role or ""):
            return Refusal("not_your_turn")
        return Talking(state.goal, (*state.said, act))

    def view(self, state: Talking, role: str) -> dict[str, Any]:
        return {"round": None, "phase": "play", "chat": [act.payload for act in state.said]}

    def allowed(self, state: Talking, role: str) -> Sequence[Allowed]:
        mine = not self.is_over(state) and self.roles[len(state.said) % 2] == role
        return [Allowed("chat.message", payload_schema(text={"type": "string"}))] if mine else []

    def timers(self, state: Talking) -> Sequence[Timer]:
        return ()

    def is_over(self, state: Talking) -> bool:
        return len(state.said) == state.goal.greetings

    is_complete = is_over

    def finish(self, state: Talking, sitting: Sitting) -> Sequence[Talk]:
        lines = [Line(who=(a.role or "").lower(), says=a.payload["text"]) for a in state.said]
        return [Talk(talk_id=f"p{sitting.number}", lines=lines)]

    def release(self, records: Iterable[Talk]) -> Iterator[ReleasedFile]:
        yield ReleasedFile("talks.json", msgspec.json.encode({"train": list(records)}))


class Mute:
    def next_move(self, moment: Moment, rng: Random) -> Move | Wait:
        return Wait()


def read(folder: Path) -> list[Goal]:
    return [Goal(len(list(folder.iterdir())))]


SCENARIO = Greeting()
MATERIAL = MaterialSource(
    title="A folder with as many files as there shall be greetings.",
    invent=lambda sessions, seed: [Goal(2), Goal(4)],
    read=read,
)
