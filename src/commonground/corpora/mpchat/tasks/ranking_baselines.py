"""Simple ways to rank, without and with what the authors add: what is known, what is chosen."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from commonground.bench.learners.matching import Matcher, TermCounts, count_terms
from commonground.bench.learners.ngrams import split_words
from commonground.bench.learners.ranking import (
    ChanceModel,
    Judge,
    Ranker,
    rank_apart,
    train_chance,
    train_ranker,
)
from commonground.corpora.mpchat.tasks.ranking import AnswerLine
from commonground.files.predictions import write_lines
from commonground.method import (
    Baseline,
    Baselines,
    Encode,
    TrainingSet,
    Vectors,
    encode_texts,
)
from commonground.task import Instance, Tally


class RankingSide(msgspec.Struct, frozen=True):
    """What a task ranks by.

    Attributes:
        parts: inputs that make the question: ``context``, ``response`` or ``personas``.
        extra: the input that is left out of it at first, to show what it is worth.
        read: gives the texts of an option.
    """

    task: str
    parts: tuple[str, ...]
    extra: str
    read: Callable[[Any], tuple[str, ...]]


Texts = tuple[str, ...]


def read_message(option: Any) -> Texts:
    """Returns the text of a response."""
    return (option,)


def read_element(option: Any) -> Texts:
    """Returns the title of a persona element; the names of image files tell nothing."""
    return (option["title"],)


def read_persona(option: Any) -> Texts:
    """Returns the titles of all elements of a persona."""
    return tuple(element["title"] for element in option)


def read_part(instance: Instance, part: str) -> Texts:
    """Returns the texts of an input, in order."""
    given = instance.inputs[part]
    if part == "personas":
        return read_persona(given)
    return (given,) if isinstance(given, str) else tuple(given)


def read_question(instance: Instance, parts: Sequence[str]) -> str:
    """Returns all texts of some inputs in one."""
    return "\n".join(text for part in parts for text in read_part(instance, part))


_TRAINING_INSTANCES = 4_000  # instances to learn from, drawn by lot
_WRONG = 24  # right answers of other instances, as wrong options of this one
_NEAR = 5  # last messages that are compared one by one
_ALIKE = 5.0  # the largest cosine of vectors as a feature, so that it is of one size with others

Scores = list[float]
Parts = tuple[str, ...]


class MatchModel(msgspec.Struct, frozen=True):
    """In how many texts of the training data each word is."""

    terms: TermCounts


class RankModel(msgspec.Struct, frozen=True):
    """The same, and what was learned about choosing."""

    terms: TermCounts
    ranker: Ranker


def predict_chance(model: ChanceModel, instances: Iterable[Instance]) -> Iterator[Scores]:
    """Puts the candidates in any order."""
    for each in instances:
        options = each.inputs.get("candidates", ())
        yield rank_apart([0.0] * len(options), f"{model.seed}/{each.instance_id}")


def train_match(side: RankingSide, training: TrainingSet) -> MatchModel:
    """Counts words, each text once."""
    # A dict for a set that keeps the order: the same instances give the same model.
    texts = {text: None for each in training.instances for text in _list_texts(side, each)}
    return MatchModel(count_terms(texts))


def _list_texts(side: RankingSide, instance: Instance) -> Iterator[str]:
    for part in (*side.parts, side.extra):
        yield from read_part(instance, part)
    if instance.gold is not None:
        yield from side.read(instance.gold)


def predict_match(
    side: RankingSide,
    parts: Parts,
    measure: Literal["tfidf", "bm25"],
    model: MatchModel,
    instances: Iterable[Instance],
) -> Iterator[Scores]:
    """Scores candidates by the words that they share with the question."""
    matcher = Matcher(model.terms)
    score = matcher.score_tfidf if measure == "tfidf" else matcher.score_bm25
    for each in instances:
        options = ["\n".join(side.read(one)) for one in each.inputs.get("candidates", ())]
        yield rank_apart(score(read_question(each, parts), options), each.instance_id)


class CosineModel(msgspec.Struct, frozen=True):
    """What comparing vectors needs: nothing."""


def _encode(
    side: RankingSide, parts: Parts, instances: Sequence[Instance], encode: Encode
) -> Vectors:
    """Returns the vectors of all texts of questions and options."""
    texts: set[str] = set()
    for each in instances:
        texts.update(*(read_part(each, part) for part in parts))
        texts.update(*(side.read(option) for option in each.inputs.get("candidates", ())))
        texts.update(side.read(each.gold) if each.gold is not None else ())
    return encode_texts(texts, encode)


def _average(texts: Texts, vectors: Vectors) -> NDArray[np.float32] | None:
    """Returns the direction of some texts; None of none, or if they cancel each other out."""
    total = np.sum([vectors[text] for text in texts], axis=0) if texts else np.zeros(1)
    length = float(np.linalg.norm(total))
    return np.asarray(total / length, np.float32) if length else None


def _compare_vectors(given: Texts, options: Sequence[Texts], vectors: Vectors) -> list[float]:
    """Returns the cosine of each option with what is given; 0 where either has no direction."""
    question = _average(given, vectors)
    found = [_average(option, vectors) for option in options]
    return [0.0 if question is None or each is None else float(question @ each) for each in found]


def predict_cosine(
    side: RankingSide,
    parts: Parts,
    _model: CosineModel,
    instances: Iterable[Instance],
    encode: Encode,
) -> Iterator[Scores]:
    """Scores candidates by the cosine of their vector with that of the question."""
    asked = list(instances)
    vectors = _encode(side, parts, asked, encode)
    for each in asked:
        options = [side.read(option) for option in each.inputs.get("candidates", ())]
        given = tuple(text for part in parts for text in read_part(each, part))
        yield rank_apart(_compare_vectors(given, options, vectors), each.instance_id)


def train_rank(
    side: RankingSide, parts: Parts, training: TrainingSet, *, encodes: bool = False
) -> RankModel:
    """Learns to tell what is right from what is right elsewhere.

    The training data have no candidates, so wrong ones are drawn from the right ones of other
    threads; of many instances, some are drawn too. ``encodes`` adds vectors of texts.
    """
    rng = random.Random(training.seed)
    terms = train_match(side, training).terms
    taught = [each for each in training.instances if each.gold is not None]
    if len(taught) > _TRAINING_INSTANCES:
        taught = rng.sample(taught, _TRAINING_INSTANCES)
    vectors = _encode(side, parts, taught, training.encode) if encodes else {}
    describer = _Describer(side, parts, Matcher(terms), vectors)
    examples = ((describer.describe(one, _draw(one, taught, rng)), {0}) for one in taught)
    return RankModel(terms, train_ranker(examples, single=True))


def _draw(instance: Instance, taught: Sequence[Instance], rng: random.Random) -> list[Any]:
    """Returns the right option, and wrong ones after it."""
    # With some to spare: those of the same thread, or with the same answer, are dropped.
    drawn = rng.choices(taught, k=_WRONG)
    wrong = [
        each.gold
        for each in drawn
        if each.dialogue_id != instance.dialogue_id and each.gold != instance.gold
    ]
    return [instance.gold, *wrong]


def predict_rank(
    side: RankingSide,
    parts: Parts,
    model: RankModel,
    instances: Iterable[Instance],
    encode: Encode | None = None,
) -> Iterator[Scores]:
    """Scores candidates by what was learned.

    ``encode`` is the encoder that was learned with; None for a model that learned without.
    """
    judge, asked = Judge(model.ranker), list(instances)
    vectors = _encode(side, parts, asked, encode) if encode else {}
    describer = _Describer(side, parts, Matcher(model.terms), vectors)
    for each in asked:
        options = each.inputs.get("candidates", ())
        yield rank_apart(judge.score(describer.describe(each, options)), each.instance_id)


class _Describer:
    """Says what speaks for each option."""

    def __init__(self, side: RankingSide, parts: Parts, matcher: Matcher, vectors: Vectors) -> None:
        self._side, self._parts, self._matcher, self._vectors = side, parts, matcher, vectors

    def describe(self, instance: Instance, options: Sequence[Any]) -> list[dict[str, float]]:
        texts = [self._side.read(option) for option in options]
        found = [_describe_form(text) for text in texts]
        for part in self._parts:
            given = read_part(instance, part)
            for features, text in zip(found, texts, strict=True):
                features |= self._compare(part, given, text)
            joined = ["\n".join(text) for text in texts]
            matched = self._matcher.score_bm25("\n".join(given), joined)
            # BM25 has no upper end: a share of the best among these candidates compares over
            # instances.
            most = max(matched, default=0.0) or 1.0
            for features, score in zip(found, matched, strict=True):
                features[f"{part} bm25"] = score / most
                features[f"{part} best"] = float(score == most)
            if self._vectors:
                self._add_cosines(part, given, texts, found)
        return found

    def _add_cosines(
        self, part: str, given: Texts, options: Sequence[Texts], found: list[dict[str, float]]
    ) -> None:
        for name, some in ((part, given), (f"last of {part}", given[-1:])):
            alike = _compare_vectors(some, options, self._vectors)
            most = max(alike, default=0.0)
            for features, value in zip(found, alike, strict=True):
                features[f"vector of {name}"] = _ALIKE * value
                features[f"vector of {name} best"] = float(value == most)

    def _compare(self, part: str, given: Texts, option: Texts) -> dict[str, float]:
        cosine = self._matcher.cosine
        # Of a long thread the last messages are enough to be compared one by one.
        pairs = [cosine(one, other) for one in given[-_NEAR:] for other in option]
        found = {
            f"{part} cosine": cosine("\n".join(given), "\n".join(option)),
            f"{part} nearest": max(pairs, default=0.0),
        }
        if part == "context" and given:
            found["last cosine"] = cosine(given[-1], "\n".join(option))
            found["first cosine"] = cosine(given[0], "\n".join(option))
            asked = "asked" if given[-1].rstrip().endswith("?") else "told"
            # In steps, not as a number: a linear model cannot prefer a middle length otherwise.
            words = min(4, len(split_words(option[0])) // 8) if option else 0
            found[f"{asked}, {words} long"] = 1.0
        return found


def _describe_form(option: Texts) -> dict[str, float]:
    text = "\n".join(option)
    # In steps of five words, as above: short, middling and long texts each have a weight.
    length = min(8, len(split_words(text)) // 5)
    return {f"length {length}": 1.0, "asks": float("?" in text), "texts": len(option) / 5}


def write_scores(answers: Iterable[tuple[Instance, Any]], path: Path) -> None:
    """Writes scores as JSON lines; an instance without candidates has none."""
    lines = (
        {"dialogue_id": instance.dialogue_id, "turn": instance.event, "scores": scores}
        for instance, scores in answers
        if scores
    )
    write_lines(path, lines)


def take_scores(instance: Instance, scores: list[float], _tally: Tally) -> AnswerLine | None:
    """Takes scores in the released order; None where there are none."""
    turn = instance.event or 0
    return AnswerLine(instance.dialogue_id, turn, scores) if scores else None


def make_baselines(side: RankingSide) -> Baselines:
    """Makes the baselines of a task: chance, and five ways to rank, without and with the extra."""
    chance = Baseline(
        name="random",
        title="A random order.",
        model=ChanceModel,
        train=train_chance,
        predict=predict_chance,
    )
    methods = [chance]
    for suffix, parts in (("", side.parts), (f"-{side.extra}", (*side.parts, side.extra))):
        named = ", ".join(parts)
        methods += [
            _match(side, parts, "tfidf", suffix, f"Cosine of TF-IDF weights with {named}."),
            _match(side, parts, "bm25", suffix, f"BM25 with {named}."),
            Baseline(
                name=f"linear{suffix}",
                title=f"A linear ranker over ways to match {named}, and over form.",
                model=RankModel,
                train=partial(train_rank, side, parts),
                predict=partial(predict_rank, side, parts),
            ),
            Baseline(
                name=f"encoder-cosine{suffix}",
                title=f"Cosine of a sentence encoder's vectors with {named}; nothing is learned.",
                model=CosineModel,
                predict=partial(predict_cosine, side, parts),
                encodes=True,
            ),
            Baseline(
                name=f"encoder{suffix}",
                title=f"As linear{suffix}, with these cosines.",
                model=RankModel,
                train=partial(train_rank, side, parts, encodes=True),
                predict=partial(predict_rank, side, parts),
                encodes=True,
            ),
        ]
    return Baselines(
        task=side.task,
        methods=tuple(methods),
        write=write_scores,
        take=take_scores,
        train_split="train",
        test_split="test",
        ending=".jsonl",
    )


def _match(
    side: RankingSide, parts: Parts, measure: Literal["tfidf", "bm25"], suffix: str, title: str
) -> Baseline:
    return Baseline(
        name=f"{measure}{suffix}",
        title=title,
        model=MatchModel,
        train=partial(train_match, side),
        predict=partial(predict_match, side, parts, measure),
    )
