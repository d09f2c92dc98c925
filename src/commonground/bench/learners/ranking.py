"""Learning to choose among a few candidates, from named features of each."""

from __future__ import annotations

import random
from array import array
from collections.abc import Collection, Iterable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from commonground.bench.learners.linear import Features
from commonground.method import NothingToLearnError, TrainingSet

_STEPS = 100  # most iterations of the solver

Group = Sequence[Features]
"""What is known of each candidate of one choice."""


class Ranker(msgspec.Struct, frozen=True):
    """What was learned about choosing.

    Attributes:
        features: names of the features, in order.
        weights: float32, shape (features,).
        bias: added to every score; 0 where one candidate is chosen.
        single: whether just one candidate of a group is right, so that their probabilities add
            up to 1; if not, each candidate is right or wrong by itself.
    """

    features: list[str]
    weights: NDArray[np.float32]
    bias: float
    single: bool


class _Table(msgspec.Struct):
    """Groups of candidates as a sparse matrix in the making."""

    index: dict[str, int] = {}
    columns: array[int] = msgspec.field(default_factory=lambda: array("i"))
    values: array[float] = msgspec.field(default_factory=lambda: array("d"))
    ends: array[int] = msgspec.field(default_factory=lambda: array("q", [0]))
    targets: array[float] = msgspec.field(default_factory=lambda: array("d"))
    starts: array[int] = msgspec.field(default_factory=lambda: array("q"))

    def add(self, group: Group, shares: Sequence[float]) -> None:
        """Adds a group, with what the probability of each candidate should be."""
        self.starts.append(len(self.ends) - 1)
        for candidate, share in zip(group, shares, strict=True):
            for name, value in candidate.items():
                self.columns.append(self.index.setdefault(name, len(self.index)))
                self.values.append(value)
            self.ends.append(len(self.columns))
            self.targets.append(share)


def train_ranker(
    choices: Iterable[tuple[Group, Collection[int]]],
    *,
    single: bool,
    strength: float = 1.0,
    least: int = 1,
) -> Ranker:
    """Learns to choose: by a softmax over the candidates of a group, or a sigmoid of each.

    Choosing is learned in one pass over the choices, and no more is kept of them than numbers.

    Args:
        choices: groups, each with the places of its right candidates; if one candidate is to be
            chosen, a group without a right one teaches nothing and is passed over.
        strength: inverse of the regularisation, above 0.
        least: features of fewer candidates than this are left out.

    Raises:
        NothingToLearnError: there is nothing to learn from.
    """
    table = _Table()
    for group, right in choices:
        if group and (right or not single):
            share = 1 / len(right) if single else 1.0
            table.add(group, [share if place in right else 0.0 for place in range(len(group))])
    if not table.targets:
        raise NothingToLearnError
    kept = np.flatnonzero(np.bincount(table.columns, minlength=len(table.index)) >= least)
    found = _solve(table, kept, single, strength)
    names = list(table.index)
    return Ranker(
        features=[names[place] for place in kept.tolist()],
        weights=np.asarray(found[:-1], np.float32),
        bias=0.0 if single else float(found[-1]),
        single=single,
    )


def _solve(
    table: _Table, kept: NDArray[np.intp], single: bool, strength: float
) -> NDArray[np.float64]:
    """Returns the weights that make the right candidates likeliest, and the bias after them."""
    from scipy.optimize import minimize
    from scipy.sparse import csr_matrix

    shape = (len(table.targets), len(table.index))
    matrix = csr_matrix((table.values, table.columns, table.ends), shape=shape)[:, kept]
    # Turned once: the solver multiplies by it in every step, and by rows that is quicker.
    turned = matrix.T.tocsr()
    targets, starts = np.asarray(table.targets), np.asarray(table.starts)
    sizes = np.diff(starts, append=len(targets))

    def measure(point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scores = matrix @ point[:-1] + point[-1]
        if single:
            # The best of each group becomes 0: no exponential overflows, and shares stay the same.
            scores -= np.repeat(np.maximum.reduceat(scores, starts), sizes)
            norms = np.repeat(np.log(np.add.reduceat(np.exp(scores), starts)), sizes)
            loss = targets @ (norms - scores)
            off = np.exp(scores - norms) - targets
        else:
            loss = np.sum(np.logaddexp(0, scores) - targets * scores)
            off = _squash(scores) - targets
        # In a softmax a bias that all candidates share cancels out, so that it has no gradient.
        gradient = np.append(turned @ off, 0.0 if single else off.sum())
        # The bias is not held small: it is how often candidates are right at all.
        penalty = np.append(point[:-1], 0.0) / strength
        return float(loss + 0.5 * penalty @ point), gradient + penalty

    start = np.zeros(len(kept) + 1)
    found = minimize(measure, start, jac=True, method="L-BFGS-B", options={"maxiter": _STEPS})
    return np.asarray(found.x, np.float64)


def _squash(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turns scores into probabilities, without overflow."""
    return np.asarray(0.5 * (1 + np.tanh(0.5 * scores)), np.float64)


class Judge:
    """Scores candidates with what was learned."""

    def __init__(self, model: Ranker) -> None:
        self._model = model
        self._weights = dict(zip(model.features, model.weights.tolist(), strict=True))

    def score(self, group: Group) -> list[float]:
        """Returns the probability of every candidate of a group."""
        weights, bias = self._weights, self._model.bias
        scores = [
            bias + sum([weights[name] * value for name, value in each.items() if name in weights])
            for each in group
        ]
        return _share(scores) if self._model.single else _squash(np.array(scores)).tolist()


def _share(scores: Sequence[float]) -> list[float]:
    if not scores:
        return []
    # Less the largest, so that nothing overflows.
    raised = np.exp(np.array(scores) - max(scores))
    shares: list[float] = (raised / raised.sum()).tolist()
    return shares


def rank_apart(scores: Sequence[float], key: str) -> list[float]:
    """Returns scores in the same order without ties: 1 for the best, towards 0 for the last.

    Candidates of equal score are put in an order that only chance and the key decide. Where the
    right candidate is always listed first, leaving ties to a stable sort would give it away.
    """
    chance = list(range(len(scores)))
    random.Random(key).shuffle(chance)
    order = sorted(chance, key=lambda place: -scores[place])  # stable, so chance breaks ties
    apart = [0.0] * len(scores)
    for rank, place in enumerate(order):
        apart[place] = 1 - rank / len(scores)
    return apart


class ChanceModel(msgspec.Struct, frozen=True):
    """What guessing needs: the seed that answers are drawn with."""

    seed: int


def train_chance(training: TrainingSet) -> ChanceModel:
    """Keeps the seed, with which each answer is drawn by itself."""
    return ChanceModel(training.seed)
