"""Who gets which unit next, and how well people do: pure functions of the ballots so far.

A unit goes to as many different people as it says, and never to one twice. The unit that fewest
people have or had comes first; among these the one that has waited longest, at the start in an
order drawn by a seed. Every tenth unit of a person is one whose answers are known, as long as
there are such units that the person has not seen. Who agrees with the majority hardly more than
chance would gets no more units before somebody has looked at it.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import isqrt
from random import Random
from threading import Thread
from typing import Any

import msgspec

from commonground.play.labelling.ballots import MOST_SKIPS, Ballot, is_done
from commonground.play.labelling.units import Unit
from commonground.play.scenario import Assigner
from commonground.statistics.agreement import (
    Kappa,
    compute_agreement,
    compute_alpha,
    compute_kappa,
)

GOLD_EVERY = 10
"""Each tenth unit of a person has known answers."""

REVIEW_AFTER = 30
"""Units after which a person's agreement with the majority says something."""

REVIEW_STEP = 5
"""Units of a person that others have finished from one look to the next."""

AT_ONCE = 500
"""Elements whose agreement is computed while whoever asks for it waits."""

STALE = 0.01
"""Share of the elements that must have changed before their agreement is computed anew."""

REVIEW_BELOW = 0.2
"""Kappa with the majority below which somebody should look at what a person does."""


