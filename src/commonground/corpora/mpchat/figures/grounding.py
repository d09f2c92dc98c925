"""Messages of MPChat that persona elements ground, and the labels of message and element."""

from __future__ import annotations

from commonground.figure import Chart, Figure, FigureColumn

LABELS = Figure(
    name="labels",
    title="Labels of persona elements",
    caption=(
        "Pairs of message and element by the label that three workers gave: E is entailed by the "
        "element, I is not; (strong) where all three agreed."
    ),
    columns=(
        FigureColumn("label", "label"),
        FigureColumn("relation", "list"),
        FigureColumn("pairs", "pairs"),
        FigureColumn("share", "share of pairs", "%", 2),
    ),
    query="""
        WITH counts AS (
            SELECT label, relation, count(*) AS pairs FROM groundings
            WHERE corpus = $corpus AND label IS NOT NULL GROUP BY ALL
        )
        SELECT label, relation, pairs, 100.0 * pairs / sum(pairs) OVER () AS share
        FROM counts
        ORDER BY list_position(['(strong) E', 'E', 'I', '(strong) I'], label), label, relation
    """,
    chart=Chart(x="label", y=("pairs",), color="relation"),
    link="grounding:{label}",
)

GROUNDED = Figure(
    name="grounded-messages",
    title="Grounded messages",
    caption="Messages of main authors, and those that at least one persona element grounds.",
    columns=(
        FigureColumn("task", "task"),
        FigureColumn("messages", "messages of main authors"),
        FigureColumn("grounded", "grounded", "%", 2),
        FigureColumn("elements", "elements of a grounded one", "", 2),
    ),
    query="""
        WITH own AS (
            SELECT dialogue_id, attributes ->> 'task' AS task,
                   attributes ->> 'main_author' AS main_author
            FROM dialogues WHERE corpus = $corpus
        ), marked AS (
            SELECT dialogue_id, event, count(*) AS elements FROM groundings
            WHERE corpus = $corpus AND relation = 'grounded' GROUP BY ALL
        )
        SELECT task, count(*) AS messages, 100.0 * count(elements) / count(*) AS grounded,
               avg(elements) AS elements
        FROM events JOIN own USING (dialogue_id) LEFT JOIN marked USING (dialogue_id, event)
        WHERE corpus = $corpus AND speaker = main_author AND task IN ('nrp', 'gpp')
        GROUP BY ALL ORDER BY task DESC
    """,
    chart=Chart(x="task", y=("messages", "grounded")),
    link="id:{task}*",
)

GROUNDING_FIGURES = (LABELS, GROUNDED)
