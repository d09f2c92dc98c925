/*
title = "Entity types"
caption = "The thirty most frequent labels of spans; a span with two labels counts for both."
order = 70
chart = {kind = "bar", x = "label", y = ["spans"]}
link = "label:{label}"

[columns]
label = "label"
spans = "spans"
dialogues = "dialogues"
share = {title = "share of spans", unit = "%", digits = 2}
*/
SELECT label, count(*) AS spans, count(DISTINCT dialogue_id) AS dialogues,
       100.0 * count(*) / sum(count(*)) OVER () AS share
FROM spans WHERE corpus = $corpus GROUP BY ALL ORDER BY spans DESC, label LIMIT 30
