/*
title = "Elements given to a model"
caption = """
How many elements of the main author each task gives with a dialogue; with a message in \
grounding persona prediction, where the right one is left out. The mean has a 95 % interval: \
1.96 standard errors, clustered by dialogue."""
order = 80
chart = {kind = "bar", x = "task", y = ["mean", "most"]}
row_dialogues = ["task"]

[columns]
task = "task"
dialogues = "dialogues"
given = "dialogues or messages"
mean = {title = "elements, mean", digits = 2}
mean_low = {title = "from", digits = 2}
mean_high = {title = "to", digits = 2}
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
), sums AS (
    SELECT task, dialogue_id, count(*) AS n, sum(elements) AS k, max(elements) AS most
    FROM row_dialogues GROUP BY ALL
), ratios AS (
    SELECT *, sum(k) OVER task / sum(n) OVER task AS mean
    FROM sums WINDOW task AS (PARTITION BY task)
), means AS (
    SELECT task, count(*) AS dialogues, sum(n) AS given, mean, max(most) AS most,
           1.96 * stddev_samp(k - mean * n) * sqrt(count(*)) / sum(n) AS reach
    FROM ratios GROUP BY task, mean
)
SELECT task, dialogues, given, mean, mean - reach AS mean_low, mean + reach AS mean_high, most
FROM means ORDER BY list_position(['nrp', 'gpp', 'si'], task)
