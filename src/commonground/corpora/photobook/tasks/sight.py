"""What words say of pictures: learned from pictures that were spoken of, and true of new ones.

The words of a text are mapped to a direction in the space of the pictures' vectors, in which what
the text is about lies farther out than what else is displayed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from commonground.method import Encode, NothingToLearnError

_LEAST = 20  # texts that must have a word for it to be learned
_WIDTH = 200  # most directions of pictures that are kept
_STRENGTH = 30.0  # how strongly the weights are held small
_SPREAD = 0.1  # added to how much pictures differ in a number, for those in which they hardly do
_PARTS = 4
"""Into how many parts themes are divided, for texts to be judged by what others taught."""

Rows = NDArray[np.float32]


class Example(msgspec.Struct, frozen=True):
    """A text and the pictures that it may be about.

    Attributes:
        words: its words, each once.
        shown: names of the pictures displayed.
        right: those of them that it is about.
    """

    words: Collection[str]
    shown: Sequence[str]
    right: Collection[str]


class Sight(msgspec.Struct, frozen=True):
    """What was learned of words and pictures.

    Attributes:
        rarity: of each word that is known, by the word.
        centre: float32, shape (width,): the mean picture.
        directions: float32, shape (width, kept): those in which pictures differ.
        weights: float32, shape (words, kept): what each word says of a picture.
    """

    rarity: dict[str, float]
    centre: Rows
    directions: Rows
    weights: Rows


class SightTraining:
    """Learns what words say of pictures, from all texts or without those of some themes.

    Raises:
        NothingToLearnError: there is no text, or no picture.
    """

    def __init__(self, examples: Sequence[Example], encode: Encode) -> None:
        counts = Counter(word for each in examples for word in set(each.words))
        least = min(_LEAST, max(1, len(examples) // 10))
        rarity = {
            word: math.log(len(examples) / count) + _SPREAD
            for word, count in sorted(counts.items())
            if count >= least
        }
        names = sorted({name for each in examples for name in each.shown})
        if not names or not rarity:
            raise NothingToLearnError
        vectors = np.asarray(encode(names), np.float64)
        centre, directions = _find_directions(vectors)
        self._empty = Sight(rarity, centre, directions, np.zeros((0, 0), np.float32))
        seen = dict(zip(names, _project(self._empty, vectors), strict=True))
        places = {word: at for at, word in enumerate(rarity)}
        self._words = [_write_words(rarity, places, set(each.words)) for each in examples]
        self._aims = np.array([_aim(each, seen) for each in examples])
        self._themes = [_name_theme(each.shown) for each in examples]
        self._encode = encode

    def learn(self) -> Sight:
        """Returns what all texts taught."""
        return self._learn(range(len(self._words)))

    def measure_apart(
        self, texts: Sequence[tuple[Collection[str], Sequence[str]]]
    ) -> list[list[float]]:
        """Returns what speaks for each picture of texts, by what other themes taught.

        This is how texts are judged whose pictures are new; with pictures of one theme alone there
        is nothing else to learn from than them. Texts are as in :func:`measure_sight`.
        """
        numbers = {theme: at % _PARTS for at, theme in enumerate(sorted(set(self._themes)))}
        parts = [numbers.get(_name_theme(shown), 0) for _words, shown in texts]
        scores: list[list[float]] = [[] for _each in texts]
        for part in sorted(set(parts)):
            places = [at for at, each in enumerate(parts) if each == part]
            others = [at for at, each in enumerate(self._themes) if numbers[each] != part]
            sight = self._learn(others or range(len(self._words)))
            measured = measure_sight(sight, [texts[at] for at in places], self._encode)
            for at, mine in zip(places, measured, strict=True):
                scores[at] = mine
        return scores

    def _learn(self, places: Sequence[int]) -> Sight:
        words = [self._words[at] for at in places]
        weights = _solve(words, self._aims[list(places)], len(self._empty.rarity))
        return msgspec.structs.replace(self._empty, weights=weights)


def measure_sight(
    sight: Sight, texts: Iterable[tuple[Collection[str], Sequence[str]]], encode: Encode
) -> list[list[float]]:
    """Returns what speaks for each picture of texts: above 0 for it, below 0 against it.

    Args:
        sight: what was learned.
        texts: the words of each, and the names of the pictures displayed.
        encode: gives the vectors of pictures.
    """
    known = list(texts)
    names = sorted({name for _words, shown in known for name in shown})
    vectors = np.asarray(encode(names), np.float64)
    seen = dict(zip(names, _project(sight, vectors), strict=True)) if names else {}
    places = {word: at for at, word in enumerate(sight.rarity)}
    written = (_write_words(sight.rarity, places, set(words)) for words, _shown in known)
    return [
        _score(sight, w, shown, seen) for w, (_words, shown) in zip(written, known, strict=True)
    ]


def _find_directions(vectors: NDArray[np.float64]) -> tuple[Rows, Rows]:
    centre, spread = vectors.mean(axis=0), vectors.std(axis=0) + _SPREAD
    _left, _sizes, right = np.linalg.svd((vectors - centre) / spread, full_matrices=False)
    directions = (right[:_WIDTH] / spread).T
    return centre.astype(np.float32), directions.astype(np.float32)


def _project(sight: Sight, vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    rows = (vectors - sight.centre) @ sight.directions
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(lengths, 1e-9), np.float64)


def _write_words(
    rarity: Mapping[str, float], places: Mapping[str, int], words: Collection[str]
) -> dict[int, float]:
    """Returns the weights of a text's words, by their places; together of length 1."""
    found = {places[word]: rarity[word] for word in sorted(words) if word in places}
    length = math.sqrt(sum(value * value for value in found.values()))
    return {at: value / length for at, value in found.items()}


def _aim(example: Example, seen: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
    shown = np.mean([seen[name] for name in example.shown], axis=0)
    right = [seen[name] for name in example.shown if name in example.right]
    return np.mean(right, axis=0) - shown if right else np.zeros_like(shown)


def _name_theme(shown: Sequence[str]) -> str:
    """Returns the folder of pictures that are displayed together, which is of one theme."""
    return shown[0].rpartition("/")[0] if shown else ""


def _solve(words: Sequence[Mapping[int, float]], aims: NDArray[np.float64], width: int) -> Rows:
    """Learns by ridge regression, in one step and without chance."""
    from scipy.sparse import csr_matrix

    ends = np.cumsum([0, *(len(each) for each in words)])
    values = [value for each in words for value in each.values()]
    columns = [at for each in words for at in each]
    matrix = csr_matrix((values, columns, ends), shape=(len(words), width))
    held = (matrix.T @ matrix).toarray() + _STRENGTH * np.eye(width)
    return np.asarray(np.linalg.solve(held, matrix.T @ aims), np.float32)


def _score(
    sight: Sight,
    words: Mapping[int, float],
    shown: Sequence[str],
    seen: Mapping[str, NDArray[np.float64]],
) -> list[float]:
    if not shown:
        return []
    aim = np.zeros(sight.directions.shape[1])
    for at, value in words.items():
        aim += value * sight.weights[at]
    scores = np.array([seen[name] @ aim for name in shown])
    return [float(each) for each in scores - scores.mean()]
