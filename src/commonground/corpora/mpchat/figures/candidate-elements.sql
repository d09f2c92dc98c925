/*
title = "Elements given to a model"
caption = """
How many elements of the main author each task gives with a dialogue; with a message in \
grounding persona prediction, where the right one is left out."""
order = 80
chart = {kind = "bar", x = "task", y = ["mean", "most"]}
row_dialogues = ["task"]

[columns]
task = "task"
given = "dialogues or messages"
mean = {title = "elements, mean", digits = 2}
most = "elements, most"

[[published]]
name = "candidate elements of {task}, at most"
column = "most"
by = "task"
values = {nrp = 5, gpp = 4, si = 5}
source = "@dataset"
why = "@not_compared"
*/
WITH row_dialogues AS (
    WITH chosen AS (
        -- Events are messages in gpp; the other tasks show all at the first one.
        SELECT dialogue_id, count(*) AS elements FROM displays
        WHERE corpus = $corpus AND highlighted AND viewer IS NOT NULL GROUP BY dialogue_id, event
    )
    SELECT attributes ->> 'task' AS task, elements, dialogue_id
    FROM chosen JOIN dialogues USING (dialogue_id) WHERE corpus = $corpus
)
SELECT task, count(*) AS given, avg(elements) AS mean, max(elements) AS most
FROM row_dialogues GROUP BY task ORDER BY list_position(['nrp', 'gpp', 'si'], task)
