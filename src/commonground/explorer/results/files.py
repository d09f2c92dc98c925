"""A file of scored instances: its numbers by measure, and how its predictions differ from gold."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from commonground.bench.evaluation.instances import TASK_KEY
from commonground.bench.evaluation.reporting import short_name
from commonground.bench.evaluation.tasks import get_task
from commonground.errors import CommongroundError, FormatError, SourceError, UsageError
from commonground.explorer.corpora import OpenCorpus
from commonground.explorer.results.pieces import KINDS, AnswerDifference, Kind, find_difference
from commonground.metric import Metric
from commonground.store.arrow import pa, pq
from commonground.task import Task

Flags = NDArray[np.bool_]

ADVICE = "Write it with: commonground evaluate TASK --predictions ANSWERS --per-instance FILE"
_NEEDED = ("instance_id", "dialogue_id", "gold", "predicted")
_MOST = 6
"""Numbers of a task that names no main ones."""


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """A number that every instance has.

    Attributes:
        name: as in an address: ``set_f1:mrr``.
        title: for people: the number, and its measure where another has one of that name.
        measure: the measure, which is a column of the file.
        value: name of the number among those of the measure.
    """

    name: str
    title: str
    measure: str
    value: str
    is_lower_better: bool = False


class ResultRow(msgspec.Struct, frozen=True, kw_only=True):
    """An instance as the file has it.

    Attributes:
        event: None where the file does not say.
        predicted: the prediction; None for none.
    """

    instance_id: str
    dialogue_id: str
    event: int | None
    gold: Any
    predicted: Any
    difference: AnswerDifference


class ResultFile:
    """A file of scored instances, as ``commonground evaluate --per-instance`` writes it.

    Args:
        table: what is in it, or the part that is to be shown; None to read it.

    Attributes:
        elsewhere: instances left out, as their dialogues are not shown.
        task: its task; None where the file does not say, or there is none of that name.
        instance_ids: ids of the instances, in the order of the file.
        values: a row for each instance, a column for each number; NaN where it is undefined.
        scored: which instances are in the numbers.
        right: which instances are predicted just as the gold.
        kinds: which instances differ how, by kind of error.

    Raises:
        SourceError: it cannot be read.
        FormatError: it lacks a column.
    """

    def __init__(self, path: Path, table: Any = None) -> None:
        table = _read_table(path) if table is None else table
        self.path = path
        self.elsewhere = 0
        self._table = table
        self.task = _find_task(table)
        measures = [n for n in table.column_names if n not in (*_NEEDED, "event")]
        self.instance_ids: list[str] = table["instance_id"].to_pylist()
        self._metrics = {name: _find_metric(self.task, name) for name in measures}
        self._read_counts(measures)
        self._judge()

    def __len__(self) -> int:
        return len(self.instance_ids)

    def within(self, corpora: Iterable[OpenCorpus]) -> ResultFile:
        """Returns what is about dialogues of some corpora."""
        listed = self._table["dialogue_id"].to_pylist()
        there = {each: find_corpus(corpora, self.task, each) is not None for each in set(listed)}
        made = ResultFile(self.path, self._table.filter(pa.array([there[each] for each in listed])))
        made.elsewhere = len(self) - len(made)
        return made

    @property
    def task_name(self) -> str:
        """Name of its task; empty where the file does not say."""
        return self.task.name if self.task else ""

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of each instance in the file; of those that are scored twice, the first."""
        found: dict[str, int] = {}
        for number, name in enumerate(self.instance_ids):
            found.setdefault(name, number)
        return found

    @cached_property
    def by_dialogue(self) -> Mapping[str, list[int]]:
        """The places of the instances of each dialogue."""
        found = defaultdict(list)
        for number, name in enumerate(self._table["dialogue_id"].to_pylist()):
            found[name].append(number)
        return found

    @cached_property
    def predictions(self) -> list[str | None]:
        """The predictions as they are shown, as JSON; None for none."""
        found: list[str | None] = self._table["predicted"].to_pylist()
        show = self.task.show if self.task else None
        if show is None:
            return found
        # What is not shown, such as a probability, makes no other prediction.
        shown = {each: json.dumps(_show(show, _parse(each))) for each in set(found) - {None}}
        return [None if each is None else shown[each] for each in found]

    def values_of(self, number: int) -> dict[str, float | None]:
        """Returns the numbers of an instance, by name; None where one is undefined."""
        row = self.values[number].tolist()
        return {
            # NaN is the one number that does not equal itself.
            each.name: value if value == value else None
            for each, value in zip(self.measured, row, strict=True)
        }

    def rows(self, numbers: Sequence[int]) -> list[ResultRow]:
        """Returns some instances, in the order asked for."""
        taken = self._table.select(
            [name for name in (*_NEEDED, "event") if name in self._table.column_names]
        ).take(pa.array(numbers, pa.int64()))
        return [self._row(each) for each in taken.to_pylist()]

    def _row(self, row: dict[str, Any]) -> ResultRow:
        gold, predicted = _parse(row["gold"]), _parse(row["predicted"])
        return ResultRow(
            instance_id=str(row["instance_id"]),
            dialogue_id=str(row["dialogue_id"]),
            event=row.get("event"),
            gold=gold,
            predicted=predicted,
            difference=self._differ(gold, predicted),
        )

    def sum_up(self, chosen: Flags) -> list[float | None]:
        """Returns the numbers of some instances together, as the task's measures combine them."""
        # Instances with the same counts are added at once, times how many they are.
        times = np.bincount(self._groups[chosen], minlength=len(self._counts)).tolist()
        sums: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        for many, counts in zip(times, self._counts, strict=True):
            if many:
                for measure, each in counts.items():
                    for name, count in each.items():
                        sums[measure][name] += many * count
        return [self._combine(each, sums.get(each.measure, {})) for each in self.measured]

    def _read_counts(self, measures: list[str]) -> None:
        """Reads the counts; few differ, since most instances count the same few things."""
        columns = [self._table[name].to_pylist() for name in measures]
        numbers: dict[tuple[Any, ...], int] = {}
        # Of no columns at all ``zip`` would make no rows.
        rows = zip(*columns, strict=True) if columns else (() for _ in self.instance_ids)
        groups = [numbers.setdefault(row, len(numbers)) for row in rows]
        self._groups = np.array(groups, dtype=np.int64)
        self._counts: list[dict[str, dict[str, float]]] = [
            {
                name: counts
                for name, text in zip(measures, row, strict=True)
                if isinstance(counts := _parse(text), dict)
            }
            for row in numbers
        ]
        self.measured = self._list_measured(measures)
        found = [
            [self._combine(each, counts.get(each.measure)) for each in self.measured]
            for counts in self._counts
        ]
        # As a float None is NaN; without rows an array would have one dimension only.
        table = np.array(found, dtype=np.float64).reshape(len(found), len(self.measured))
        self.values = table[self._groups]
        is_counted = np.array([bool(counts) for counts in self._counts], dtype=bool)
        self.scored: Flags = is_counted[self._groups]

    def _list_measured(self, measures: list[str]) -> list[Measured]:
        named = [each.partition(":") for each in self.task.main] if self.task else []
        pairs = [(measure, value) for measure, _, value in named if measure in measures]
        if not pairs:
            first = self._counts[0] if self._counts else {}
            pairs = [
                (measure, value)
                for measure in measures
                for value in self._values(measure, first.get(measure, {}))
            ][:_MOST]
        names = [value for _, value in pairs]

        def name_column(measure: str, value: str) -> str:
            if self.task and self.task.main:
                return short_name(self.task, f"{measure}:{value}")
            return value if names.count(value) == 1 else f"{measure} {value}"

        return [
            Measured(
                name=f"{measure}:{value}",
                title=name_column(measure, value),
                measure=measure,
                value=value,
                is_lower_better=self._is_lower_better(measure, value),
            )
            for measure, value in pairs
        ]

    def _values(self, measure: str, counts: Mapping[str, float]) -> Mapping[str, float | None]:
        metric = self._metrics[measure]
        # Counts of a measure that nobody knows are shown as they are.
        return dict(counts) if metric is None else metric.combine(counts)

    def _is_lower_better(self, measure: str, value: str) -> bool:
        metric = self._metrics[measure]
        return metric is not None and metric.find_direction(value) < 0

    def _combine(self, each: Measured, counts: Mapping[str, float] | None) -> float | None:
        return None if counts is None else self._values(each.measure, counts).get(each.value)

    def _judge(self) -> None:
        """Finds out how each prediction differs from the gold."""
        gold, predicted = self._table["gold"].to_pylist(), self._table["predicted"].to_pylist()
        known: dict[tuple[Any, Any], tuple[Kind, ...]] = {}
        found = []
        for pair in zip(gold, predicted, strict=True):
            if pair not in known:
                # The same text is the same answer, which most are; it need not be cut.
                is_same = pair[0] == pair[1] and pair[0] is not None
                kinds = () if is_same else self._differ(*map(_parse, pair)).kinds
                known[pair] = tuple(kinds)
            found.append(known[pair])
        self.right: Flags = np.array([not kinds for kinds in found], dtype=bool)
        self.kinds: dict[Kind, Flags] = {
            name: flags
            for name in KINDS
            if (flags := np.array([name in kinds for kinds in found], dtype=bool)).any()
        }

    def _differ(self, gold: Any, predicted: Any) -> AnswerDifference:
        show = self.task.show if self.task else None
        return find_difference(_show(show, gold), _show(show, predicted))


