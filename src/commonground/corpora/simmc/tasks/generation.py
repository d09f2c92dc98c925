"""Task ``simmc/generation``: the assistant's words (sub-task 2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from commonground.bench.learners.nearest import NearestModel, find_nearest, train_nearest
from commonground.bench.metrics.bleu import BLEU, BLEU_ALL_TURNS, score_text
from commonground.bench.metrics.words import name_tokenizer
from commonground.corpora.simmc.tasks.answers import MODES, Format, read_pairs
from commonground.corpora.simmc.tasks.features import (
    CONTEXT,
    WORDS,
    describe_turn,
    domain_of,
    write_entries,
)
from commonground.corpora.simmc.tasks.inputs import (
    ALLOWED,
    ALLOWED_RESPONSE,
    TurnView,
    list_instances,
    list_pictures,
)
from commonground.corpora.simmc.tasks.released import ReleasedDialogue
from commonground.method import Baseline, Baselines, Prompt, TrainingSet, find_most_frequent
from commonground.task import Gold, Instance, Predictions, Scored, Tally, Task

_PROBLEMS = {
    "empty responses": "scores them 0",
    "empty right answers": "scores against them, and anything is 0; the public form of the test "
    "sets hides the last answer so",
}


def _read_words(dialogue: ReleasedDialogue) -> list[str]:
    return [str(turn.get("system_transcript") or "") for turn in dialogue.fields["dialogue"]]


def _read_candidates(dialogue: ReleasedDialogue) -> list[str]:
    choices = dialogue.fields["retrieval_candidates"]
    return [
        # Where the right candidate is hidden, the answer is as in the public form: empty.
        ""
        if place is None
        else dialogue.look_up(choice["retrieval_candidates"][place : place + 1])[0]
        for choice, place in zip(choices, dialogue.list_places(), strict=True)
    ]


_FORM = Format(
    items="predictions",
    fields={"response": str},
    example='[{"dialog_id": 1, "predictions": [{"turn_id": 0, "response": "Here you are."}]}]',
    official=_PROBLEMS,
    # What was said is the right candidate of the retrieval task, too.
    whole={"dials": _read_words, "retrieval": _read_candidates},
    lines=_read_words,
)


def read(path: Path, gold: Gold, *, mode: str | None = None) -> Predictions:
    """Reads a file of generated answers.

    Raises:
        TaskError: nothing in it can be scored.
        SourceError: a file cannot be read.
    """
    return read_pairs(_FORM, path, gold, mode=mode, settings={"tokenizer": name_tokenizer()})


def score(instance: Instance, item: dict[str, Any] | None, tally: Tally) -> Scored:
    """Scores a generated answer; None where it cannot be read."""
    gold, response = instance.right, "" if item is None else item["response"]
    found = score_text(gold, response)
    is_empty = item is not None and not response.strip()
    tally.add("empty responses", instance.instance_id, count=int(is_empty))
    tally.add("empty right answers", instance.instance_id, count=int(not gold))
    return Scored(
        instance_id=instance.instance_id,
        dialogue_id=instance.dialogue_id,
        counts={BLEU.name: found, BLEU_ALL_TURNS.name: found},
        gold=gold,
        predicted=None if item is None else response,
        answer=None if item is None else {"response": response},
    )


def _read_turn(turn: TurnView) -> tuple[str | None, str | None]:
    # An empty answer is one that the public form of the test set hides.
    answer = turn.fields.get("system_transcript") or None
    return answer, answer


TASK = Task(
    name="simmc/generation",
    title="the assistant's words",
    corpora=("simmc",),
    summary=f"JSON: {_FORM.example}",
    allowed={**ALLOWED, **ALLOWED_RESPONSE},
    measures=(BLEU, BLEU_ALL_TURNS),
    instances=partial(list_instances, "utterance", "assistant", _read_turn, response=True),
    read=read,
    score=score,
    modes=MODES,
    main=("bleu:bleu",),
)

PROMPT = Prompt(
    task="simmc/generation",
    answer=lambda reply: {"response": reply.value},
    say=lambda answered: answered.value["response"],
    target=lambda instance: instance.gold,
    pictures=list_pictures,
    is_text=True,
)

ACTION = "action"
"""What the assistant does at this turn, which sub-task 2 may see."""


class FrequentModel(msgspec.Struct, frozen=True):
    """The answer given most often."""

    response: str


class AnswerModel(msgspec.Struct, frozen=True):
    """What finds the most similar turn, by features of some kinds, and what was said at each."""

    kinds: list[str]
    turns: NearestModel
    responses: list[str]


def train_frequent(training: TrainingSet) -> FrequentModel:
    """Finds the most frequent answer; of equally frequent ones the first in the alphabet.

    Raises:
        NothingToLearnError: there is nothing to learn from.
    """
    answers = (str(each.gold) for each in training.instances if each.gold)
    return FrequentModel(find_most_frequent(answers))


def predict_frequent(model: FrequentModel, instances: Iterable[Instance]) -> Iterator[Any]:
    """Yields the same answer again and again."""
    for _each in instances:
        yield {"response": model.response}


def train(training: TrainingSet, *, kinds: Sequence[str]) -> AnswerModel:
    """Keeps all turns that have an answer.

    Raises:
        NothingToLearnError: there is nothing to learn from.
    """
    known = [each for each in training.instances if each.gold]
    # Nothing is averaged: an answer that was given can be looked up in the data.
    turns = train_nearest([_describe(each.inputs, kinds) for each in known])
    return AnswerModel(list(kinds), turns, [str(each.gold) for each in known])


def _describe(inputs: Mapping[str, Any], kinds: Sequence[str]) -> dict[str, float]:
    features = describe_turn(inputs, kinds)
    if ACTION in kinds and "action" in inputs:
        # Sorted, so that the same attributes are the same feature whatever their order in the file.
        attributes = msgspec.json.encode(inputs.get("action_supervision"), order="sorted").decode()
        features |= {f"now {inputs['action']}": 1.0, f"now {inputs['action']} {attributes}": 1.0}
    return features


def predict(model: AnswerModel, instances: Iterable[Instance]) -> Iterator[Any]:
    """Yields the answer that was given at the most similar turn."""
    queries = [_describe(each.inputs, model.kinds) for each in instances]
    for place in find_nearest(model.turns, queries):
        yield {"response": model.responses[place]}


def _method(name: str, title: str, *kinds: str) -> Baseline:
    return Baseline(
        name=name,
        title=title,
        model=AnswerModel,
        train=partial(train, kinds=kinds),
        predict=predict,
    )


BASELINES = Baselines(
    task="simmc/generation",
    methods=(
        Baseline(
            name="frequent",
            title="The answer that was given most often.",
            model=FrequentModel,
            train=train_frequent,
            predict=predict_frequent,
        ),
        _method("nearest-words", "The answer to the most similar words (TF-IDF).", WORDS),
        _method("nearest-action", "As nearest-words, with the assistant's action.", WORDS, ACTION),
        _method(
            "nearest",
            "The answer at the most similar turn: words, context and action.",
            WORDS,
            CONTEXT,
            ACTION,
        ),
    ),
    write=write_entries,
    train_split="train",
    test_split="devtest",
    part=domain_of,
)
