"""Messages of MPChat that persona elements ground, and the labels of message and element."""

from __future__ import annotations

from commonground.figure import Behind, Chart, Figure, FigureColumn

_LABELLED = """
    SELECT label, relation, dialogue_id FROM groundings
    WHERE corpus = $corpus AND label IS NOT NULL
"""
_OWN = """
    WITH own AS (
        SELECT dialogue_id, attributes ->> 'task' AS task,
               attributes ->> 'main_author' AS main_author
        FROM dialogues WHERE corpus = $corpus
    )
    SELECT task, event, dialogue_id FROM events JOIN own USING (dialogue_id)
    WHERE corpus = $corpus AND speaker = main_author AND task IN ('nrp', 'gpp')
"""

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
    query=f"""
        SELECT label, relation, count(*) AS pairs,
               100.0 * count(*) / sum(count(*)) OVER () AS share
        FROM ({_LABELLED}) GROUP BY label, relation
        ORDER BY list_position(['(strong) E', 'E', 'I', '(strong) I'], label), label, relation
    """,
    chart=Chart(x="label", y=("pairs",), color="relation"),
    behind=Behind(keys=("label", "relation"), query=_LABELLED),
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
    query=f"""
        WITH marked AS (
            SELECT dialogue_id, event, count(*) AS elements FROM groundings
            WHERE corpus = $corpus AND relation = 'grounded' GROUP BY ALL
        )
        SELECT task, count(*) AS messages, 100.0 * count(elements) / count(*) AS grounded,
               avg(elements) AS elements
        FROM ({_OWN}) LEFT JOIN marked USING (dialogue_id, event)
        GROUP BY task ORDER BY task DESC
    """,
    chart=Chart(x="task", y=("messages", "grounded")),
    behind=Behind(keys=("task",), query=f"SELECT task, dialogue_id FROM ({_OWN})"),
)

GROUNDING_FIGURES = (LABELS, GROUNDED)
