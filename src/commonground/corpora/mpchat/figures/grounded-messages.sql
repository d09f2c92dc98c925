/*
title = "Grounded messages"
caption = """
Messages of main authors, and those grounded on at least one persona element, with a 95 % \
interval: 1.96 standard errors, clustered by dialogue."""
order = 110
chart = {kind = "bar", x = "task", y = ["messages", "grounded"]}
row_dialogues = ["task"]

[columns]
task = "task"
dialogues = "dialogues"
messages = "messages of main authors"
grounded = {title = "grounded", unit = "%", digits = 2}
grounded_low = {title = "from", unit = "%", digits = 2}
grounded_high = {title = "to", unit = "%", digits = 2}
elements = {title = "elements per grounded message", digits = 2}
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
), sums AS (
    SELECT task, dialogue_id, count(*) AS n, count(elements) AS k, sum(elements) AS total
    FROM row_dialogues LEFT JOIN marked USING (dialogue_id, event) GROUP BY ALL
), ratios AS (
    SELECT *, 100.0 * sum(k) OVER task / sum(n) OVER task AS grounded
    FROM sums WINDOW task AS (PARTITION BY task)
), means AS (
    SELECT task, count(*) AS dialogues, sum(n) AS messages, grounded,
           1.96 * stddev_samp(100.0 * k - grounded * n) * sqrt(count(*)) / sum(n) AS reach,
           sum(total) / nullif(sum(k), 0) AS elements
    FROM ratios GROUP BY task, grounded
)
SELECT task, dialogues, messages, grounded,
       grounded - reach AS grounded_low, grounded + reach AS grounded_high, elements
FROM means ORDER BY task DESC
