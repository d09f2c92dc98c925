"""Who annotates which dialogue: in order, by as many people as it says, and again if broken off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isqrt
from typing import TYPE_CHECKING, Any

from commonground.play.scenario import Assigner, WorkDone
from commonground.play.scenarios.simmc.annotation.agreement import (
    LAYERS,
    Annotation,
    LayerAgreement,
    measure_agreement,
)
from commonground.play.scenarios.simmc.annotation.material import AnnotationMaterial

if TYPE_CHECKING:
    from commonground.statistics.sequences import Bounded


class Assignments:
    """Who was given which dialogue; see :class:`~commonground.play.scenario.Assignments`.

    A dialogue that broke off comes next, for anybody. Else the one comes that fewest people have,
    or had to its end, so that all are labelled once before any is labelled twice.
    """

    goes_back = False

    def __init__(self, dialogues: Sequence[AnnotationMaterial]) -> None:
        self._people = [each.people for each in dialogues]
        self._held: list[set[int]] = [set() for _ in dialogues]
        # What came of each, by person.
        self._done: list[dict[int, Sequence[Any]]] = [{} for _ in dialogues]
        # Of people who are excluded: what they did, until somebody else is given it.
        self._set_aside: list[dict[int, Sequence[Any]]] = [{} for _ in dialogues]
        self._broken: dict[int, None] = {}
        self._excluded: set[int] = set()
        self._agreement: dict[str, LayerAgreement] | None = None

    def choose(self, person: int) -> int | None:
        """Returns the next dialogue of a person; None where there is none."""

        def rank(number: int) -> tuple[bool, int, int]:
            return number not in self._broken, self._count(number), number

        return min(self._list_open(person), key=rank, default=None)

    def _list_open(self, person: int) -> Iterator[int]:
        """Yields the dialogues that lack people and that a person never had."""
        for number, most in enumerate(self._people):
            had = (self._held[number], self._done[number], self._set_aside[number])
            if self._count(number) < most and not any(person in each for each in had):
                yield number

    def _count(self, number: int) -> int:
        return len(self._held[number]) + len(self._done[number])

    def is_under_review(self, _person: int) -> bool:
        """Says that nobody is: no number says which of two labels is the better one."""
        return False

    def begin(self, person: int, number: int) -> None:
        """Notes that somebody has a dialogue."""
        self._broken.pop(number, None)
        # One that is given in place of what was set aside: that counts no more.
        if aside := self._set_aside[number]:
            del aside[next(iter(aside))]
        self._held[number].add(person)

    def end(self, person: int, number: int, records: Sequence[Any]) -> None:
        """Notes what came of it; without records it broke off, and is to be given again."""
        self._held[number].discard(person)
        if not records or person in self._excluded:
            self._broken[number] = None
        if records:
            given = self._set_aside if person in self._excluded else self._done
            given[number][person] = records
            self._agreement = None

    def correct(self, _person: int, _number: int, _records: Sequence[Any]) -> None:
        """Does nothing: nobody goes back to a dialogue."""

    def list_records(self) -> Iterator[tuple[int, Sequence[Any]]]:
        """Yields nothing: labels of dialogues have no answers to decide between."""
        yield from ()

    def count_left(self, person: int) -> int:
        """Counts the dialogues that a person could be given."""
        return sum(1 for _ in self._list_open(person))

    def forget(self, person: int) -> None:
        """Has the dialogues of somebody whose labels are deleted annotated again."""
        for number, held in enumerate(self._held):
            for given in (self._done[number], self._set_aside[number]):
                if given.pop(person, None) is not None:
                    self._broken[number] = None
            if person in held:
                held.discard(person)
                self._broken[number] = None
        self._excluded.discard(person)
        self._agreement = None

    def exclude(self, person: int, on: bool) -> None:
        """Has the dialogues of somebody annotated again.

        Where that is taken back, those count that nobody else was given.
        """
        (self._excluded.add if on else self._excluded.discard)(person)
        self._agreement = None
        for number, given in enumerate(zip(self._done, self._set_aside, strict=True)):
            source, target = given[:: 1 if on else -1]
            if person in source:
                target[person] = source.pop(person)
                if on:
                    self._broken[number] = None
                else:
                    self._broken.pop(number, None)

    def clear(self, person: int) -> None:
        """Does nothing: nobody is ever looked at."""

    def list_stopped(self) -> frozenset[int]:
        """Returns the people who are excluded."""
        return frozenset(self._excluded)

    def describe(self, person: int) -> WorkDone:
        """Returns how many dialogues somebody did that nobody else was given since."""
        own = [each for each in (*self._done, *self._set_aside) if person in each]
        return WorkDone(done=len(own))

    def bound_agreement(self, _aim: float) -> Bounded | None:
        """Returns nothing: there are three layers, each with an alpha of its own."""
        return None

    def measures(self) -> dict[str, float | None]:
        """Returns how many dialogues are done and left, and how far people agree.

        A dialogue counts as often as people are to label it. Alpha of a layer is there where some
        are to be labelled by two.
        """
        done = sum(map(len, self._done))
        left = sum(max(0, n - self._count(each)) for each, n in enumerate(self._people))
        counts: dict[str, float | None] = {"done": done, "left": left}
        return counts | self._measure_agreement()

    def _measure_agreement(self) -> dict[str, float | None]:
        if max(self._people, default=1) < 2:
            return {}
        if self._agreement is None:  # the monitor asks every second
            found = (each for done in self._done for made in done.values() for each in made)
            self._agreement = measure_agreement(e for e in found if isinstance(e, Annotation))
        measured = self._agreement
        return {f"alpha_{n}": measured[n].alpha if n in measured else None for n in LAYERS}


def count_people(sessions: int) -> int:
    """Returns how many people share so many dialogues: two at least, and more for more."""
    return max(2, isqrt(sessions))


ASSIGNER = Assigner(
    title="Dialogues in order, each for as many people as it says; those that broke off again.",
    people=count_people,
    open=lambda dialogues, _seed: Assignments(dialogues),
)
