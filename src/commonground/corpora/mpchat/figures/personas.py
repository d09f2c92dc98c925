"""Personas of MPChat: how many elements authors have, and their pictures."""

from __future__ import annotations

from commonground.corpora.mpchat.figures.published import published_elements
from commonground.figure import Behind, Chart, Figure, FigureColumn

_OWNED = """
    WITH owned AS (
        SELECT viewer, count(DISTINCT object_id) AS elements FROM displays
        WHERE corpus = $corpus AND viewer IS NOT NULL AND position IS NOT NULL GROUP BY ALL
    )
    SELECT coalesce(elements, 0) AS elements, attributes ->> 'main_author' AS author, dialogue_id
    FROM dialogues LEFT JOIN owned ON viewer = attributes ->> 'main_author'
    WHERE corpus = $corpus
"""
_CHOSEN = """
    WITH chosen AS (
        SELECT dialogue_id, count(*) AS elements FROM displays
        WHERE corpus = $corpus AND highlighted AND viewer IS NOT NULL GROUP BY dialogue_id, event
    )
    SELECT attributes ->> 'task' AS task, elements, dialogue_id
    FROM chosen JOIN dialogues USING (dialogue_id) WHERE corpus = $corpus
"""
_KIND = "CASE kind WHEN 'post_image' THEN 'post' ELSE 'persona element' END AS kind"
# Elements are told of, said to ground a message, or ranked: one by one or in sets.
_SHOWN = f"""
    SELECT DISTINCT {_KIND}, dialogue_id
    FROM objects JOIN (SELECT corpus, dialogue_id, object_id FROM displays
                       UNION SELECT corpus, dialogue_id, object_id FROM groundings
                       UNION SELECT corpus, dialogue_id, object_id FROM candidates)
        USING (corpus, object_id)
    WHERE corpus = $corpus
"""

PERSONAS = Figure(
    name="personas",
    title="Elements of a persona",
    caption="Main authors by the number of their persona elements, over all their dialogues.",
    columns=(
        FigureColumn("elements", "elements of a persona"),
        FigureColumn("authors", "main authors"),
        FigureColumn("share", "share of main authors", "%", 2),
    ),
    query=f"""
        SELECT elements, count(*) AS authors,
               100.0 * count(*) / sum(count(*)) OVER () AS share
        FROM (SELECT DISTINCT elements, author FROM ({_OWNED})) GROUP BY ALL ORDER BY elements
    """,
    chart=Chart(kind="histogram", x="elements", y=("authors",), step=1),
    behind=Behind(keys=("elements",), query=f"SELECT elements, dialogue_id FROM ({_OWNED})"),
)

CHOSEN = Figure(
    name="candidate-elements",
    title="Elements given to a model",
    caption=(
        "How many elements of the main author each task gives with a dialogue; with a message in "
        "grounding persona prediction, where the right one is left out."
    ),
    columns=(
        FigureColumn("task", "task"),
        FigureColumn("given", "dialogues or messages"),
        FigureColumn("mean", "elements, mean", "", 2),
        FigureColumn("most", "elements, most"),
    ),
    query=f"""
        SELECT task, count(*) AS given, avg(elements) AS mean, max(elements) AS most
        FROM ({_CHOSEN}) GROUP BY task ORDER BY list_position(['nrp', 'gpp', 'si'], task)
    """,
    chart=Chart(x="task", y=("mean", "most")),
    behind=Behind(keys=("task",), query=f"SELECT task, dialogue_id FROM ({_CHOSEN})"),
    published=published_elements(),
)

IMAGES = Figure(
    name="images",
    title="Images",
    caption=(
        "Images of posts and of persona elements: those with any address, and those whose file "
        "was named with --images."
    ),
    columns=(
        FigureColumn("kind", "image of"),
        FigureColumn("images", "images"),
        FigureColumn("addressed", "with an address"),
        FigureColumn("present", "with a file"),
    ),
    query=f"""
        SELECT {_KIND}, count(*) AS images, count(uri) AS addressed,
               count(*) FILTER (uri NOT LIKE 'http%') AS present
        FROM objects WHERE corpus = $corpus AND kind IN ('persona', 'post_image')
        GROUP BY ALL ORDER BY kind
    """,
    chart=Chart(x="kind", y=("images", "addressed", "present")),
    behind=Behind(keys=("kind",), query=_SHOWN),
)

PERSONAS_FIGURES = (PERSONAS, CHOSEN, IMAGES)
