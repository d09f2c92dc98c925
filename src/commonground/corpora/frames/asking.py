"""How language models are asked to do the tasks of Frames."""

from __future__ import annotations

from typing import Any

from commonground.corpora.frames.baselines.places import Answer, list_places, list_right
from commonground.task import Instance, Prompt

Act = dict[str, Any]


def read_acts(_instance: Instance, value: list[Act]) -> list[Act]:
    """Returns acts with their slots; ``val`` may be missing."""
    return [
        {"name": str(act["name"]), "args": [{"key": str(arg["key"]), **arg} for arg in act["args"]]}
        for act in value
    ]


def read_frames(instance: Instance, value: list[list[int]]) -> Answer:
    """Returns the chosen frames as probabilities of 1; what is above all frames is a new one."""
    places = list_places(instance.inputs)
    width = len(instance.inputs["frames"]) + 1
    shares = []
    for chosen, _place in zip(value, places, strict=True):
        share = [0.0] * width
        for frame in chosen:
            share[max(1, min(frame, width)) - 1] = 1.0
        shares.append(share)
    return Answer(shares)


def list_frames(instance: Instance) -> list[list[int]]:
    """Returns the annotated frames of each place."""
    return [sorted(frames) for frames in list_right(instance)]


PROMPTS = (
    Prompt(
        task="frames/nlu",
        ask="A user and a wizard talk about booking a trip. Say what the user does in the last "
        "turn (`text`), given the turns before (`history`). Answer with JSON only: a list of "
        'dialogue acts such as [{"name": "inform", "args": [{"key": "dst_city", "val": "Rome"}]}]. '
        "Values stand as in the text; an act without slots has an empty list of args.",
        answer=read_acts,
        target=lambda instance: instance.gold,
    ),
    Prompt(
        task="frames/tracking",
        ask="A user and a wizard talk about booking a trip. Each option that they consider is a "
        "frame, numbered from 1; `frames` lists those that there are. `acts` says what the user "
        "does in the last turn (`text`). For each act in order, say which frame each of its slots "
        "(but `id`) is about, and then which frames the act as such refers to. A slot is about one "
        "frame; a new frame has the number after the last. Answer with JSON only: a flat list of "
        "lists of numbers, such as [[1], [2], [], [1]].",
        answer=read_frames,
        target=list_frames,
    ),
)
