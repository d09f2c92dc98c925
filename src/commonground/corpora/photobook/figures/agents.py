"""Who plays PhotoBook, and how games go on when people play several."""

from __future__ import annotations

from commonground.corpora.photobook.figures.published import OTHER_GAMES, SITE_ANALYSIS
from commonground.figure import Chart, Figure, FigureColumn, PublishedValue

_COUNTED = """
    SELECT agent_id, count(*) AS games FROM speakers
    WHERE corpus = $corpus GROUP BY agent_id
"""

GAMES_PER_AGENT = Figure(
    name="games-per-agent",
    title="Games of an agent",
    caption="Agents by the number of games that they played.",
    columns=(
        FigureColumn("games", "games of an agent"),
        FigureColumn("agents", "agents"),
        FigureColumn("share", "share of agents", "%", 2),
    ),
    query=f"""
        SELECT games, count(*) AS agents, 100.0 * count(*) / sum(count(*)) OVER () AS share
        FROM ({_COUNTED}) GROUP BY ALL ORDER BY games
    """,
    chart=Chart(kind="histogram", x="games", y=("agents",)),
    published=(
        PublishedValue(
            name="workers with one game",
            column="agents",
            row={"games": 1},
            value=472,
            source=SITE_ANALYSIS,
            why=OTHER_GAMES,
        ),
    ),
)

AGENT_GROUPS = Figure(
    name="agent-groups",
    title="Agents who come back",
    caption="Agents with one game, with two to four, and with five, the limit, or more.",
    columns=(
        FigureColumn("games", "games of an agent"),
        FigureColumn("agents", "agents"),
    ),
    query=f"""
        SELECT CASE WHEN games = 1 THEN '1' WHEN games < 5 THEN '2 to 4'
                    ELSE '5 or more' END AS games, count(*) AS agents
        FROM ({_COUNTED}) GROUP BY ALL ORDER BY 1
    """,
    chart=Chart(x="games", y=("agents",)),
    published=(
        PublishedValue(
            name="workers with two to four games",
            column="agents",
            row={"games": "2 to 4"},
            value=448,
            source=SITE_ANALYSIS,
            why=OTHER_GAMES,
        ),
        PublishedValue(
            name="workers with the maximum of five games",
            column="agents",
            row={"games": "5 or more"},
            value=594,
            source=SITE_ANALYSIS,
            why=OTHER_GAMES + " In the released games 60 agents went beyond five.",
        ),
    ),
)

CONSECUTIVE = Figure(
    name="consecutive-games",
    title="From an agent's first game to the fifth",
    caption=(
        "Games by which one they are for an agent, in order of their start; each game counts for "
        "both players. All agents, and those with at least five games."
    ),
    columns=(
        FigureColumn("number", "game of an agent"),
        FigureColumn("agents", "agents"),
        FigureColumn("played", "games played"),
        FigureColumn("minutes", "duration", "min", 2),
        FigureColumn("score", "score", "points", 3),
        FigureColumn("texts", "texts", "", 2),
    ),
    query="""
        WITH games AS (
            SELECT dialogue_id, started_at, n_utterances, seconds, score
            FROM dialogues
            JOIN (SELECT dialogue_id, max(at_s) - min(at_s) AS seconds FROM events
                  WHERE corpus = $corpus GROUP BY dialogue_id) USING (dialogue_id)
            JOIN (SELECT dialogue_id, sum(value) AS score FROM outcomes
                  WHERE corpus = $corpus AND name = 'score' GROUP BY dialogue_id)
                USING (dialogue_id)
            WHERE corpus = $corpus
        ), played AS (
            SELECT games.*, count(*) OVER (PARTITION BY agent_id) AS total,
                   row_number() OVER (PARTITION BY agent_id
                                      ORDER BY started_at, dialogue_id) AS number
            FROM games JOIN speakers USING (dialogue_id) WHERE corpus = $corpus
        ), grouped AS (
            SELECT 'all' AS agents, * FROM played
            UNION ALL SELECT 'with five games' AS agents, * FROM played WHERE total >= 5
        )
        SELECT number, agents, count(*) AS played, avg(seconds) / 60 AS minutes,
               avg(score) AS score, avg(n_utterances) AS texts
        FROM grouped WHERE number <= 5 GROUP BY ALL ORDER BY agents, number
    """,
    chart=Chart(
        kind="line", x="number", y=("minutes", "score", "texts"), color="agents", zero=False
    ),
)

AGENTS_FIGURES = (GAMES_PER_AGENT, AGENT_GROUPS, CONSECUTIVE)