class WorkerStanding(msgspec.Struct, frozen=True):
    """How a person does.

    Attributes:
        worker: number of the person.
        units: how many they labelled.
        skipped: how many they skipped.
        compared: elements of theirs that all people have voted on, with a majority.
        agreement: share of these on which they are with the majority; None for none.
        kappa: the same against chance; None where nothing could differ.
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
    """How far people agree, over the elements that all people have voted on.

    Attributes:
        units: how many are labelled by as many people as they need.
        elements: how many elements these have.
        alpha: Krippendorff's, over all elements with two votes or more; None where nothing could
            differ.
        kappa: Fleiss', over those with as many votes as most have; None likewise.
        pairwise: share of pairs of votes on one element that are equal; None for none.
        unanimous: share of the elements on which all agree; None for none.
    """

    units: int
    elements: int
    alpha: float | None
    kappa: float | None
    pairwise: float | None
    unanimous: float | None


Key = tuple[str, str]
"""An element: its unit and candidate."""


class _Labels:
    """The first votes of each person, by element, without known answers and those of models."""

    def __init__(self, ballots: Iterable[Ballot] = ()) -> None:
        self.votes: dict[Key, dict[int, Any]] = defaultdict(dict)
        self.people: dict[Key, int] = {}
        for ballot in ballots:
            self.add(ballot)

    def add(self, ballot: Ballot) -> None:
        """Adds what somebody said; what was said before counts."""
        if ballot.unit.gold is None and not ballot.by_model:
            for candidate, vote in ballot.votes.items():
                key = (ballot.unit.id, candidate)
                self.people[key] = ballot.unit.people
                self.votes[key].setdefault(ballot.worker, vote)

    def whole(self) -> Iterator[tuple[Key, list[tuple[int, Any]]]]:
        """Yields each element that has its votes, with person and vote of as many as it needs."""
        for key, votes in self.votes.items():
            if len(votes) >= self.people[key]:
                # A dict keeps the order in which votes came: where there are some to spare, the
                # first count.
                yield key, list(votes.items())[: self.people[key]]


def measure_agreement(ballots: Iterable[Ballot]) -> Agreement:
    """Measures how far people agree; an answer that was known before says nothing of it."""
    labels = _Labels(ballots)
    whole = {key: [vote for _, vote in votes] for key, votes in labels.whole()}
    unanimous = sum(len(set(each)) == 1 for each in whole.values())
    return Agreement(
        units=len({unit for unit, _ in whole}),
        elements=len(whole),
        alpha=compute_alpha(tuple(each.values()) for each in labels.votes.values()),
        kappa=_kappa_of(whole.values()),
        pairwise=compute_agreement(whole.values()),
        unanimous=unanimous / len(whole) if whole else None,
    )


def _kappa_of(whole: Iterable[Sequence[Any]]) -> float | None:
    """Returns kappa over the elements with as many votes as most of them have."""
    by_number: dict[int, list[Sequence[Any]]] = defaultdict(list)
    for votes in whole:
        by_number[len(votes)].append(votes)
    # Fleiss' kappa needs the same number of votes for every element.
    most = max(by_number, key=lambda number: len(by_number[number]), default=0)
    return compute_kappa(by_number[most])


def describe_workers(ballots: Sequence[Ballot]) -> list[WorkerStanding]:
    """Says how each person does, in order of their numbers."""
    people = [each for each in ballots if not each.by_model]
    pairs = _compare(people)
    mine: dict[int, list[Ballot]] = defaultdict(list)
    for ballot in people:
        mine[ballot.worker].append(ballot)
    return [_describe(worker, mine[worker], pairs.get(worker, [])) for worker in sorted(mine)]


def _compare(ballots: Iterable[Ballot]) -> dict[int, list[tuple[Any, Any]]]:
    """Pairs each vote on an element that has all its votes with their majority, by person."""
    pairs: dict[int, list[tuple[Any, Any]]] = defaultdict(list)
    for _, votes in _Labels(ballots).whole():
        majority, count = Counter(vote for _, vote in votes).most_common(1)[0]
        # Without a majority nobody is right, and nobody is held against it.
        if 2 * count > len(votes):
            for worker, vote in votes:
                pairs[worker].append((vote, majority))
    return pairs


def _describe(
    worker: int, ballots: Sequence[Ballot], pairs: Sequence[tuple[Any, Any]]
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
    """Who was given which unit; see :class:`~commonground.play.scenario.Assignments`.

    Args:
        units: the material.
        seed: decides the order among units that nobody had.
    """

    def __init__(self, units: Sequence[Unit], seed: int) -> None:
        self._units = units
        numbers = range(len(units))
        order = Random(f"{seed}:units").sample(numbers, len(numbers))
        # By how many people have or had a unit; a dict keeps the order in which they came.
        most = max((each.people for each in units), default=1)
        self._waiting: list[dict[int, None]] = [{} for _ in range(most)]
        self._waiting[0] = {each: None for each in order if units[each].gold is None}
        self._gold = [each for each in order if units[each].gold is not None]
        self._given: dict[int, list[int]] = defaultdict(list)
        self._gold_uses: Counter[int] = Counter()
        self._held: Counter[int] = Counter()
        self._skips: Counter[int] = Counter()
        self._ballots: dict[int, list[Ballot]] = defaultdict(list)
        self._labelled: Counter[int] = Counter()
        self._compared: Counter[int] = Counter()
        self._pairs: dict[int, list[tuple[Any, Any]]] = defaultdict(list)
        self._under_review: set[int] = set()
        self._standing = _Standing(sum(each.gold is None for each in units))

    def choose(self, person: int) -> int | None:
        """Returns the next unit of a person; None where there is none, or the person must wait."""
        if self.is_under_review(person):
            return None
        given = set(self._given.get(person, ()))
        regular = next(self._regular(given), None)
        # Known units check those who label others; where none of the others is left, nor is a check
        # needed.
        if regular is not None and (len(given) + 1) % GOLD_EVERY == 0:
            unseen = [each for each in self._gold if each not in given]
            if unseen:
                # Of those used equally often, ``min`` takes the first in the order that was drawn.
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
        # Whatever level it waits at; there are only as many as people of a unit.
        for level in self._waiting:
            level.pop(number, None)
        self._held[number] += step
        if self._held[number] < self._units[number].people and self._skips[number] < MOST_SKIPS:
            # Behind those that wait at this level already.
            self._waiting[self._held[number]][number] = None

    def end(self, person: int, number: int, records: Sequence[Any]) -> None:
        """Notes the ballot; where there is none, or a skip, the unit is for somebody else.

        Args:
            person: who was given the unit, from 0.
            number: of the unit.
            records: at most one ballot; none where the session broke off.
        """
        before = self._ballots[number]
        after = self._ballots[number] = [*before, *records]
        skipped = any(each.skipped is not None for each in records)
        # A truth value counts as 1 or 0.
        self._labelled[person] += bool(records) and not skipped
        if self._units[number].gold is not None:
            return
        self._skips[number] += skipped
        # What a model said takes nobody's place.
        if skipped or all(each.by_model for each in records):
            self._move(number, -1)
        else:
            self._review(number)
        self._standing.change(before, after)

    def _review(self, number: int) -> None:
        """Compares the people of a unit that now has all its votes, each with their majority."""
        for person, pairs in _compare(self._ballots[number]).items():
            self._pairs[person] += pairs
            self._compared[person] += 1
            # Looked at now and then: kappa goes through all that somebody ever labelled.
            if self._labelled[person] >= REVIEW_AFTER and self._compared[person] % REVIEW_STEP == 0:
                kappa = compute_kappa(self._pairs[person])
                is_chance = kappa is not None and kappa < REVIEW_BELOW
                # Both ways: somebody who has become better is let in again.
                (self._under_review.add if is_chance else self._under_review.discard)(person)

    def forget(self, person: int) -> None:
        """Takes a person's ballots back; the units are for somebody else."""
        for number in self._given.pop(person, []):
            before = self._ballots[number]
            mine = [each for each in before if each.worker == person]
            after = self._ballots[number] = [each for each in before if each.worker != person]
            if self._units[number].gold is not None:
                continue
            self._skips[number] -= sum(each.skipped is not None for each in mine)
            # A unit that was skipped or broken off was given back at once.
            takes_place = any(each.skipped is None and not each.by_model for each in mine)
            # Moved by 0, too: with a skip less it may have to wait for people again.
            self._move(number, -1 if takes_place else 0)
            self._standing.change(before, after)
        for known in (self._labelled, self._pairs, self._compared):
            known.pop(person, None)
        self._under_review.discard(person)

    def measures(self) -> dict[str, float | None]:
        """Returns how far people agree, how many units are done and left, whom to look at."""
        return {**self._standing.describe(), "under_review": len(self._under_review)}

    def is_under_review(self, person: int) -> bool:
        """Says whether a person's answers should be looked at before there are more of them."""
        return person in self._under_review

    @property
    def ballots(self) -> list[Ballot]:
        """All ballots so far, by unit."""
        return [ballot for number in sorted(self._ballots) for ballot in self._ballots[number]]


