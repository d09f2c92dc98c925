/*
title = "Annotated slots"
caption = "The most frequent slots of annotated acts, by speaker."
order = 140
chart = {kind = "bar", x = "slot", y = ["slots"], color = "speaker"}
row_dialogues = ["slot", "speaker"]

[columns]
slot = "slot"
speaker = "speaker"
slots = "slots"
*/
WITH row_dialogues AS (
    SELECT act, slot, speaker, dialogue_id, event, act_index
    FROM acts JOIN events USING (corpus, dialogue_id, event)
    -- The first two layers are SIMMC 1's, the others SIMMC 2's.
    WHERE corpus = $corpus AND layer IN (
        'belief_state', 'system_belief_state', 'transcript_annotated', 'system_transcript_annotated'
    )
), counts AS (
    SELECT slot, speaker, count(*) AS slots
    FROM row_dialogues WHERE slot IS NOT NULL
    GROUP BY ALL ORDER BY slots DESC, slot, speaker LIMIT 30
)
SELECT * FROM counts
ORDER BY sum(slots) OVER (PARTITION BY slot) DESC, slot, speaker DESC
