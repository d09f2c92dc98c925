/*
title = "Offers with a package"
caption = """
Acts that make a frame (offers, and some suggestions), and those of them whose slots fit exactly \
one package that was found before."""
order = 170
chart = {kind = "bar", x = "act", y = ["share"]}
row_dialogues = ["act"]

[columns]
act = "act"
acts = "acts that make a frame"
matched = "with one package"
share = {title = "share", unit = "%", digits = 2}
*/
WITH row_dialogues AS (
    SELECT label AS act, dialogue_id FROM groundings
    WHERE corpus = $corpus AND relation = 'offered'
), made AS (
    SELECT act, count(*) AS acts FROM acts
    WHERE corpus = $corpus AND layer = 'acts' AND relation = 'id' GROUP BY ALL
), matched AS (
    SELECT act, count(*) AS matched FROM row_dialogues GROUP BY ALL
)
SELECT act, acts, coalesce(matched, 0) AS matched,
       100.0 * coalesce(matched, 0) / acts AS share
FROM made LEFT JOIN matched USING (act) ORDER BY acts DESC, act
