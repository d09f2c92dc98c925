/*
title = "Messages per dialogue"
caption = "Dialogues by their number of messages."
order = 20
chart = {kind = "histogram", x = "messages", y = ["dialogues"], step = 1}
row_dialogues = ["messages"]

[columns]
messages = "messages per dialogue"
dialogues = "dialogues"
*/
WITH row_dialogues AS (
    SELECT n_utterances AS messages, dialogue_id FROM dialogues WHERE corpus = $corpus
)
SELECT messages, count(*) AS dialogues FROM row_dialogues GROUP BY ALL ORDER BY messages
