from __future__ import annotations

from collections.abc import Mapping

import pytest

from commonground.figure import Figure, FigureColumn, PublishedValue
from commonground.figures.published import Comparison, compare_published

ROWS: list[list[str | float | None]] = [["a", 0.3], ["b", None]]


def compare(
    value: float,
    *,
    row: str = "a",
    tolerance: float = 0.0,
    corpus: str = "",
    part: str = "",
    file_format: str = "",
    missing: Mapping[str, str] = {},
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
        file_format=file_format,
    )
    figure = Figure(
        name="f",
        title="F",
        caption="F.",
        columns=(FigureColumn("split", "split"), FigureColumn("share", "share", "%")),
        query="",
        published=(published,),
    )
    return compare_published(figure, "toy", ROWS, part, missing)[0]


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


@pytest.mark.parametrize(
    ("part", "why"),
    [("4 of 9 were imported.", "4 of 9 were imported."), ("", "Because.")],
)
def test_missing_files_are_the_reason_where_there_are_any(part: str, why: str) -> None:
    assert compare(7, part=part).why == why
    assert compare(0.3, part=part).why == ""


@pytest.mark.parametrize(
    ("missing", "why"),
    [({"rated": "1 of 7 were imported."}, "1 of 7 were imported."), ({"other": "0."}, "Because.")],
)
def test_of_files_without_dialogues_only_they_are_the_reason(
    missing: dict[str, str], why: str
) -> None:
    found = compare(7, part="4 of 9 were imported.", file_format="rated", missing=missing)
    assert found.why == why
