"""Simple ways to find the frame of every slot and bare reference of a user turn.

Annotated frames hold values in other forms than the acts, so values are compared in one form.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from typing import Any, Literal

import msgspec

from commonground.bench.learners.linear import Features
from commonground.bench.learners.ngrams import count_ngrams, split_words
from commonground.bench.learners.ranking import Group, Judge, Ranker, train_ranker
from commonground.corpora.frames.tasks.tracking.places import (
    FrameProbabilities,
    SlotPlace,
    list_labelled,
    list_places,
    take_answer,
    write_answers,
)
from commonground.method import Baseline, Baselines, TrainingSet
from commonground.task import Instance

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
    held = set[str]().union(*values.values())
    return {each for each in held if len(each) > 2 and each in text}


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
        active = mentioned[self.active - 1] if self.active <= self.count else set[str]()
        self._mentions = [each - active for each in mentioned]
        slots = [arg for act in inputs["acts"] for arg in act["args"] if arg.get("val") is not None]
        self._states = [
            [compare_value(values, arg["key"], arg["val"]) for arg in slots]
            for values in self.values
        ]
        self._words = _count_words(inputs)

    def name_role(self, frame: int) -> str:
        """Says what a frame is before the turn: new, active, newest, or neither of them."""
        if frame > self.count:
            return "new"
        if frame == self.active:
            return "active"
        return "newest" if frame == self.count else "earlier"

    def state(self, frame: int, place: SlotPlace) -> State:
        """Says what a frame has in the slot of a place."""
        return compare_value(self.values[frame - 1], place.slot, place.value)

    def describe(self, place: SlotPlace) -> list[Features]:
        """Returns what speaks for each frame, from 1 to a new one."""
        states = [self.state(number, place) for number in range(1, self.count + 2)]
        now = states[self.active - 1] if self.active <= self.count else "none"
        same = states.count("same")
        return [
            self._describe(place, number, f"{state}<{now}", state == "same" and same == 1)
            for number, state in enumerate(states, 1)
        ]

    def _describe(self, place: SlotPlace, frame: int, state: str, alone: bool) -> Features:
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
        states = self._states[frame - 1]
        now = self._states[self.active - 1] if self.active <= self.count else []
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


def _count_words(inputs: Mapping[str, Any]) -> list[str]:
    """Names the words of the turn and those of the wizard before it."""
    before = inputs["history"][-1:]
    answer = {f"wizard {word}" for turn in before for word in split_words(turn["text"])}
    return [*count_ngrams(inputs["text"]), *sorted(answer)]


class FrameQuestion(msgspec.Struct, frozen=True):
    """Which frame a place is about, and what a rule may go by.

    Attributes:
        outlook: the frames there are, and what the turn says of them.
        place: the slot or bare reference.
        roles: the likeliest role of the frame, by act and slot.
    """

    outlook: Outlook
    place: SlotPlace
    roles: dict[str, str]


Choose = Callable[[FrameQuestion], int]
"""Chooses the frame of a place by a rule."""


class RuleModel(msgspec.Struct, frozen=True):
    """What a rule learns.

    Attributes:
        right: how often the rule finds the frame of a slot.
        bare_right: how often it finds those of a bare reference, or that there is none.
        bare: acts, with and without slots, most of which have a bare reference.
        roles: the likeliest role of the frame, by act and slot; only where the rule uses it.
    """

    right: float
    bare_right: float
    bare: dict[str, bool]
    roles: dict[str, str]


class LinearModel(msgspec.Struct, frozen=True):
    """What was learned about the frames of slots, and of bare references."""

    slots: Ranker
    bare: Ranker


def keep_current(question: FrameQuestion) -> int:
    """Chooses the frame that was active before."""
    # At a first turn frame 1 is active and not there yet: it is the new one.
    return min(question.outlook.active, question.outlook.count + 1)


def match_recent(question: FrameQuestion) -> int:
    """Chooses the newest frame with the value; where none has it, a new or the active one.

    The active frame comes before newer ones. A value that changes one of the active frame opens
    a new frame, as the annotators were told.
    """
    outlook, place, current = question.outlook, question.place, keep_current(question)
    if place.is_bare or place.value is None:
        return current
    states = {n: outlook.state(n, place) for n in range(1, outlook.count + 1)}
    if states.get(current) == "same":
        return current
    same = [number for number, state in states.items() if state == "same"]
    if same:
        return max(same)
    return outlook.count + 1 if states.get(current) == "other" else current


def follow_majority(question: FrameQuestion) -> int:
    """Chooses the frame in the role that those of the same act and slot mostly have."""
    place, count = question.place, question.outlook.count
    role = question.roles.get(_name_act(place, place.slot), "active")
    if role == "new":
        return count + 1
    return max(1, count) if role == "newest" else keep_current(question)


def _name_act(place: SlotPlace, slot: str) -> str:
    return f"{place.name}|{slot}|{int(place.has_slots)}"


def train_rule(choose: Choose, training: TrainingSet) -> RuleModel:
    """Counts how often a rule is right, and which acts have bare references."""
    roles: dict[str, Counter[str]] = {}
    bare: dict[str, Counter[bool]] = {}
    for outlook, place, right in _list_outlooks(training.instances):
        kind = _name_act(place, place.slot)
        roles.setdefault(kind, Counter()).update(map(outlook.name_role, right))
        if place.is_bare:
            bare.setdefault(kind, Counter())[bool(right)] += 1
    model = RuleModel(
        right=0.5,
        bare_right=0.5,
        bare={kind: found[True] >= found[False] for kind, found in bare.items()},
        roles={kind: found.most_common(1)[0][0] for kind, found in roles.items() if found},
    )
    return _rate_rule(choose, model, training.instances)


def _rate_rule(choose: Choose, model: RuleModel, instances: Iterable[Instance]) -> RuleModel:
    """Counts how often a rule is right; a right and a wrong answer are taken as seen before."""
    # So no rule is certain: a share of 1 that is wrong once costs an infinite likelihood.
    hits, bare_hits = [True, False], [True, False]
    for outlook, place, right in _list_outlooks(instances):
        chosen = choose(FrameQuestion(outlook, place, model.roles))
        if place.is_bare:
            bare_hits.append(right == ({chosen} if _refers(model, place) else set()))
        else:
            hits.append(chosen in right)
    return msgspec.structs.replace(
        model, right=sum(hits) / len(hits), bare_right=sum(bare_hits) / len(bare_hits)
    )


def _refers(model: RuleModel, place: SlotPlace) -> bool:
    return model.bare.get(_name_act(place, place.slot), not place.has_slots)


def _list_outlooks(instances: Iterable[Instance]) -> Iterator[tuple[Outlook, SlotPlace, set[int]]]:
    outlook, latest = None, ""
    for instance, place, right in list_labelled(instances):
        if outlook is None or instance.instance_id != latest:
            outlook, latest = Outlook(instance.inputs), instance.instance_id
        yield outlook, place, right


def predict_rule(
    choose: Choose, model: RuleModel, instances: Iterable[Instance]
) -> Iterator[FrameProbabilities]:
    """Gives the chosen frame the share that the rule was right before; others share the rest.

    Args:
        choose: the rule.
        model: how often it was right, and what it goes by.
        instances: user turns, in order.
    """
    for instance in instances:
        outlook = Outlook(instance.inputs)
        places = list_places(instance.inputs)
        yield FrameProbabilities([_answer_rule(choose, model, outlook, place) for place in places])


def _answer_rule(
    choose: Choose, model: RuleModel, outlook: Outlook, place: SlotPlace
) -> list[float]:
    chosen, width = choose(FrameQuestion(outlook, place, model.roles)), outlook.count + 1
    if place.is_bare:
        # A frame is referred to where its probability is above a half, however little above.
        yes, refers = 0.5 + model.bare_right / 2, _refers(model, place)
        frames = range(1, width + 1)
        return [yes if refers and number == chosen else 1 - yes for number in frames]
    if width == 1:
        return [1.0]
    rest = (1 - model.right) / (width - 1)
    return [model.right if number == chosen else rest for number in range(1, width + 1)]


def train_linear(training: TrainingSet) -> LinearModel:
    """Learns to choose one frame for a slot, and to judge each frame for a bare reference."""
    return LinearModel(
        train_ranker(
            _list_choices(training.instances, bare=False), single=True, strength=0.3, least=5
        ),
        train_ranker(
            _list_choices(training.instances, bare=True), single=False, strength=0.3, least=5
        ),
    )


def _list_choices(instances: Iterable[Instance], *, bare: bool) -> Iterator[tuple[Group, set[int]]]:
    for outlook, place, right in _list_outlooks(instances):
        if place.is_bare == bare:
            yield outlook.describe(place), {number - 1 for number in right}


def predict_linear(
    model: LinearModel, instances: Iterable[Instance]
) -> Iterator[FrameProbabilities]:
    """Gives every frame its probability."""
    slots, bare = Judge(model.slots), Judge(model.bare)
    for instance in instances:
        outlook = Outlook(instance.inputs)
        yield FrameProbabilities(
            [
                (bare if place.is_bare else slots).score(outlook.describe(place))
                for place in list_places(instance.inputs)
            ]
        )


def _rule(name: str, title: str, choose: Choose) -> Baseline:
    return Baseline(
        name=name,
        title=title,
        model=RuleModel,
        train=partial(train_rule, choose),
        predict=partial(predict_rule, choose),
    )


BASELINES = Baselines(
    task="frames/tracking",
    methods=(
        _rule("keep-current", "Everything is about the frame that was active.", keep_current),
        _rule(
            "majority",
            "The active, newest or a new frame, as mostly with the same act and slot.",
            follow_majority,
        ),
        _rule(
            "most-recent-match",
            "The newest frame that has the value, or a new one where it changes the active one.",
            match_recent,
        ),
        Baseline(
            name="linear",
            title=(
                "A linear model over acts, values that frames have, age and role of each frame, "
                "and n-grams of the words."
            ),
            model=LinearModel,
            train=train_linear,
            predict=predict_linear,
        ),
    ),
    write=write_answers,
    take=take_answer,
)
