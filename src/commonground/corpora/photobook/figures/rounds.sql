/*
title = "From the first round to the fifth"
caption = """
Means over games. A round lasts from its first message to its last click on submit, as in the \
authors' processor; the score is of both players. The chart has 95 % intervals: 1.96 standard \
errors of the mean."""
order = 120
chart = {kind = "line", x = "round", y = ["seconds", "texts", "points_per_minute"], zero = false}
link = "round:{round}"

[columns]
round = "round"
games = "games"
seconds = {title = "duration", unit = "s", digits = 2}
seconds_low = {title = "from", digits = 2}
seconds_high = {title = "to", digits = 2}
texts = {title = "texts", digits = 2}
texts_low = {title = "from", digits = 2}
texts_high = {title = "to", digits = 2}
characters = {title = "characters per text", digits = 2}
score = {title = "score", unit = "points", digits = 4}
points_per_minute = {title = "points per minute", digits = 3}
points_per_minute_low = {title = "from", digits = 3}
points_per_minute_high = {title = "to", digits = 3}
*/
WITH timed AS (
    SELECT dialogue_id, segment,
           max(at_s) FILTER (name = 'feedback') - min(at_s) AS seconds,
           count(text) AS texts, sum(length(text)) AS characters
    FROM events WHERE corpus = $corpus GROUP BY ALL
), scored AS (
    SELECT dialogue_id, segment, sum(value) AS score FROM outcomes
    WHERE corpus = $corpus AND name = 'score' GROUP BY ALL
), played AS (
    -- Null where a round took no time or was not submitted: means pass over it.
    SELECT *, CASE WHEN seconds > 0 THEN 60 * score / seconds END AS pace
    FROM timed LEFT JOIN scored USING (dialogue_id, segment)
), means AS (
    SELECT segment, count(*) AS games,
           avg(seconds) AS seconds, 1.96 * stddev_samp(seconds) / sqrt(count(seconds)) AS of_seconds,
           avg(texts) AS texts, 1.96 * stddev_samp(texts) / sqrt(count(texts)) AS of_texts,
           sum(characters) / sum(texts) AS characters, avg(score) AS score,
           avg(pace) AS pace, 1.96 * stddev_samp(pace) / sqrt(count(pace)) AS of_pace
    FROM played GROUP BY segment
)
SELECT segment AS round, games,
       seconds, seconds - of_seconds AS seconds_low, seconds + of_seconds AS seconds_high,
       texts, texts - of_texts AS texts_low, texts + of_texts AS texts_high,
       characters, score,
       pace AS points_per_minute, pace - of_pace AS points_per_minute_low,
       pace + of_pace AS points_per_minute_high
FROM means ORDER BY segment
