"""What the three ranking tasks of MPChat choose between."""

from __future__ import annotations

from commonground.corpora.mpchat.figures.published import published_candidates
from commonground.figure import Behind, Chart, Figure, FigureColumn

_OPTIONS = """
    SELECT split_part(task, '/', 2) AS task, split, dialogue_id, event,
           coalesce(object_id, text) AS option
    FROM candidates JOIN (SELECT dialogue_id, split FROM dialogues
                          WHERE corpus = $corpus) USING (dialogue_id)
    WHERE corpus = $corpus
"""

CANDIDATES = Figure(
    name="candidates",
    title="Candidates",
    caption=(
        "Rankings of each task and how many candidates they have: responses (nrp), persona "
        "elements (gpp), authors with their elements (si)."
    ),
    columns=(
        FigureColumn("task", "task"),
        FigureColumn("split", "split"),
        FigureColumn("rankings", "rankings"),
        FigureColumn("dialogues", "dialogues"),
        FigureColumn("fewest", "candidates, fewest"),
        FigureColumn("most", "candidates, most"),
        FigureColumn("different", "different candidates"),
    ),
    query=f"""
        WITH options AS ({_OPTIONS}), rankings AS (
            SELECT task, split, dialogue_id, event, count(*) AS options
            FROM options GROUP BY ALL
        ), counts AS (
            SELECT task, split, count(*) AS rankings, count(DISTINCT dialogue_id) AS dialogues,
                   min(options) AS fewest, max(options) AS most
            FROM rankings GROUP BY ALL
        ), kinds AS (
            SELECT task, split, count(DISTINCT option) AS different FROM options GROUP BY ALL
        )
        SELECT task, split, rankings, dialogues, fewest, most, different
        FROM counts JOIN kinds USING (task, split)
        ORDER BY list_position(['nrp', 'gpp', 'si'], task),
                 list_position(['train', 'val', 'test'], split)
    """,
    chart=Chart(x="task", y=("rankings", "most", "different"), color="split"),
    behind=Behind(
        keys=("task", "split"),
        query=f"SELECT DISTINCT task, split, dialogue_id FROM ({_OPTIONS})",
    ),
    published=published_candidates(),
)
