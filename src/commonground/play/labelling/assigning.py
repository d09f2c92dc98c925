"""Who gets which unit next, and how well people do: pure functions of the ballots so far.

A unit goes to as many different people as it says, and never to one twice. The unit that fewest
people have or had comes first; among these the one that has waited longest, at the start in an
order drawn by a seed. Every tenth unit of a person is one whose answers are known, as long as
there are such units that the person has not seen.

Who agrees with the majority, or with known answers, hardly more than chance would is stopped: that
person gets no more units before the researcher has looked at it. Votes of people who are stopped,
or whom the researcher excluded, count for nothing: their units are for others.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import isqrt
from random import Random
from typing import Any

from commonground.play.labelling.ballots import MOST_SKIPS, Ballot, is_done
from commonground.play.labelling.units import Unit
from commonground.play.scenario import Assigner, WorkDone
from commonground.statistics.agreement import Alpha, Kappa
from commonground.statistics.sequences import AlphaBound, Bounded

GOLD_EVERY = 10
"""Each tenth unit of a person has known answers."""

REVIEW_AFTER = 30
"""Units after which a person's agreement with the majority says something."""

COMPARED_AFTER = 5
"""Of these, units that others have finished as well."""

KNOWN_AFTER = 20
"""Known answers after which a person's agreement with them says something."""

REVIEW_BELOW = 0.2
"""Kappa below which somebody should look at what a person does."""


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

    def whole(self) -> Iterator[tuple[str, list[tuple[int, Any]]]]:
        """Yields each candidate that has its votes, with person and vote of as many as count."""
        for candidate, votes in self.votes.items():
            if len(votes) >= self._people:
                # A dict keeps the order in which votes came: where there are some to spare, the
                # first count.
                yield candidate, list(votes.items())[: self._people]


def _compare(counted: Sequence[Ballot], cast: Sequence[Ballot]) -> dict[int, list[tuple[Any, Any]]]:
    """Pairs each vote on a unit that has all its votes with their majority, by person.

    Args:
        counted: ballots of which the majority is made.
        cast: ballots that are held against it: those, and ones that count no more.
    """
    whole = {}
    for candidate, votes in _Labels(counted).whole():
        majority, count = Counter(vote for _, vote in votes).most_common(1)[0]
        # Without a majority nobody is right, and nobody is held against it.
        if 2 * count > len(votes):
            whole[candidate] = ({worker for worker, _ in votes}, majority)
    counting = {each.worker for each in counted}
    pairs: dict[int, list[tuple[Any, Any]]] = defaultdict(list)
    for candidate, said in _Labels(cast).votes.items():
        voters, majority = whole.get(candidate, (set(), None))
        for worker, vote in said.items():
            if voters and (worker in voters or worker not in counting):
                pairs[worker].append((vote, majority))
    return pairs


class _Agreement:
    """How far one person agrees with others, or with known answers.

    Attributes:
        units, answers: that were compared.
        right: those of the answers that agree.
    """

    def __init__(self) -> None:
        self.units = self.answers = self.right = 0
        self._kappa = Kappa()

    def add(self, pairs: Sequence[tuple[Any, Any]], times: int = 1) -> None:
        """Adds what a person said of a unit, and what is right, or takes it away (-1)."""
        self.units += times
        for pair in pairs:
            self.answers += times
            self.right += times * (pair[0] == pair[1])
            self._kappa.add(pair, times)

    @property
    def kappa(self) -> float | None:
        """Fleiss' kappa; None where there is nothing to compare, or nothing ever differs."""
        return self._kappa.value if self.answers else None

    @property
    def is_chance(self) -> bool:
        """Whether it is hardly more than chance would give."""
        return self.kappa is not None and self.kappa < REVIEW_BELOW


