"""Who gets which unit next, and how well people do: pure functions of the ballots so far.

A unit goes to three different people, and never to one twice. The unit that fewest people have or
had comes first; among these the one that has waited longest, at the start in an order drawn by a
seed. Every tenth unit of a person is one whose answers are known, as long as there are such units
that the person has not seen. Who agrees with the majority hardly more than chance would gets no
more units before somebody has looked at it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import isqrt
from random import Random
from typing import Any

import msgspec

from commonground.corpora.mpchat.scenario.material import VOTES, Unit
from commonground.corpora.mpchat.scenario.release import MOST_SKIPS, Ballot
from commonground.metrics.agreement import compute_agreement, compute_alpha, compute_kappa
from commonground.scenario import Assigner

GOLD_EVERY = 10
"""Each tenth unit of a person has known answers."""

REVIEW_AFTER = 30
"""Units after which a person's agreement with the majority says something."""

REVIEW_STEP = 5
"""Units of a person that others have finished from one look to the next."""

REVIEW_BELOW = 0.2
"""Kappa with the majority below which somebody should look at what a person does."""


class WorkerStanding(msgspec.Struct, frozen=True):
    """How a person does.

    Attributes:
        worker: number of the person.
        units: how many they labelled.
        skipped: how many they skipped.
        compared: elements of theirs that have three votes.
        agreement: share of these on which they are with the majority; null for none.
        kappa: the same against chance; null where nothing could differ.
        gold: elements of theirs whose right answer is known.
        gold_right: how many of these they got right.
        review: whether somebody should look at what they do.
    """

    worker: int
    units: int
    skipped: int
    compared: int
    agreement: float | None
    kappa: float | None
    gold: int
    gold_right: int
    review: bool


class Agreement(msgspec.Struct, frozen=True):
    """How far people agree, over the elements that have three votes.

    Attributes:
        units: how many are labelled by three.
        elements: how many elements these have.
        alpha: Krippendorff's, over all elements with two votes or more; null where nothing could
            differ.
        kappa: Fleiss'; null likewise.
        pairwise: share of pairs of votes on one element that are equal; null for none.
        unanimous: share of the elements with 3 to 0 or 0 to 3; null for none.
    """

    units: int
    elements: int
    alpha: float | None
    kappa: float | None
    pairwise: float | None
    unanimous: float | None


def _labels(ballots: Iterable[Ballot]) -> dict[tuple[str, str], dict[int, int]]:
    """Returns the first votes of each person, by unit and candidate, without known answers."""
    found: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    for ballot in ballots:
        if ballot.unit.gold is None:
            for candidate, vote in ballot.votes.items():
                found[ballot.unit.id, candidate].setdefault(ballot.worker, vote)
    return found


def measure_agreement(ballots: Iterable[Ballot]) -> Agreement:
    """Measures how far people agree; an answer that was known before says nothing of it."""
    labels = _labels(ballots)
    ratings = [tuple(votes.values()) for votes in labels.values()]
    whole = [each[:VOTES] for each in ratings if len(each) >= VOTES]
    units = {unit for (unit, _), votes in labels.items() if len(votes) >= VOTES}
    unanimous = sum(len(set(each)) == 1 for each in whole)
    return Agreement(
        units=len(units),
        elements=len(whole),
        alpha=compute_alpha(ratings),
        kappa=compute_kappa(whole),
        pairwise=compute_agreement(whole),
        unanimous=unanimous / len(whole) if whole else None,
    )


def describe_workers(ballots: Sequence[Ballot]) -> list[WorkerStanding]:
    """Says how each person does, in order of their numbers."""
    pairs = _compare(ballots)
    mine: dict[int, list[Ballot]] = defaultdict(list)
    for ballot in ballots:
        mine[ballot.worker].append(ballot)
    return [_describe(worker, mine[worker], pairs.get(worker, [])) for worker in sorted(mine)]


def _compare(ballots: Iterable[Ballot]) -> dict[int, list[tuple[int, int]]]:
    """Pairs each vote on an element with three votes with their majority, by person."""
    pairs: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for votes in _labels(ballots).values():
        if len(votes) >= VOTES:
            first = list(votes.items())[:VOTES]
            majority = int(sum(vote for _, vote in first) * 2 > VOTES)
            for worker, vote in first:
                pairs[worker].append((vote, majority))
    return pairs


def _describe(
    worker: int, ballots: Sequence[Ballot], pairs: Sequence[tuple[int, int]]
) -> WorkerStanding:
    labelled = sum(each.skipped is None for each in ballots)
    known = [
        (vote == each.unit.gold[candidate])
        for each in ballots
        if each.unit.gold is not None
        for candidate, vote in each.votes.items()
    ]
    kappa = compute_kappa(pairs)
    return WorkerStanding(
        worker=worker,
        units=labelled,
        skipped=len(ballots) - labelled,
        compared=len(pairs),
        agreement=compute_agreement(pairs),
        kappa=kappa,
        gold=len(known),
        gold_right=sum(known),
        review=labelled >= REVIEW_AFTER and kappa is not None and kappa < REVIEW_BELOW,
    )


