"""Errands: what invented dialogues of generations 1 and 2 are about, and how two people talk.

Nobody knows the instructions of these generations but as prose, so their spoken dialogues follow no
script: the assistant asks for each slot, the user answers, and in the end it works out or not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from random import Random
from typing import Literal

import msgspec

from commonground.corpora.taskmaster.native.dialogues import (
    Label,
    PlainDialogue,
    PlainUtterance,
    Segment,
)
from commonground.play.phrase_files import load_beside
from commonground.play.scenarios.taskmaster.release import make_id
from commonground.records import UNSET

ACCEPT, REJECT = ".accept", ".reject"
"""What generation 1 writes after labels: whether what was asked for worked out."""

ACCEPTED = 0.8
"""How often it does."""

# `{label}` in a template; `[label]` in an offer, which quotes what was said before.
_SLOT = re.compile(r"\{([^{}]+)\}")
_OFFERED = re.compile(r"\[([\w.]+)\]")


class ErrandSlot(msgspec.Struct, frozen=True):
    """Something that the assistant has to know.

    Attributes:
        label: its name in the ontology, without prefix.
        answer: answers of the user; ``{}`` stands for the value.
    """

    label: str
    ask: tuple[str, ...]
    answer: tuple[str, ...]
    values: tuple[str, ...]

    def choose_answer(self, rng: Random) -> str:
        """Returns an answer with the value as ``{label}``."""
        return rng.choice(self.answer).replace("{}", f"{{{self.label}}}")


class Errand(msgspec.Struct, frozen=True):
    """A kind of dialogue.

    Attributes:
        name: its instructions; in generation 2 the name of its file.
        prefix: first part of its labels.
        offer: what the assistant suggests in the end, with slots ``[label]`` of what was said.
        slots: what has to be known, in order.
    """

    name: str
    prefix: str
    opening: tuple[str, ...]
    offer: tuple[str, ...]
    slots: tuple[ErrandSlot, ...]

    def choose_offer(self, rng: Random) -> str:
        """Returns what the assistant suggests, with the values as ``{label}``."""
        return _OFFERED.sub(r"{\1}", rng.choice(self.offer))


class Instructions(msgspec.Struct, frozen=True):
    """What the instructions of all errands say.

    Attributes:
        prose: what is to be written; ``{}`` stands for what it is about.
        points: how it begins, goes on and ends.
        before: what stands above the questions.
        check: what to confirm in the end.
    """

    prose: str
    points: tuple[str, ...]
    before: str
    check: str


class Errands(msgspec.Struct, frozen=True):
    """``errands.toml``: the errands of each generation.

    Attributes:
        first: those of generation 1.
        second: those of generation 2.
        talk: what people say whatever the errand is; one of each is drawn.
        instructions: what those of generation 1 are told before they write.
    """

    first: tuple[Errand, ...]
    second: tuple[Errand, ...]
    talk: dict[str, tuple[str, ...]]
    instructions: Instructions


@cache
def load_errands() -> Errands:
    """Returns the errands of ``errands.toml``, read once."""
    return load_beside(__file__, "errands.toml", Errands)


class Composed(msgspec.Struct, frozen=True):
    """A text, and its slots as segments in order."""

    text: str
    segments: list[Segment]


def compose(template: str, values: Mapping[str, str]) -> Composed:
    """Fills a template; each slot ``{label}`` becomes a segment of that label."""
    text, segments = "", []
    # The pattern has a group, so every second piece is the name of a slot.
    for number, piece in enumerate(_SLOT.split(template)):
        if number % 2:
            value, labels = values[piece], [Label(name=piece)]
            start, end = len(text), len(text) + len(value)
            segments.append(
                Segment(start_index=start, end_index=end, text=value, annotations=labels)
            )
            piece = value
        text += piece
    return Composed(text, segments)


def invent_dialogue(rng: Random, errand: Errand, *, verdicts: bool) -> PlainDialogue:
    """Invents what two people say: the assistant begins, and now and then speaks twice.

    Args:
        verdicts: whether labels end in ``.accept`` or ``.reject``, as in generation 1.
    """
    is_accepted, talk = rng.random() < ACCEPTED, load_errands().talk
    ending = (ACCEPT if is_accepted else REJECT) if verdicts else ""
    spoken = _Spoken(rng, errand, ending)
    spoken.say("ASSISTANT", talk["greeting"])
    spoken.say("USER", errand.opening)
    for slot in errand.slots:
        if rng.random() < 0.3:
            spoken.say("ASSISTANT", talk["patience"])
        spoken.say("ASSISTANT", slot.ask)
        spoken.values[slot.label] = rng.choice(slot.values)
        spoken.say("USER", (slot.choose_answer(rng),))
        if rng.random() < 0.1:
            spoken.say("USER", talk["perhaps"])
    spoken.say("ASSISTANT", (errand.choose_offer(rng),) if is_accepted else talk["sorry"])
    spoken.say("USER", talk["thanks"] if is_accepted else talk["pity"])
    if rng.random() < 0.5:
        spoken.say("ASSISTANT", talk["welcome"] if is_accepted else talk["later"])
    return PlainDialogue(
        conversation_id=make_id(rng.getrandbits(32)),
        instruction_id=errand.name,
        utterances=spoken.utterances,
    )


class _Spoken:
    """A spoken dialogue under way."""

    def __init__(self, rng: Random, errand: Errand, ending: str) -> None:
        self._rng = rng
        self._prefix, self._ending = errand.prefix, ending
        self.utterances: list[PlainUtterance] = []
        self.values: dict[str, str] = {}

    def say(self, speaker: Literal["USER", "ASSISTANT"], words: tuple[str, ...]) -> None:
        """Adds one of some utterances; slots are labelled with prefix and ending."""
        composed = compose(self._rng.choice(words), self.values)
        for segment in composed.segments:
            for label in segment.annotations:
                label.name = f"{self._prefix}.{label.name}{self._ending}"
        segments = _second_opinion(self._rng, composed.text, composed.segments)
        self.utterances.append(
            PlainUtterance(
                index=len(self.utterances),
                speaker=speaker,
                text=composed.text,
                segments=segments or UNSET,
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
