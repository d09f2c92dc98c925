"""Who annotates which dialogue: each dialogue once, in order, and again where it broke off."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt
from typing import Any

from commonground.corpora.simmc.scenario.annotation.material import Material
from commonground.scenario import Assigner


class Assignments:
    """Who was given which dialogue; see :class:`~commonground.scenario.Assignments`.

    The released format has one label for each utterance, so a dialogue that somebody has, or had
    to its end, is given to nobody else. One that broke off comes next, for anybody.

    Args:
        dialogues: the material.
    """

    def __init__(self, dialogues: Sequence[Material]) -> None:
        self._free = dict.fromkeys(range(len(dialogues)))
        self._broken: dict[int, None] = {}

    def choose(self, _person: int) -> int | None:
        """Returns the first dialogue that nobody has; null where there is none."""
        return next(iter(self._broken or self._free), None)

    def begin(self, _person: int, number: int) -> None:
        """Notes that somebody has a dialogue."""
        self._broken.pop(number, None)
        self._free.pop(number, None)

    def end(self, _person: int, number: int, records: Sequence[Any]) -> None:
        """Notes what came of it: without records it is to be given again.

        Args:
            number: of the dialogue.
            records: the labelled dialogue; none where the session broke off.
        """
        if not records:
            self._broken[number] = None


def count_people(sessions: int) -> int:
    """Returns how many people share so many dialogues: two at least, and more for more."""
    return max(2, isqrt(sessions))


ASSIGNER = Assigner(
    title="Each dialogue once, in order; those that broke off again.",
    people=count_people,
    open=lambda dialogues, _seed: Assignments(dialogues),
)
