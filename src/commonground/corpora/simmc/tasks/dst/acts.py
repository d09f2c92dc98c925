"""The acts of a turn, sentence by sentence.

Belief states say which acts a turn has and in which order, not in which sentence each of them is.
Sentences are matched with acts by learning twice: first from turns that leave no choice, then from
all, with the acts where the first model finds them likeliest. A sentence may have several acts, or
none. Of the likeliest runs over its sentences, that gives the acts of a turn with which the others
agree most.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from commonground.bench.learners.linear import LinearModel, score_linear, train_linear
from commonground.bench.learners.ngrams import count_ngrams, split_words
from commonground.corpora.simmc.tasks.features import (
    CONTEXT,
    describe_context,
    last_answer,
    name_attributes,
)
from commonground.method import NothingToLearnError, Vectors

Acts = tuple[str, ...]
"""The acts of a sentence; empty where it has none."""

# Chosen on a quarter of the dialogues of fashion's dev, learning from the others.
_STRENGTH = 1.0
_SENTENCE, _ANSWER = 6.0, 3.0  # lengths of the vectors of a sentence and of the last answer
_NEAR = 0.5  # weight of the words of other sentences and of the last answer
_LEAST = 2  # times that a feature, or acts that share a sentence, must occur to be learned
_UNKNOWN = 1e-4  # probability of acts that were never seen in one sentence, for each of them
_BEAM = 32
_WIDEST = 12  # answers to a sentence that are tried
_KEPT, _SHARE = 8, 0.02  # acts of a turn that are kept, with this share of the likeliest at least
_ROWS = 2000  # sentences that are judged at once

_BETWEEN = " | "  # joins the acts of a sentence to one label; no act has it in its name
_START = "start"
_NOTHING = "ERR:CHITCHAT"
"""The act of a turn in which nothing was found."""

_BREAK = re.compile(r"(?<=[.?!…])\s+")


class Turn(msgspec.Struct, frozen=True):
    """A turn, as far as its acts are concerned.

    Attributes:
        sentences: of the user's words; at least one.
        facts: what is in view and was done before; empty where only words count.
    """

    sentences: list[str]
    inputs: Mapping[str, Any]
    facts: dict[str, float]


class ActModel(msgspec.Struct, frozen=True):
    """Which inputs are looked at, and what gives the probability of the acts of a sentence."""

    kinds: list[str]
    linear: LinearModel


def split_sentences(text: str) -> list[str]:
    """Returns the sentences of a text; the text itself where it has no word."""
    found = [part.strip() for part in _BREAK.split(text) if re.search(r"\w", part)]
    return found or [text]


def list_texts(inputs: Mapping[str, Any]) -> Iterator[str]:
    """Yields the texts of a turn whose vectors are looked at."""
    yield from split_sentences(str(inputs.get("transcript") or ""))
    yield last_answer(inputs)


def read_turn(inputs: Mapping[str, Any], facts: Sequence[str], kinds: Sequence[str]) -> Turn:
    """Returns a turn; ``facts`` are what is in view, which counts with the kind :data:`CONTEXT`."""
    sentences = split_sentences(str(inputs.get("transcript") or ""))
    found: dict[str, float] = {}
    if CONTEXT in kinds:
        answer = count_ngrams(last_answer(inputs), "assistant ", 2)
        found = dict.fromkeys(answer, _NEAR)
        found |= dict.fromkeys([*describe_context(inputs), *facts], 1.0)
    return Turn(sentences, inputs, found)


def _describe(turn: Turn, number: int, before: str) -> dict[str, float]:
    """Returns the features of a sentence, by its number from 0 and the act before it."""
    text, size = turn.sentences[number], len(turn.sentences)
    place = f"sentence {min(number, 3)} of {min(size, 4)}"
    ending = "asks" if text.rstrip().endswith("?") else "tells"
    words = split_words(text)
    found = dict(turn.facts)
    if number:
        near = count_ngrams(turn.sentences[number - 1], "before ", 2)
        found |= dict.fromkeys(near, _NEAR)
    if number + 1 < size:
        found |= dict.fromkeys(count_ngrams(turn.sentences[number + 1], "next ", 2), _NEAR)
    found |= count_ngrams(text, "user ", 3)
    found |= dict.fromkeys((f"after {before}: {word}" for word in words), _NEAR)
    names = [
        place,
        ending,
        f"{place} {ending}",
        f"after {before}",
        *(f"first {w}" for w in words[:1]),
    ]
    if turn.facts:
        names += _describe_answer(turn.inputs, place, words if number == 0 else [])
    return found | dict.fromkeys(names, 1.0)


def _describe_answer(inputs: Mapping[str, Any], place: str, words: Sequence[str]) -> list[str]:
    """Returns what the assistant just did: "That's great" is about what was asked for."""
    last = (inputs.get("history") or [{}])[-1]
    names = [f"{place} did {last.get('action', '-')}"]
    for each in sorted(map(str, name_attributes(last))):
        names += [f"{place} of {each}", *(f"{word} of {each}" for word in words)]
    return names


def _stack(turns: Sequence[tuple[Turn, int]], vectors: Vectors) -> NDArray[np.float32] | None:
    if not vectors:
        return None
    rows = [
        np.concatenate(
            [
                _SENTENCE * vectors[turn.sentences[number]],
                _ANSWER * vectors[last_answer(turn.inputs)],
            ]
        )
        for turn, number in turns
    ]
    return np.asarray(rows, np.float32)


def train_acts(
    turns: Sequence[Turn],
    acts: Sequence[Acts],
    vectors: Vectors,
    *,
    kinds: Sequence[str],
    seed: int,
) -> tuple[ActModel, list[list[Acts]]]:
    """Learns the acts of sentences.

    Args:
        acts: of each turn, in order.
        vectors: of :func:`list_texts`; empty without an encoder.

    Returns:
        What was learned, and the acts of each sentence of each turn.

    Raises:
        NothingToLearnError: there is nothing to learn from.
    """
    if not turns:
        raise NothingToLearnError
    sure = [
        (turn, _match_plainly(len(turn.sentences), each))
        for turn, each in zip(turns, acts, strict=True)
    ]
    known = [(turn, each) for turn, each in sure if each is not None]
    # Where no turn is sure, the first sentence has all acts until it is known better.
    known = known or [
        (turn, [each, *[()] * (len(turn.sentences) - 1)])
        for turn, each in zip(turns, acts, strict=True)
    ]
    first = _fit(known, vectors, kinds, seed)
    found = match_acts(first, turns, acts, vectors)
    return _fit(list(zip(turns, found, strict=True)), vectors, kinds, seed), found


def _match_plainly(sentences: int, acts: Acts) -> list[Acts] | None:
    if sentences == 1:
        return [acts]
    return [(act,) for act in acts] if sentences == len(acts) else None


def _fit(
    known: Sequence[tuple[Turn, Sequence[Acts]]],
    vectors: Vectors,
    kinds: Sequence[str],
    seed: int,
) -> ActModel:
    places: list[tuple[Turn, int]] = []
    features: list[dict[str, float]] = []
    labels: list[str] = []
    for turn, matched in known:
        before = _START
        for number, acts in enumerate(matched):
            places.append((turn, number))
            features.append(_describe(turn, number, before))
            labels.append(_BETWEEN.join(acts))
            before = acts[-1] if acts else before
    counts = Counter(labels)
    kept = [
        place
        for place, label in enumerate(labels)
        if _BETWEEN not in label or counts[label] >= _LEAST
    ] or list(range(len(labels)))
    linear = train_linear(
        [features[place] for place in kept],
        [labels[place] for place in kept],
        seed=seed,
        strength=_STRENGTH,
        least=_LEAST,
        vectors=_stack([places[place] for place in kept], vectors),
    )
    return ActModel(list(kinds), linear)


class _Judge:
    """Judges sentences, each after the act that would be before it."""

    def __init__(self, model: ActModel, vectors: Vectors) -> None:
        self._linear, self._vectors = model.linear, vectors
        self._columns = {label: place for place, label in enumerate(model.linear.labels)}
        self.labels: list[Acts] = [
            tuple(label.split(_BETWEEN)) if label else () for label in model.linear.labels
        ]

    def judge(self, asked: Sequence[tuple[Turn, int, str]]) -> NDArray[np.float64]:
        """Returns logarithms of the probability of every label, shape (asked, labels)."""
        found = [np.zeros((0, len(self.labels)))]
        for start in range(0, len(asked), _ROWS):
            some = asked[start : start + _ROWS]
            vectors = _stack([(turn, number) for turn, number, _before in some], self._vectors)
            features = [_describe(*each) for each in some]
            found.append(np.log(score_linear(self._linear, features, vectors) + 1e-12))
        return np.concatenate(found)

    def find(self, row: NDArray[np.float64], acts: Acts) -> float:
        """Returns the logarithm of the probability of the acts of a sentence."""
        place = self._columns.get(_BETWEEN.join(acts))
        return float(row[place]) if place is not None else float(np.log(_UNKNOWN)) * (1 + len(acts))


def match_acts(
    model: ActModel, turns: Sequence[Turn], acts: Sequence[Acts], vectors: Vectors
) -> list[list[Acts]]:
    """Returns the acts of each sentence, where those of each turn are known."""
    judge = _Judge(model, vectors)
    asked = [
        (turn, number, each[done - 1] if done else _START)
        for turn, each in zip(turns, acts, strict=True)
        for number in range(len(turn.sentences))
        for done in range(len(each) + 1)
    ]
    rows = iter(judge.judge(asked))
    return [
        _match(
            [[next(rows) for _done in range(len(each) + 1)] for _text in turn.sentences],
            each,
            judge,
        )
        for turn, each in zip(turns, acts, strict=True)
    ]


def _match(rows: Sequence[Sequence[NDArray[np.float64]]], acts: Acts, judge: _Judge) -> list[Acts]:
    """Divides acts among sentences, whose rows are by how many acts are before them."""
    best: dict[int, tuple[float, list[Acts]]] = {0: (0.0, [])}
    for sentence in rows:
        found: dict[int, tuple[float, list[Acts]]] = {}
        for done, (score, path) in best.items():
            for end in range(done, len(acts) + 1):
                mine = acts[done:end]
                total = score + judge.find(sentence[done], mine)
                if end not in found or total > found[end][0]:
                    found[end] = (total, [*path, mine])
        best = found
    return best[len(acts)][1]


class _Path(msgspec.Struct, frozen=True):
    """The acts of the first sentences of a turn."""

    score: float = 0.0
    acts: tuple[Acts, ...] = ()
    last: str = _START


class Possible(msgspec.Struct, frozen=True):
    """Acts that a turn may have, in order, the sentence of each, and how likely they are."""

    share: float
    acts: Acts
    sentences: list[int]


def choose_acts(model: ActModel, turns: Sequence[Turn], vectors: Vectors) -> list[list[Possible]]:
    """Returns the likely acts of each turn, the best choice first; none is without an act."""
    judge = _Judge(model, vectors)
    beams = [[_Path()] for _turn in turns]
    for number in range(max((len(turn.sentences) for turn in turns), default=0)):
        going = [place for place, turn in enumerate(turns) if number < len(turn.sentences)]
        lasts = [sorted({path.last for path in beams[place]}) for place in going]
        asked = [
            (turns[place], number, last)
            for place, each in zip(going, lasts, strict=True)
            for last in each
        ]
        rows = iter(judge.judge(asked))
        for place, each in zip(going, lasts, strict=True):
            beams[place] = _go_on(beams[place], {last: next(rows) for last in each}, judge.labels)
    return [_choose(beam) for beam in beams]


def _go_on(
    beam: Sequence[_Path], rows: Mapping[str, NDArray[np.float64]], labels: Sequence[Acts]
) -> list[_Path]:
    found = []
    for path in beam:
        row = rows[path.last]
        for place in np.argsort(-row, kind="stable")[:_WIDEST].tolist():
            acts = labels[place]
            last = acts[-1] if acts else path.last
            found.append(_Path(path.score + float(row[place]), (*path.acts, acts), last))
    return sorted(found, key=lambda path: -path.score)[:_BEAM]


def _choose(beam: Sequence[_Path]) -> list[Possible]:
    """Returns the likeliest acts, whichever sentences they are in, where they are likeliest."""
    shares: dict[Acts, float] = {}
    places: dict[Acts, tuple[Acts, ...]] = {}
    for path in beam:
        acts = tuple(act for each in path.acts for act in each)
        if acts:
            shares[acts] = shares.get(acts, 0.0) + float(np.exp(path.score))
            places.setdefault(acts, path.acts)
    if not shares:
        return [Possible(1.0, (_NOTHING,), [0])]
    return [
        Possible(shares[acts], acts, list_sentences(places[acts])) for acts in sort_acts(shares)
    ]


def sort_acts(shares: Mapping[Acts, float]) -> list[Acts]:
    """Returns the likely acts of a turn, those first with which the others agree most."""
    kept = sorted(shares, key=lambda acts: -shares[acts])[:_KEPT]
    kept = [acts for acts in kept if shares[acts] >= _SHARE * shares[kept[0]]]
    # Not in its place: a list is empty while it is sorted so.
    return sorted(kept, key=lambda acts: -sum(shares[each] * _agree(acts, each) for each in kept))


def _agree(acts: Acts, others: Acts) -> float:
    """Returns the F1 of acts, place by place."""
    same = sum(act == other for act, other in zip(acts, others, strict=False))
    return 2 * same / (len(acts) + len(others))


def list_sentences(matched: Sequence[Acts]) -> list[int]:
    """Returns the sentence of each act of a turn."""
    return [number for number, acts in enumerate(matched) for _act in acts]
