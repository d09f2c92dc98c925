/*
title = "Elements per persona"
caption = "Main authors by the number of their persona elements, over all their dialogues."
order = 70
chart = {kind = "histogram", x = "elements", y = ["authors"], step = 1}
row_dialogues = ["elements"]

[columns]
elements = "elements per persona"
authors = "main authors"
share = {title = "share of main authors", unit = "%", digits = 2}
*/
WITH row_dialogues AS (
    WITH owned AS (
        -- Elements of the author's own persona have a position; others shown to a model have none.
        SELECT viewer, count(DISTINCT object_id) AS elements FROM displays
        WHERE corpus = $corpus AND viewer IS NOT NULL AND position IS NOT NULL GROUP BY ALL
    )
    SELECT coalesce(elements, 0) AS elements, attributes ->> 'main_author' AS author, dialogue_id
    FROM dialogues LEFT JOIN owned ON viewer = attributes ->> 'main_author'
    WHERE corpus = $corpus
)
SELECT elements, count(*) AS authors,
       100.0 * count(*) / sum(count(*)) OVER () AS share
FROM (SELECT DISTINCT elements, author FROM row_dialogues) GROUP BY ALL ORDER BY elements
