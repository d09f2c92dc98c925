/*
title = "Candidates"
caption = """
Rankings of each task and how many candidates they have: responses (nrp), persona elements \
(gpp), authors with their elements (si)."""
order = 150
chart = {kind = "bar", x = "task", y = ["rankings", "most", "different"], color = "split"}
row_dialogues = ["task", "split"]

[columns]
task = "task"
split = "split"
rankings = "rankings"
dialogues = "dialogues"
fewest = "candidates, fewest"
most = "candidates, most"
different = "different candidates"

[[published]]
name = "candidates of {task}, fewest"
column = "fewest"
by = "task"
values = {nrp = 100, gpp = 100, si = 100}
source = "@dataset"
why = "@not_compared"

[[published]]
name = "candidates of {task}, most"
column = "most"
by = "task"
values = {nrp = 100, gpp = 100, si = 100}
source = "@dataset"
why = "@not_compared"
*/
WITH row_dialogues AS (
    -- Responses are texts and no objects; mpchat/nrp is nrp.
    SELECT split_part(task, '/', 2) AS task, split, dialogue_id, event,
           coalesce(object_id, text) AS option
    FROM candidates JOIN (SELECT dialogue_id, split FROM dialogues
                          WHERE corpus = $corpus) USING (dialogue_id)
    WHERE corpus = $corpus
), rankings AS (
    SELECT task, split, dialogue_id, event, count(*) AS options
    FROM row_dialogues GROUP BY ALL
), counts AS (
    SELECT task, split, count(*) AS rankings, count(DISTINCT dialogue_id) AS dialogues,
           min(options) AS fewest, max(options) AS most
    FROM rankings GROUP BY ALL
), kinds AS (
    SELECT task, split, count(DISTINCT option) AS different FROM row_dialogues GROUP BY ALL
)
SELECT task, split, rankings, dialogues, fewest, most, different
FROM counts JOIN kinds USING (task, split)
ORDER BY list_position(['nrp', 'gpp', 'si'], task),
         list_position(['train', 'val', 'test'], split)
