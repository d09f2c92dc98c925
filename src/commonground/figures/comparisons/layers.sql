/*
title = "What is annotated"
caption = "Rows of each table of annotations and outcomes, and the dialogues that have any."
order = 50
chart = {kind = "heatmap", x = "corpus", y = ["layer"], color = "share"}

[columns]
corpus = "corpus"
layer = "table"
rows_in_table = "rows"
dialogues = "dialogues with any"
share = {title = "share of dialogues", unit = "%", digits = 1}
*/
WITH found AS (
    SELECT corpus, dialogue_id, 'spans' AS layer FROM spans
    UNION ALL SELECT corpus, dialogue_id, 'acts' FROM acts
    UNION ALL SELECT corpus, dialogue_id, 'states' FROM states
    UNION ALL SELECT corpus, dialogue_id, 'groundings' FROM groundings
    UNION ALL SELECT corpus, dialogue_id, 'displays' FROM displays
    UNION ALL SELECT corpus, dialogue_id, 'candidates' FROM candidates
    UNION ALL SELECT corpus, dialogue_id, 'outcomes' FROM outcomes
), counted AS (
    SELECT corpus, layer, count(*) AS rows_in_table,
           count(DISTINCT dialogue_id) AS dialogues
    FROM found GROUP BY ALL
), sizes AS (SELECT corpus, count(*) AS total FROM dialogues GROUP BY ALL)
SELECT corpus, layer, rows_in_table, dialogues, 100.0 * dialogues / total AS share
FROM counted JOIN sizes USING (corpus) ORDER BY corpus, layer
