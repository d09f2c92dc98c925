"""How far the workers agree who said whether a persona element entails a message."""

from __future__ import annotations

import json
from collections import Counter

import msgspec

from commonground.corpora.mpchat.figures.published import published_agreement
from commonground.figure import Chart, Data, Figure, FigureColumn, Row
from commonground.metrics.agreement import compute_agreement, compute_alpha, compute_kappa


class Votes(msgspec.Struct, frozen=True):
    """The votes of all pairs of message and element, each pair once.

    Attributes:
        pairs: the votes of each pair, 1 for entailed, at most one of each worker.
        by_worker: votes of each worker.
    """

    pairs: list[list[int]]
    by_worker: Counter[str]


def list_votes(data: Data) -> Votes:
    """Returns the votes, without those that are neither 0 nor 1.

    A message that is in several dialogues has its votes in each of them; they count once.
    """
    pairs: list[list[int]] = []
    by_worker: Counter[str] = Counter()
    for (votes,) in data.rows(
        """
        SELECT arg_min(votes, (dialogue_id, event, relation))
        FROM groundings JOIN events USING (corpus, dialogue_id, event)
        WHERE corpus = $corpus AND votes IS NOT NULL
        GROUP BY native_id, object_id ORDER BY native_id, object_id
        """
    ):
        counted = {worker: vote for worker, vote in reversed(json.loads(votes)) if vote in (0, 1)}
        by_worker.update(counted.keys())
        pairs.append(list(counted.values()))
    return Votes(pairs, by_worker)


def _compute_agreement(data: Data) -> list[Row]:
    votes = data.share(list_votes)
    whole = [pair for pair in votes.pairs if len(pair) == 3]
    equal = compute_agreement(whole)
    return [
        ["pairs of message and element", len(votes.pairs), ""],
        ["with three votes", len(whole), ""],
        ["workers", len(votes.by_worker), ""],
        ["votes for entailed", _share(sum(map(sum, whole)), sum(map(len, whole))), "%"],
        ["pairs entailed for most", _share(_count_entailed(whole), len(whole)), "%"],
        ["pairs with three equal votes", _share(_count_equal(whole), len(whole)), "%"],
        ["pairs of votes that agree", None if equal is None else 100 * equal, "%"],
        ["Krippendorff's alpha", compute_alpha(votes.pairs), ""],
        ["Fleiss' kappa", compute_kappa(whole), ""],
    ]


def _count_entailed(pairs: list[list[int]]) -> int:
    return sum(sum(pair) >= 2 for pair in pairs)


def _count_equal(pairs: list[list[int]]) -> int:
    return sum(len(set(pair)) == 1 for pair in pairs)


def _share(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None


AGREEMENT = Figure(
    name="agreement",
    title="How far workers agree",
    caption=(
        "Votes on whether an element entails a message, each pair of them once: shares and kappa "
        "are of the pairs with three votes, alpha of all; 0 is chance, 1 full agreement."
    ),
    columns=(
        FigureColumn("measure", "what"),
        FigureColumn("number", "number"),
        FigureColumn("unit", "unit"),
    ),
    compute=_compute_agreement,
    published=published_agreement(),
)


def _compute_votes(data: Data) -> list[Row]:
    pairs = [pair for pair in data.share(list_votes).pairs if len(pair) == 3]
    counts = Counter(map(sum, pairs))
    return [
        [number, counts[number], 100 * counts[number] / len(pairs)] for number in sorted(counts)
    ]


VOTES = Figure(
    name="votes",
    title="Votes of a pair",
    caption="Pairs of message and element by how many of their three workers found it entailed.",
    columns=(
        FigureColumn("votes", "votes for entailed"),
        FigureColumn("pairs", "pairs"),
        FigureColumn("share", "share of pairs", "%", 2),
    ),
    compute=_compute_votes,
    chart=Chart(x="votes", y=("pairs",)),
)


def _compute_workers(data: Data) -> list[Row]:
    counts = Counter(data.share(list_votes).by_worker.values())
    steps: Counter[int] = Counter()
    for votes, workers in counts.items():
        steps[10 * (votes // 10)] += workers
    return [[start, steps[start]] for start in sorted(steps)]


WORKERS = Figure(
    name="workers",
    title="Votes of a worker",
    caption="Workers by the number of their votes, in steps of ten.",
    columns=(
        FigureColumn("votes", "votes, from"),
        FigureColumn("workers", "workers"),
    ),
    compute=_compute_workers,
    chart=Chart(kind="histogram", x="votes", y=("workers",), step=10),
)

VOTES_FIGURES = (AGREEMENT, VOTES, WORKERS)
