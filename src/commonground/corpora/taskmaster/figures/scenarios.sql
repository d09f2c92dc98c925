/*
title = "Scenarios"
caption = """
Dialogues by the title of their instructions, the share of them with the instructions \
themselves, and how many different texts these are."""
order = 130
corpora = ["taskmaster3", "taskmaster4"]
wording = true
chart = {kind = "bar", x = "scenario", y = ["dialogues"]}
row_dialogues = ["scenario"]

[columns]
scenario = "scenario"
dialogues = "dialogues"
covered = {title = "with instructions", unit = "%", digits = 1}
texts = "texts of instructions"
length = {title = "utterances per dialogue", digits = 2}
*/
WITH row_dialogues AS (
    SELECT attributes ->> 'scenario' AS scenario, attributes ->> 'instructions' AS told,
           n_utterances, dialogue_id
    FROM dialogues WHERE corpus = $corpus
)
SELECT scenario, count(*) AS dialogues,
       100.0 * count(told) / count(*) AS covered,
       count(DISTINCT told) AS texts,
       avg(n_utterances) AS length
FROM row_dialogues GROUP BY ALL ORDER BY dialogues DESC, scenario
