"""Who annotates which dialogue: each dialogue once, in order, and again where it broke off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isqrt
from typing import TYPE_CHECKING, Any

from commonground.play.scenario import Assigner, WorkDone
from commonground.play.scenarios.simmc.annotation.material import AnnotationMaterial

if TYPE_CHECKING:
    from commonground.statistics.sequences import Bounded


class Assignments:
    """Who was given which dialogue; see :class:`~commonground.play.scenario.Assignments`.

    The released format has one label for each utterance, so a dialogue that somebody has, or had
    to its end, is given to nobody else. One that broke off comes next, for anybody.

    Args:
        dialogues: the material.
    """

    goes_back = False

    def __init__(self, dialogues: Sequence[AnnotationMaterial]) -> None:
        self._free = dict.fromkeys(range(len(dialogues)))
        self._broken: dict[int, None] = {}
        self._held: dict[int, int] = {}
        self._done: dict[int, int] = {}
        # Of people who are excluded: what they did, until somebody else is given it.
        self._set_aside: dict[int, int] = {}
        self._excluded: set[int] = set()

    def choose(self, _person: int) -> int | None:
        """Returns the first dialogue that nobody has; None where there is none."""
        # Broken ones first, so that a study ends with whole dialogues.
        return next(iter(self._broken or self._free), None)

    def is_under_review(self, _person: int) -> bool:
        """Says that nobody is: labels of one person cannot be held against another's."""
        return False

    def begin(self, person: int, number: int) -> None:
        """Notes that somebody has a dialogue."""
        self._broken.pop(number, None)
        self._free.pop(number, None)
        self._set_aside.pop(number, None)
        self._held[number] = person

    def end(self, person: int, number: int, records: Sequence[Any]) -> None:
        """Notes what came of it: without records it is to be given again.

        Args:
            person: who had the dialogue.
            number: of the dialogue.
            records: the labelled dialogue; none where the session broke off.
        """
        self._held.pop(number, None)
        if records and person in self._excluded:
            self._set_aside[number] = person
            self._broken[number] = None
        elif records:
            self._done[number] = person
        else:
            self._broken[number] = None

    def correct(self, person: int, number: int, records: Sequence[Any]) -> None:
        """Does nothing: nobody goes back to a dialogue.

        Args:
            person: who had the dialogue.
            number: of the dialogue.
            records: what came of it.
        """

    def list_records(self) -> Iterator[tuple[int, Sequence[Any]]]:
        """Yields nothing: each dialogue is annotated once, and nobody differs."""
        yield from ()

    def count_left(self, person: int) -> int:  # noqa: ARG002 - the same for everybody
        """Counts the dialogues that nobody was given yet."""
        return len(self._free) + len(self._broken)

    def forget(self, person: int) -> None:
        """Has the dialogues of somebody whose labels are deleted annotated again."""
        for given in (self._held, self._done, self._set_aside):
            for number in _list_of(person, given):
                del given[number]
                self._broken[number] = None
        self._excluded.discard(person)

    def exclude(self, person: int, on: bool) -> None:
        """Has the dialogues of somebody annotated again, or counts those that nobody has yet.

        Args:
            person: who is excluded.
            on: False to take it back.
        """
        (self._excluded.add if on else self._excluded.discard)(person)
        source, target = (self._done, self._set_aside)[:: 1 if on else -1]
        for number in _list_of(person, source):
            target[number] = source.pop(number)
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
        own = [*_list_of(person, self._done), *_list_of(person, self._set_aside)]
        return WorkDone(done=len(own))

    def bound_agreement(self, _aim: float) -> Bounded | None:
        """Returns nothing: each dialogue has one person."""
        return None

    def measures(self) -> dict[str, float | None]:
        """Returns how many dialogues are done, and how many nobody has yet."""
        return {"done": len(self._done), "left": len(self._free) + len(self._broken)}


def _list_of(person: int, given: dict[int, int]) -> list[int]:
    return [number for number, by in given.items() if by == person]


def count_people(sessions: int) -> int:
    """Returns how many people share so many dialogues: two at least, and more for more."""
    return max(2, isqrt(sessions))


ASSIGNER = Assigner(
    title="Each dialogue once, in order; those that broke off again.",
    people=count_people,
    open=lambda dialogues, _seed: Assignments(dialogues),
)
