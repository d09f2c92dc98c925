"""Who plays PhotoBook, and how games go on when people play several."""

from __future__ import annotations

from commonground.corpora.photobook.figures.published import OTHER_GAMES, SITE_ANALYSIS
from commonground.figure import Behind, Chart, Figure, FigureColumn, PublishedValue

_PLAYED = """
    SELECT agent_id, count(*) OVER (PARTITION BY agent_id) AS games, dialogue_id
    FROM speakers WHERE corpus = $corpus
"""
_GROUPED = f"""
    SELECT CASE WHEN games = 1 THEN '1' WHEN games < 5 THEN '2 to 4'
                ELSE '5 or more' END AS games, agent_id, dialogue_id
    FROM ({_PLAYED})
"""
# Set in as it stands in the query, which is shown to readers.
_NUMBERED = """games AS (
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
            SELECT 'all' AS agents, * FROM played WHERE number <= 5
            UNION ALL SELECT 'with five games' AS agents, * FROM played
            WHERE number <= 5 AND total >= 5
        )"""

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
        FROM (SELECT DISTINCT games, agent_id FROM ({_PLAYED})) GROUP BY ALL ORDER BY games
    """,
    chart=Chart(kind="histogram", x="games", y=("agents",)),
    behind=Behind(keys=("games",), query=f"SELECT games, dialogue_id FROM ({_PLAYED})"),
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
        SELECT games, count(*) AS agents
        FROM (SELECT DISTINCT games, agent_id FROM ({_GROUPED})) GROUP BY ALL ORDER BY games
    """,
    chart=Chart(x="games", y=("agents",)),
    behind=Behind(keys=("games",), query=f"SELECT games, dialogue_id FROM ({_GROUPED})"),
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
    query=f"""
        WITH {_NUMBERED}
        SELECT number, agents, count(*) AS played, avg(seconds) / 60 AS minutes,
               avg(score) AS score, avg(n_utterances) AS texts
        FROM grouped GROUP BY ALL ORDER BY agents, number
    """,
    chart=Chart(
        kind="line", x="number", y=("minutes", "score", "texts"), color="agents", zero=False
    ),
    behind=Behind(
        keys=("number", "agents"),
        query=f"WITH {_NUMBERED} SELECT number, agents, dialogue_id FROM grouped",
    ),
)

AGENTS_FIGURES = (GAMES_PER_AGENT, AGENT_GROUPS, CONSECUTIVE)
