/*
title = "Dialogues and turns of each split"
caption = """
Dialogues and turns by domain and split; for dialogues without words, only the actions were \
imported."""
order = 10
chart = {kind = "bar", x = "split", y = ["dialogues", "turns"], color = "domain"}
link = "domain:{domain} split:{split}"

[columns]
domain = "domain"
split = "split"
dialogues = "dialogues"
turns = "turns"
length = {title = "turns per dialogue", digits = 2}
spoken = "dialogues with words"
utterances = "utterances"

[[published]]
name = "dialogues of furniture {split}"
column = "dialogues"
row = {domain = "furniture"}
by = "split"
values = {train = 3839, dev = 640, devtest = 960, teststd = 960}
source = "@readme"
why = "@imported"
corpus = "simmc"

[[published]]
name = "dialogues of fashion {split}"
column = "dialogues"
row = {domain = "fashion"}
by = "split"
values = {train = 3929, dev = 655, devtest = 982, teststd = 983}
source = "@readme"
why = "@imported"
corpus = "simmc"

[[published]]
name = "dialogues of {split}"
column = "dialogues"
by = "split"
values = {train = 7307, dev = 563, devtest = 1687, teststd = 1687}
source = "@readme_2"
why = "@imported"
corpus = "simmc2"
*/
WITH lengths AS (
    -- A turn has several events: the words of both, and in SIMMC 1 the action.
    SELECT domain, split, dialogue_id, n_utterances, count(DISTINCT turn) AS turns
    FROM dialogues JOIN events USING (corpus, dialogue_id)
    WHERE corpus = $corpus GROUP BY ALL
), counts AS (
    SELECT domain, split, count(*) AS dialogues, sum(turns) AS turns, avg(turns) AS length,
           count(*) FILTER (n_utterances > 0) AS spoken, sum(n_utterances) AS utterances
    FROM lengths GROUP BY ALL
)
SELECT * FROM counts
ORDER BY domain, list_position(['train', 'dev', 'devtest', 'teststd', 'mini'], split)
