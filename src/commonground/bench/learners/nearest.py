"""The example that is most like another, of all that were seen: cosine of TF-IDF weights."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from commonground.bench.learners.linear import Features, tabulate
from commonground.method import NothingToLearnError

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_AT_ONCE = 256  # queries; the table of their likeness to all examples is not sparse


class NearestModel(msgspec.Struct, frozen=True):
    """Examples to be found again, as a sparse table by rows.

    Attributes:
        features: names of the features, in order.
        rarity: float32, shape (features,): weight of each; the rarer, the higher.
        values: float32: weights of all examples, each example a vector of length 1.
        places: int32: the feature of each value.
        ends: int64, shape (examples + 1,): where the values of each example end.
    """

    features: list[str]
    rarity: NDArray[np.float32]
    values: NDArray[np.float32]
    places: NDArray[np.int32]
    ends: NDArray[np.int64]


def train_nearest(examples: Sequence[Features], *, least: int = 1) -> NearestModel:
    """Keeps examples, with their features weighted.

    Args:
        least: examples that a feature must be in to be kept.

    Raises:
        NothingToLearnError: there is no example.
    """
    if not examples:
        raise NothingToLearnError
    counts = Counter(name for example in examples for name in example)
    features = sorted(name for name, count in counts.items() if count >= least)
    total = len(examples)
    # Smoothed as if one more example had every feature, so that none weighs nothing.
    rarity = np.array([1 + math.log((1 + total) / (1 + counts[f])) for f in features], np.float32)
    table = _weigh(examples, {name: place for place, name in enumerate(features)}, rarity)
    places, ends = np.asarray(table.indices, np.int32), np.asarray(table.indptr, np.int64)
    return NearestModel(features, rarity, np.asarray(table.data, np.float32), places, ends)


def _weigh(
    examples: Sequence[Features], index: Mapping[str, int], rarity: NDArray[np.float32]
) -> csr_matrix:
    table = tabulate(examples, index)
    table.data *= rarity[table.indices]
    lengths = np.sqrt(np.asarray(table.multiply(table).sum(axis=1)).ravel())
    # Row by row: `indptr` says how many values of the sparse table each of its rows has. An example
    # without a feature has length 0, and stays empty.
    table.data /= np.repeat(np.maximum(lengths, 1e-12), np.diff(table.indptr)).astype(np.float32)
    return table


def find_nearest(model: NearestModel, queries: Sequence[Features]) -> list[int]:
    """Returns the place of the most similar example of each query; of equals the first."""
    from scipy.sparse import csr_matrix

    shape = (len(model.ends) - 1, len(model.features))
    kept = csr_matrix((model.values, model.places, model.ends), shape=shape).T.tocsr()
    index = {name: place for place, name in enumerate(model.features)}
    found: list[int] = []
    for start in range(0, len(queries), _AT_ONCE):
        table = _weigh(queries[start : start + _AT_ONCE], index, model.rarity)
        # A little is cut off, so that rounding does not decide between equals.
        likeness = np.round((table @ kept).toarray(), 5)
        found += likeness.argmax(axis=1).tolist()
    return found
