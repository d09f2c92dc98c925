/*
title = "Scenes per dialogue"
caption = "Dialogues by how many different scenes they go through."
order = 210
corpora = ["simmc2"]
chart = {kind = "bar", x = "scenes", y = ["dialogues"]}
row_dialogues = ["scenes"]

[columns]
scenes = "scenes"
dialogues = "dialogues"
share = {title = "share of dialogues", unit = "%", digits = 2}
*/
WITH row_dialogues AS (
    SELECT dialogue_id, count(DISTINCT object_id) AS scenes FROM displays
    WHERE corpus = $corpus GROUP BY ALL
)
SELECT scenes, count(*) AS dialogues,
       100.0 * count(*) / sum(count(*)) OVER () AS share
FROM row_dialogues
GROUP BY ALL ORDER BY scenes
