/*
title = "Rated generations"
caption = """
Rated generations of the reward files by their reward (1: right, 0: wrong) and by whether an API \
call or a text was generated; their conversations are not among the released dialogues."""
order = 150
corpora = ["taskmaster3", "taskmaster4"]
chart = {kind = "bar", x = "generation", y = ["examples"], color = "reward"}
row_dialogues = ["generation", "reward"]
partial = true

[columns]
generation = "generation"
reward = "reward"
examples = "examples"
share = {title = "share of the kind's examples", unit = "%", digits = 2}
*/
WITH rated AS (
    SELECT json ->> 'reward' AS reward, json ->> 'generation' AS made, dialogue_id
    FROM native WHERE corpus = $corpus AND format LIKE 'reward%' AND json_valid(json)
), named AS (
    SELECT CASE WHEN NOT json_valid(made) THEN 'unreadable'
                WHEN json_exists(made, '$.api') THEN 'API call'
                ELSE 'text' END AS generation,
           coalesce(CAST(TRY_CAST(reward AS DOUBLE) AS VARCHAR), 'none') AS reward, dialogue_id
    FROM rated
), examples AS (
    -- 1.0 is shown as 1.
    SELECT generation, regexp_replace(reward, '[.]0$', '') AS reward, dialogue_id FROM named
), row_dialogues AS (
    SELECT generation, reward, dialogue_id FROM examples
    JOIN (SELECT dialogue_id FROM dialogues WHERE corpus = $corpus) USING (dialogue_id)
), counts AS (
    SELECT generation, reward, count(*) AS examples FROM examples GROUP BY ALL
)
SELECT generation, reward, examples,
       100.0 * examples / sum(examples) OVER (PARTITION BY generation) AS share
FROM counts ORDER BY generation, reward
