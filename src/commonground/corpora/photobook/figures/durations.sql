/*
title = "How long games last"
caption = "Games by the minutes from their first message to their last, in steps of two."
order = 40
chart = {kind = "histogram", x = "minutes", y = ["games"]}
row_dialogues = ["minutes"]

[columns]
minutes = {title = "duration, from", unit = "min"}
games = "games"
*/
WITH row_dialogues AS (
    SELECT 2 * CAST(floor(seconds / 120) AS INTEGER) AS minutes, dialogue_id FROM (
        SELECT dialogue_id, max(at_s) - min(at_s) AS seconds FROM events
        WHERE corpus = $corpus GROUP BY dialogue_id
    )
)
SELECT minutes, count(*) AS games FROM row_dialogues GROUP BY ALL ORDER BY minutes
