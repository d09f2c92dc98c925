"""How far the workers agree who said whether a persona element entails a message."""

from __future__ import annotations

import json
from collections import Counter

import msgspec

from commonground.figure import Data, Row
from commonground.statistics.agreement import compute_agreement, compute_alpha, compute_kappa


class VotedPair(msgspec.Struct, frozen=True):
    """The votes on a pair of message and element.

    Attributes:
        by_worker: vote of each worker, 1 for entailed.
        dialogues: ids of the dialogues that the message is in with these votes.
    """

    by_worker: dict[str, int]
    dialogues: list[str]

    @property
    def votes(self) -> list[int]:
        """The votes, without their workers."""
        return list(self.by_worker.values())


# The same message in several dialogues has its votes in each of them: the first ones count.
_QUERY = """
    SELECT counted, list(DISTINCT dialogue_id)
    FROM (SELECT native_id, object_id, dialogue_id, votes,
                 first_value(votes) OVER (PARTITION BY native_id, object_id
                                          ORDER BY dialogue_id, event, relation) AS counted
          FROM groundings JOIN events USING (corpus, dialogue_id, event)
          WHERE corpus = $corpus AND votes IS NOT NULL)
    WHERE votes = counted
    GROUP BY native_id, object_id, counted ORDER BY native_id, object_id
"""


# Without any vote there is no number of labels either: null, and not 0.
_LABELS = """
    SELECT nullif(count(DISTINCT label), 0) FROM groundings
    WHERE corpus = $corpus AND votes IS NOT NULL
"""


def list_votes(data: Data) -> list[VotedPair]:
    """Returns each pair of message and element once, with its votes that are 0 or 1."""
    pairs = []
    for votes, dialogues in data.rows(_QUERY):
        # Backwards, so that of a worker who voted twice the first vote counts.
        counted = {worker: vote for worker, vote in reversed(json.loads(votes)) if vote in (0, 1)}
        pairs.append(VotedPair(counted, dialogues))
    return pairs


def _list_whole(data: Data) -> list[VotedPair]:
    """Returns the pairs with three votes."""
    return [pair for pair in data.share(list_votes) if len(pair.by_worker) == 3]


def _count_by_worker(data: Data) -> Counter[str]:
    return Counter(worker for pair in data.share(list_votes) for worker in pair.by_worker)


def compute_agreement_table(data: Data) -> list[Row]:
    """Gives shares, kappa and alpha of the votes."""
    pairs = [pair.votes for pair in data.share(list_votes)]
    whole = [pair.votes for pair in data.share(_list_whole)]
    equal = compute_agreement(whole)
    # Of three votes two are most.
    entailed = sum(sum(pair) >= 2 for pair in whole)
    same = sum(len(set(pair)) == 1 for pair in whole)
    [[labels]] = data.rows(_LABELS)
    return [
        ["pairs of message and element", len(pairs), ""],
        ["with three votes", len(whole), ""],
        ["votes per pair, fewest", min(map(len, pairs), default=None), ""],
        ["votes per pair, most", max(map(len, pairs), default=None), ""],
        ["labels per pair", labels, ""],
        ["workers", len(data.share(_count_by_worker)), ""],
        ["votes for entailed", _share(sum(map(sum, whole)), sum(map(len, whole))), "%"],
        ["pairs entailed by majority vote", _share(entailed, len(whole)), "%"],
        ["pairs with three equal votes", _share(same, len(whole)), "%"],
        ["pairs of votes that agree", None if equal is None else 100 * equal, "%"],
        ["Krippendorff's alpha", compute_alpha(pairs), ""],
        ["Fleiss' kappa", compute_kappa(whole), ""],
    ]


def _share(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None


def compute_votes(data: Data) -> list[Row]:
    """Counts pairs by how many of their workers found them entailed."""
    pairs = data.share(_list_whole)
    counts = Counter(sum(pair.votes) for pair in pairs)
    return [
        [number, counts[number], 100 * counts[number] / len(pairs)] for number in sorted(counts)
    ]


def list_voted(data: Data) -> list[Row]:
    """Gives the dialogues of each number of votes."""
    return [(sum(p.votes), each) for p in data.share(_list_whole) for each in p.dialogues]


def _find_steps(data: Data) -> dict[str, int]:
    """Returns for each worker the least number of votes of the step that theirs is in."""
    counts = data.share(_count_by_worker)
    return {worker: 10 * (votes // 10) for worker, votes in counts.items()}  # 0 to 9, 10 to 19, ...


def compute_workers(data: Data) -> list[Row]:
    """Counts workers by the number of their votes."""
    return [[start, n] for start, n in sorted(Counter(_find_steps(data).values()).items())]


def list_work(data: Data) -> list[tuple[int, str]]:
    """Gives the dialogues of the workers of each step."""
    steps, pairs = _find_steps(data), data.share(list_votes)
    listed = {(steps[who], each) for p in pairs for who in p.by_worker for each in p.dialogues}
    return sorted(listed)
