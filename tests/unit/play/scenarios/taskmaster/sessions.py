"""A session to try the rules with: short scripts, and acts a second apart."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from commonground.play.scenario import Act, Refusal, Sitting
from commonground.play.scenarios.taskmaster.game.self_dialog import SelfDialog
from commonground.play.scenarios.taskmaster.game.state import TaskmasterState
from commonground.play.scenarios.taskmaster.material import TaskmasterMaterial
from commonground.play.scenarios.taskmaster.taskmaster3.rules import SCENARIO as TICKETS

SHORT = """Two people talk.
{{HIDE film name.movie Big Sky}}
{{HIDE time_1 time.showing 4:30pm}}
{{HIDE time_2 time.showing 9:10pm}}
{{ENTER people num.tickets Who comes?}}
{{RAND order id 10 99}}
{{CONVERSATION
hint user (Ask for ‘var_film’ and say order var_order.)
call find_showtimes name.movie var_film
response find_showtimes time.showing var_time_1 time.showing var_time_2
force assistant var_film is on at var_time_1.
hint user (Say yes for ‘var_people’.)
}}
{{CHECK confirm_flow It flows.}}
{{CHECK confirm_kind It is kind.}}"""
FREE = "Order a pizza.\n{{ENTER size num.tickets How big?}}\n{{CONVERSATION}}"


def released_scripts(folder: str) -> dict[str, str]:
    """Returns the title of each script of the released files; skips where they are not."""
    import json

    if "COMMONGROUND_DATA" not in os.environ:
        pytest.skip("COMMONGROUND_DATA names no folder of released files")
    found: dict[str, str] = {}
    for path in sorted(Path(os.environ["COMMONGROUND_DATA"], folder, "data").glob("*.json")):
        for record in json.loads(path.read_bytes()):
            if record["instructions"] is not None:
                found[record["instructions"]] = record["scenario"]
    if not found:
        pytest.skip(f"there are no files of {folder}")
    return found


class Course:
    """A session under way."""

    def __init__(
        self, script: str = SHORT, scenario: SelfDialog = TICKETS, seed: int = 1, **more: Any
    ) -> None:
        self.scenario = scenario
        self.state: TaskmasterState = scenario.start(
            TaskmasterMaterial("Short", script, **more), seed
        )
        self.now_us = 1_700_000_000_000_000

    def act(self, kind: str, role: str | None = "worker", **payload: Any) -> str:
        """Tries an act; returns the code of its refusal, or an empty text."""
        refusal = self.attempt(kind, role, **payload)
        return "" if refusal is None else refusal.code

    def attempt(self, kind: str, role: str | None = "worker", **payload: Any) -> Refusal | None:
        self.now_us += 1_000_000
        result = self.scenario.apply(self.state, Act(kind, role, payload, self.now_us))
        if isinstance(result, Refusal):
            return result
        self.state = result
        return None

    def enter(self, **values: str) -> str:
        return self.act("taskmaster.enter", values=values)

    def turn(self, number: int, text: str) -> str:
        return self.act("taskmaster.turn", turn=number, text=text)

    def check(self, name: str, *, checked: bool = True) -> str:
        return self.act("taskmaster.check", name=name, checked=checked)

    def mark(self, *spans: tuple[int, int, int, str]) -> str:
        names = ("turn", "start", "end", "label")
        sent = [dict(zip(names, each, strict=True)) for each in spans]
        return self.act("taskmaster.mark", spans=sent)

    def write(self) -> Course:
        """Enters and writes everything."""
        assert self.enter(people="my sister and me") == ""
        assert self.turn(0, "Is Big Sky on?") == ""
        assert self.turn(2, "Yes, for my sister and me!") == ""
        return self

    def finish_all(self) -> Course:
        """Goes on to the end, with the stretches that are proposed."""
        for name in ("confirm_flow", "confirm_kind"):
            assert self.check(name) == ""
        spans = self.view["spans"]
        assert self.mark(*((s["turn"], s["start"], s["end"], s["label"]) for s in spans)) == ""
        assert self.act("taskmaster.submit") == ""
        return self

    @property
    def view(self) -> dict[str, Any]:
        return self.scenario.view(self.state, "worker")

    def record(self) -> Any:
        """Returns the released form."""
        (made,) = self.scenario.finish(self.state, Sitting(0, {"worker": 1}))
        return made
