/*
title = "Right and wrong marks"
caption = """
Last marks of a player on an image in a round, by what the two pages show. The search \
`figure:correct-marks/wrong*` finds the games with a wrong one."""
order = 215
chart = {kind = "bar", x = "round", y = ["share"], color = "mark"}
row_dialogues = ["mark", "round"]

[columns]
mark = "mark"
round = "round"
marks = "marks"
games = "games"
share = {title = "share", unit = "%", digits = 2}
*/
WITH row_dialogues AS (
    -- The 11 released marks of images that are not on the player's page are neither.
    SELECT CASE WHEN correct THEN 'right' ELSE 'wrong' END AS mark, segment AS round, dialogue_id
    FROM marks WHERE corpus = $corpus AND is_last AND correct IS NOT NULL
)
SELECT mark, round, count(*) AS marks, count(DISTINCT dialogue_id) AS games,
       100.0 * count(*) / sum(count(*)) OVER (PARTITION BY round) AS share
FROM row_dialogues GROUP BY mark, round ORDER BY mark, round
