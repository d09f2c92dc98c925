/*
title = "Objects in view"
caption = "Turns with words, by how many objects the user sees."
order = 180
corpora = ["simmc"]
chart = {kind = "bar", x = "things", y = ["share"], color = "domain"}
row_dialogues = ["things", "domain"]

[columns]
things = "objects in view"
domain = "domain"
turns = "turns"
share = {title = "share of the domain's turns", unit = "%", digits = 2}
*/
WITH row_dialogues AS (
    WITH said AS (
        SELECT dialogue_id, event, domain
        FROM events JOIN dialogues USING (corpus, dialogue_id)
        WHERE corpus = $corpus AND kind = 'utterance' AND speaker = 'user'
    ), shown AS (
        SELECT dialogue_id, event, count(*) AS things FROM displays
        WHERE corpus = $corpus GROUP BY ALL
    )
    SELECT coalesce(things, 0) AS things, domain, dialogue_id
    FROM said LEFT JOIN shown USING (dialogue_id, event)
), counts AS (
    SELECT things, domain, count(*) AS turns FROM row_dialogues GROUP BY ALL
)
SELECT things, domain, turns,
       100.0 * turns / sum(turns) OVER (PARTITION BY domain) AS share
FROM counts ORDER BY things, domain
