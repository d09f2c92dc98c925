/*
title = "Searches per dialogue"
caption = "Dialogues by the number of the wizard's searches."
order = 140
chart = {kind = "histogram", x = "searches", y = ["dialogues"], step = 1}
row_dialogues = ["searches"]

[columns]
searches = "searches per dialogue"
dialogues = "dialogues"
*/
WITH row_dialogues AS (
    -- What is no utterance is a search.
    SELECT n_events - n_utterances AS searches, dialogue_id FROM dialogues WHERE corpus = $corpus
)
SELECT searches, count(*) AS dialogues FROM row_dialogues GROUP BY ALL ORDER BY searches
