/*
title = "From an agent's first game to the fifth"
caption = """
An agent's games, numbered in order of their start; each game counts for both players. All \
agents, and those with at least five games. Means with 95 % intervals: 1.96 standard \
errors, as if no game counted twice."""
order = 110
chart = {kind = "line", x = "number", y = ["minutes", "score", "texts"], color = "agents", zero = false}
row_dialogues = ["number", "agents"]

[columns]
number = "game of an agent"
agents = "agents"
played = "games played"
minutes = {title = "duration", unit = "min", digits = 2}
minutes_low = {title = "from", digits = 2}
minutes_high = {title = "to", digits = 2}
score = {title = "score", unit = "points", digits = 3}
score_low = {title = "from", digits = 3}
score_high = {title = "to", digits = 3}
texts = {title = "texts", digits = 2}
texts_low = {title = "from", digits = 2}
texts_high = {title = "to", digits = 2}
*/
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
), row_dialogues AS (
    SELECT 'all' AS agents, * FROM played WHERE number <= 5
    UNION ALL SELECT 'with five games' AS agents, * FROM played
    WHERE number <= 5 AND total >= 5
), means AS (
    SELECT number, agents, count(*) AS played,
           avg(seconds) / 60 AS minutes,
           1.96 * stddev_samp(seconds) / 60 / sqrt(count(seconds)) AS of_minutes,
           avg(score) AS score, 1.96 * stddev_samp(score) / sqrt(count(score)) AS of_score,
           avg(n_utterances) AS texts,
           1.96 * stddev_samp(n_utterances) / sqrt(count(*)) AS of_texts
    FROM row_dialogues GROUP BY ALL
)
SELECT number, agents, played,
       minutes, minutes - of_minutes AS minutes_low, minutes + of_minutes AS minutes_high,
       score, score - of_score AS score_low, score + of_score AS score_high,
       texts, texts - of_texts AS texts_low, texts + of_texts AS texts_high
FROM means ORDER BY agents, number
