"""Baselines of ``taskmaster3/spans``: memorised stretches, and a classifier of tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from commonground.bench.learners.tokens import (
    Stretch,
    Token,
    TokenModel,
    find_stretches,
    split_tokens,
    train_tokens,
)
from commonground.corpora.taskmaster.tasks.predictions import take_sample, write_answers
from commonground.corpora.taskmaster.tasks.spans.task import read_spans
from commonground.method import Baseline, Baselines, NothingToLearnError, TrainingSet
from commonground.task import Instance

_LONGEST = 8  # tokens of a span that is looked up
_MOST = 20_000  # instances to learn from, drawn by lot
_LEAST = 2  # tokens that must have a feature for it to be learned


class ConstantModel(msgspec.Struct, frozen=True):
    """The spans that every utterance gets."""

    spans: list[dict[str, Any]] = []


class PhraseModel(msgspec.Struct, frozen=True):
    """The label of every phrase, in lower case, that was a span more often than not."""

    phrases: dict[str, str]


class SpeakerModel(msgspec.Struct, frozen=True):
    """A token classifier for each speaker, or one for all under ""."""

    models: dict[str, TokenModel]


def predict_constant(model: ConstantModel, instances: Iterable[Instance]) -> Iterator[Any]:
    """Yields the same spans for every utterance."""
    for _each in instances:
        yield {"spans": model.spans}


def train_phrases(training: TrainingSet) -> PhraseModel:
    """Collects phrases with their labels; those that mostly are no span are left out."""
    labels: dict[str, Counter[str]] = {}
    for each in training.instances:
        for stretch in _read_gold(each):
            phrase = _normalise(each.inputs["text"][stretch.start : stretch.end])
            labels.setdefault(phrase, Counter())[stretch.label] += 1
    seen = _count_phrases(training.instances, labels)
    return PhraseModel(
        {
            phrase: min(found, key=lambda label: (-found[label], label))
            for phrase, found in sorted(labels.items())
            # Half of the places where the phrase stands, at least.
            if phrase and 2 * found.total() >= seen[phrase]
        }
    )


def _read_gold(instance: Instance) -> list[Stretch]:
    return [Stretch(each["start"], each["end"], each["label"]) for each in instance.gold or []]


def _normalise(text: str) -> str:
    return " ".join(token.text.lower() for token in split_tokens(text))


def _count_phrases(instances: Iterable[Instance], wanted: Mapping[str, Any]) -> Counter[str]:
    return Counter(
        phrase
        for each in instances
        for _first, _last, phrase in _list_runs(split_tokens(each.inputs["text"]))
        if phrase in wanted
    )


def _list_runs(tokens: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
    """Yields runs of tokens, from each token on the longest first."""
    lower = [token.text.lower() for token in tokens]
    for start in range(len(tokens)):
        for end in range(min(len(tokens), start + _LONGEST), start, -1):
            yield start, end, " ".join(lower[start:end])


def predict_phrases(model: PhraseModel, instances: Iterable[Instance]) -> Iterator[Any]:
    """Yields the phrases that are known, from left to right, the longest first."""
    for each in instances:
        tokens = split_tokens(each.inputs["text"])
        found, free = [], 0
        for start, end, phrase in _list_runs(tokens):
            if start >= free and phrase in model.phrases:
                stretch = Stretch(tokens[start].start, tokens[end - 1].end, model.phrases[phrase])
                found.append(stretch)
                free = end
        yield _tell(found)


def _tell(stretches: Iterable[Stretch]) -> dict[str, Any]:
    return {"spans": [msgspec.structs.asdict(each) for each in stretches]}


def train_classifier(training: TrainingSet, *, by_speaker: bool) -> SpeakerModel:
    """Learns tags of tokens; of very many utterances a sample is enough.

    Raises:
        NothingToLearnError: there is nothing to learn from.
    """
    groups: dict[str, list[Instance]] = {}
    for each in take_sample(training.instances, _MOST, training.seed):
        groups.setdefault(_speaker(each) if by_speaker else "", []).append(each)
    if not groups:
        raise NothingToLearnError
    return SpeakerModel({name: _train(groups[name], training.seed) for name in sorted(groups)})


def _speaker(instance: Instance) -> str:
    return str(instance.inputs["speaker"]).lower()


def _train(instances: Sequence[Instance], seed: int) -> TokenModel:
    texts = [each.inputs["text"] for each in instances]
    stretches = [_read_gold(each) for each in instances]
    return train_tokens(texts, stretches, seed=seed, least=_LEAST)


def predict_classifier(model: SpeakerModel, instances: Iterable[Instance]) -> Iterator[Any]:
    """Yields the likeliest spans; a speaker that was never seen has none."""
    listed = list(instances)
    found: dict[str, list[Stretch]] = {}
    for name, learned in model.models.items():
        mine = [each for each in listed if name in ("", _speaker(each))]
        stretches = find_stretches(learned, [each.inputs["text"] for each in mine])
        found |= {each.instance_id: s for each, s in zip(mine, stretches, strict=True)}
    for each in listed:
        yield _tell(found.get(each.instance_id, []))


def _classifier(name: str, title: str, *, by_speaker: bool) -> Baseline:
    return Baseline(
        name=name,
        title=title,
        model=SpeakerModel,
        train=partial(train_classifier, by_speaker=by_speaker),
        predict=predict_classifier,
    )


BASELINES = Baselines(
    task="taskmaster3/spans",
    methods=(
        Baseline(
            name="none",
            title="No span.",
            model=ConstantModel,
            predict=predict_constant,
        ),
        Baseline(
            name="dictionary",
            title="Phrases that were spans more often than not, with their usual label.",
            model=PhraseModel,
            train=train_phrases,
            predict=predict_phrases,
        ),
        _classifier(
            "tokens", "Logistic regression over each token and its neighbours.", by_speaker=False
        ),
        _classifier("tokens-speaker", "As tokens, learned for each speaker.", by_speaker=True),
    ),
    write=write_answers,
    take=lambda instance, answer, tally: read_spans(
        answer["spans"], instance.instance_id, instance.inputs["text"], tally
    ),
    train_split="train",
    test_split="test",
    ending=".jsonl",
)
