"""How well texts match: cosine of TF-IDF weights, and BM25."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from commonground.bench.learners.ngrams import split_words

_SATURATION, _LENGTH = 1.5, 0.75  # the usual k1 and b of BM25
_CACHED = 50_000  # texts that are remembered: the same candidates come up again and again


class TermCounts(msgspec.Struct, frozen=True):
    """In how many texts each word is.

    Attributes:
        mean_length: mean number of words of a text.
        terms: the words, sorted.
        counts: int32, shape (terms,): texts that have the word.
    """

    texts: int
    mean_length: float
    terms: list[str]
    counts: NDArray[np.int32]


def count_terms(texts: Iterable[str]) -> TermCounts:
    """Counts the words of texts; of none, every word is as rare as any other."""
    found: Counter[str] = Counter()
    number = length = 0
    for text in texts:
        words = split_words(text)
        found.update(set(words))
        number, length = number + 1, length + len(words)
    terms = sorted(found)
    counts = np.array([found[term] for term in terms], np.int32)
    return TermCounts(number, length / max(1, number), terms, counts)


class Matcher:
    """Compares texts by the words they share, rare ones weighing more."""

    def __init__(self, counts: TermCounts) -> None:
        self._known = dict(zip(counts.terms, counts.counts.tolist(), strict=True))
        self._texts = counts.texts
        self._mean_length = counts.mean_length or 1.0
        self._count = lru_cache(_CACHED)(lambda text: Counter(split_words(text)))
        self._vector = lru_cache(_CACHED)(self._weigh)

    def rarity(self, term: str) -> float:
        """Returns the weight of a word, at least 1: the rarer, the higher."""
        return 1 + math.log((1 + self._texts) / (1 + self._known.get(term, 0)))

    def _weigh(self, text: str) -> dict[str, float]:
        """Returns the TF-IDF weights of a text, as a vector of length 1."""
        weights = {
            term: (1 + math.log(number)) * self.rarity(term)
            for term, number in self._count(text).items()
        }
        length = math.sqrt(sum([weight * weight for weight in weights.values()]))
        return {term: weight / length for term, weight in weights.items()}

    def cosine(self, one: str, other: str) -> float:
        """Returns the cosine of the TF-IDF weights of two texts, from 0 to 1."""
        mine, theirs = self._vector(one), self._vector(other)
        # Only words of both count, so it is enough to go through the shorter one.
        if len(mine) > len(theirs):
            mine, theirs = theirs, mine
        return sum([weight * theirs.get(term, 0.0) for term, weight in mine.items()])

    def score_tfidf(self, query: str, candidates: Sequence[str]) -> list[float]:
        """Returns the cosine of a query with each candidate."""
        return [self.cosine(query, each) for each in candidates]

    def score_bm25(self, query: str, candidates: Sequence[str]) -> list[float]:
        """Returns the Okapi BM25 score of each candidate; a repeated word of a query counts."""
        weights = {
            term: number * self._information(term) for term, number in self._count(query).items()
        }
        return [self._score_bm25(weights, each) for each in candidates]

    def _information(self, term: str) -> float:
        known = self._known.get(term, 0)
        # With 1 added, as Lucene has it: else a word of more than half of the texts would count
        # less than nothing.
        return math.log(1 + (self._texts - known + 0.5) / (known + 0.5))

    def _score_bm25(self, weights: dict[str, float], candidate: str) -> float:
        terms = self._count(candidate)
        length = terms.total() / self._mean_length
        damping = _SATURATION * (1 - _LENGTH + _LENGTH * length)
        return sum(
            [
                weights[term] * number * (_SATURATION + 1) / (number + damping)
                for term, number in terms.items()
                if term in weights
            ]
        )
