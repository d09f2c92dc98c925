/*
title = "Common or different"
caption = "Last marks of a player on an image in a round, by label."
order = 210
chart = {kind = "bar", x = "round", y = ["share"], color = "label"}
row_dialogues = ["round", "label"]

[columns]
round = "round"
label = "label"
marks = "marks"
share = {title = "share", unit = "%", digits = 2}
*/
WITH row_dialogues AS (
    -- The last mark counts for the score: earlier ones of an image are ignored.
    SELECT segment AS round, last(label ORDER BY event) AS label, dialogue_id
    FROM (
        SELECT e.dialogue_id, e.segment, e.speaker, e.event, g.object_id, g.label
        FROM events e JOIN groundings g USING (corpus, dialogue_id, event)
        WHERE corpus = $corpus AND e.name = 'selection'
    ) GROUP BY dialogue_id, segment, speaker, object_id
)
SELECT round, label, count(*) AS marks,
       100.0 * count(*) / sum(count(*)) OVER (PARTITION BY round) AS share
FROM row_dialogues GROUP BY round, label ORDER BY label, round
