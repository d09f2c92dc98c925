"""The places of a user turn that a frame is to be found for, and how answers are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

from commonground.bench.metrics.frames_tracking import list_references
from commonground.task import Instance, Tally

BARE = "NOANNO"

IS_CHOICE = "is_choice"
"""What acts say whose frames were chosen without probabilities."""


class SlotPlace(msgspec.Struct, frozen=True):
    """A slot, or the bare reference that an act may be.

    Attributes:
        act: number of the act in its turn, from 0.
        name: name of the act.
        slot: name of the slot; ``NOANNO`` for a bare reference.
        value: value of the slot; None where it has none.
        has_slots: whether the act has any slot.
    """

    act: int
    name: str
    slot: str
    value: Any
    has_slots: bool

    @property
    def is_bare(self) -> bool:
        """Whether it is a bare reference: it may be to no frame, or to several."""
        return self.slot == BARE


class FrameProbabilities(msgspec.Struct, frozen=True):
    """Probabilities of the frames from 1 on, for each place of a turn; the last frame is new.

    With ``is_choice`` they are 1 and 0, since frames were chosen without any.
    """

    shares: list[list[float]]
    is_choice: bool = False


def list_places(inputs: Mapping[str, Any]) -> list[SlotPlace]:
    """Lists the slots of each act of a turn, then what may be its bare reference."""
    places = []
    for number, act in enumerate(inputs["acts"]):
        # Only wizards' acts have ids; no frame is to be found for one.
        slots = [arg for arg in act["args"] if arg["key"] != "id"]
        name = act["name"]
        places += [SlotPlace(number, name, arg["key"], arg.get("val"), True) for arg in slots]
        places.append(SlotPlace(number, name, BARE, None, bool(slots)))
    return places


def list_right(instance: Instance) -> list[set[int]]:
    """Lists the annotated frames of each place of a turn; several only for bare references."""
    right: list[set[int]] = []
    for act in instance.gold["acts"]:
        bare: set[int] = set()
        for each in list_references(act, instance.gold["active_frame"]):
            if each.slot == BARE:
                bare.add(each.frame)
            else:
                right.append({each.frame})
        right.append(bare)
    return right


def list_labelled(instances: Iterable[Instance]) -> Iterator[tuple[Instance, SlotPlace, set[int]]]:
    """Yields each place of annotated turns with its frames.

    A turn whose acts with and without references differ teaches nothing.
    """
    for instance in instances:
        places, right = list_places(instance.inputs), list_right(instance)
        if len(places) == len(right):
            for place, frames in zip(places, right, strict=True):
                yield instance, place, frames


def write_answers(answers: Iterable[tuple[Instance, Any]], path: Path) -> None:
    """Writes predictions as the official script takes them.

    Turns of the wizard have no predictions. Whether one of them ends a dialogue cannot be known
    from the turns of the user, so none is written there.
    """
    grouped = groupby(answers, key=lambda pair: pair[0].dialogue_id)
    with path.open("wb") as file:
        opening = b"[\n"
        for dialogue_id, pairs in grouped:
            turns: list[dict[str, Any]] = []
            for instance, answer in pairs:
                # The script goes by position, so the wizard's turns in between are there, empty.
                turns += [{}] * (len(instance.inputs["history"]) - len(turns))
                turns.append({"predictions": {"acts": _write_acts(instance, answer)}})
            file.write(opening + msgspec.json.encode({"id": dialogue_id, "turns": turns}))
            opening = b",\n"
        file.write(b"[]\n" if opening == b"[\n" else b"\n]\n")


def take_answer(
    instance: Instance, answer: FrameProbabilities, _tally: Tally
) -> list[dict[str, Any]]:
    """Takes probabilities as the acts that the official script takes.

    Args:
        instance: the turn.
        answer: the probabilities of each place.
        _tally: none of it is a fault.
    """
    return _write_acts(instance, answer)


def _write_acts(instance: Instance, answer: FrameProbabilities) -> list[dict[str, Any]]:
    """Writes the probabilities of each place of a turn into its acts."""
    acts = [{"name": act["name"], "args": []} for act in instance.inputs["acts"]]
    for place, share in zip(list_places(instance.inputs), answer.shares, strict=True):
        slot = [] if place.is_bare else [{"key": place.slot, "val": place.value}]
        reference = {"frame": share, "annotations": slot}
        acts[place.act]["args"].append({"key": "ref", "val": [reference]})
    return [{**act, IS_CHOICE: True} for act in acts] if answer.is_choice else acts
