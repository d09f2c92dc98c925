"""Who annotates which dialogue: each dialogue once, in order, and again where it broke off."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt
from typing import Any

from commonground.play.scenario import Assigner
from commonground.play.scenarios.simmc.annotation.material import AnnotationMaterial


class Assignments:
    """Who was given which dialogue; see :class:`~commonground.play.scenario.Assignments`.

    The released format has one label for each utterance, so a dialogue that somebody has, or had
    to its end, is given to nobody else. One that broke off comes next, for anybody.

    Args:
        dialogues: the material.
    """

    def __init__(self, dialogues: Sequence[AnnotationMaterial]) -> None:
        self._free = dict.fromkeys(range(len(dialogues)))
        self._broken: dict[int, None] = {}
        self._held: dict[int, int] = {}
        self._done: dict[int, int] = {}

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
        self._held[number] = person

    def end(self, person: int, number: int, records: Sequence[Any]) -> None:
        """Notes what came of it: without records it is to be given again.

        Args:
            person: who had the dialogue.
            number: of the dialogue.
            records: the labelled dialogue; none where the session broke off.
        """
        self._held.pop(number, None)
        if records:
            self._done[number] = person
        else:
            self._broken[number] = None

    def forget(self, person: int) -> None:
        """Has the dialogues of somebody whose labels are deleted annotated again."""
        for given in (self._held, self._done):
            for number in [each for each, by in given.items() if by == person]:
                del given[number]
                self._broken[number] = None

    def measures(self) -> dict[str, float | None]:
        """Returns how many dialogues are done, and how many nobody has yet."""
        return {"done": len(self._done), "left": len(self._free) + len(self._broken)}


def count_people(sessions: int) -> int:
    """Returns how many people share so many dialogues: two at least, and more for more."""
    return max(2, isqrt(sessions))


ASSIGNER = Assigner(
    title="Each dialogue once, in order; those that broke off again.",
    people=count_people,
    open=lambda dialogues, _seed: Assignments(dialogues),
)
