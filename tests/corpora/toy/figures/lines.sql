/*
title = "Lines of a split"
caption = "Lines by split."
order = 10
chart = {x = "split", y = ["lines"]}
link = "split:{split}"

[columns]
split = "split"
lines = {title = "lines", unit = "lines"}

[[published]]
name = "lines to learn from"
column = "lines"
row = {split = "train"}
value = 9
source = "the toy's page"
why = "It was longer once."
*/
SELECT split, sum(n_events) AS lines FROM dialogues
WHERE corpus = $corpus GROUP BY ALL ORDER BY split
