/*
title = "Grounded messages"
caption = "Messages of main authors, and those that at least one persona element grounds."
order = 110
chart = {kind = "bar", x = "task", y = ["messages", "grounded"]}
row_dialogues = ["task"]

[columns]
task = "task"
messages = "messages of main authors"
grounded = {title = "grounded", unit = "%", digits = 2}
elements = {title = "elements of a grounded one", digits = 2}
*/
WITH row_dialogues AS (
    WITH own AS (
        SELECT dialogue_id, attributes ->> 'task' AS task,
               attributes ->> 'main_author' AS main_author
        FROM dialogues WHERE corpus = $corpus
    )
    SELECT task, event, dialogue_id FROM events JOIN own USING (dialogue_id)
    WHERE corpus = $corpus AND speaker = main_author AND task IN ('nrp', 'gpp')
), marked AS (
    SELECT dialogue_id, event, count(*) AS elements FROM groundings
    WHERE corpus = $corpus AND relation = 'grounded' GROUP BY ALL
)
SELECT task, count(*) AS messages, 100.0 * count(elements) / count(*) AS grounded,
       avg(elements) AS elements
FROM row_dialogues LEFT JOIN marked USING (dialogue_id, event)
GROUP BY task ORDER BY task DESC
