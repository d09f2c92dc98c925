/*
title = "From the first round to the fifth"
caption = """
Means over games. A round lasts from its first message to its last click on submit, as in the \
authors' processor; the score is of both players."""
order = 120
chart = {kind = "line", x = "round", y = ["seconds", "texts", "points_per_minute"], zero = false}
link = "round:{round}"

[columns]
round = "round"
games = "games"
seconds = {title = "duration", unit = "s", digits = 2}
texts = {title = "texts", digits = 2}
characters = {title = "characters of a text", digits = 2}
score = {title = "score", unit = "points", digits = 4}
points_per_minute = {title = "points per minute", digits = 3}
*/
WITH timed AS (
    SELECT dialogue_id, segment,
           max(at_s) FILTER (name = 'feedback') - min(at_s) AS seconds,
           count(text) AS texts, sum(length(text)) AS characters
    FROM events WHERE corpus = $corpus GROUP BY ALL
), scored AS (
    SELECT dialogue_id, segment, sum(value) AS score FROM outcomes
    WHERE corpus = $corpus AND name = 'score' GROUP BY ALL
)
SELECT segment AS round, count(*) AS games, avg(seconds) AS seconds,
       avg(texts) AS texts, sum(characters) / sum(texts) AS characters,
       avg(score) AS score,
       avg(60 * score / seconds) FILTER (seconds > 0) AS points_per_minute
FROM timed LEFT JOIN scored USING (dialogue_id, segment)
GROUP BY segment ORDER BY segment
