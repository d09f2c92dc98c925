/*
title = "Written and spoken dialogues"
caption = """
Dialogues by the file they were released in: self-dialogs were written by one person, \
woz-dialogs spoken between two. Means have 95 % intervals: 1.96 standard errors."""
order = 20
corpora = ["taskmaster1"]
chart = {kind = "bar", x = "collection", y = ["dialogues", "length"]}
row_dialogues = ["collection"]

[columns]
collection = "collection"
dialogues = "dialogues"
utterances = "utterances"
length = {title = "utterances per dialogue", digits = 2}
length_low = {title = "from", digits = 2}
length_high = {title = "to", digits = 2}

[[published]]
name = "dialogs of {collection}"
column = "dialogues"
by = "collection"
values = {self-dialogs = 7708, woz-dialogs = 5507}
source = "@readme_1"
why = "@imported"
corpus = "taskmaster1"
*/
WITH row_dialogues AS (
    -- data/self-dialogs.json is of self-dialogs.
    SELECT regexp_extract(source_file, '([^/]*)[.]json$', 1) AS collection, dialogue_id,
           n_utterances
    FROM dialogues WHERE corpus = $corpus
), means AS (
    SELECT collection, count(*) AS dialogues, sum(n_utterances) AS utterances,
           avg(n_utterances) AS length,
           1.96 * stddev_samp(n_utterances) / sqrt(count(*)) AS reach
    FROM row_dialogues GROUP BY ALL
)
SELECT collection, dialogues, utterances, length,
       length - reach AS length_low, length + reach AS length_high
FROM means ORDER BY collection
