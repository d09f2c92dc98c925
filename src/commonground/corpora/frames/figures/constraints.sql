/*
title = "What searches ask for"
caption = "Searches that give each field of the search form."
order = 160
chart = {kind = "bar", x = "field", y = ["share"]}
row_dialogues = ["field"]

[columns]
field = "field"
searches = "searches"
share = {title = "share of searches", unit = "%", digits = 2}
*/
WITH row_dialogues AS (
    SELECT unnest(json_keys(arguments)) AS field, dialogue_id
    FROM events WHERE corpus = $corpus AND name = 'search'
)
SELECT field, count(*) AS searches,
       100.0 * count(*) / (SELECT count(*) FROM events
                           WHERE corpus = $corpus AND name = 'search') AS share
FROM row_dialogues GROUP BY ALL ORDER BY searches DESC, field
