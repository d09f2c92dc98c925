"""Baselines of ``simmc/dst``: acts by logistic regression, then the slots of each act.

The acts of a turn are chosen together, as one answer. A slot's values are the things that may be
meant, and runs of the user's words that were values of that slot before.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby, repeat
from pathlib import Path
from typing import Any

import msgspec

from commonground.bench.learners.linear import LinearModel, classify_linear, train_linear
from commonground.bench.learners.ranking import Judge, Ranker, train_ranker
from commonground.bench.learners.tokens import split_tokens
from commonground.bench.metrics.simmc_dst import BeliefFrame
from commonground.corpora.simmc.tasks.beliefs import (
    BELIEF_ENDS,
    BELIEF_STARTS,
    convert_belief,
    list_acts,
)
from commonground.corpora.simmc.tasks.dst.task import Belief
from commonground.corpora.simmc.tasks.features import (
    CONTEXT,
    WORDS,
    describe_turn,
    domain_of,
    last_answer,
)
from commonground.method import Baseline, Baselines, NothingToLearnError, TrainingSet
from commonground.task import Instance, Tally

Frames = Sequence[BeliefFrame]

# Joins the acts of a turn to one label; no act has it in its name.
_BETWEEN = " | "
_LEAST = 2  # times that a feature or a label must occur to be learned
_STRENGTH = 0.3
_LONGEST = 5  # words of a value that is looked for in the text

OBJECT = "O"
"""Slot that names a thing in view or seen before."""

# `OBJECT_2 : pos left` in the scene of a target line, with the place where it is said.
_THING = re.compile(r"(OBJECT_\d{1,9}) : (?:pos (\w+))?")


class StateTurn(msgspec.Struct, frozen=True):
    """What is known at a turn.

    Attributes:
        inputs: the turn's inputs.
        words: the user's words.
        view: what is in view, by name, with its place.
        before: what was in view at the turn before.
        seen: what was in view at any turn before, the newest last.
    """

    inputs: Mapping[str, Any]
    words: str
    view: dict[str, str]
    before: dict[str, str]
    seen: list[str]


class Filler(msgspec.Struct, frozen=True):
    """A slot with a value that it could have, and what speaks for it besides the act.

    Attributes:
        slot: name of the slot.
        value: the value.
        facts: what is known of it.
    """

    slot: str
    value: str
    facts: list[str]


def walk_turns(instances: Iterable[Instance]) -> Iterator[StateTurn]:
    """Yields turns with what was seen before; those of a dialogue must come in order."""
    dialogue, before, seen = "", dict[str, str](), list[str]()
    for each in instances:
        if each.dialogue_id != dialogue:
            dialogue, before, seen = each.dialogue_id, {}, []
        view = _read_view(each.inputs)
        words = str(each.inputs.get("transcript") or "")
        yield StateTurn(each.inputs, words, view, before, seen)
        before = view
        seen = [name for name in seen if name not in view] + list(view)


def _read_view(inputs: Mapping[str, Any]) -> dict[str, str]:
    if "context" in inputs:
        context = inputs["context"]
        return {name: place or "" for name, place in _THING.findall(_latest(context))}
    things = inputs.get("visual_objects") or {}
    return {name: str(thing.get("pos", "")) for name, thing in things.items()}


def _latest(context: str) -> str:
    start = context.rfind("<SOM>")
    return context[start:] if start >= 0 else ""


def list_fillers(turn: StateTurn, values: Mapping[str, Sequence[str]]) -> list[Filler]:
    """Returns what the slots could be filled with.

    Args:
        turn: the turn.
        values: slots by the values, in lower case, that they were seen with.
    """
    return [*_list_objects(turn), *_list_words(turn.words, values)]


def _list_objects(turn: StateTurn) -> Iterator[Filler]:
    """Yields all things up to the highest number that was seen, and one more."""
    names = [*turn.seen, *turn.view]
    numbers = [int(name.partition("_")[2]) for name in names]
    words = sorted({token.text.lower() for token in split_tokens(turn.words)})
    # One more, for a thing that comes into view only by the answer.
    for number in range(max(numbers, default=-1) + 2):
        name = f"OBJECT_{number}"
        facts = _describe_object(turn, name, number, max(numbers, default=-1))
        crossed = [f"{facts[0]} {word}" for word in words]
        yield Filler(OBJECT, name, [*facts, *crossed])


def _describe_object(turn: StateTurn, name: str, number: int, highest: int) -> list[str]:
    if name in turn.view:
        status = "in view"
    elif name in turn.before:
        status = "before"
    else:
        status = "seen" if name in turn.seen else "unseen"
    newest = [each for each in turn.seen if each not in turn.view][-1:]
    facts = [
        status,
        f"{status} of {len(turn.view)}",
        f"{status} at {turn.view.get(name) or turn.before.get(name)} of {len(turn.view)}",
        f"{status} {'first' if number == 0 else highest - number}",
    ]
    return [*facts, f"newest {len(turn.view)}"] if newest == [name] else facts


def _list_words(text: str, values: Mapping[str, Sequence[str]]) -> Iterator[Filler]:
    """Yields runs of words that a slot was seen with."""
    tokens = split_tokens(text)
    # An empty word at each end, so that every run has neighbours; word n is at n + 1.
    lower = ["", *(token.text.lower() for token in tokens), ""]
    taken = -1
    for start in range(len(tokens)):
        # The longest first, so that shorter ones within it are known to be parts of it.
        for size in range(min(_LONGEST, len(tokens) - start), 0, -1):
            value = text[tokens[start].start : tokens[start + size - 1].end]
            slots = values.get(value.lower(), ())
            inside = "inside" if start + size <= taken else "alone"
            around = [f"after {lower[start]}", f"before {lower[start + size + 1]}"]
            for slot in slots:
                yield Filler(slot, value, [f"= {value.lower()}", inside, *around])
            if slots:
                taken = max(taken, start + size)


def describe_filler(filler: Filler, act: str, place: str) -> dict[str, float]:
    """Returns features of a filler for an act.

    Args:
        filler: the slot and its value.
        act: the act that would have it.
        place: which of how many acts it is.
    """
    slot = filler.slot
    names = [slot, f"{slot} {act}", f"{slot} {place}"]
    for fact in filler.facts:
        names += [f"{slot} {fact}", f"{slot} {fact} {act}", f"{slot} {fact} {place}"]
    return dict.fromkeys(names, 1.0)


def describe_state(turn: StateTurn) -> list[str]:
    """Returns what is in view and what was asked last, for choosing acts."""
    places = sorted(turn.view.values())
    answer = split_tokens(last_answer(turn.inputs))
    asked = "asked" if answer and answer[-1].text == "?" else "told"
    return [f"view {' '.join(places)}", f"{asked}", f"{asked} view {len(turn.view)}"]


class ConstantModel(msgspec.Struct, frozen=True):
    """The acts that every turn gets, without slots."""

    acts: list[str] = []


class StateModel(msgspec.Struct, frozen=True):
    """What was learned.

    Attributes:
        kinds: which features the acts are chosen by.
        acts: chooses the acts of a turn, joined to one label.
        values: slots by the values, in lower case, that they were seen with.
        slots: judges a filler for an act.
    """

    kinds: list[str]
    acts: LinearModel
    values: dict[str, list[str]]
    slots: Ranker


def train_majority(training: TrainingSet) -> ConstantModel:
    """Finds the most frequent acts of a turn.

    Raises:
        NothingToLearnError: there is nothing to learn from.
    """
    counts = Counter(_join_acts(_read_gold(each.gold)) for each in training.instances if each.gold)
    if not counts:
        raise NothingToLearnError
    # Of equally frequent ones the first in the alphabet, whatever the order of the dialogues.
    label = min(counts, key=lambda text: (-counts[text], text))
    return ConstantModel(label.split(_BETWEEN))


def predict_constant(model: ConstantModel, instances: Iterable[Instance]) -> Iterator[Frames]:
    """Yields the same acts for every turn."""
    frames = [BeliefFrame(act) for act in model.acts]
    for _each in instances:
        yield frames


def _read_gold(gold: Any) -> Frames:
    """Returns belief states of target lines as they are, and those of JSON as in a line."""
    if gold and all(isinstance(each, BeliefFrame) for each in gold):
        return list(gold)
    return convert_belief(list_acts(gold))


def _join_acts(frames: Frames) -> str:
    return _BETWEEN.join(frame.act or "" for frame in frames)


def train(training: TrainingSet, *, kinds: Sequence[str]) -> StateModel:
    """Learns acts and slots.

    Raises:
        NothingToLearnError: there is nothing to learn from.
    """
    pairs = list(zip(walk_turns(training.instances), training.instances, strict=True))
    known = [(turn, _read_gold(each.gold)) for turn, each in pairs if each.gold]
    features = [_describe(turn, kinds) for turn, _frames in known]
    acts = train_linear(
        features, _list_labels(known), seed=training.seed, strength=_STRENGTH, least=_LEAST
    )
    values = _collect_values(frames for _turn, frames in known)
    slots = train_ranker(_list_choices(known, values), single=False, least=_LEAST)
    return StateModel(list(kinds), acts, values, slots)


def _describe(turn: StateTurn, kinds: Sequence[str]) -> dict[str, float]:
    features = describe_turn(turn.inputs, kinds)
    if CONTEXT in kinds:
        features |= dict.fromkeys(describe_state(turn), 1.0)
    return features


def _list_labels(known: Sequence[tuple[StateTurn, Frames]]) -> list[str]:
    """Returns the acts of each turn as one label; of acts that are rare together the first."""
    labels = [_join_acts(frames) for _turn, frames in known]
    counts = Counter(labels)
    return [label if counts[label] >= _LEAST else label.partition(_BETWEEN)[0] for label in labels]


def _collect_values(states: Iterable[Frames]) -> dict[str, list[str]]:
    found: dict[str, set[str]] = {}
    for frames in states:
        for slot, value in (pair for frame in frames for pair in frame.slots):
            if slot != OBJECT:
                found.setdefault(value.lower(), set()).add(slot)
    return {value: sorted(slots) for value, slots in sorted(found.items())}


def _list_choices(
    known: Iterable[tuple[StateTurn, Frames]], values: Mapping[str, Sequence[str]]
) -> Iterator[tuple[list[dict[str, float]], list[int]]]:
    """Yields the fillers of each act with the places of the right ones."""
    for turn, frames in known:
        fillers = list_fillers(turn, values)
        for place, frame in enumerate(frames):
            group = _describe_fillers(fillers, frame.act or "", place, len(frames))
            right = [i for i, one in enumerate(fillers) if (one.slot, one.value) in frame.slots]
            yield group, right


def _describe_fillers(
    fillers: Iterable[Filler], act: str, place: int, size: int
) -> list[dict[str, float]]:
    return [describe_filler(each, act, f"{place}/{size}") for each in fillers]


def predict(model: StateModel, instances: Iterable[Instance]) -> Iterator[Frames]:
    """Yields the likeliest acts, each with the slots that are likelier than not."""
    turns, judge = list(walk_turns(instances)), Judge(model.slots)
    labels = classify_linear(model.acts, [_describe(turn, model.kinds) for turn in turns])
    for turn, label in zip(turns, labels, strict=True):
        acts, fillers = label.split(_BETWEEN), list_fillers(turn, model.values)
        yield [
            BeliefFrame(act, _choose(judge, fillers, act, place, len(acts)))
            for place, act in enumerate(acts)
        ]


def predict_copied(model: StateModel, instances: Iterable[Instance]) -> Iterator[Frames]:
    """Answers the first turn of each dialogue, and repeats that answer to its end."""
    dialogues = [list(turns) for _id, turns in groupby(instances, key=lambda i: i.dialogue_id)]
    answers = predict(model, [turns[0] for turns in dialogues])
    for turns, answer in zip(dialogues, answers, strict=True):
        yield from repeat(answer, len(turns))


def _choose(
    judge: Judge, fillers: Sequence[Filler], act: str, place: int, size: int
) -> tuple[tuple[str, str], ...]:
    scores = judge.score(_describe_fillers(fillers, act, place, size))
    chosen = [(each.slot, each.value) for each, s in zip(fillers, scores, strict=True) if s > 0.5]
    return tuple(dict.fromkeys(chosen))


def write(answers: Iterable[tuple[Instance, Any]], path: Path) -> None:
    """Writes target lines; or JSON, where dialogues are not from target lines."""
    pairs = list(answers)
    if any("context" in each.inputs for each, _frames in pairs):
        lines = [_write_line(each, frames) for each, frames in pairs]
        path.write_text("".join(lines), encoding="utf-8", newline="\n")
        return
    dialogues = [
        {
            "dialogue_idx": group[0][0].inputs.get("dialogue_idx"),
            "dialogue": [_write_turn(each, frames) for each, frames in group],
        }
        for group in (list(g) for _id, g in groupby(pairs, key=lambda pair: pair[0].dialogue_id))
    ]
    path.write_bytes(msgspec.json.encode({"dialogue_data": dialogues}))


def take(_instance: Instance, frames: Frames, _tally: Tally) -> Belief:
    """Takes frames for the belief state in a turn's place, and of its name.

    Args:
        _instance: the turn; nothing of it is looked at.
        frames: the frames.
        _tally: none of it is a fault.
    """
    return Belief(tuple(frames), tuple(frames))


def _name_slots(instance: Instance, frame: BeliefFrame) -> list[list[str]]:
    """Returns slots as they are released: with the domain before the name."""
    return [[f"{domain_of(instance)}-{name}", value] for name, value in frame.slots]


def _write_line(instance: Instance, frames: Frames) -> str:
    acts = []
    for frame in frames:
        slots = ", ".join(f"{name} = {value}" for name, value in _name_slots(instance, frame))
        acts.append(f"{frame.act} [ {slots} ]")
    context = instance.inputs.get("context", "")
    return f"{context} {BELIEF_STARTS} {' '.join(acts)} {BELIEF_ENDS} <EOS>\n"


def _write_turn(instance: Instance, frames: Frames) -> dict[str, Any]:
    state = [{"act": each.act, "slots": _name_slots(instance, each)} for each in frames]
    return {"turn_idx": instance.inputs.get("turn_idx"), "belief_state": state}


def _linear(name: str, title: str, *kinds: str) -> Baseline:
    return Baseline(
        name=name,
        title=title,
        model=StateModel,
        train=partial(train, kinds=kinds),
        predict=predict,
    )


BASELINES = Baselines(
    task="simmc/dst",
    methods=(
        Baseline(
            name="empty",
            title="No act at all.",
            model=ConstantModel,
            predict=predict_constant,
        ),
        Baseline(
            name="majority",
            title="The most frequent acts, without slots.",
            model=ConstantModel,
            train=train_majority,
            predict=predict_constant,
        ),
        Baseline(
            name="copy-last",
            title="The answer of the turn before; that of the first turn from the user's words.",
            model=StateModel,
            train=partial(train, kinds=(WORDS,)),
            predict=predict_copied,
        ),
        _linear("linear-words", "Logistic regression over the user's words; slots chosen.", WORDS),
        _linear(
            "linear",
            "Logistic regression over words and context; slots chosen.",
            WORDS,
            CONTEXT,
        ),
    ),
    write=write,
    take=take,
    train_split="train",
    test_split="devtest",
    ending=".txt",
    part=domain_of,
)
