/*
title = "Points of a player in a round"
caption = "Players' rounds by points; 3 is the maximum, and six players got 4 by mistake."
order = 130
chart = {kind = "bar", x = "round", y = ["share"], color = "points"}
row_dialogues = ["round", "points"]

[columns]
round = "round"
points = "points of a player"
players = "players"
share = {title = "share", unit = "%", digits = 2}
*/
WITH row_dialogues AS (
    SELECT segment AS round, CAST(value AS INTEGER) AS points, dialogue_id
    FROM outcomes WHERE corpus = $corpus AND name = 'score'
)
SELECT round, points, count(*) AS players,
       100.0 * count(*) / sum(count(*)) OVER (PARTITION BY round) AS share
FROM row_dialogues GROUP BY round, points ORDER BY round, points
