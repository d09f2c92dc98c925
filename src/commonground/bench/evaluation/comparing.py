"""Two predictions of the same instances, compared: which is better, by how much, and how sure.

The test is approximate randomisation over dialogues (Noreen 1989; Yeh 2000), two-sided. The more
numbers are tested, the likelier one of them differs by chance: p-values of the task's main numbers
are corrected for that (Holm 1979), and those of all others are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from commonground.bench.evaluation.scoring import (
    SEED,
    Evaluation,
    Hashed,
    keep_finite,
    tabulate_instances,
)
from commonground.errors import TaskError
from commonground.metric import Counts, Metric
from commonground.printing import Sheet, Tabled, count_of, write_interval, write_number
from commonground.statistics.bootstrap import (
    RESAMPLES,
    Comparison,
    compare_paired,
    correct_holm,
)
from commonground.statistics.counts import sum_table
from commonground.task import MAIN_VALUES, Task

TEST = f"approximate randomisation over dialogues, {RESAMPLES:,} rounds, two-sided"
"""The test, in words."""

Better = Literal["first", "second", "neither"]


class MeasureComparison(msgspec.Struct, frozen=True, kw_only=True):
    """One number of two predictions.

    Attributes:
        measure: name of the measure.
        name: name of the number.
        first: the number of the first predictions; None where undefined.
        second: that of the second.
        difference: the first's less the second's; None where either is undefined.
        low: lower end of the 95 % interval of the difference, from dialogues drawn anew with both
            their predictions; None where undefined.
        high: its upper end.
        p_value: how often chance alone, swapping the predictions of dialogues, makes a difference
            at least as large; not corrected.
        p_holm: the same, corrected for as many main numbers as were compared; None for numbers
            that are not main.
        better: which predictions have the better number; None where the number has no better end,
            such as a count, or the difference is undefined.
        undefined: which counts leave the first's or the second's number undefined; empty where
            both are defined.
    """

    measure: str
    name: str
    first: float | None
    second: float | None
    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None
    p_holm: float | None = None
    better: Better | None
    undefined: str = ""

    @property
    def is_main(self) -> bool:
        """Whether it is one of the task's main numbers, by which systems are compared."""
        return self.p_holm is not None


class ComparedFiles(Tabled, msgspec.Struct, frozen=True, kw_only=True):
    """Two predictions, compared.

    Attributes:
        task: name of the task.
        test: the test that the p-values are from.
        seed: of the test's swaps and of the intervals' draws.
        dialogues: number of dialogues, which are swapped and drawn as wholes.
        instances: number of instances.
        first: the first predictions.
        second: the second.
        numbers: the comparisons, number by number, the task's main numbers first.
    """

    task: str
    test: str
    seed: int
    dialogues: int
    instances: int
    first: Hashed
    second: Hashed
    numbers: list[MeasureComparison]

    def sheet(self) -> Sheet:
        """Returns a line for each number: both sides, the difference, and how sure it is."""
        rows = [
            (
                each.measure,
                each.name,
                write_number(each.first),
                write_number(each.second),
                write_number(each.difference),
                write_interval(each.low, each.high),
                write_number(each.p_value),
                write_number(each.p_holm) if each.is_main else "",
                each.better or "",
            )
            for each in self.numbers
        ]
        columns = (
            "measure",
            "number",
            "first",
            "second",
            "difference",
            "95 % interval",
            "p",
            "p (Holm)",
        )
        return Sheet(
            title=f"{self.task}: {self.first.path} and {self.second.path}, "
            f"{count_of(self.instances, 'instance')} of {count_of(self.dialogues, 'dialogue')}",
            columns=(*columns, "better"),
            rows=rows,
            right=frozenset({"first", "second", "difference", "p", "p (Holm)"}),
            notes=(f"p: {self.test}", self.note),
        )

    @property
    def note(self) -> str:
        """What is corrected for how many comparisons, in a sentence."""
        mains = sum(each.is_main for each in self.numbers)
        rest = sum(each.p_value is not None for each in self.numbers) - mains
        corrected = f"Main numbers come first; their p (Holm) is corrected for {mains} tests."
        if not rest:
            return corrected
        return f"{corrected} The p of {rest} other numbers is not corrected: chance moves some."