class LabellingAssignments:
    """Who was given which unit; see :class:`~commonground.play.scenario.Assignments`.

    Args:
        seed: decides the order among units that nobody had.
    """

    goes_back = True

    def __init__(self, units: Sequence[Unit], seed: int) -> None:
        self._units = units
        numbers = range(len(units))
        order = Random(f"{seed}:units").sample(numbers, len(numbers))
        # By how many people have or had a unit; a dict keeps the order in which they came.
        most = max((each.people for each in units), default=1)
        self._waiting: list[dict[int, None]] = [{} for _ in range(most)]
        self._waiting[0] = {each: None for each in order if units[each].gold is None}
        self._levels: dict[int, int | None] = dict.fromkeys(self._waiting[0], 0)
        self._gold = [each for each in order if units[each].gold is not None]
        self._given: dict[int, list[int]] = defaultdict(list)
        self._gold_uses: Counter[int] = Counter()
        self._open: Counter[int] = Counter()  # people who have a unit now
        self._ballots: dict[int, list[Ballot]] = defaultdict(list)
        self._counted: dict[int, list[Ballot]] = {}
        self._pairs: dict[int, dict[int, list[tuple[Any, Any]]]] = {}  # by unit, then person
        self._labelled: Counter[int] = Counter()
        self._agreements: dict[int, _Agreement] = defaultdict(_Agreement)
        self._known: dict[int, _Agreement] = defaultdict(_Agreement)
        self._under_review: set[int] = set()
        self._cleared: set[int] = set()
        self._excluded: set[int] = set()
        self._standing = _Standing(units)
        self._standing_of_all = _Standing(units)

    def choose(self, person: int) -> int | None:
        """Returns the next unit of a person; None where there is none, or the person must wait."""
        if person in self.list_stopped():
            return None
        given = set(self._given.get(person, ()))
        regular = next((n for level in self._waiting for n in level if n not in given), None)
        # Known units check those who label others; where none of the others is left, nor is a check
        # needed.
        if regular is not None and (len(given) + 1) % GOLD_EVERY == 0:
            unseen = [each for each in self._gold if each not in given]
            if unseen:
                # Of those used equally often, ``min`` takes the first in the order that was drawn.
                return min(unseen, key=lambda each: self._gold_uses[each])
        return regular

    def begin(self, person: int, number: int) -> None:
        """Notes that a person was given a unit, which then waits behind others."""
        self._given[person].append(number)
        if self._units[number].gold is not None:
            self._gold_uses[number] += 1
            return
        self._open[number] += 1
        self._place(number)

    def _place(self, number: int) -> None:
        """Has a unit wait by how many people have or had it, or not at all."""
        counted = self._counted.get(number, [])
        skips = sum(each.skipped is not None for each in counted)
        # What a model said takes nobody's place.
        held = sum(each.skipped is None and not each.by_model for each in counted)
        held += self._open[number]
        is_wanted = held < self._units[number].people and skips < MOST_SKIPS
        before, after = self._levels[number], held if is_wanted else None
        if before == after:
            return
        if before is not None:
            del self._waiting[before][number]
        if after is not None:
            self._waiting[after][number] = None
        self._levels[number] = after

    def end(self, person: int, number: int, records: Sequence[Any]) -> None:
        """Notes the ballot; where there is none, or a skip, the unit is for somebody else.

        Args:
            person: who was given the unit, from 0.
            records: at most one ballot; none where the session broke off.
        """
        self._note(person, number, records)
        if self._units[number].gold is None:
            self._open[number] -= 1
        self._cast(person, number, [*self._ballots[number], *records])

    def _note(self, person: int, number: int, records: Sequence[Any], times: int = 1) -> None:
        """Counts what a person said, and how much of it is known to be right, or takes it away."""
        labelled = [each for each in records if each.skipped is None]
        self._labelled[person] += times * len(labelled)
        gold = self._units[number].gold
        if gold is not None:
            for each in labelled:
                pairs = [(vote, gold[name]) for name, vote in each.votes.items()]
                self._known[person].add(pairs, times)

    def _cast(self, person: int, number: int, ballots: list[Ballot]) -> None:
        """Puts a unit's ballots in place of those it had, and looks at who is judged by them."""
        self._standing_of_all.change(self._ballots[number], ballots)
        self._ballots[number] = ballots
        self._look_at({person, *self._renew(number)})

    def _renew(self, number: int) -> set[int]:
        """Counts the ballots of a unit anew; returns the people who may be judged anew by it."""
        stopped, cast = self.list_stopped(), self._ballots[number]
        before = self._counted.get(number, [])
        counted = self._counted[number] = [each for each in cast if each.worker not in stopped]
        if self._units[number].gold is not None:
            return set()
        self._standing.change(before, counted)
        self._place(number)
        old, new = self._pairs.get(number, {}), _compare(counted, cast)
        self._pairs[number] = new
        for pairs, times in ((old, -1), (new, 1)):
            for person, each in pairs.items():
                self._agreements[person].add(each, times)
        return {*old, *new}

    def _look_at(self, people: set[int]) -> None:
        """Stops people who agree by chance alone, and lets in again who has become better."""
        looked_at: set[int] = set()
        while people := people - looked_at:
            person = min(people)
            looked_at.add(person)
            if self._is_due(person) != (person in self._under_review):
                self._under_review ^= {person}
                people |= self._recount(person)

    def _recount(self, person: int) -> set[int]:
        """Counts all units anew that a person was given; returns who may be judged anew."""
        return {each for number in self._given.get(person, ()) for each in self._renew(number)}

    def _is_due(self, person: int) -> bool:
        agreement, known = self._agreements[person], self._known[person]
        if person in self._cleared:
            return False
        if known.answers >= KNOWN_AFTER and known.is_chance:
            return True
        if person in self._under_review:
            # The units are for others now, and only what these finish tells of the person.
            return agreement.units < REVIEW_AFTER or agreement.is_chance
        is_enough = agreement.units >= COMPARED_AFTER
        return self._labelled[person] >= REVIEW_AFTER and is_enough and agreement.is_chance

    def exclude(self, person: int, on: bool) -> None:
        """Takes all that a person said for not said, or takes that back."""
        (self._excluded.add if on else self._excluded.discard)(person)
        self._look_at(self._recount(person))

    def clear(self, person: int) -> None:
        """Lets a person go on, whatever the agreement with others is from now on."""
        self._cleared.add(person)
        self._look_at({person})

    def list_stopped(self) -> frozenset[int]:
        """Returns the people whose votes count for nothing."""
        return frozenset(self._under_review | self._excluded)

    def describe(self, person: int) -> WorkDone:
        """Returns how much somebody did, and how well."""
        agreement = self._agreements.get(person) or _Agreement()
        known = self._known.get(person) or _Agreement()
        return WorkDone(
            done=self._labelled.get(person, 0),
            known=known.answers,
            right=known.right,
            kappa=agreement.kappa,
        )

    def correct(self, person: int, number: int, records: Sequence[Any]) -> None:
        """Notes that somebody changed their ballot after it was cast.

        Args:
            person: who was given the unit, from 0.
            records: the ballot as it is now.
        """
        before = self._ballots[number]
        mine = {each.worker: each for each in records}
        self._note(person, number, [each for each in before if each.worker in mine], -1)
        self._note(person, number, records)
        self._cast(person, number, [mine.get(each.worker, each) for each in before])

    def list_records(self) -> Iterator[tuple[int, Sequence[Ballot]]]:
        """Yields the number of each unit that has ballots, with all of them."""
        yield from ((number, ballots) for number, ballots in self._ballots.items() if ballots)

    def count_left(self, person: int) -> int:
        """Counts the units that a person could be given next, known ones among them."""
        given = set(self._given.get(person, ()))
        waiting = sum(map(len, self._waiting))
        left = waiting - sum(number in level for level in self._waiting for number in given)
        unseen = sum(number not in given for number in self._gold)
        # Nine of the others stand between two that are known.
        first = GOLD_EVERY - 1 - len(given) % GOLD_EVERY
        checks = max(0, -((first - left) // (GOLD_EVERY - 1)))
        return left + min(checks, unseen)

    def forget(self, person: int) -> None:
        """Takes a person's ballots back; the units are for somebody else."""
        for number in self._given.pop(person, []):
            before = self._ballots[number]
            self._ballots[number] = [each for each in before if each.worker != person]
            self._standing_of_all.change(before, self._ballots[number])
            self._renew(number)
        for known in (self._labelled, self._agreements, self._known):
            known.pop(person, None)
        for people in (self._under_review, self._cleared, self._excluded):
            people.discard(person)

    def measures(self) -> dict[str, float | None]:
        """Returns how far people agree, how many units are done and left, whom to look at.

        Where people are stopped, ``alpha_of_all`` and ``units_done_of_all`` say what it would be
        with their votes.
        """
        measures = {**self._standing.describe(), "under_review": len(self._under_review)}
        stopped = self.list_stopped()
        if stopped:
            of_all = self._standing_of_all.describe()
            measures["people_stopped"] = len(stopped)
            for name in ("alpha", "units_done"):
                measures[f"{name}_of_all"] = of_all[name]
        return measures

    def bound_agreement(self, aim: float) -> Bounded | None:
        """Returns alpha of units that are done, with bounds that hold however often one looks.

        Args:
            aim: half of the width that is wanted, the same at each call.
        """
        return self._standing.bound(aim)

    def is_under_review(self, person: int) -> bool:
        """Says whether a person's answers should be looked at before there are more of them."""
        return person in self._under_review


class _Standing:
    """How far people agree and how much is done, kept up with each ballot."""

    def __init__(self, units: Sequence[Unit]) -> None:
        plain = [each for each in units if each.gold is None]
        self._units = len(plain)
        self._most = max((each.people * len(each.candidates) for each in plain), default=1)
        # Labels of each unit that has all of them, by unit, in the order in which they came.
        self._whole: dict[str, list[list[Any]]] = {}
        self._fed: list[str] = []
        self._bound: AlphaBound | None = None
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
            for _, whole in labels.whole():
                self._kappas[len(whole)].add([vote for _, vote in whole], times)
        # The labels of a unit are kept for the bounds, while it has two votes of each thing.
        wholes = [
            [[vote for _, vote in each] for _, each in _Labels(ballots).whole() if len(each) > 1]
            for ballots in (before, after)
        ]
        if wholes[0] == wholes[1]:
            return
        name = [*before, *after][0].unit.id
        was_fed = self._whole.pop(name, None) is not None
        if wholes[1]:
            self._whole[name] = wholes[1]
        if was_fed:
            # What counted does not any more, or says something else.
            self._bound, self._fed = None, []

    def bound(self, aim: float) -> Bounded | None:
        """Returns alpha with its bounds, as narrow as is aimed at soonest."""
        if self._bound is None:
            self._bound = AlphaBound(self._most, aim)
        for name in [*self._whole][len(self._fed) :]:
            self._bound.add(self._whole[name])
            self._fed.append(name)
        return self._bound.bound()

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
    title="Units that the fewest people have had come first; each gets as many "
    "people as it says, nobody twice.",
    people=count_people,
    open=LabellingAssignments,
)
