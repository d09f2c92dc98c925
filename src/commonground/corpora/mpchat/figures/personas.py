"""Personas of MPChat: how many elements authors have, and their pictures."""

from __future__ import annotations

from commonground.corpora.mpchat.figures.published import published_elements
from commonground.figure import Chart, Figure, FigureColumn

PERSONAS = Figure(
    name="personas",
    title="Elements of a persona",
    caption="Main authors by the number of their persona elements, over all their dialogues.",
    columns=(
        FigureColumn("elements", "elements of a persona"),
        FigureColumn("authors", "main authors"),
        FigureColumn("share", "share of main authors", "%", 2),
    ),
    query="""
        WITH owned AS (
            SELECT viewer, count(DISTINCT object_id) AS elements FROM displays
            WHERE corpus = $corpus AND viewer IS NOT NULL AND position IS NOT NULL GROUP BY ALL
        ), authors AS (
            SELECT DISTINCT attributes ->> 'main_author' AS viewer FROM dialogues
            WHERE corpus = $corpus
        )
        SELECT coalesce(elements, 0) AS elements, count(*) AS authors,
               100.0 * count(*) / sum(count(*)) OVER () AS share
        FROM authors LEFT JOIN owned USING (viewer) GROUP BY ALL ORDER BY elements
    """,
    chart=Chart(kind="histogram", x="elements", y=("authors",), step=1),
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
    query="""
        WITH chosen AS (
            SELECT dialogue_id, event, count(*) AS elements FROM displays
            WHERE corpus = $corpus AND highlighted AND viewer IS NOT NULL GROUP BY ALL
        ), own AS (
            SELECT dialogue_id, attributes ->> 'task' AS task FROM dialogues
            WHERE corpus = $corpus
        )
        SELECT * FROM (SELECT task, count(*) AS given, avg(elements) AS mean,
                              max(elements) AS most
                       FROM chosen JOIN own USING (dialogue_id) GROUP BY ALL)
        ORDER BY list_position(['nrp', 'gpp', 'si'], task)
    """,
    chart=Chart(x="task", y=("mean", "most")),
    link="id:{task}*",
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
    query="""
        SELECT CASE kind WHEN 'persona' THEN 'persona element' ELSE 'post' END AS kind,
               count(*) AS images, count(uri) AS addressed,
               count(*) FILTER (uri NOT LIKE 'http%') AS present
        FROM objects WHERE corpus = $corpus AND kind IN ('persona', 'post_image')
        GROUP BY ALL ORDER BY kind
    """,
    chart=Chart(x="kind", y=("images", "addressed", "present")),
)

PERSONAS_FIGURES = (PERSONAS, CHOSEN, IMAGES)
