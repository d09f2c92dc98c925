/*
title = "Image sets and schedules"
caption = """
Games by image set and by the schedule in which its images are shown: domains with even numbers \
follow the first, those with odd numbers the second."""
order = 60
chart = {kind = "heatmap", x = "schedule", y = ["domain"], color = "games"}
row_dialogues = ["domain", "schedule"]

[columns]
domain = "image set"
schedule = "schedule"
games = "games"
*/
WITH row_dialogues AS (
    SELECT domain, CASE WHEN CAST(attributes ->> 'domain_id' AS INTEGER) % 2 = 1
                        THEN 'II' ELSE 'I' END AS schedule, dialogue_id
    FROM dialogues WHERE corpus = $corpus
)
SELECT domain, schedule, count(*) AS games
FROM row_dialogues GROUP BY ALL ORDER BY domain, schedule
