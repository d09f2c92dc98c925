"""The rated generations that were released beside Taskmaster 3 and 4."""

from __future__ import annotations

from commonground.figure import Chart, Figure, FigureColumn

REWARDS = Figure(
    name="rewards",
    title="Rated generations",
    caption=(
        "Rated generations of the reward files by their reward (1: right, 0: wrong) and by "
        "whether an API call or a text was generated."
    ),
    columns=(
        FigureColumn("generation", "generation"),
        FigureColumn("reward", "reward"),
        FigureColumn("examples", "examples"),
        FigureColumn("share", "share of the kind's examples", "%", 2),
    ),
    query="""
        WITH rated AS (
            SELECT json ->> 'reward' AS reward, json ->> 'generation' AS made
            FROM native WHERE corpus = $corpus AND format LIKE 'reward%' AND json_valid(json)
        ), counts AS (
            SELECT CASE WHEN NOT json_valid(made) THEN 'unreadable'
                        WHEN json_exists(made, '$.api') THEN 'API call'
                        ELSE 'text' END AS generation,
                   coalesce(CAST(TRY_CAST(reward AS DOUBLE) AS VARCHAR), 'none') AS reward,
                   count(*) AS examples
            FROM rated GROUP BY ALL
        )
        SELECT generation, regexp_replace(reward, '[.]0$', '') AS reward, examples,
               100.0 * examples / sum(examples) OVER (PARTITION BY generation) AS share
        FROM counts ORDER BY generation, reward
    """,
    chart=Chart(x="generation", y=("examples",), color="reward"),
    corpora=("taskmaster3", "taskmaster4"),
)
