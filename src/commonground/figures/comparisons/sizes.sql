/*
title = "How large the corpora are"
caption = "Dialogues, utterances and actions of each corpus, and its largest dialogue."
order = 10
chart = {kind = "bar", x = "corpus", y = ["dialogues", "utterances", "actions"], log = true}

[columns]
corpus = "corpus"
dialogues = "dialogues"
utterances = "utterances"
actions = "actions"
longest = "events of the longest dialogue"
*/
SELECT corpus, count(*) AS dialogues, sum(n_utterances) AS utterances,
       sum(n_events - n_utterances) AS actions, max(n_events) AS longest
FROM dialogues GROUP BY corpus ORDER BY corpus
