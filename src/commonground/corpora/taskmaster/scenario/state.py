"""Where a dialogue stands that is being written along a script."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

import msgspec

from commonground.corpora.taskmaster.scenario.filling import fill, list_quoted, propose_spans
from commonground.corpora.taskmaster.scenario.material import Api, Material
from commonground.corpora.taskmaster.scenario.release import Builder, Marked, Releaser
from commonground.corpora.taskmaster.scenario.script_language import (
    Enter,
    Force,
    Hint,
    Script,
    Speaker,
    parse_script,
)

Phase = Literal["forms", "dialogue", "review", "over"]


class Dialect(msgspec.Struct, frozen=True):
    """What differs between the generations.

    Attributes:
        name: of the scenario and of its corpus.
        labels: what stretches of the text may be called.
        apis: what scripts may call, by name.
        build: makes the record of a dialogue.
        release: makes the files of many records.
        endings: what is written behind a label, the first of them where a stretch is proposed.
    """

    name: str
    labels: frozenset[str]
    apis: dict[str, Api]
    build: Builder
    release: Releaser
    endings: tuple[str, ...] = ("",)


class Setting(msgspec.Struct, frozen=True):
    """What does not change in a session.

    Attributes:
        material: what is written by.
        seed: that it was started with.
        script: the material's, parsed.
        drawn: the values that the worker is not asked for.
        labels: what stretches may be called, without endings.
        apis: what may be called.
        endings: of labels; see :class:`Dialect`.
    """

    material: Material
    seed: int
    script: Script
    drawn: dict[str, str]
    labels: frozenset[str]
    apis: dict[str, Api]
    endings: tuple[str, ...]


class State(msgspec.Struct, frozen=True):
    """A session between two acts.

    Attributes:
        setting: what does not change.
        entered: what the worker entered; null before.
        written: the worker's turns by number, in order of writing.
        confirmed: the names of checks that are ticked.
        marked: the labelled stretches as the worker confirmed them; null before, and again when
            a turn is written.
        submitted: whether the worker is done.
        chat: what moderators wrote.
        first_us: time of the first act; null before it.
        last_us: time of the last act; null before the first.
        ended: why it was ended before its time; null where it was not.
    """

    setting: Setting
    entered: dict[str, str] | None = None
    written: dict[int, str] = {}
    confirmed: tuple[str, ...] = ()
    marked: tuple[Marked, ...] | None = None
    submitted: bool = False
    chat: tuple[dict[str, Any], ...] = ()
    first_us: int | None = None
    last_us: int | None = None
    ended: str | None = None

    @property
    def phase(self) -> Phase:
        """Where the session stands."""
        if self.submitted or self.ended is not None:
            return "over"
        if self.entered is None and self.setting.script.of(Enter):
            return "forms"
        return "dialogue" if self.missing else "review"

    @property
    def is_free(self) -> bool:
        """Whether the dialogue is in free form."""
        return not list_turns(self.setting.script)

    @property
    def values(self) -> dict[str, str]:
        """The values of all variables that have one by now."""
        return self.setting.drawn | (self.entered or {})

    @property
    def missing(self) -> int:
        """How many turns must still be written."""
        if self.is_free:
            return max(0, self.setting.material.least_turns - len(self.written))
        open_turns = sum(isinstance(line, Hint) for line in list_turns(self.setting.script))
        return open_turns - len(self.written)

    def bubbles(self) -> list[Bubble]:
        """Returns all turns of the dialogue, written or not."""
        if self.is_free:
            return _free_bubbles(self)
        values = self.values
        return [
            Bubble(
                number,
                line.speaker,
                hint=fill(line.text, values) if isinstance(line, Hint) else None,
                text=self.written.get(number)
                if isinstance(line, Hint)
                else fill(line.text, values),
            )
            for number, line in enumerate(list_turns(self.setting.script))
        ]


class Bubble(msgspec.Struct, frozen=True):
    """A turn as the worker sees it.

    Attributes:
        number: from 0.
        speaker: whose turn it is.
        hint: what to write; null where the words are fixed, empty in free form.
        text: the words; null where there are none yet.
    """

    number: int
    speaker: Speaker
    hint: str | None
    text: str | None


@lru_cache(maxsize=512)
def parse_cached(text: str) -> Script:
    """Parses a script; the sessions along one share what comes of it."""
    return parse_script(text)


@lru_cache(maxsize=512)
def list_turns(script: Script) -> tuple[Hint | Force, ...]:
    """Returns the turns of a script; none where it is in free form."""
    return tuple(line for line in script.lines if isinstance(line, Hint | Force))


def _free_bubbles(state: State) -> list[Bubble]:
    speakers: tuple[Speaker, Speaker] = ("user", "assistant")
    room = min(len(state.written) + 1, state.setting.material.most_turns)
    return [Bubble(n, speakers[n % 2], "", state.written.get(n)) for n in range(room)]


def propose(state: State) -> list[Marked]:
    """Returns the stretches of the turns so far that are values of the script."""
    setting, ending = state.setting, state.setting.endings[0]
    return [
        Marked(bubble.number, each.start, each.end, each.label + ending)
        for bubble in state.bubbles()
        if bubble.text is not None
        for each in propose_spans(bubble.text, setting.script, state.values, setting.labels)
    ]


def required_values(state: State, number: int) -> list[str]:
    """Returns the variables that a turn must name: those that its hint quotes."""
    turns = list_turns(state.setting.script)
    line = turns[number] if number < len(turns) else None
    return list_quoted(line.text, state.values) if isinstance(line, Hint) else []


def list_labels(setting: Setting) -> list[str]:
    """Returns what stretches may be called, with endings."""
    return sorted(label + ending for label in setting.labels for ending in setting.endings)
