"""Invents dialogues of generations 1 and 2: slots asked for, told and confirmed."""

from __future__ import annotations

import re
from random import Random
from typing import Literal

from commonground.corpora.taskmaster.errands import Task
from commonground.corpora.taskmaster.native import (
    Label,
    PlainDialogue,
    PlainUtterance,
    Segment,
)
from commonground.corpora.taskmaster.writing import compose, make_id
from commonground.records import UNSET

_OFFERED = re.compile(r"\[([\w.]+)\]")
_PATIENCE = ("One moment, please.", "Okay.", "Let me see …")
_THANKS = ("Perfect, thank you!", "That’s great.", "Thanks, that’s all – bye.")
_SORRY = ("I’m sorry, that is not possible.", "Sorry, they say no.")


class _Talk:
    """A dialogue being written."""

    def __init__(self, rng: Random, task: Task, ending: str) -> None:
        self.rng = rng
        self.utterances: list[PlainUtterance] = []
        self._prefix, self._ending = task.prefix, ending

    def say(
        self, speaker: Literal["USER", "ASSISTANT"], text: str, values: dict[str, str] | None = None
    ) -> None:
        """Adds an utterance; slots are labelled with prefix and ending."""
        composed = compose(text, values or {})
        for segment in composed.segments:
            for label in segment.annotations:
                label.name = f"{self._prefix}.{label.name}{self._ending}"
        self.utterances.append(
            PlainUtterance(
                index=len(self.utterances),
                speaker=speaker,
                text=composed.text,
                segments=_second_opinion(self.rng, composed.text, composed.segments) or UNSET,
            )
        )


def _second_opinion(rng: Random, text: str, segments: list[Segment]) -> list[Segment]:
    """Adds what another annotator may have marked: the same again, or a wider stretch."""
    if not segments:
        return segments
    first, last = segments[0], segments[-1]
    if rng.random() < 0.2:
        first.annotations.append(Label(name=first.annotations[0].name))
    if len(segments) > 1 and rng.random() < 0.3:
        wider = Segment(
            start_index=first.start_index,
            end_index=last.end_index,
            text=text[first.start_index : last.end_index],
            annotations=[Label(name=last.annotations[0].name)],
        )
        segments = sorted([*segments, wider], key=lambda each: (each.start_index, each.end_index))
    return segments


def invent_plain(rng: Random, task: Task, *, spoken: bool, verdicts: bool) -> PlainDialogue:
    """Invents a dialogue.

    Args:
        rng: where chance comes from.
        task: what it is about.
        spoken: whether two people talk; then the assistant begins and now and then speaks twice.
        verdicts: whether labels end in ``.accept`` or ``.reject``, as in generation 1.
    """
    accepted = rng.random() < 0.8
    ending = (".accept" if accepted else ".reject") if verdicts else ""
    talk = _Talk(rng, task, ending)
    if spoken:
        talk.say("ASSISTANT", "Hello, how can I help you?")
    talk.say("USER", rng.choice(task.opening))
    values = {}
    for slot in task.slots:
        if spoken and rng.random() < 0.3:
            talk.say("ASSISTANT", rng.choice(_PATIENCE))
        talk.say("ASSISTANT", rng.choice(slot.ask))
        values[slot.label] = rng.choice(slot.values)
        answer = rng.choice(slot.answer).replace("{}", f"{{{slot.label}}}")
        talk.say("USER", answer, values)
        if spoken and rng.random() < 0.1:
            talk.say("USER", "If that’s possible.")
    _close(talk, rng.choice(task.offer), values, accepted=accepted)
    return PlainDialogue(
        conversation_id=make_id(rng), instruction_id=task.name, utterances=talk.utterances
    )


def _close(talk: _Talk, offer: str, values: dict[str, str], *, accepted: bool) -> None:
    rng = talk.rng
    talk.say("ASSISTANT", _OFFERED.sub(r"{\1}", offer) if accepted else rng.choice(_SORRY), values)
    talk.say("USER", rng.choice(_THANKS) if accepted else "What a pity.")
    if rng.random() < 0.5:
        talk.say("ASSISTANT", "You’re welcome." if accepted else "Maybe another time.")
