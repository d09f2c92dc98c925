/*
# QUALIFY chooses rows by a window function, as HAVING does by an aggregate.
title = "Actions besides talking"
caption = "Actions by name, the eight most frequent of each corpus."
order = 40

[columns]
corpus = "corpus"
name = "action"
actions = "actions"
per_dialogue = {title = "actions in a dialogue, mean", digits = 2}
*/
WITH counted AS (
    SELECT corpus, name, count(*) AS actions FROM events
    WHERE kind = 'action' GROUP BY ALL
), sizes AS (SELECT corpus, count(*) AS dialogues FROM dialogues GROUP BY ALL)
SELECT corpus, name, actions, actions / dialogues AS per_dialogue
FROM counted JOIN sizes USING (corpus)
QUALIFY row_number() OVER (PARTITION BY corpus ORDER BY actions DESC, name) <= 8
ORDER BY corpus, actions DESC, name
