"""Who gets which unit next, and how well people do: pure functions of the ballots so far.

A unit goes to as many different people as it says, and never to one twice. The unit that fewest
people have or had comes first; among these the one that has waited longest, at the start in an
order drawn by a seed. Every tenth unit of a person is one whose answers are known, as long as
there are such units that the person has not seen. Who agrees with the majority hardly more than
chance would gets no more units before somebody has looked at it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import isqrt
from random import Random
from typing import Any

from commonground.play.labelling.ballots import MOST_SKIPS, Ballot, is_done
from commonground.play.labelling.units import Unit
from commonground.play.scenario import Assigner
from commonground.statistics.agreement import Alpha, Kappa, compute_kappa

GOLD_EVERY = 10
"""Each tenth unit of a person has known answers."""

REVIEW_AFTER = 30
"""Units after which a person's agreement with the majority says something."""

REVIEW_STEP = 5
"""Units of a person that others have finished from one look to the next."""

REVIEW_BELOW = 0.2
"""Kappa with the majority below which somebody should look at what a person does."""


class _Labels:
    """What people said of a unit, by candidate, without known answers and those of models."""

    def __init__(self, ballots: Iterable[Ballot]) -> None:
        self.votes: dict[str, dict[int, Any]] = defaultdict(dict)
        self._people = 1
        for ballot in ballots:
            if ballot.unit.gold is None and not ballot.by_model:
                self._people = ballot.unit.people
                for candidate, vote in ballot.votes.items():
                    self.votes[candidate].setdefault(ballot.worker, vote)

    def whole(self) -> Iterator[list[tuple[int, Any]]]:
        """Yields person and vote of as many as count, for each candidate that has its votes."""
        for votes in self.votes.values():
            if len(votes) >= self._people:
                # A dict keeps the order in which votes came: where there are some to spare, the
                # first count.
                yield list(votes.items())[: self._people]


def _compare(ballots: Sequence[Ballot]) -> dict[int, list[tuple[Any, Any]]]:
    """Pairs each vote on a unit that has all its votes with their majority, by person."""
    pairs: dict[int, list[tuple[Any, Any]]] = defaultdict(list)
    for votes in _Labels(ballots).whole():
        majority, count = Counter(vote for _, vote in votes).most_common(1)[0]
        # Without a majority nobody is right, and nobody is held against it.
        if 2 * count > len(votes):
            for worker, vote in votes:
                pairs[worker].append((vote, majority))
    return pairs


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
        self._labelled[person] += bool(records) and not skipped
        if self._units[number].gold is not None:
            return
        self._skips[number] += skipped
        # What a model said takes nobody's place.
        if skipped or all(each.by_model for each in records):
            self._move(number, -1)
        else:
            for person, pairs in _compare(self._ballots[number]).items():
                self._pairs[person] += pairs
                self._compared[person] += 1
                # Looked at now and then: kappa goes through all that somebody ever labelled.
                if (
                    self._labelled[person] >= REVIEW_AFTER
                    and self._compared[person] % REVIEW_STEP == 0
                ):
                    kappa = compute_kappa(self._pairs[person])
                    is_chance = kappa is not None and kappa < REVIEW_BELOW
                    # Both ways: somebody who has become better is let in again.
                    (self._under_review.add if is_chance else self._under_review.discard)(person)
        self._standing.change(before, after)

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


class _Standing:
    """How far people agree and how much is done, kept up with each ballot."""

    def __init__(self, units: int) -> None:
        self._units = units
        self._done = 0
        self._alpha = Alpha()
        self._kappas: dict[int, Kappa] = defaultdict(Kappa)  # by votes of an element

    def change(self, before: Sequence[Ballot], after: Sequence[Ballot]) -> None:
        """Counts the ballots of a unit in place of those that it had."""
        # Taken away as they were, then added as they are: nothing else of the study is looked at.
        for ballots, times in ((before, -1), (after, 1)):
            labels = _Labels(ballots)
            self._done += times * is_done(ballots)
            for votes in labels.votes.values():
                self._alpha.add([*votes.values()], times)
            for whole in labels.whole():
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
