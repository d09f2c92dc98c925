/*
title = "Objects that an utterance mentions"
caption = "Utterances by speaker and by how many objects they are annotated with."
order = 190
corpora = ["simmc2"]
chart = {kind = "bar", x = "things", y = ["utterances"], color = "speaker"}
row_dialogues = ["things", "speaker"]

[columns]
things = "objects mentioned"
speaker = "speaker"
utterances = "utterances"
share = {title = "share of the speaker's", unit = "%", digits = 2}
*/
WITH row_dialogues AS (
    WITH mentioned AS (
        SELECT dialogue_id, event, count(*) AS things FROM groundings
        WHERE corpus = $corpus AND relation = 'mentioned' GROUP BY ALL
    )
    SELECT coalesce(things, 0) AS things, speaker, dialogue_id
    FROM (SELECT dialogue_id, event, speaker FROM events
          WHERE corpus = $corpus AND kind = 'utterance')
         LEFT JOIN mentioned USING (dialogue_id, event)
), counts AS (
    SELECT things, speaker, count(*) AS utterances FROM row_dialogues GROUP BY ALL
)
SELECT things, speaker, utterances,
       100.0 * utterances / sum(utterances) OVER (PARTITION BY speaker) AS share
FROM counts ORDER BY things, speaker DESC
