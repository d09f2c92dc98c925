"""Simple ways to find the frame of every slot and bare reference of a user turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial

import msgspec

from commonground.corpora.frames.tasks.tracking.clues import Outlook
from commonground.corpora.frames.tasks.tracking.places import (
    Answer,
    Place,
    list_lessons,
    list_places,
    write_answers,
)
from commonground.learners.ranking import Group, Judge, Ranker, train_ranker
from commonground.method import Baseline, Baselines, Lessons
from commonground.task import Instance


class Question(msgspec.Struct, frozen=True):
    """Which frame a place is about, and what a rule may go by.

    Attributes:
        outlook: the frames there are, and what the turn says of them.
        place: the slot or bare reference.
        roles: the likeliest role of the frame, by act and slot.
    """

    outlook: Outlook
    place: Place
    roles: dict[str, str]


Choose = Callable[[Question], int]
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


def keep_current(question: Question) -> int:
    """Chooses the frame that was active before."""
    return min(question.outlook.active, question.outlook.count + 1)


def match_recent(question: Question) -> int:
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


def follow_majority(question: Question) -> int:
    """Chooses the frame in the role that those of the same act and slot mostly have."""
    place, count = question.place, question.outlook.count
    role = question.roles.get(_name_act(place, place.slot), "active")
    if role == "new":
        return count + 1
    return max(1, count) if role == "newest" else keep_current(question)


def _name_act(place: Place, slot: str) -> str:
    return f"{place.name}|{slot}|{int(place.has_slots)}"


def train_rule(choose: Choose, lessons: Lessons) -> RuleModel:
    """Counts how often a rule is right, and which acts have bare references."""
    roles: dict[str, Counter[str]] = {}
    bare: dict[str, Counter[bool]] = {}
    for outlook, place, right in _list_outlooks(lessons.instances):
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
    return _rate_rule(choose, model, lessons.instances)


def _rate_rule(choose: Choose, model: RuleModel, instances: Iterable[Instance]) -> RuleModel:
    """Counts how often a rule is right; a right and a wrong answer are taken as seen before."""
    # So no rule is certain: a share of 1 that is wrong once costs an infinite likelihood.
    hits, bare_hits = [True, False], [True, False]
    for outlook, place, right in _list_outlooks(instances):
        chosen = choose(Question(outlook, place, model.roles))
        if place.is_bare:
            bare_hits.append(right == ({chosen} if _refers(model, place) else set()))
        else:
            hits.append(chosen in right)
    return msgspec.structs.replace(
        model, right=sum(hits) / len(hits), bare_right=sum(bare_hits) / len(bare_hits)
    )


def _refers(model: RuleModel, place: Place) -> bool:
    return model.bare.get(_name_act(place, place.slot), not place.has_slots)


def _list_outlooks(instances: Iterable[Instance]) -> Iterator[tuple[Outlook, Place, set[int]]]:
    outlook, latest = None, ""
    for instance, place, right in list_lessons(instances):
        if outlook is None or instance.instance_id != latest:
            outlook, latest = Outlook(instance.inputs), instance.instance_id
        yield outlook, place, right


def predict_rule(
    choose: Choose, model: RuleModel, instances: Iterable[Instance]
) -> Iterator[Answer]:
    """Gives the chosen frame the share that the rule was right before; others share the rest.

    Args:
        choose: the rule.
        model: how often it was right, and what it goes by.
        instances: user turns, in order.
    """
    for instance in instances:
        outlook = Outlook(instance.inputs)
        places = list_places(instance.inputs)
        yield Answer([_answer_rule(choose, model, outlook, place) for place in places])


def _answer_rule(choose: Choose, model: RuleModel, outlook: Outlook, place: Place) -> list[float]:
    chosen, width = choose(Question(outlook, place, model.roles)), outlook.count + 1
    if place.is_bare:
        # A frame is referred to where its probability is above a half, however little above.
        yes, refers = 0.5 + model.bare_right / 2, _refers(model, place)
        frames = range(1, width + 1)
        return [yes if refers and number == chosen else 1 - yes for number in frames]
    if width == 1:
        return [1.0]
    rest = (1 - model.right) / (width - 1)
    return [model.right if number == chosen else rest for number in range(1, width + 1)]


def train_linear(lessons: Lessons) -> LinearModel:
    """Learns to choose one frame for a slot, and to judge each frame for a bare reference."""
    return LinearModel(
        train_ranker(
            _list_choices(lessons.instances, bare=False), single=True, strength=0.3, least=5
        ),
        train_ranker(
            _list_choices(lessons.instances, bare=True), single=False, strength=0.3, least=5
        ),
    )


def _list_choices(instances: Iterable[Instance], *, bare: bool) -> Iterator[tuple[Group, set[int]]]:
    for outlook, place, right in _list_outlooks(instances):
        if place.is_bare == bare:
            yield outlook.describe(place), {number - 1 for number in right}


def predict_linear(model: LinearModel, instances: Iterable[Instance]) -> Iterator[Answer]:
    """Gives every frame its probability."""
    slots, bare = Judge(model.slots), Judge(model.bare)
    for instance in instances:
        outlook = Outlook(instance.inputs)
        yield Answer(
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
)
