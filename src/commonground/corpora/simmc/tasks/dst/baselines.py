"""Baselines of ``simmc/dst``: acts by logistic regression, then the slots of each act."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby, repeat
from pathlib import Path
from typing import Any

import msgspec

from commonground.bench.learners.ranking import Judge
from commonground.bench.metrics.simmc_dst import BeliefFrame
from commonground.corpora.simmc.tasks.beliefs import (
    BELIEF_ENDS,
    BELIEF_STARTS,
    convert_belief,
    list_acts,
)
from commonground.corpora.simmc.tasks.dst.acts import (
    ActModel,
    Turn,
    choose_acts,
    list_sentences,
    list_texts,
    read_turn,
    train_acts,
)
from commonground.corpora.simmc.tasks.dst.slots import (
    SlotModel,
    StateTurn,
    describe_view,
    fill_slots,
    train_slots,
    walk_turns,
)
from commonground.corpora.simmc.tasks.dst.task import Belief
from commonground.corpora.simmc.tasks.features import CONTEXT, WORDS, domain_of
from commonground.method import (
    Baseline,
    Baselines,
    Encode,
    TrainingSet,
    Vectors,
    encode_texts,
    find_most_frequent,
)
from commonground.task import Instance, Tally

Frames = Sequence[BeliefFrame]


class ConstantModel(msgspec.Struct, frozen=True):
    """The acts that every turn gets, without slots."""

    acts: list[str] = []


class StateModel(msgspec.Struct, frozen=True):
    """What was learned: to choose the acts of a turn, and to fill the slots of an act."""

    acts: ActModel
    slots: SlotModel


def train_majority(training: TrainingSet) -> ConstantModel:
    """Finds the most frequent acts of a turn.

    Raises:
        NothingToLearnError: there is nothing to learn from.
    """
    acts = (
        tuple(frame.act or "" for frame in _read_gold(each.gold))
        for each in training.instances
        if each.gold
    )
    return ConstantModel(list(find_most_frequent(acts)))


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


def train(training: TrainingSet, *, kinds: Sequence[str], encodes: bool = False) -> StateModel:
    """Learns acts and slots; with ``encodes``, from vectors of sentences, too.

    Raises:
        NothingToLearnError: there is nothing to learn from.
    """
    walked = zip(walk_turns(training.instances), training.instances, strict=True)
    golds = [(turn, _read_gold(each.gold)) for turn, each in walked if each.gold]
    # A frame without an act teaches nothing.
    known = [(turn, [each for each in frames if each.act]) for turn, frames in golds]
    known = [(turn, frames) for turn, frames in known if frames]
    turns, frames = [turn for turn, _frames in known], [frames for _turn, frames in known]
    vectors = _encode(turns, training.encode) if encodes else {}
    said = [tuple(each.act or "" for each in one) for one in frames]
    acts, found = train_acts(_read(turns, kinds), said, vectors, kinds=kinds, seed=training.seed)
    slots = train_slots(turns, frames, [list_sentences(each) for each in found])
    return StateModel(acts, slots)


def _read(turns: Iterable[StateTurn], kinds: Sequence[str]) -> list[Turn]:
    return [read_turn(each.inputs, describe_view(each), kinds) for each in turns]


def _encode(turns: Iterable[StateTurn], encode: Encode) -> Vectors:
    return encode_texts((text for each in turns for text in list_texts(each.inputs)), encode)


def predict(
    model: StateModel, instances: Iterable[Instance], encode: Encode | None = None
) -> Iterator[Frames]:
    """Yields the acts that are the best choice, each with the slots that are likely.

    ``encode`` is the encoder that was learned with; None for a model that learned without.
    """
    turns, judge = list(walk_turns(instances)), Judge(model.slots.ranker)
    vectors = _encode(turns, encode) if encode else {}
    found = choose_acts(model.acts, _read(turns, model.acts.kinds), vectors)
    for turn, possible in zip(turns, found, strict=True):
        yield fill_slots(model.slots, judge, turn, possible)


def predict_copied(model: StateModel, instances: Iterable[Instance]) -> Iterator[Frames]:
    """Answers the first turn of each dialogue, and repeats that answer to its end."""
    dialogues = [list(turns) for _id, turns in groupby(instances, key=lambda i: i.dialogue_id)]
    answers = predict(model, [turns[0] for turns in dialogues])
    for turns, answer in zip(dialogues, answers, strict=True):
        yield from repeat(answer, len(turns))


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
    """Takes frames for the belief state in a turn's place, and of its name."""
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
        _linear("linear-words", "Acts by logistic regression over words; slots chosen.", WORDS),
        _linear(
            "linear",
            "Acts by logistic regression over words and context; slots chosen.",
            WORDS,
            CONTEXT,
        ),
        Baseline(
            name="encoder",
            title="As linear, with vectors of the sentences.",
            model=StateModel,
            train=partial(train, kinds=(WORDS, CONTEXT), encodes=True),
            predict=predict,
            encodes=True,
        ),
    ),
    write=write,
    take=take,
    train_split="train",
    test_split="devtest",
    ending=".txt",
    part=domain_of,
)
