/*
title = "Right and wrong marks"
caption = """
Last marks of a player on an image in a round, by what the two pages show. The search \
`figure:correct-marks/wrong*` finds the games with a wrong mark. Shares have 95 % intervals: 1.96 \
standard errors, clustered by game."""
order = 215
chart = {kind = "bar", x = "round", y = ["share"], color = "mark"}
row_dialogues = ["mark", "round"]

[columns]
mark = "mark"
round = "round"
marks = "marks"
with_mark = "games with such a mark"
games = "games"
share = {title = "share", unit = "%", digits = 2}
share_low = {title = "from", unit = "%", digits = 2}
share_high = {title = "to", unit = "%", digits = 2}
*/
WITH row_dialogues AS (
    -- The 11 released marks of images that are not on the player's page are neither.
    SELECT CASE WHEN correct THEN 'right' ELSE 'wrong' END AS mark, segment AS round, dialogue_id
    FROM marks WHERE corpus = $corpus AND is_last AND correct IS NOT NULL
), kinds AS (
    SELECT mark, round, count(*) AS marks, count(DISTINCT dialogue_id) AS with_mark
    FROM row_dialogues GROUP BY mark, round
), all_games AS (
    SELECT round, dialogue_id, count(*) AS n FROM row_dialogues GROUP BY ALL
), found AS (
    SELECT mark, round, dialogue_id, count(*) AS k FROM row_dialogues GROUP BY ALL
), ratios AS (
    -- Each kind with each game, since those without a mark of that kind count as well.
    SELECT mark, round, marks, with_mark, n, coalesce(k, 0) AS k,
           100.0 * marks / sum(n) OVER (PARTITION BY mark, round) AS share
    FROM kinds JOIN all_games USING (round) LEFT JOIN found USING (mark, round, dialogue_id)
), means AS (
    SELECT mark, round, marks, with_mark, count(*) AS games, share,
           1.96 * stddev_samp(100.0 * k - share * n) * sqrt(count(*)) / sum(n) AS reach
    FROM ratios GROUP BY mark, round, marks, with_mark, share
)
SELECT mark, round, marks, with_mark, games,
       share, share - reach AS share_low, share + reach AS share_high
FROM means ORDER BY mark, round
