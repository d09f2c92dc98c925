/*
title = "Games per agent"
caption = "Agents by the number of games that they played."
order = 90
chart = {kind = "histogram", x = "games", y = ["agents"]}
row_dialogues = ["games"]

[columns]
games = "games per agent"
agents = "agents"
share = {title = "share of agents", unit = "%", digits = 2}

[[published]]
name = "workers with one game"
column = "agents"
row = {games = 1}
value = 472
source = "@site_analysis"
why = "@other_games"
*/
WITH row_dialogues AS (
    SELECT agent_id, count(*) OVER (PARTITION BY agent_id) AS games, dialogue_id
    FROM speakers WHERE corpus = $corpus
)
SELECT games, count(*) AS agents, 100.0 * count(*) / sum(count(*)) OVER () AS share
FROM (SELECT DISTINCT games, agent_id FROM row_dialogues) GROUP BY ALL ORDER BY games
