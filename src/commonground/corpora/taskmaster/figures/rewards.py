"""The rated generations that were released beside Taskmaster 3 and 4."""

from __future__ import annotations

from commonground.figure import Behind, Chart, Figure, FigureColumn

_RATED = """
    WITH rated AS (
        SELECT json ->> 'reward' AS reward, json ->> 'generation' AS made, dialogue_id
        FROM native WHERE corpus = $corpus AND format LIKE 'reward%' AND json_valid(json)
    ), named AS (
        SELECT CASE WHEN NOT json_valid(made) THEN 'unreadable'
                    WHEN json_exists(made, '$.api') THEN 'API call'
                    ELSE 'text' END AS generation,
               coalesce(CAST(TRY_CAST(reward AS DOUBLE) AS VARCHAR), 'none') AS reward, dialogue_id
        FROM rated
    )
    SELECT generation, regexp_replace(reward, '[.]0$', '') AS reward, dialogue_id FROM named
"""

REWARDS = Figure(
    name="rewards",
    title="Rated generations",
    caption=(
        "Rated generations of the reward files by their reward (1: right, 0: wrong) and by "
        "whether an API call or a text was generated; their conversations are not among the "
        "released dialogues."
    ),
    columns=(
        FigureColumn("generation", "generation"),
        FigureColumn("reward", "reward"),
        FigureColumn("examples", "examples"),
        FigureColumn("share", "share of the kind's examples", "%", 2),
    ),
    query=f"""
        WITH counts AS (
            SELECT generation, reward, count(*) AS examples FROM ({_RATED}) GROUP BY ALL
        )
        SELECT generation, reward, examples,
               100.0 * examples / sum(examples) OVER (PARTITION BY generation) AS share
        FROM counts ORDER BY generation, reward
    """,
    chart=Chart(x="generation", y=("examples",), color="reward"),
    behind=Behind(
        keys=("generation", "reward"),
        query=f"""
            SELECT generation, reward, dialogue_id
            FROM ({_RATED}) JOIN (SELECT dialogue_id FROM dialogues WHERE corpus = $corpus)
                 USING (dialogue_id)
        """,
        partial=True,
    ),
    corpora=("taskmaster3", "taskmaster4"),
)
