/*
title = "Dialogues of each task and split"
caption = """
Dialogues of next response prediction (nrp), grounding persona prediction (gpp) and speaker \
identification (si), and the messages of their main authors."""
order = 20
chart = {kind = "bar", x = "split", y = ["dialogues"], color = "task"}
link = "split:{split} id:{task}*"

[columns]
task = "task"
split = "split"
dialogues = "dialogues"
messages = "messages"
length = {title = "messages per dialogue", digits = 2}
main = "messages of main authors"
*/
WITH own AS (
    SELECT dialogue_id, attributes ->> 'task' AS task, split, n_utterances,
           attributes ->> 'main_author' AS main_author
    FROM dialogues WHERE corpus = $corpus
), said AS (
    SELECT dialogue_id, count(*) AS main
    FROM events JOIN own USING (dialogue_id)
    WHERE corpus = $corpus AND speaker = main_author GROUP BY ALL
), counts AS (
    SELECT task, split, count(*) AS dialogues, sum(n_utterances) AS messages,
           avg(n_utterances) AS length, coalesce(sum(main), 0) AS main
    FROM own LEFT JOIN said USING (dialogue_id) GROUP BY ALL
)
SELECT * FROM counts ORDER BY list_position(['nrp', 'gpp', 'si'], task),
                              list_position(['train', 'val', 'test'], split)
