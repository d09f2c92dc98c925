/*
title = "API calls per dialogue"
caption = "Dialogues by their number of API calls."
order = 120
corpora = ["taskmaster3", "taskmaster4"]
chart = {kind = "histogram", x = "calls", y = ["dialogues"], step = 1}
row_dialogues = ["calls"]

[columns]
calls = "calls per dialogue"
dialogues = "dialogues"
share = {title = "share of dialogues", unit = "%", digits = 2}
*/
WITH row_dialogues AS (
    -- What is no utterance is a call.
    SELECT n_events - n_utterances AS calls, dialogue_id FROM dialogues WHERE corpus = $corpus
)
SELECT calls, count(*) AS dialogues,
       100.0 * count(*) / sum(count(*)) OVER () AS share
FROM row_dialogues GROUP BY ALL ORDER BY calls