def find_corpus(
    corpora: Iterable[OpenCorpus], task: Task | None, dialogue_id: str
) -> OpenCorpus | None:
    """Returns the corpus of a dialogue: one of the task's, as others may use the same ids.

    Args:
        task: whose instances are about the dialogue; None where that is not known.
    """
    fitting = (each for each in corpora if task is None or each.name in task.corpora)
    return next((each for each in fitting if dialogue_id in each.index.blocks.ids), None)


def _show(show: Callable[[Any], Any] | None, answer: Any) -> Any:
    if show is None or answer is None:
        return answer
    # What was predicted may be of any form; then it is shown as it stands.
    try:
        return show(answer)
    except (CommongroundError, ValueError, TypeError, AttributeError, KeyError):
        return answer


def _read_table(path: Path) -> Any:
    if not path.is_file():
        raise SourceError(f"There is no file {path}.", ADVICE)
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise SourceError(f"{path} cannot be read as a Parquet file.", ADVICE) from error
    missing = [name for name in _NEEDED if name not in table.column_names]
    if missing:
        raise FormatError(f"{path} has no column {missing[0]!r}.", ADVICE)
    return table


def _find_task(table: Any) -> Task | None:
    name = (table.schema.metadata or {}).get(TASK_KEY, b"").decode(errors="replace")
    with suppress(UsageError):
        return get_task(name) if name else None
    return None


def _find_metric(task: Task | None, name: str) -> Metric | None:
    return next((each for each in task.measures if each.name == name), None) if task else None


def _parse(text: Any) -> Any:
    try:
        return json.loads(text) if isinstance(text, str) else text
    except ValueError:
        return text
