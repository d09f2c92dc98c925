/*
title = "Accepted and rejected"
caption = "Spans by the ending of their label: the value was accepted, rejected, or neither."
order = 90
corpora = ["taskmaster1"]
chart = {kind = "bar", x = "status", y = ["spans"]}
row_dialogues = ["status"]

[columns]
status = "status"
spans = "spans"
share = {title = "share of spans", unit = "%", digits = 2}
*/
WITH row_dialogues AS (
    SELECT CASE WHEN label LIKE '%.accept' THEN 'accept'
                WHEN label LIKE '%.reject' THEN 'reject' ELSE 'neither' END AS status, dialogue_id
    FROM spans WHERE corpus = $corpus
)
SELECT status, count(*) AS spans, 100.0 * count(*) / sum(count(*)) OVER () AS share
FROM row_dialogues GROUP BY ALL ORDER BY status
