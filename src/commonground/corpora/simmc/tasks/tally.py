"""What is wrong with predictions, counted by kind."""

from __future__ import annotations

from collections.abc import Mapping

from commonground.task import Problem


class Tally:
    """Counts faults of predictions by kind, and keeps the first of each as an example.

    Args:
        official: what the official script does, by kind; every kind that is added is there.
    """

    def __init__(self, official: Mapping[str, str]) -> None:
        self._official = official
        self._counts: dict[str, int] = {}
        self._skipped: dict[str, int] = {}
        self._examples: dict[str, str] = {}

    def add(self, kind: str, example: str, *, count: int = 1, skipped: int = 0) -> None:
        """Counts a fault, and the instances that are left out of the numbers because of it."""
        if count:
            self._counts[kind] = self._counts.get(kind, 0) + count
            self._skipped[kind] = self._skipped.get(kind, 0) + skipped
            self._examples.setdefault(kind, example)

    def problems(self) -> list[Problem]:
        """Returns one problem for each kind, in order of first appearance."""
        return [
            Problem(
                kind=kind,
                count=count,
                example=self._examples[kind],
                official=self._official[kind],
                skipped=self._skipped[kind],
            )
            for kind, count in self._counts.items()
        ]
