/*
title = "Instructions"
caption = "Dialogues and scenarios by whether the instructions to the writers were released."
order = 140
corpora = ["taskmaster3", "taskmaster4"]
chart = {kind = "bar", x = "instructions", y = ["dialogues", "scenarios"]}
row_dialogues = ["instructions"]

[columns]
instructions = "instructions"
dialogues = "dialogues"
share = {title = "share of dialogues", unit = "%", digits = 2}
scenarios = "scenarios"
*/
WITH row_dialogues AS (
    SELECT CASE WHEN told IS NULL THEN 'absent' ELSE 'released' END AS instructions, scenario,
           dialogue_id
    FROM (
        SELECT attributes ->> 'scenario' AS scenario, attributes ->> 'instructions' AS told,
               n_utterances, dialogue_id
        FROM dialogues WHERE corpus = $corpus
    )
)
SELECT instructions, count(*) AS dialogues,
       100.0 * count(*) / sum(count(*)) OVER () AS share,
       count(DISTINCT scenario) AS scenarios
FROM row_dialogues GROUP BY ALL ORDER BY instructions DESC
