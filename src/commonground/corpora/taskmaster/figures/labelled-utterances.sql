/*
title = "Utterances with entities"
caption = "Utterances by speaker, those with a labelled span, and spans of an utterance."
order = 80
chart = {kind = "bar", x = "speaker", y = ["labelled", "spans"]}
row_dialogues = ["speaker"]

[columns]
speaker = "speaker"
utterances = "utterances"
labelled = {title = "with a span", unit = "%", digits = 2}
spans = {title = "spans of an utterance", digits = 3}
*/
WITH row_dialogues AS (
    SELECT DISTINCT speaker, dialogue_id FROM (
        WITH marked AS (
            SELECT dialogue_id, event, count(*) AS spans FROM spans
            WHERE corpus = $corpus GROUP BY ALL
        )
        SELECT speaker, spans, dialogue_id
        FROM (SELECT dialogue_id, event, speaker FROM events
              WHERE corpus = $corpus AND kind = 'utterance')
             LEFT JOIN marked USING (dialogue_id, event)
    ) WHERE spans IS NOT NULL
)
SELECT speaker, count(*) AS utterances,
       -- Null, and so not counted, where an utterance has no span.
       100.0 * count(spans) / count(*) AS labelled,
       sum(coalesce(spans, 0)) / count(*) AS spans
FROM (
    WITH marked AS (
        SELECT dialogue_id, event, count(*) AS spans FROM spans
        WHERE corpus = $corpus GROUP BY ALL
    )
    SELECT speaker, spans, dialogue_id
    FROM (SELECT dialogue_id, event, speaker FROM events
      WHERE corpus = $corpus AND kind = 'utterance')
     LEFT JOIN marked USING (dialogue_id, event)
) GROUP BY ALL ORDER BY speaker DESC
