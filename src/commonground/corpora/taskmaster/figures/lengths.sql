/*
title = "Utterances per dialogue"
caption = "Dialogues by their number of utterances."
order = 50
chart = {kind = "histogram", x = "utterances", y = ["dialogues"], step = 1}
link = "utterances:{utterances}"

[columns]
utterances = "utterances per dialogue"
dialogues = "dialogues"
share = {title = "share of dialogues", unit = "%", digits = 2}
*/
SELECT n_utterances AS utterances, count(*) AS dialogues,
       100.0 * count(*) / sum(count(*)) OVER () AS share
FROM dialogues WHERE corpus = $corpus GROUP BY ALL ORDER BY utterances
