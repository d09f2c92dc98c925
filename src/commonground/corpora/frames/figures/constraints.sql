/*
title = "What searches ask for"
caption = """
Searches that fill in each field of the search form. The share has a 95 % interval: \
1.96 standard errors, clustered by dialogue."""
order = 160
chart = {kind = "bar", x = "field", y = ["share"]}
row_dialogues = ["field"]

[columns]
field = "field"
dialogues = "dialogues with a search"
searches = "searches"
share = {title = "share of searches", unit = "%", digits = 2}
share_low = {title = "from", unit = "%", digits = 2}
share_high = {title = "to", unit = "%", digits = 2}
*/
WITH row_dialogues AS (
    SELECT unnest(json_keys(arguments)) AS field, dialogue_id
    FROM events WHERE corpus = $corpus AND name = 'search'
), fields AS (
    SELECT field, count(*) AS searches FROM row_dialogues GROUP BY ALL
), dialogues_searched AS (
    SELECT dialogue_id, count(*) AS n FROM events
    WHERE corpus = $corpus AND name = 'search' GROUP BY ALL
), named AS (
    SELECT field, dialogue_id, count(*) AS k FROM row_dialogues GROUP BY ALL
), ratios AS (
    -- Each field with each dialogue, since those that never name it count as well.
    SELECT *, 100.0 * searches / sum(n) OVER (PARTITION BY field) AS share
    FROM fields CROSS JOIN dialogues_searched LEFT JOIN named USING (field, dialogue_id)
), means AS (
    SELECT field, count(*) AS dialogues, searches, share,
           1.96 * stddev_samp(100.0 * coalesce(k, 0) - share * n) * sqrt(count(*)) / sum(n) AS reach
    FROM ratios GROUP BY field, searches, share
)
SELECT field, dialogues, searches, share, share - reach AS share_low, share + reach AS share_high
FROM means ORDER BY searches DESC, field
