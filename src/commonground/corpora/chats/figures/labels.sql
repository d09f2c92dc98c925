/*
title = "Labels"
caption = "Messages by label, for each column of labels; the fifty labels with the most."
order = 40
chart = {kind = "bar", x = "label", y = ["messages"], color = "layer"}
row_dialogues = ["layer", "label"]

[columns]
layer = "column"
label = "label"
messages = "messages"
*/
WITH row_dialogues AS (
    SELECT layer, act AS label, dialogue_id FROM acts WHERE corpus = $corpus
)
SELECT layer, label, count(*) AS messages
FROM row_dialogues GROUP BY layer, label ORDER BY messages DESC, layer, label LIMIT 50
