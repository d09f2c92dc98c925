from __future__ import annotations

import pytest

from commonground.figure import Figure, FigureColumn, PublishedValue
from commonground.stats.published import Comparison, compare_published

ROWS: list[list[str | float | None]] = [["a", 0.3], ["b", None]]


def compare(
    value: float, *, row: str = "a", tolerance: float = 0.0, corpus: str = ""
) -> Comparison:
    published = PublishedValue(
        name="share",
        column="share",
        row={"split": row},
        value=value,
        source="page 3",
        tolerance=tolerance,
        why="Because.",
        corpus=corpus,
    )
    figure = Figure(
        name="f",
        title="F",
        caption="F.",
        columns=(FigureColumn("split", "split"), FigureColumn("share", "share", "%")),
        query="",
        published=(published,),
    )
    return compare_published(figure, "toy", ROWS)[0]


def test_equal_numbers_agree_and_need_no_reason() -> None:
    found = compare(0.1 + 0.2)
    assert (found.agrees, found.why, found.unit, found.ours) == (True, "", "%", 0.3)


@pytest.mark.parametrize(("tolerance", "agrees"), [(0.05, True), (0.04, False)])
def test_a_difference_counts_beyond_the_published_precision(tolerance: float, agrees: bool) -> None:
    found = compare(0.35, tolerance=tolerance)
    assert found.agrees is agrees
    assert found.why == ("" if agrees else "Because.")


@pytest.mark.parametrize("row", ["b", "c"])
def test_a_missing_number_does_not_agree(row: str) -> None:
    found = compare(0.3, row=row)
    assert (found.ours, found.agrees) == (None, False)


def test_numbers_of_another_corpus_are_left_out() -> None:
    with pytest.raises(IndexError):
        compare(0.3, corpus="other")
    assert compare(0.3, corpus="toy").agrees
