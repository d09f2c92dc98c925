/*
title = "Packages that a search finds"
caption = "Searches by the number of packages found; at most ten are shown."
order = 150
chart = {kind = "histogram", x = "packages", y = ["searches"], step = 1}
row_dialogues = ["packages"]

[columns]
packages = "packages found"
searches = "searches"
share = {title = "share of searches", unit = "%", digits = 2}
*/
WITH row_dialogues AS (
    SELECT CAST(coalesce(json_array_length(result), 0) AS INTEGER) AS packages, dialogue_id
    FROM events WHERE corpus = $corpus AND name = 'search'
)
SELECT packages, count(*) AS searches,
       100.0 * count(*) / sum(count(*)) OVER () AS share
FROM row_dialogues GROUP BY ALL ORDER BY packages
