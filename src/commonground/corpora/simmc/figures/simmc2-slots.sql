/*
name = "slots"
title = "Annotated slots"
caption = "The most frequent slots of annotated acts, by speaker."
order = 160
corpora = ["simmc2"]
chart = {kind = "bar", x = "slot", y = ["slots"], color = "speaker"}
behind = ["slot", "speaker"]

[columns]
slot = "slot"
speaker = "speaker"
slots = "slots"
*/
WITH behind AS (
    SELECT act, slot, speaker, dialogue_id, event, act_index
    FROM acts JOIN events USING (corpus, dialogue_id, event)
    WHERE corpus = $corpus AND layer IN ('transcript_annotated', 'system_transcript_annotated')
), counts AS (
    SELECT slot, speaker, count(*) AS slots
    FROM behind WHERE slot IS NOT NULL
    GROUP BY ALL ORDER BY slots DESC, slot, speaker LIMIT 30
)
SELECT * FROM counts
ORDER BY sum(slots) OVER (PARTITION BY slot) DESC, slot, speaker DESC
