/*
title = "Utterances with entities"
caption = """
Utterances by speaker, those with a labelled span, and spans per utterance, with 95 % \
intervals: 1.96 standard errors, clustered by dialogue."""
order = 80
chart = {kind = "bar", x = "speaker", y = ["labelled", "spans"]}
row_dialogues = ["speaker"]

[columns]
speaker = "speaker"
dialogues = "dialogues"
utterances = "utterances"
labelled = {title = "with a span", unit = "%", digits = 2}
labelled_low = {title = "from", unit = "%", digits = 2}
labelled_high = {title = "to", unit = "%", digits = 2}
spans = {title = "spans per utterance", digits = 3}
spans_low = {title = "from", digits = 3}
spans_high = {title = "to", digits = 3}
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
), marked AS (
    SELECT dialogue_id, event, count(*) AS spans FROM spans WHERE corpus = $corpus GROUP BY ALL
), sums AS (
    -- Null, and so not counted, where an utterance has no span.
    SELECT speaker, dialogue_id, count(*) AS n, count(spans) AS n_labelled,
           sum(coalesce(spans, 0)) AS n_spans
    FROM (SELECT dialogue_id, event, speaker FROM events
          WHERE corpus = $corpus AND kind = 'utterance')
         LEFT JOIN marked USING (dialogue_id, event) GROUP BY ALL
), ratios AS (
    SELECT *, 100.0 * sum(n_labelled) OVER speaker / sum(n) OVER speaker AS labelled,
           sum(n_spans) OVER speaker / sum(n) OVER speaker AS spans
    FROM sums WINDOW speaker AS (PARTITION BY speaker)
), means AS (
    SELECT speaker, count(*) AS dialogues, sum(n) AS utterances, labelled, spans,
           1.96 * stddev_samp(100.0 * n_labelled - labelled * n) * sqrt(count(*)) / sum(n)
               AS of_labelled,
           1.96 * stddev_samp(n_spans - spans * n) * sqrt(count(*)) / sum(n) AS of_spans
    FROM ratios GROUP BY speaker, labelled, spans
)
SELECT speaker, dialogues, utterances,
       labelled, labelled - of_labelled AS labelled_low, labelled + of_labelled AS labelled_high,
       spans, spans - of_spans AS spans_low, spans + of_spans AS spans_high
FROM means ORDER BY speaker DESC