class LiveAlpha:
    """Krippendorff's alpha of elements whose votes change.

    It is computed anew when a part of the votes has changed since. On a server that is done beside
    all that goes on, unless it takes a few milliseconds only, so the value may be a moment old.
    """

    def __init__(self) -> None:
        self._ratings: dict[Key, tuple[Any, ...]] = {}
        self._changes = 0
        self._value: float | None = None
        self._computing: Thread | None = None

    def put(self, key: Key, ratings: tuple[Any, ...]) -> None:
        """Notes the votes that an element has now; none to take it away."""
        self._changes += 1
        if ratings:
            self._ratings[key] = ratings
        else:
            self._ratings.pop(key, None)

    @property
    def value(self) -> float | None:
        """Alpha; None where there is nothing to compare yet."""
        known = self._value
        if self._changes == 0 or self._changes < STALE * len(self._ratings):
            return known
        ratings = [*self._ratings.values()]
        # What computes it is slow to load, too.
        is_quick = len(ratings) <= AT_ONCE and "nltk.metrics.agreement" in sys.modules
        if is_quick or not _is_served():
            self._changes = 0
            self._compute(ratings)
            return self._value
        if self._computing is None or not self._computing.is_alive():
            # Here and not when it is done: what changes meanwhile is not in it.
            self._changes = 0
            # A daemon, so that a server which stops does not wait for it.
            self._computing = Thread(target=self._compute, args=(ratings,), daemon=True)
            self._computing.start()
        return known

    def _compute(self, ratings: Sequence[tuple[Any, ...]]) -> None:
        self._value = compute_alpha(ratings)


def _is_served() -> bool:
    """Says whether others wait while something is done here: people who play, in their browsers."""
    try:
        asyncio.get_running_loop()
    # Only a server runs a loop.
    except RuntimeError:
        return False
    return True


class _Standing:
    """How far people agree and how much is done, kept up with each ballot.

    Args:
        units: how many there are to label.
    """

    def __init__(self, units: int) -> None:
        self._units = units
        self._done = 0
        self._alpha = LiveAlpha()
        self._kappas: dict[int, Kappa] = defaultdict(Kappa)  # by votes of an element

    def change(self, before: Sequence[Ballot], after: Sequence[Ballot]) -> None:
        """Counts the ballots of a unit in place of those that it had.

        Args:
            before: those that were counted.
            after: those that there are now.
        """
        # Taken away as they were, then added as they are: nothing else of the study is looked at.
        for ballots, times in ((before, -1), (after, 1)):
            labels = _Labels(ballots)
            self._done += times * is_done(ballots)
            for key, votes in labels.votes.items():
                self._alpha.put(key, tuple(votes.values()) if times > 0 else ())
            for _, whole in labels.whole():
                self._kappas[len(whole)].add([vote for _, vote in whole], times)

    def describe(self) -> dict[str, float | None]:
        """Returns the measures by name; None where there is nothing to measure yet."""
        kappas = self._kappas.values()
        largest = max(kappas, key=lambda each: each.units, default=Kappa())
        elements = sum(each.units for each in kappas)
        unanimous = sum(each.unanimous for each in kappas)
        return {
            "alpha": self._alpha.value,
            "kappa": largest.value,
            "unanimous": unanimous / elements if elements else None,
            "units_done": self._done,
            "units_left": self._units - self._done,
        }


def count_people(sessions: int) -> int:
    """Returns how many people share so many sessions: five at least, and more for more."""
    # So that scripted people come often enough to be compared, and are not all the same few.
    return max(5, isqrt(sessions))


LABELLING = Assigner(
    title="Units that fewest people have had first, as many people each as it says, nobody twice.",
    people=count_people,
    open=LabellingAssignments,
)
