"""Pages of figures: published numbers beside ours, or in wait of ours."""

from __future__ import annotations

from typing import Any

from scripts.figure_pages import gather_numbers, render_page, render_waiting_page

from commonground.figure import Figure, FigureColumn, PublishedValue
from commonground.figures.tables import FigureTable


def published(name: str, value: float, row: int, **rest: Any) -> PublishedValue:
    return PublishedValue(
        name=name, column="games", row={"round": row}, value=value, source="a paper", **rest
    )


FIGURE = Figure(
    name="rounds",
    title="Rounds",
    caption="Games of each round.",
    columns=(FigureColumn("round", "round"), FigureColumn("games", "games")),
    query="SELECT 1 AS round, 1200 AS games",
    published=(
        published("first | round", 1200, 1),
        published("second round", 7, 2, why="Two are lost."),
        published("of another corpus", 3, 1, corpus="other"),
    ),
)


def test_a_page_has_published_numbers_beside_ours() -> None:
    rows = [[1, 1200], [2, 5]]
    page = render_page(gather_numbers("toy", "Toy", 10, [FigureTable(FIGURE, "toy", rows)]))
    assert "| first \\| round | 1,200 | 1,200 | = | [1] |  |" in page
    assert "| second round | 7 | 5 | differs | [1] | [2] |" in page
    assert "another corpus" not in page
    assert "1. a paper\n2. Two are lost.\n" in page
    assert "Counted in 10 imported dialogues" in page
    assert "| 1 | 1,200 |" in page


def test_a_page_without_the_files_has_no_number_of_ours() -> None:
    page = render_waiting_page("toy", "Toy", [FIGURE])
    assert "| second round | 7 | not counted |  | [1] | [2] |" in page
    assert "Two are lost" not in page  # a reason for a difference that nobody has seen
    assert "`make figures CORPORA=toy`" in page
    assert "- `rounds`: Rounds. Games of each round.\n" in page
    assert "differs" not in page
