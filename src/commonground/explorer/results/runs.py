"""Runs of a task: files of scored instances, alone or two side by side, filtered and in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from commonground.errors import find_named, unknown_name
from commonground.explorer.corpora import OpenCorpus
from commonground.explorer.pages.parts.columns import turn_order
from commonground.explorer.results.files import Flags, Measured, ResultFile
from commonground.explorer.results.pieces import KINDS

Name = TypeVar("Name", bound=str)
Only = Literal["all", "wrong", "right", "unscored"]
ONLY: dict[Only, str] = {
    "all": "All",
    "wrong": "Different",
    "right": "Equal",
    "unscored": "Left out",
}
"""Which instances are listed, with words for people."""

CHANGES = {
    "fixed": "wrong here, right there",
    "broken": "right here, wrong there",
    "other": "wrong in both, and not alike",
    "alike": "the same prediction",
}
"""What differs between two files, with words for people; the first is here, the other there."""


class FilterChoice(msgspec.Struct, frozen=True, kw_only=True):
    """A filter that can be chosen.

    Attributes:
        name: as in an address.
        count: instances that it leaves of those that the other filters leave.
    """

    name: str
    title: str
    count: int
    chosen: bool


class ResultColumn(msgspec.Struct, frozen=True, kw_only=True):
    """A column of numbers.

    Attributes:
        name: as in an address.
        order: ``up`` or ``down`` where the list is sorted by it; None where it is not.
        next_sort: order of the list that a click on its heading asks for.
        overall: the number over all instances listed; None where it is undefined.
        overall_beside: that of the other file; None where there is none.
    """

    name: str
    title: str
    order: str | None
    next_sort: str
    is_lower_better: bool
    overall: float | None
    overall_beside: float | None = None


class ResultFiles:
    """The files of scored instances that pages show, by name, without its ending."""

    def __init__(self, files: Sequence[ResultFile]) -> None:
        self.by_name: dict[str, ResultFile] = {}
        for each in files:
            name, number = each.path.stem, 1
            # Two folders may have files of one name.
            while name in self.by_name:
                number += 1
                name = f"{each.path.stem} ({number})"
            self.by_name[name] = each
        self._pairs: dict[tuple[str, str], ResultPair] = {}

    @classmethod
    def open(cls, paths: Iterable[Path]) -> ResultFiles:
        """Opens files.

        Raises:
            SourceError: one cannot be read.
            FormatError: one lacks a column.
        """
        return cls([ResultFile(each) for each in paths])

    def within(self, corpora: Sequence[OpenCorpus]) -> ResultFiles:
        """Returns what the files say of dialogues of some corpora."""
        return ResultFiles([each.within(corpora) for each in self.by_name.values()])

    @property
    def by_task(self) -> dict[str, list[str]]:
        """The names of the files of each task; of those that do not say, under no name."""
        found: dict[str, list[str]] = {}
        for name, file in self.by_name.items():
            found.setdefault(file.task_name, []).append(name)
        return found

    def list_beside(self, name: str) -> list[str]:
        """Returns the files that one can stand beside: the others of its task."""
        return [each for each in self.by_task[self.by_name[name].task_name] if each != name]

    def is_number(self, name: str) -> bool:
        """Says whether any of the files has a number of that name."""
        return any(each.name == name for file in self.by_name.values() for each in file.measured)

    def pair(self, name: str, beside: str) -> ResultPair:
        """Returns a file, and the one beside it; none stands beside itself or another task's.

        Args:
            name: empty for the first.
            beside: empty for none.

        Raises:
            UsageError: there is none of a name.
        """
        if (name, beside) not in self._pairs:
            chosen, file = self.choose(name)
            other = self.choose(beside)[1] if beside else None
            fits = beside in self.list_beside(chosen)
            self._pairs[name, beside] = ResultPair(file, other if fits else None)
        return self._pairs[name, beside]

    def choose(self, name: str) -> tuple[str, ResultFile]:
        """Returns a file with its name; the first where the name is empty.

        Raises:
            UsageError: there is none of that name.
        """
        chosen = name or next(iter(self.by_name))
        return chosen, find_named("file of results", chosen, self.by_name)


class ResultPair:
    """A file of results, and perhaps another beside it.

    Args:
        file: its instances are those that can be listed.

    Attributes:
        columns: the numbers of ``file``, by name.
    """

    def __init__(self, file: ResultFile, other: ResultFile | None) -> None:
        self.file = file
        self.other = other
        self.columns = {each.name: each for each in file.measured}

    def keep_only(self, only: Only) -> Flags:
        """Returns the instances that are scored, right or wrong, or left out."""
        file = self.file
        if only == "all":
            # Where nothing at all is scored, there is nothing else to list.
            return file.scored if file.scored.any() else ~file.scored
        if only == "unscored":
            return ~file.scored
        return file.scored & (file.right if only == "right" else ~file.right)

    def keep_error(self, error: str) -> Flags:
        """Returns the instances with a kind of error; all where it is empty."""
        if error and error not in KINDS:
            raise unknown_name("kind of error", error, KINDS)
        found = next((flags for name, flags in self.file.kinds.items() if name == error), None)
        # A kind that no prediction here has leaves nothing; no kind leaves all.
        return np.full(len(self.file), not error) if found is None else found

    def keep_change(self, change: str) -> Flags:
        """Returns the instances of a change; all where it is empty."""
        if change and change not in CHANGES:
            raise unknown_name("change", change, CHANGES)
        return self.changes[change] if change and self.other else self.everything()

    def keep_range(self, measure: str, low: float | None, high: float | None) -> Flags:
        """Returns the instances whose number lies between two bounds, both included.

        Args:
            measure: whose numbers; empty keeps every instance.
            low: the least number kept; None for no bound.
            high: the greatest number kept; None for no bound. With neither, all are kept, those
                without a number, too.
        """
        if not measure or (low is None and high is None):
            return self.everything()
        values = self._column(measure)
        kept: Flags = ~np.isnan(values)
        if low is not None:
            kept &= values >= low
        if high is not None:
            kept &= values <= high
        return kept

    def everything(self) -> Flags:
        """Returns a mask that keeps every instance of the file."""
        return np.ones(len(self.file), dtype=bool)

    def _column(self, name: str) -> NDArray[np.float64]:
        if name not in self.columns:
            raise unknown_name("number", name, self.columns)
        values: NDArray[np.float64] = self.file.values[:, list(self.columns).index(name)]
        return values

    def order(self, numbers: NDArray[np.int64], sort: str) -> NDArray[np.int64]:
        """Sorts instances; those whose number is undefined come last either way."""
        if not sort:
            return numbers
        name, _, direction = sort.rpartition("-")
        if direction not in ("up", "down"):
            known = [f"{each}-{way}" for each in self.columns for way in ("down", "up")]
            raise unknown_name("order", sort, known)
        values = self._column(name)[numbers]
        # NaN stays NaN when it is negated, and sorts last either way.
        keys = -values if direction == "down" else values
        return numbers[np.argsort(keys, kind="stable")]

    @cached_property
    def changes(self) -> dict[str, Flags]:
        """What differs between the two files, instance by instance."""
        other = self.other
        if other is None:
            return {}
        places = self.places_beside
        is_there = places >= 0
        # Where there is no other, -1 takes the last one of that file; ``is_there`` mends it.
        here, there = self.file.right, other.right[places] & is_there
        alike = np.array(self.file.predictions, dtype=object) == np.array(
            other.predictions, dtype=object
        ).take(places)
        is_alike = np.asarray(alike, dtype=bool) & is_there
        return {
            "fixed": is_there & ~here & there,
            "broken": is_there & here & ~there,
            "other": is_there & ~here & ~there & ~is_alike,
            "alike": is_alike,
        }

    @cached_property
    def places_beside(self) -> NDArray[np.int64]:
        """The place of each instance in the other file; -1 where it is not there."""
        places = self.other.places if self.other else {}
        return np.array([places.get(each, -1) for each in self.file.instance_ids], dtype=np.int64)

    def list_errors(self, kept: Flags, chosen: str) -> list[FilterChoice]:
        """Counts the kinds of error among some instances."""
        found = _list_choices(self.file.kinds, KINDS, kept, chosen)
        return [each for each in found if each.count or each.chosen]

    def list_changes(self, kept: Flags, chosen: str) -> list[FilterChoice]:
        """Counts what changed among some instances."""
        return _list_choices(self.changes, CHANGES, kept, chosen)

    def list_columns(self, kept: Flags, sort: str) -> list[ResultColumn]:
        """Describes the columns, with the numbers over the instances listed."""
        overall = self.file.sum_up(kept)
        beside: Mapping[str, float | None] = {}
        if self.other is not None:
            places = self.places_beside[kept]
            flags = np.zeros(len(self.other), dtype=bool)
            flags[places[places >= 0]] = True
            names = [each.name for each in self.other.measured]
            beside = dict(zip(names, self.other.sum_up(flags), strict=True))
        return [
            _column_of(each, sort, value, beside.get(each.name))
            for each, value in zip(self.file.measured, overall, strict=True)
        ]


def _list_choices(
    filters: Mapping[Name, Flags], titles: Mapping[Name, str], kept: Flags, chosen: str
) -> list[FilterChoice]:
    return [
        FilterChoice(
            name=name,
            title=titles[name],
            count=int((kept & flags).sum()),
            chosen=name == chosen,
        )
        for name, flags in filters.items()
    ]


def _column_of(
    each: Measured, sort: str, overall: float | None, beside: float | None
) -> ResultColumn:
    # The worst come first: who sorts results looks for errors.
    order, following = turn_order(each.name, sort, first="down" if each.is_lower_better else "up")
    return ResultColumn(
        name=each.name,
        title=each.title,
        order=order,
        next_sort=following,
        is_lower_better=each.is_lower_better,
        overall=overall,
        overall_beside=beside,
    )
