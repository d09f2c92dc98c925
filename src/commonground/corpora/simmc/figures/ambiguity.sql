/*
title = "Ambiguous references"
caption = """
User utterances by whether their references are annotated as ambiguous."""
order = 200
corpora = ["simmc2"]
chart = {kind = "bar", x = "ambiguous", y = ["utterances"]}
row_dialogues = ["ambiguous"]

[columns]
ambiguous = "reference"
utterances = "utterances"
share = {title = "share", unit = "%", digits = 2}
*/
WITH row_dialogues AS (
    WITH labelled AS (
        SELECT dialogue_id, event, any_value(value) AS label FROM states
        WHERE corpus = $corpus AND layer = 'disambiguation' AND slot = 'label' GROUP BY ALL
    )
    SELECT CASE label WHEN '1' THEN 'ambiguous' WHEN '0' THEN 'clear' ELSE 'not annotated'
           END AS ambiguous, dialogue_id
    FROM (SELECT dialogue_id, event FROM events
          WHERE corpus = $corpus AND kind = 'utterance' AND speaker = 'user')
         LEFT JOIN labelled USING (dialogue_id, event)
)
SELECT ambiguous, count(*) AS utterances,
       100.0 * count(*) / sum(count(*)) OVER () AS share
FROM row_dialogues GROUP BY ALL ORDER BY ambiguous
