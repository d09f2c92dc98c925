/*
title = "Image sets and schedules"
caption = """
Games by image set and by the schedule in which its images are shown: domains with even numbers \
follow the first, those with odd numbers the second."""
order = 60
chart = {kind = "heatmap", x = "schedule", y = ["domain"], color = "games"}
behind = ["domain", "schedule"]

[columns]
domain = "image set"
schedule = "schedule"
games = "games"
*/
WITH behind AS (
    SELECT domain, CASE WHEN CAST(attributes ->> 'domain_id' AS INTEGER) % 2 = 1
                        THEN 'II' ELSE 'I' END AS schedule, dialogue_id
    FROM dialogues WHERE corpus = $corpus
)
SELECT domain, schedule, count(*) AS games
FROM behind GROUP BY ALL ORDER BY domain, schedule
