/*
title = "Messages per dialogue"
caption = "Dialogues by their number of messages, the post itself included."
order = 30
chart = {kind = "histogram", x = "messages", y = ["dialogues"], step = 1}
link = "utterances:{messages}"

[columns]
messages = "messages per dialogue"
dialogues = "dialogues"
share = {title = "share of dialogues", unit = "%", digits = 2}
*/
SELECT n_utterances AS messages, count(*) AS dialogues,
       100.0 * count(*) / sum(count(*)) OVER () AS share
FROM dialogues WHERE corpus = $corpus GROUP BY ALL ORDER BY messages