class LabellingAssignments:
    """Who was given which unit; see :class:`~commonground.scenario.Assignments`.

    Args:
        units: the material.
        seed: decides the order among units that nobody had.
    """

    def __init__(self, units: Sequence[Unit], seed: int) -> None:
        self._units = units
        numbers = range(len(units))
        order = Random(f"{seed}:units").sample(numbers, len(numbers))
        # By how many people have or had a unit; a dict keeps the order in which they came.
        self._waiting: list[dict[int, None]] = [{} for _ in range(VOTES)]
        self._waiting[0] = {each: None for each in order if units[each].gold is None}
        self._gold = [each for each in order if units[each].gold is not None]
        self._given: dict[int, list[int]] = defaultdict(list)
        self._gold_uses: Counter[int] = Counter()
        self._held: Counter[int] = Counter()
        self._skips: Counter[int] = Counter()
        self._ballots: dict[int, list[Ballot]] = defaultdict(list)
        self._labelled: Counter[int] = Counter()
        self._compared: Counter[int] = Counter()
        self._pairs: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self._under_review: set[int] = set()

    def choose(self, person: int) -> int | None:
        """Returns the next unit of a person; null where there is none, or the person must wait."""
        if self.is_under_review(person):
            return None
        given = set(self._given.get(person, ()))
        regular = next(self._regular(given), None)
        if regular is not None and (len(given) + 1) % GOLD_EVERY == 0:
            unseen = [each for each in self._gold if each not in given]
            if unseen:
                return min(unseen, key=lambda each: self._gold_uses[each])
        return regular

    def _regular(self, seen: set[int]) -> Iterator[int]:
        for level in self._waiting:
            for number in level:
                if number not in seen:
                    yield number

    def begin(self, person: int, number: int) -> None:
        """Notes that a person was given a unit, which then waits behind others."""
        self._given[person].append(number)
        if self._units[number].gold is not None:
            self._gold_uses[number] += 1
            return
        self._move(number, 1)

    def _move(self, number: int, step: int) -> None:
        for level in self._waiting:
            level.pop(number, None)
        self._held[number] += step
        if self._held[number] < VOTES and self._skips[number] < MOST_SKIPS:
            self._waiting[self._held[number]][number] = None

    def end(self, person: int, number: int, records: Sequence[Any]) -> None:
        """Notes the ballot; where there is none, or a skip, the unit is for somebody else.

        Args:
            person: who was given the unit, from 0.
            number: of the unit.
            records: at most one ballot; none where the session broke off.
        """
        self._ballots[number] += records
        skipped = any(each.skipped is not None for each in records)
        self._labelled[person] += bool(records) and not skipped
        if self._units[number].gold is not None:
            return
        self._skips[number] += skipped
        if skipped or not records:
            self._move(number, -1)
        else:
            self._review(number)

    def _review(self, number: int) -> None:
        """Compares the people of a unit that now has three votes, each with their majority."""
        for person, pairs in _compare(self._ballots[number]).items():
            self._pairs[person] += pairs
            self._compared[person] += 1
            # Looked at now and then: kappa goes through all that somebody ever labelled.
            if self._labelled[person] >= REVIEW_AFTER and self._compared[person] % REVIEW_STEP == 0:
                kappa = compute_kappa(self._pairs[person])
                is_chance = kappa is not None and kappa < REVIEW_BELOW
                (self._under_review.add if is_chance else self._under_review.discard)(person)

    def is_under_review(self, person: int) -> bool:
        """Says whether a person's answers should be looked at before there are more of them."""
        return person in self._under_review

    def forget(self, person: int) -> None:
        """Takes a person's ballots back; the units are for somebody else."""
        for number in self._given.pop(person, []):
            mine = [each for each in self._ballots[number] if each.worker == person]
            self._ballots[number] = [each for each in self._ballots[number] if each not in mine]
            self._skips[number] -= sum(each.skipped is not None for each in mine)
            # A unit that was skipped or broken off was given back at once.
            if self._units[number].gold is None and any(each.skipped is None for each in mine):
                self._move(number, -1)
        self._labelled.pop(person, None)
        self._pairs.pop(person, None)
        self._compared.pop(person, None)
        self._under_review.discard(person)

    def measures(self) -> dict[str, float | None]:
        """Returns how far people agree, and how much is left."""
        found = measure_agreement(self.ballots)
        done = found.units
        return {
            "alpha": found.alpha,
            "kappa": found.kappa,
            "unanimous": found.unanimous,
            "units_done": done,
            "units_left": sum(each.gold is None for each in self._units) - done,
            "under_review": len(self._under_review),
        }

    @property
    def ballots(self) -> list[Ballot]:
        """All ballots so far, by unit."""
        return [ballot for number in sorted(self._ballots) for ballot in self._ballots[number]]


def count_people(sessions: int) -> int:
    """Returns how many people share so many sessions: five at least, and more for more."""
    return max(5, isqrt(sessions))


ASSIGNER = Assigner(
    title="Units that fewest people have had first, three people each, nobody twice.",
    people=count_people,
    open=LabellingAssignments,
)
