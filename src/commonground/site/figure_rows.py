"""The rows of figures as a field of the query language: ``figure:durations/15``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np

from commonground.store.postings import Level, Numbers


class FigureRows:
    """Which dialogues are behind each row; the figures are asked when the first is looked for.

    Args:
        find: gives the ids of the dialogues behind each row, by its name.
        ordinals: number of each dialogue, by id.
    """

    level: Level = "dialogue"

    def __init__(
        self, find: Callable[[], Mapping[str, Sequence[str]]], ordinals: Mapping[str, int]
    ) -> None:
        self._find = find
        self._ordinals = ordinals

    @cached_property
    def _lists(self) -> dict[str, Numbers]:
        return {
            name: np.unique([self._ordinals[each] for each in ids if each in self._ordinals])
            for name, ids in sorted(self._find().items())
        }

    @cached_property
    def values(self) -> list[str]:
        """Names of the rows."""
        return list(self._lists)

    @cached_property
    def codes(self) -> Mapping[str, int]:
        """The number of each name."""
        return {value: code for code, value in enumerate(self.values)}

    def numbers(self, code: int) -> Numbers:
        """Returns the ascending numbers of the dialogues behind a row."""
        return self._lists[self.values[code]].astype(np.int64)
