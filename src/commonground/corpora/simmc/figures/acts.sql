/*
title = "Annotated acts"
caption = "The most frequent acts that dialogues are annotated with, by speaker."
order = 130
chart = {kind = "bar", x = "act", y = ["acts"], color = "speaker"}
row_dialogues = ["act", "speaker"]

[columns]
act = "act"
speaker = "speaker"
acts = "acts"
*/
WITH row_dialogues AS (
    SELECT act, slot, speaker, dialogue_id, event, act_index
    FROM acts JOIN events USING (corpus, dialogue_id, event)
    -- The first two layers are SIMMC 1's, the others SIMMC 2's.
    WHERE corpus = $corpus AND layer IN (
        'belief_state', 'system_belief_state', 'transcript_annotated', 'system_transcript_annotated'
    )
), counts AS (
    -- An act has a row for each of its slots.
    SELECT act, speaker, count(DISTINCT (dialogue_id, event, act_index)) AS acts
    FROM row_dialogues
    GROUP BY ALL ORDER BY acts DESC, act, speaker LIMIT 30
)
SELECT * FROM counts ORDER BY sum(acts) OVER (PARTITION BY act) DESC, act, speaker DESC
