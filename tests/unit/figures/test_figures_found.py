from __future__ import annotations

from typing import Any

import msgspec
import pytest

from commonground.corpora import Entry, iterate_corpora
from commonground.errors import FormatError, UsageError
from commonground.figure import Chart, Figure, FigureColumn, PublishedValue
from commonground.figures.figure_files import (
    check_figures,
    find_comparisons,
    find_figures,
    get_figure,
)

FIGURE = Figure(
    name="sizes",
    title="Sizes",
    caption="Sizes.",
    columns=(FigureColumn("n", "number"),),
    query="SELECT 1 AS n",
)


def test_the_figures_of_a_folder_are_found(toy: Entry) -> None:
    assert [figure.name for figure in find_figures("toy")] == ["lines", "words"]
    assert get_figure("toy", "words").title == "Words"


def test_a_corpus_without_figures_has_none(toy: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = msgspec.structs.replace(toy, folder=toy.folder / "tasks")
    monkeypatch.setattr("commonground.figures.figure_files.find_corpus", lambda _name: entry)
    assert find_figures("toy") == ()


def test_an_unknown_figure_lists_close_names(toy: Entry) -> None:
    with pytest.raises(UsageError, match=r"word.*words"):
        get_figure("toy", "word")


def test_a_figure_may_be_for_some_corpora_of_a_folder(
    toy: Entry, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = [
        msgspec.structs.replace(FIGURE, name=name, corpora=corpora)
        for name, corpora in (("all", ()), ("mine", ("toy", "more")), ("others", ("other",)))
    ]
    monkeypatch.setattr("commonground.figures.figure_files._find_all", lambda *_: every)
    assert [figure.name for figure in find_figures("toy")] == ["all", "mine"]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"query": None}, "needs exactly one of query and compute"),
        ({"chart": Chart(x="n", y=("m",))}, "names a column 'm', which it lacks"),
        ({"chart": Chart(x="n")}, "has a chart without x or y"),
        ({"link": "score:{score}"}, "names a column 'score', which it lacks"),
        (
            {"published": (PublishedValue(name="n", column="k", value=1, source="here"),)},
            "names a column 'k', which it lacks",
        ),
    ],
)
def test_a_malformed_figure_is_named_with_its_fault(change: dict[str, Any], fault: str) -> None:
    with pytest.raises(FormatError, match=f"here: figure 'sizes' {fault}"):
        check_figures((msgspec.structs.replace(FIGURE, **change),), "here")


def test_names_are_unique() -> None:
    with pytest.raises(FormatError, match="two figures 'sizes'"):
        check_figures((FIGURE, FIGURE), "here")


def test_all_declared_figures_are_well_formed() -> None:
    check_figures(find_comparisons(), "comparison")
    for entry in iterate_corpora():
        for figure in find_figures(entry.name):
            assert figure.caption.endswith(".")
            assert all(value.source for value in figure.published)
