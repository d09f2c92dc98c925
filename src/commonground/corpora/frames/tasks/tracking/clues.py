"""What speaks for each frame that a slot or a bare reference may be about.

Annotated frames hold values in other forms than the acts, so values are compared in one form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Literal

from commonground.corpora.frames.tasks.tracking.places import Place
from commonground.learners.linear import Features
from commonground.learners.ngrams import count_ngrams, split_words

State = Literal["same", "other", "none"]
"""What a frame has in a slot: the value, another one, or nothing."""

# Of a day month and number count: "August 17th" is "aug 17".
_DAY = re.compile(r"\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(\d{1,2})")
# "$1,700", "1700 usd" and "1.7k" are one number.
_NUMBER = re.compile(r"\$?\s*(\d[\d,]*(?:\.\d+)?)\s*(k|usd|dollars)?")


def normalise(value: Any) -> str:
    """Brings a value to the form in which it is compared: ``$1,700`` as ``1700``."""
    return _normalise(str(value))


@lru_cache(100_000)
def _normalise(value: str) -> str:
    text = value.strip().lower()
    day = _DAY.search(text)
    if day is not None:
        return f"{day[1]} {int(day[2])}"
    number = _NUMBER.fullmatch(text)
    if number is not None:
        amount = float(number[1].replace(",", "")) * (1000 if number[2] == "k" else 1)
        return f"{amount:g}"
    return text


def collect_values(frame: Mapping[str, Any]) -> dict[str, set[str]]:
    """Returns the values of each slot of a frame, in the form in which they are compared."""
    return {
        slot: {normalise(each["val"]) for each in held if not each.get("negated")}
        for slot, held in frame["info"].items()
    }


def compare_value(values: Mapping[str, set[str]], slot: str, value: Any) -> State:
    """Says what a frame has in a slot.

    Args:
        values: of the frame.
        slot: the slot.
        value: the value that is looked for; None asks for any.
    """
    held = values.get(slot)
    if not held:
        return "none"
    return "same" if value is None or normalise(value) in held else "other"


def find_mentioned(values: Mapping[str, set[str]], text: str) -> set[str]:
    """Returns the values of a frame that a text in lower case names, of three letters or more."""
    return {each for each in _flatten(values.values()) if len(each) > 2 and each in text}


def _flatten(held: Iterable[set[str]]) -> set[str]:
    return set().union(*held)


_OLDEST = 5  # more frames, or older ones, are as many and as old as this
_NEW: dict[str, set[str]] = {}


class Outlook:
    """The frames there are before a user turn, and what the turn says of them.

    Attributes:
        active: number of the active frame, from 1.
        count: how many frames there are.
        values: the values of each frame, and of a new one, which has none.
    """

    def __init__(self, inputs: Mapping[str, Any]) -> None:
        frames = inputs["frames"]
        self.active: int = inputs["active_frame"]
        self.count = len(frames)
        self.values = [*map(collect_values, frames), _NEW]
        self._parents = [frame.get("frame_parent_id") for frame in frames]
        text = inputs["text"].lower()
        mentioned = [find_mentioned(values, text) for values in self.values]
        # What the active frame has as well does not tell the frames apart.
        self._mentions = [each - self._of(mentioned) for each in mentioned]
        slots = [arg for act in inputs["acts"] for arg in act["args"] if arg.get("val") is not None]
        self._states = [
            [compare_value(values, arg["key"], arg["val"]) for arg in slots]
            for values in self.values
        ]
        self._words = _count_words(inputs)

    def _of(self, listed: list[set[str]]) -> set[str]:
        return listed[self.active - 1] if self.active <= self.count else set()

    def name_role(self, frame: int) -> str:
        """Says what a frame is before the turn: new, active, newest, or neither of them."""
        if frame > self.count:
            return "new"
        if frame == self.active:
            return "active"
        return "newest" if frame == self.count else "earlier"

    def state(self, frame: int, place: Place) -> State:
        """Says what a frame has in the slot of a place."""
        return compare_value(self.values[frame - 1], place.slot, place.value)

    def describe(self, place: Place) -> list[Features]:
        """Returns what speaks for each frame, from 1 to a new one."""
        states = [self.state(number, place) for number in range(1, self.count + 2)]
        now = states[self.active - 1] if self.active <= self.count else "none"
        same = states.count("same")
        return [
            self._describe(place, number, f"{state}<{now}", state == "same" and same == 1)
            for number, state in enumerate(states, 1)
        ]

    def _describe(self, place: Place, frame: int, state: str, alone: bool) -> Features:
        role = self.name_role(frame)
        act = f"{place.name}+" if place.has_slots else place.name
        found = {
            f"{role}|{act}": 1.0,
            f"{role}|{act}|{place.slot}": 1.0,
            f"{role}|{place.slot}|{state}": 1.0,
            f"{role}|{act}|{state}": 1.0,
            f"{role}|frames {min(self.count, _OLDEST)}": 1.0,
            f"age {min(self.count + 1 - frame, _OLDEST)}": 1.0,
        }
        if alone:
            found[f"only one with it|{role}|{act}"] = 1.0
        found |= self._describe_turn(frame, role, act)
        if role in ("new", "active"):
            found |= {f"{role}|{name}": 1.0 for name in self._words}
        return found

    def _describe_turn(self, frame: int, role: str, act: str) -> dict[str, float]:
        """Describes how the turn as a whole fits a frame."""
        states, now = self._states[frame - 1], self._of_states()
        found = {
            f"same|{role}": float(states.count("same")),
            f"other|{role}": float(states.count("other")),
            f"other than active|{role}": float(now.count("other")),
            f"all same|{role}": float(bool(states) and set(states) == {"same"}),
        }
        mentions = self._mentions[frame - 1]
        if mentions:
            most = max(map(len, self._mentions))
            kind = "most" if len(mentions) == most else "some"
            found |= {f"named|{kind}": 1.0, f"named|{kind}|{role}|{act}": 1.0}
        if frame <= self.count:
            for slot in ("NO_RESULT", "REJECTED", "name"):
                if slot in self.values[frame - 1]:
                    found[f"{slot}|{role}"] = 1.0
            if self.active <= self.count:
                found[f"parent of active|{act}"] = float(self._parents[self.active - 1] == frame)
            found[f"child of active|{act}"] = float(self._parents[frame - 1] == self.active)
        return found

    def _of_states(self) -> list[State]:
        return self._states[self.active - 1] if self.active <= self.count else []


def _count_words(inputs: Mapping[str, Any]) -> list[str]:
    """Names the words of the turn and those of the wizard before it."""
    before = inputs["history"][-1:]
    answer = {f"wizard {word}" for turn in before for word in split_words(turn["text"])}
    return [*count_ngrams(inputs["text"]), *sorted(answer)]
