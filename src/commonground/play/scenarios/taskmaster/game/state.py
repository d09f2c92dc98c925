"""Where a dialogue stands that is being written along a script."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

import msgspec

from commonground.corpora.taskmaster import script_language as language
from commonground.play.scenarios.taskmaster.material import Api, TaskmasterMaterial
from commonground.play.scenarios.taskmaster.release import Builder, Marked, Releaser
from commonground.play.scenarios.taskmaster.scripts.filling import (
    fill,
    label_values,
    list_quoted,
    propose_spans,
)
from commonground.play.world import WorldSource

Phase = Literal["forms", "dialogue", "review", "over"]


class Dialect(msgspec.Struct, frozen=True):
    """What differs between the generations.

    Attributes:
        name: of the scenario and of its corpus.
        labels: what stretches of the text may be called.
        apis: what scripts may call, by name.
        endings: what is written after a label, the first of them where a stretch is proposed.
        world: that answers the calls of scripts that no response follows; None for none.
    """

    name: str
    labels: frozenset[str]
    apis: dict[str, Api]
    build: Builder
    release: Releaser
    endings: tuple[str, ...] = ("",)
    world: WorldSource | None = None


class Setting(msgspec.Struct, frozen=True):
    """What does not change in a session.

    Attributes:
        script: the material's, parsed.
        turns: of the script; none where the dialogue is in free form.
        asked: what the worker is asked for before.
        checks: what the worker confirms in the end.
        drawn: the values that the worker is not asked for.
        labels: what stretches may be called, without endings.
        endings: of labels; see :class:`Dialect`.
    """

    material: TaskmasterMaterial
    seed: int
    script: language.Script
    turns: tuple[language.Hint | language.Force, ...]
    asked: tuple[language.Enter, ...]
    checks: tuple[language.Check, ...]
    drawn: dict[str, str]
    labels: frozenset[str]
    apis: dict[str, Api]
    endings: tuple[str, ...]


class Bubble(msgspec.Struct, frozen=True):
    """A turn as the worker sees it.

    Attributes:
        number: from 0.
        hint: what to write; None where the words are fixed, empty in free form.
        text: the words; None where there are none yet.
    """

    number: int
    speaker: language.Speaker
    hint: str | None
    text: str | None


class TaskmasterState(msgspec.Struct, frozen=True):
    """A session between two acts.

    Attributes:
        entered: what the worker entered; None before.
        plan: the turns of the script with all values, once these are there.
        written: the worker's turns by number, in order of writing.
        confirmed: the names of checks that are ticked.
        marked: the labelled stretches as the worker confirmed them; None before, and again when
            a turn is written.
        chat: what moderators wrote.
        last_us: time of the last act; None before the first.
        ended: why it was ended before its time; None where it was not.
    """

    setting: Setting
    entered: dict[str, str] | None = None
    plan: tuple[Bubble, ...] = ()
    written: dict[int, str] = {}
    confirmed: tuple[str, ...] = ()
    marked: tuple[Marked, ...] | None = None
    submitted: bool = False
    chat: tuple[dict[str, Any], ...] = ()
    last_us: int | None = None
    ended: str | None = None

    @property
    def phase(self) -> Phase:
        """Where the session stands: filling in forms, writing, looking it over, or over."""
        if self.submitted or self.ended is not None:
            return "over"
        if self.entered is None and self.setting.asked:
            return "forms"
        return "dialogue" if self.missing else "review"

    @property
    def is_free(self) -> bool:
        """Whether the dialogue is in free form."""
        return not self.setting.turns

    @property
    def values(self) -> dict[str, str]:
        """The values of all variables that have one by now."""
        return self.setting.drawn | (self.entered or {})

    @property
    def missing(self) -> int:
        """How many turns must still be written."""
        if self.is_free:
            return max(0, self.setting.material.least_turns - len(self.written))
        return sum(isinstance(line, language.Hint) for line in self.setting.turns) - len(
            self.written
        )

    def bubbles(self) -> list[Bubble]:
        """Returns all turns of the dialogue, written or not."""
        if self.is_free:
            # The user speaks first, and every second time.
            speakers: tuple[language.Speaker, language.Speaker] = ("user", "assistant")
            # Every turn that was written, and the next one.
            room = min(len(self.written) + 1, self.setting.material.most_turns)
            return [Bubble(n, speakers[n % 2], "", self.written.get(n)) for n in range(room)]
        written = self.written
        return [
            msgspec.structs.replace(each, text=written[each.number])
            if each.number in written
            else each
            for each in self.plan
        ]


@lru_cache(maxsize=512)
def parse_cached(text: str) -> language.Script:
    """Parses a script; the sessions along one share what comes of it."""
    return language.parse_script(text)


def plan_turns(setting: Setting, values: Mapping[str, str]) -> tuple[Bubble, ...]:
    """Returns the turns of a script with the values filled in."""
    return tuple(
        Bubble(number, line.speaker, fill(line.text, values), None)
        if isinstance(line, language.Hint)
        else Bubble(number, line.speaker, None, fill(line.text, values))
        for number, line in enumerate(setting.turns)
    )


def propose(state: TaskmasterState) -> list[Marked]:
    """Returns the stretches of the turns so far that are values of the script."""
    setting, ending = state.setting, state.setting.endings[0]
    wanted = label_values(setting.script, state.values, setting.labels)
    return [
        Marked(bubble.number, each.start, each.end, each.label + ending)
        for bubble in state.bubbles()
        if bubble.text is not None
        for each in propose_spans(bubble.text, wanted)
    ]


def required_values(state: TaskmasterState, number: int) -> list[str]:
    """Returns the variables that a turn must name: those that its hint quotes."""
    turns = state.setting.turns
    line = turns[number] if number < len(turns) else None
    return list_quoted(line.text, state.values) if isinstance(line, language.Hint) else []


def list_labels(setting: Setting) -> list[str]:
    """Returns what stretches may be called, with endings."""
    return sorted(label + ending for label in setting.labels for ending in setting.endings)


def list_likely(setting: Setting) -> list[str]:
    """Returns the labels, with endings, of what the script's variables stand for."""
    types = {*setting.script.types.values()} & setting.labels
    return sorted(label + ending for label in types for ending in setting.endings)
