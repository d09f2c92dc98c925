/*
title = "Frames per dialogue"
caption = "Dialogues by the number of frames at their end."
order = 70
chart = {kind = "histogram", x = "frames", y = ["dialogues"], step = 1}
row_dialogues = ["frames"]

[columns]
frames = "frames per dialogue"
dialogues = "dialogues"
share = {title = "share of dialogues", unit = "%", digits = 2}
*/
WITH row_dialogues AS (
    SELECT max(frame) AS frames, dialogue_id FROM states
    WHERE corpus = $corpus GROUP BY dialogue_id
)
SELECT frames, count(*) AS dialogues,
       100.0 * count(*) / sum(count(*)) OVER () AS share
FROM row_dialogues GROUP BY ALL ORDER BY frames
