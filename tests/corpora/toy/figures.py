from __future__ import annotations

from commonground.figure import Chart, Data, Figure, FigureColumn, PublishedValue, Row


def count_words(data: Data) -> int:
    texts = data.rows("SELECT text FROM events WHERE corpus = $corpus")
    return sum(len(text.split()) for (text,) in texts)


def _compute_words(data: Data) -> list[Row]:
    return [["toy", data.share(count_words)]]


FIGURES = (
    Figure(
        name="lines",
        title="Lines of a split",
        caption="Lines by split.",
        columns=(FigureColumn("split", "split"), FigureColumn("lines", "lines", "lines")),
        query="""
            SELECT split, sum(n_events) AS lines FROM dialogues
            WHERE corpus = $corpus GROUP BY ALL ORDER BY split
        """,
        chart=Chart(x="split", y=("lines",)),
        link="split:{split}",
        published=(
            PublishedValue(
                name="lines to learn from",
                column="lines",
                row={"split": "train"},
                value=9,
                source="the toy's page",
                why="It was longer once.",
            ),
        ),
    ),
    Figure(
        name="words",
        title="Words",
        caption="Words of all lines.",
        columns=(FigureColumn("corpus", "corpus"), FigureColumn("words", "words")),
        compute=_compute_words,
    ),
)
