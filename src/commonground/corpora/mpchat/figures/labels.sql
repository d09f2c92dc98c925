/*
title = "Labels of persona elements"
caption = """
Pairs of message and element by the label that three workers gave: E is entailed by the element, \
I is not; (strong) where all three agreed."""
order = 100
chart = {kind = "bar", x = "label", y = ["pairs"], color = "relation"}
row_dialogues = ["label", "relation"]

[columns]
label = "label"
relation = "list"
pairs = "pairs"
share = {title = "share of pairs", unit = "%", digits = 2}
*/
WITH row_dialogues AS (
    SELECT label, relation, dialogue_id FROM groundings
    WHERE corpus = $corpus AND label IS NOT NULL
)
SELECT label, relation, count(*) AS pairs,
       100.0 * count(*) / sum(count(*)) OVER () AS share
FROM row_dialogues GROUP BY label, relation
ORDER BY list_position(['(strong) E', 'E', 'I', '(strong) I'], label), label, relation
