/*
title = "Scores of games"
caption = "Games by the total score of both players over five rounds; 30 is the maximum."
order = 30
chart = {kind = "histogram", x = "score", y = ["games"]}
link = "score:{score}"

[columns]
score = {title = "score of a game", unit = "points"}
games = "games"
share = {title = "share of games", unit = "%", digits = 2}

[[published]]
name = "full scores"
column = "share"
row = {score = 30}
value = 39
tolerance = 0.5
source = "@site_analysis"
*/
SELECT CAST(score AS INTEGER) AS score, count(*) AS games,
       100.0 * count(*) / sum(count(*)) OVER () AS share
FROM (
    SELECT dialogue_id, sum(value) AS score FROM outcomes
    WHERE corpus = $corpus AND name = 'score' GROUP BY dialogue_id
) GROUP BY ALL ORDER BY score