def compare_evaluations(task: Task, one: Evaluation, other: Evaluation) -> ComparedFiles:
    """Compares two predictions of the same instances, number by number.

    Args:
        task: the task.
        one: the first predictions, scored.
        other: the second.

    Raises:
        TaskError: they are not of the same instances.
    """
    # Without counts is what was left out of the numbers, as a turn that nobody predicted.
    first = {each.instance_id: each for each in one.instances if each.counts}
    second = {each.instance_id: each for each in other.instances if each.counts}
    if first.keys() != second.keys():
        apart = first.keys() ^ second.keys()  # in one and not in both
        raise TaskError(
            f"The two files predict different instances: {len(apart):,} are in one only, "
            f"such as {min(apart)}.",
            "Compare predictions of the same split, whole; --split counts what is missing.",
        )
    numbers = []
    for measure in task.measures:
        mine = tabulate_instances(list(first.values()), measure.name)
        # In the first's order, so that a row of one table is the same dialogue in the other.
        theirs = tabulate_instances([second[key] for key in first], measure.name)
        compared = compare_paired(mine, theirs, measure.combine, seed=SEED)
        sums = (sum_table(mine), sum_table(theirs))
        numbers += [_name(measure, name, each, sums) for name, each in compared.items()]
    numbers = put_main_first(task.main, numbers)
    return ComparedFiles(
        task=task.name,
        test=TEST,
        seed=SEED,
        dialogues=len({each.dialogue_id for each in first.values()}),
        instances=len(first),
        first=one.result.predictions,
        second=other.result.predictions,
        numbers=numbers,
    )


def put_main_first(
    main_names: Sequence[str], numbers: Sequence[MeasureComparison]
) -> list[MeasureComparison]:
    """Puts the main numbers first, in their order, with corrected p-values.

    Args:
        main_names: of the task, as ``measure:number``; none for the first few numbers.
        numbers: all that were compared.

    Source: Holm 1979, "A simple sequentially rejective multiple test procedure".
    """
    by_name = {f"{each.measure}:{each.name}": each for each in numbers}
    wanted = main_names or [*by_name][:MAIN_VALUES]
    tested = {name: each.p_value for name, each in by_name.items() if each.p_value is not None}
    main = [name for name in wanted if name in tested]
    corrected = correct_holm([tested[name] for name in main])
    for name, p_holm in zip(main, corrected, strict=True):
        by_name[name] = msgspec.structs.replace(by_name[name], p_holm=p_holm)
    others = (each for name, each in by_name.items() if name not in main)
    return [*(by_name[name] for name in main), *others]


def _name(
    measure: Metric, name: str, each: Comparison, sums: tuple[Counts, Counts]
) -> MeasureComparison:
    return MeasureComparison(
        measure=measure.name,
        name=name,
        first=keep_finite(each.first),
        second=keep_finite(each.second),
        difference=each.difference,
        low=keep_finite(each.low),
        high=keep_finite(each.high),
        p_value=each.p_value,
        better=_choose(each.difference, measure.find_direction(name)),
        undefined="; ".join(
            f"of the {side}, {measure.explain(name, counts) or 'it is a share of nothing'}"
            for side, value, counts in zip(
                ("first", "second"), (each.first, each.second), sums, strict=True
            )
            if value is None
        ),
    )


def _choose(difference: float | None, direction: int) -> Better | None:
    if difference is None or not direction:
        return None
    if not difference:
        return "neither"
    # The direction is 1 where more is better and -1 where less is.
    return "first" if difference * direction > 0 else "second"
