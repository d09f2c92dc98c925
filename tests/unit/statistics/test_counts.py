from __future__ import annotations

import importlib
import math
import pkgutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

import commonground.bench.metrics as metrics
from commonground.bench.evaluation.tasks import iterate_tasks
from commonground.metric import Metric
from commonground.statistics.counts import (
    group_rows,
    harmonic_mean,
    precision_recall_f1,
    ratio,
    spread,
    standard_error,
    sum_counts,
    sum_table,
    tabulate_counts,
)

COUNTS = st.dictionaries(st.sampled_from("abc"), st.integers(-50, 50), max_size=3)
MODULES = [
    importlib.import_module(f"commonground.bench.metrics.{each.name}")
    for each in pkgutil.iter_modules(metrics.__path__)
]
METRICS = [value for m in MODULES for value in vars(m).values() if isinstance(value, Metric)]
MEASURES = [measure for task in iterate_tasks() for measure in task.measures]


def test_counts_that_an_example_lacks_are_zero() -> None:
    table = tabulate_counts([{"a": 1}, {"b": 2, "a": 3}])
    assert table.names == ("a", "b")
    assert table.rows.tolist() == [[1, 0], [3, 2]]
    assert sum_table(table) == {"a": 4, "b": 2}


def test_nothing_sums_to_nothing() -> None:
    assert sum_counts([]) == {}
    assert sum_table(tabulate_counts([])) == {}


@given(st.lists(COUNTS), st.integers(0, 10))
def test_merged_parts_equal_the_whole(examples: list[dict[str, int]], cut: int) -> None:
    parts = [sum_counts(examples[:cut]), sum_counts(examples[cut:])]
    assert sum_counts(parts) == sum_counts(examples)
    assert sum_table(tabulate_counts(examples)) == sum_counts(examples)


def test_rows_of_a_group_are_summed() -> None:
    table = tabulate_counts([{"a": 1}, {"a": 2}, {"a": 4}])
    grouped = group_rows(table, ["x", "y", "x"])
    assert grouped.rows.tolist() == [[5], [2]]


@pytest.mark.parametrize(
    ("numerator", "denominator", "value"),
    [(1, 2, 0.5), (0, 3, 0.0), (1, 0, None), (0, 0, None), (None, 2, None), (math.nan, 2, None)],
)
def test_a_share_of_nothing_is_undefined(
    numerator: float | None, denominator: float, value: float | None
) -> None:
    assert ratio(numerator, denominator) == value


def test_f1_of_precision_and_recall() -> None:
    # 2 · 0.5 · 1 / 1.5
    assert harmonic_mean(0.5, 1.0) == pytest.approx(2 / 3)
    assert harmonic_mean(0.0, 0.0) == 0.0


@pytest.mark.parametrize(
    ("predicted", "gold", "f1"),
    # Nothing said where something was asked, and the other way round: nothing is right.
    [(0, 3, 0.0), (3, 0, 0.0), (3, 3, 0.0), (0, 0, None)],
)
def test_f1_of_nothing_right_is_0(predicted: int, gold: int, f1: float | None) -> None:
    values = precision_recall_f1(0, predicted, gold)
    assert values["f1"] == f1
    assert (values["precision"] is None, values["recall"] is None) == (not predicted, not gold)


def test_spread_of_three_numbers() -> None:
    # 1, 2 and 3: mean 2, variance (1 + 0 + 1) / 3.
    assert spread(3, 6, 14) == pytest.approx(math.sqrt(2 / 3))
    assert standard_error(3, 6, 14) == pytest.approx(math.sqrt(2) / 3)
    assert standard_error(0, 0, 0) is None


@given(st.floats(-30, 30), st.integers(1, 200))
def test_equal_numbers_do_not_spread(value: float, number: int) -> None:
    sums = sum_counts([{"x": value, "x²": value * value}] * number)
    assert spread(number, sums["x"], sums["x²"]) == 0


def name(metric: Metric) -> str:
    return metric.name


@pytest.mark.parametrize("metric", METRICS, ids=name)
def test_a_metric_of_nothing_is_undefined_and_no_crash(metric: Metric) -> None:
    assert set(metric.combine({}).values()) <= {None}
    assert metric.std_err is None or set(metric.std_err({}).values()) <= {None}


@pytest.mark.parametrize("metric", MEASURES, ids=name)
def test_a_measure_of_nothing_has_numbers_of_nothing_only(metric: Metric) -> None:
    # Numbers of things may be 0 of nothing; whatever is better or worse is undefined.
    for name, value in metric.combine({}).items():
        assert value is None or (value == 0 and not metric.find_direction(name))


@pytest.mark.parametrize("metric", MEASURES, ids=name)
def test_an_f1_that_is_undefined_says_of_which_counts(metric: Metric) -> None:
    for name, value in metric.combine({}).items():
        if name.endswith(("f1", "precision", "recall")):
            assert value is None
            assert metric.explain(name, {}), name


def test_names_are_unique_and_scripts_are_named_with_their_commit() -> None:
    assert METRICS
    assert len({metric.name for metric in METRICS}) == len(METRICS)
    assert all("@" in each.matches for each in [*METRICS, *MEASURES] if each.matches)


def test_the_measures_of_a_task_have_names_of_their_own() -> None:
    for task in iterate_tasks():
        names = [measure.name for measure in task.measures]
        assert len(set(names)) == len(names), task.name
