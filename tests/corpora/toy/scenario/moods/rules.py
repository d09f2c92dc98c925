"""A scenario for one: somebody says of each line of a talk what mood it is in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from commonground.corpora.toy.native import Line, Talk

from commonground.play.scenario import (
    Act,
    Allowed,
    MaterialSource,
    Refusal,
    ReleasedFile,
    Sitting,
    Timer,
)

MOODS = ("glad", "sad")


class Heard(msgspec.Struct, frozen=True):
    talk_id: str
    lines: tuple[tuple[str, str], ...]


class Labels(msgspec.Struct, frozen=True):
    heard: Heard
    moods: tuple[str, ...] = ()
    last_us: int = 0


class Labelling:
    name, corpus, version = "toy-moods", "toy", "1"
    roles = ("labeller",)
    act_types = frozenset({"toy.label"})
    refusals = frozenset({"over", "unknown_type", "wrong_role", "bad_payload", "time_order"})
    material = Heard

    def start(self, material: Heard, seed: int) -> Labels:
        return Labels(material)

    def apply(self, state: Labels, act: Act) -> Labels | Refusal:
        if self.is_over(state):
            return Refusal("over")
        if act.type not in self.act_types:
            return Refusal("unknown_type", "protocol")
        if act.role not in self.roles:
            return Refusal("wrong_role", "protocol")
        if act.at_us <= state.last_us:
            return Refusal("time_order", "protocol")
        if act.payload.get("mood") not in MOODS:
            return Refusal("bad_payload", "protocol")
        return Labels(state.heard, (*state.moods, act.payload["mood"]), act.at_us)

    def view(self, state: Labels, role: str) -> dict[str, Any]:
        over = self.is_over(state)
        line = None if over else state.heard.lines[len(state.moods)]
        return {
            "round": None,
            "phase": "over" if over else "label",
            "chat": [],
            "number": len(state.moods) + 1,
            "of": len(state.heard.lines),
            "who": line and line[0],
            "says": line and line[1],
        }

    def allowed(self, state: Labels, role: str) -> Sequence[Allowed]:
        if self.is_over(state):
            return ()
        mood = {"enum": list(MOODS)}
        schema = {"type": "object", "properties": {"mood": mood}, "required": ["mood"]}
        return [Allowed("toy.label", schema)]

    def timers(self, state: Labels) -> Sequence[Timer]:
        return ()

    def is_over(self, state: Labels) -> bool:
        return len(state.moods) == len(state.heard.lines)

    is_complete = is_over

    def finish(self, state: Labels, sitting: Sitting) -> Sequence[Talk]:
        pairs = zip(state.heard.lines, state.moods, strict=False)
        lines = [Line(who=who, says=says, mood=mood) for (who, says), mood in pairs]
        return [Talk(talk_id=f"{state.heard.talk_id}-{sitting.number}", lines=lines)]

    def release(self, records: Iterable[Talk]) -> Iterator[ReleasedFile]:
        yield ReleasedFile("talks.json", msgspec.json.encode({"train": list(records)}))


def invent(sessions: int, seed: int) -> list[Heard]:
    return [Heard(f"h{n}", (("ann", f"hello {n}"), ("bob", "good day"))) for n in range(2)]


def read(folder: Path) -> list[Heard]:
    return [Heard(path.stem, (("ann", path.read_text()),)) for path in sorted(folder.iterdir())]


SCENARIO = Labelling()
MATERIAL = MaterialSource(
    title="A folder with a file for each line.",
    invent=invent,
    read=read,
)
