"""How language models are asked for the frames of a user turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from commonground.corpora.frames.tasks.tracking.places import (
    FrameProbabilities,
    list_places,
    list_right,
)
from commonground.method import Prompt, Reply
from commonground.replies import read_number, read_whole
from commonground.task import Instance


class AskedSlot(msgspec.Struct):
    """A slot of an act, and the frame that it is about."""

    key: str
    frame: int


class AskedAct(msgspec.Struct):
    """The frames of an act as a model is asked for them.

    Attributes:
        act: its name.
        slots: its slots in order, each with its frame.
        refers_to: frames that the act as such refers to.
    """

    act: str
    slots: list[AskedSlot]
    refers_to: list[int]


def read_frames(reply: Reply) -> FrameProbabilities:
    """Returns the chosen frames as probabilities of 1; what is above all frames is a new one.

    Who has probabilities may say a list with those of each slot and each act as such, in order:
    ``{"1": 0.8, "2": 0.2}``, or as predictions have them: ``{"shares": [0.8, 0.2]}``.
    """
    places = list_places(reply.instance.inputs)
    width = len(reply.instance.inputs["frames"]) + 1
    acts = reply.instance.inputs["acts"]
    is_by_act = all(isinstance(each, dict) and "refers_to" in each for each in reply.value)
    said = list(_list_chosen(reply.value, acts)) if is_by_act else reply.value
    shares = []
    for chosen, _place in zip(said, places, strict=True):
        if isinstance(chosen, dict) and "shares" in chosen:
            shares.append([read_number(each) for each in chosen["shares"]])
            continue
        share = [0.0] * width
        shares_of = chosen if isinstance(chosen, dict) else dict.fromkeys(chosen, 1.0)
        for frame, probability in shares_of.items():
            # Whatever number a model gives a new frame, it is the one after the last; none is
            # before 1.
            share[max(1, min(read_whole(frame), width)) - 1] = read_number(probability)
        shares.append(share)
    return FrameProbabilities(
        shares, is_choice=any(not isinstance(chosen, dict) for chosen in said)
    )


def _list_chosen(said: list[dict[str, Any]], acts: list[dict[str, Any]]) -> Iterator[list[Any]]:
    """Yields the frames of each slot and then of each act as such, in the order of the places.

    Raises:
        ValueError: they are of other acts or slots.
    """
    for each, act in zip(said, acts, strict=True):
        if each.get("act", act["name"]) != act["name"]:
            raise ValueError(f"expected the act {act['name']!r}, found {each['act']!r}")
        slots = [arg["key"] for arg in act["args"] if arg["key"] != "id"]
        for chosen, slot in zip(each.get("slots") or [], slots, strict=True):
            if chosen.get("key", slot) != slot:
                raise ValueError(f"expected the slot {slot!r}, found {chosen['key']!r}")
            yield [chosen["frame"]]
        yield each["refers_to"]


def say_shares(answered: Reply) -> list[dict[str, list[float]] | list[int]]:
    """Returns the probabilities of the frames for each place, or the frames that were chosen."""
    answer: FrameProbabilities = answered.value
    return [
        [frame for frame, share in enumerate(shares, 1) if share]
        if answer.is_choice and all(share in (0, 1) for share in shares)
        else {"shares": shares}
        for shares in answer.shares
    ]


def list_frames(instance: Instance) -> list[AskedAct] | None:
    """Returns the annotated frames of each act in the form that is asked for.

    None where the annotated acts have other slots with references than without.
    """
    places, right = list_places(instance.inputs), list_right(instance)
    if len(places) != len(right):
        return None
    asked: list[AskedAct] = []
    slots: list[AskedSlot] = []
    for place, frames in zip(places, right, strict=True):
        if place.is_bare:
            asked.append(AskedAct(place.name, slots, sorted(frames)))
            slots = []
        else:
            slots.append(AskedSlot(place.slot, min(frames)))
    return asked


PROMPT = Prompt(
    task="frames/tracking",
    answer=read_frames,
    say=say_shares,
    target=list_frames,
    form=list[AskedAct],
)
