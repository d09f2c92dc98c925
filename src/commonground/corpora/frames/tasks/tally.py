"""Problems of predictions, counted by kind."""

from __future__ import annotations

from collections.abc import Mapping

from commonground.task import Problem


class Tally:
    """Counts problems and keeps the first example of each kind."""

    def __init__(self, official: Mapping[str, str]) -> None:
        """Starts with no problem.

        Args:
            official: for each kind, in order of report, what the official script does.
        """
        self._official = official
        self._counts: dict[str, int] = {}
        self._skipped: dict[str, int] = {}
        self._examples: dict[str, str] = {}

    def add(self, kind: str, example: str, *, count: int = 1, skipped: int = 0) -> None:
        """Counts a problem; ``skipped`` instances are left out because of it."""
        self._counts[kind] = self._counts.get(kind, 0) + count
        self._skipped[kind] = self._skipped.get(kind, 0) + skipped
        self._examples.setdefault(kind, example)

    def problems(self) -> list[Problem]:
        """Returns what was counted, in order of kind."""
        return [
            Problem(
                kind=kind,
                count=self._counts[kind],
                example=self._examples[kind],
                official=official,
                skipped=self._skipped[kind],
            )
            for kind, official in self._official.items()
            if kind in self._counts
        ]
