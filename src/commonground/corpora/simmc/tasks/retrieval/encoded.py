"""Choosing among candidates with a sentence encoder.

From the vectors of the user's words, the last answer and the history, and from the action, one
matrix predicts the vector of the answer. How well each candidate suits that goes, beside what the
method ``ranker`` looks at, into a linear ranker.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from commonground.bench.learners.matching import Matcher, TermCounts, count_terms
from commonground.bench.learners.ngrams import split_words
from commonground.bench.learners.ranking import Judge, Ranker, rank_apart, train_ranker
from commonground.bench.learners.ridge import (
    RidgeModel,
    Rows,
    fit_ridge,
    predict_vectors,
    whiten,
)
from commonground.corpora.simmc.tasks.features import last_answer, name_attributes
from commonground.corpora.simmc.tasks.retrieval.candidates import (
    RARE,
    describe_candidates,
    draw_candidates,
    list_texts,
    list_words,
    user_words,
)
from commonground.method import Encode, NothingToLearnError, TrainingSet, Vectors, encode_texts
from commonground.task import Instance

# Chosen on a fifth of the dialogues of dev, learning from the others.
_OTHERS = 19  # wrong answers beside each right one, drawn by lot
_LEAST = 5  # candidates that must have a feature for it to be learned
_STRENGTH = 0.03
_RIDGE = 0.67  # strength of the matrix
_PARTS = {"user": 1.0, "answer": 0.5, "action": 0.7, "history": 0.7}  # lengths in a question
_STEPS = {"predicted": 30.0, "user": 3.0, "answer": 3.0, "history": 10.0}  # of one size with others
_FOLDS = 5
_LATE = 5  # later turns count as this one

_KINDS = {
    form: kind
    for kind in ("coat", "dress", "jacket", "skirt", "sweater")
    for form in (kind, f"{kind}s", f"{kind}es")
}
"""Words for kinds of clothing; an answer of another kind than the talk so far is rarely right."""


class EncodedModel(msgspec.Struct, frozen=True):
    """What was learned.

    Attributes:
        seed: decides between equals.
        actions: names of what an action is known by, in order.
        regression: from what is known at a turn to the vector of the answer.
        ranker: weights of what candidates and turn have in common.
    """

    seed: int
    terms: TermCounts
    actions: list[str]
    regression: RidgeModel
    ranker: Ranker


def _encode(instances: Iterable[Instance], encode: Encode) -> Vectors:
    """Returns the vectors of all texts of some turns; an empty text has no direction."""
    said = (text for each in instances for text in _list_texts(each.inputs))
    found = encode_texts(["", *said], encode)
    return found | {"": np.zeros_like(found[""])}


def _stack(texts: Sequence[str], vectors: Vectors) -> Rows:
    return np.stack([vectors[text] for text in texts])


def _list_texts(inputs: Mapping[str, Any]) -> Iterator[str]:
    yield user_words(inputs)
    yield from inputs["candidates"]
    yield from _list_history(inputs)


def _list_history(inputs: Mapping[str, Any]) -> list[str]:
    """Returns what both said before, in order."""
    past = inputs.get("history") or []
    return [
        str(turn.get(name) or "") for turn in past for name in ("transcript", "system_transcript")
    ]


def _name_action(inputs: Mapping[str, Any]) -> list[str]:
    """Returns what the action of a turn is known by: its name, its attributes, both, and when."""
    named = name_attributes(inputs)
    action = f"does {inputs.get('action', '?')}"
    late = min(inputs.get("turn_idx", 0), _LATE)
    return [action, f"turn {late}", *(f"of {n}" for n in named), *(f"{action} {n}" for n in named)]


def _ask(instances: Sequence[Instance], vectors: Vectors, actions: Sequence[str]) -> Rows:
    """Returns the question of each turn: user, last answer, action and history side by side."""
    index = {name: place for place, name in enumerate(actions)}
    rows = []
    for each in instances:
        done = np.zeros(len(actions), np.float32)
        done[[index[name] for name in _name_action(each.inputs) if name in index]] = 1
        history = np.sum([vectors[text] for text in ["", *_list_history(each.inputs)]], axis=0)
        parts = {
            "user": vectors[user_words(each.inputs)],
            "answer": vectors[last_answer(each.inputs)],
            "action": _shorten(done),
            "history": _shorten(history),
        }
        rows.append(np.concatenate([_PARTS[name] * part for name, part in parts.items()]))
    return np.asarray(rows, np.float32)


def _shorten(vector: Rows) -> Rows:
    return vector / max(float(np.linalg.norm(vector)), 1e-9)


def train(training: TrainingSet) -> EncodedModel:
    """Learns from the right candidate of each turn and some of the wrong ones.

    Raises:
        NothingToLearnError: there is nothing to learn from.
    """
    known = [each for each in training.instances if each.gold is not None]
    if not known:
        raise NothingToLearnError
    vectors, chance = _encode(known, training.encode), random.Random(training.seed)
    actions = sorted({name for each in known for name in _name_action(each.inputs)})
    terms = count_terms(list_texts(training.instances))
    questions = _ask(known, vectors, actions)
    predicted = _predict_held_out(known, questions, vectors, chance)
    regression = _fit(known, questions, vectors)
    matcher = Matcher(terms)
    drawn = ((each, draw_candidates(each, _OTHERS, chance)) for each in known)
    turns = zip(drawn, predicted, strict=True)
    choices = (
        (_describe(each.inputs, texts, at, regression, vectors, matcher), [0])
        for (each, texts), at in turns
    )
    ranker = train_ranker(choices, single=True, strength=_STRENGTH, least=_LEAST)
    return EncodedModel(training.seed, terms, actions, regression, ranker)


def _fit(known: Sequence[Instance], questions: Rows, vectors: Vectors) -> RidgeModel:
    right = _stack([each.inputs["candidates"][each.gold] for each in known], vectors)
    others = sorted({text for each in known for text in each.inputs["candidates"]})
    return fit_ridge(questions, right, _stack(others, vectors), strength=_RIDGE)


def _predict_held_out(
    known: Sequence[Instance], questions: Rows, vectors: Vectors, chance: random.Random
) -> Rows:
    """Predicts each turn from other dialogues, as it is for those that are answered.

    Of those learned from it would say too much, and the ranker would trust it too far.
    """
    dialogues = sorted({each.dialogue_id for each in known})
    chance.shuffle(dialogues)
    folds = {dialogue: place % _FOLDS for place, dialogue in enumerate(dialogues)}
    mine = np.array([folds[each.dialogue_id] for each in known])
    found = np.zeros((len(known), len(vectors[""])), np.float32)
    for fold in range(_FOLDS if len(dialogues) > 1 else 0):
        others = np.flatnonzero(mine != fold)
        learned = [known[place] for place in others.tolist()]
        model = _fit(learned, questions[others], vectors)
        found[mine == fold] = predict_vectors(model, questions[mine == fold])
    return found


def predict(
    model: EncodedModel, instances: Iterable[Instance], encode: Encode
) -> Iterator[dict[str, list[float]]]:
    """Yields the score of each candidate; ``encode`` is the encoder that was learned with."""
    asked = list(instances)
    vectors, matcher, judge = _encode(asked, encode), Matcher(model.terms), Judge(model.ranker)
    predicted = predict_vectors(model.regression, _ask(asked, vectors, model.actions))
    for each, at in zip(asked, predicted, strict=True):
        candidates = each.inputs["candidates"]
        group = _describe(each.inputs, candidates, at, model.regression, vectors, matcher)
        name = f"{model.seed} {each.instance_id}"
        yield {"scores": rank_apart(judge.score(group), name)}


def _describe(
    inputs: Mapping[str, Any],
    candidates: Sequence[str],
    predicted: Rows,
    model: RidgeModel,
    vectors: Vectors,
    matcher: Matcher,
) -> list[dict[str, float]]:
    """Returns what ``ranker`` looks at, and what vectors and history say of each candidate."""
    groups = describe_candidates(inputs, candidates, matcher, True)
    rows = _stack(candidates, vectors)
    suits = _STEPS["predicted"] * (whiten(model, rows) @ predicted)
    user = _STEPS["user"] * (rows @ vectors[user_words(inputs)])
    answer = _STEPS["answer"] * (rows @ vectors[last_answer(inputs)])
    action, past = str(inputs.get("action", "?")), _Past(inputs, matcher)
    for place, (features, text) in enumerate(zip(groups, candidates, strict=True)):
        found = past.describe(text)
        found["predicted"], found["near the user"] = float(suits[place]), float(user[place])
        found["near the last answer"] = float(answer[place])
        features |= found | {f"{action}: {name}": value for name, value in found.items()}
    return groups


class _Past:
    """What was said in a dialogue so far, to hold candidates against."""

    def __init__(self, inputs: Mapping[str, Any], matcher: Matcher) -> None:
        said = _list_history(inputs)
        self._answers = set(said[1::2])
        self._text = " ".join(said)
        self._words = set(split_words(f"{self._text} {user_words(inputs)}"))
        self._kinds = _find_kinds(self._words)
        self._matcher = matcher

    def describe(self, text: str) -> dict[str, float]:
        """Returns what a candidate has of it, and what is new in it."""
        words = list_words(text)
        rare = [word for word in words if self._matcher.rarity(word) > RARE]
        known = sum(word in self._words for word in rare)
        kinds = _find_kinds(words)
        found = {
            "near the history": _STEPS["history"] * self._matcher.cosine(self._text, text),
            "said before": float(text in self._answers),
            "rare words known": float(known),
            "rare words new": float(len(rare) - known),
        }
        if kinds and self._kinds:
            found["same kind" if kinds & self._kinds else "other kind"] = 1.0
        return found


def _find_kinds(words: Iterable[str]) -> set[str]:
    return {_KINDS[word] for word in words if word in _KINDS}
