"""What users and wizards say of a dialogue at its end."""

from __future__ import annotations

from commonground.figure import Chart, Figure, FigureColumn

RATINGS = Figure(
    name="ratings",
    title="Ratings by the users",
    caption="Dialogues by the user's satisfaction with the wizard, from 1 to 5.",
    columns=(
        FigureColumn("rating", "rating"),
        FigureColumn("dialogues", "dialogues"),
        FigureColumn("share", "share of ratings", "%", 2),
    ),
    query="""
        SELECT value AS rating, count(*) AS dialogues,
               100.0 * count(*) / sum(count(*)) OVER () AS share
        FROM outcomes WHERE corpus = $corpus AND name = 'rating' GROUP BY ALL ORDER BY rating
    """,
    chart=Chart(x="rating", y=("dialogues",)),
    link="rating:{rating}",
)

SUCCESS = Figure(
    name="success",
    title="Success, as the wizards see it",
    caption=(
        "Dialogues by whether the wizard thinks that the user's goal was reached, with the users' "
        "mean rating and the mean number of turns."
    ),
    columns=(
        FigureColumn("success", "goal reached (1: yes, 0: no)"),
        FigureColumn("dialogues", "dialogues"),
        FigureColumn("share", "share", "%", 2),
        FigureColumn("rating", "rating, mean", "", 3),
        FigureColumn("turns", "turns of a dialogue", "", 2),
    ),
    query="""
        WITH rated AS (
            SELECT dialogue_id, value AS rating FROM outcomes
            WHERE corpus = $corpus AND name = 'rating'
        )
        SELECT CAST(value AS INTEGER) AS success, count(*) AS dialogues,
               100.0 * count(*) / sum(count(*)) OVER () AS share,
               avg(rating) AS rating, avg(n_utterances) AS turns
        FROM outcomes JOIN dialogues USING (corpus, dialogue_id)
             LEFT JOIN rated USING (dialogue_id)
        WHERE corpus = $corpus AND name = 'success' GROUP BY ALL ORDER BY success DESC
    """,
    chart=Chart(x="success", y=("dialogues", "rating", "turns")),
    link="success:{success}",
)

OUTCOMES_FIGURES = (RATINGS, SUCCESS)
