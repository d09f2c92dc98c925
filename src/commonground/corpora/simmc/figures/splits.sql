/*
title = "Dialogues and turns of each split"
caption = """
Dialogues and turns by domain and split; of dialogues without words only the actions were \
imported."""
order = 10
corpora = ["simmc"]
chart = {kind = "bar", x = "split", y = ["dialogues", "turns"], color = "domain"}
link = "domain:{domain} split:{split}"

[columns]
domain = "domain"
split = "split"
dialogues = "dialogues"
turns = "turns"
length = {title = "turns of a dialogue", digits = 2}
spoken = "dialogues with words"
utterances = "utterances"

[[published]]
name = "dialogues of furniture train"
column = "dialogues"
row = {domain = "furniture", split = "train"}
value = 3839
source = "@readme"
why = "@imported"

[[published]]
name = "dialogues of furniture dev"
column = "dialogues"
row = {domain = "furniture", split = "dev"}
value = 640
source = "@readme"
why = "@imported"

[[published]]
name = "dialogues of furniture devtest"
column = "dialogues"
row = {domain = "furniture", split = "devtest"}
value = 960
source = "@readme"
why = "@imported"

[[published]]
name = "dialogues of furniture teststd"
column = "dialogues"
row = {domain = "furniture", split = "teststd"}
value = 960
source = "@readme"
why = "@imported"

[[published]]
name = "dialogues of fashion train"
column = "dialogues"
row = {domain = "fashion", split = "train"}
value = 3929
source = "@readme"
why = "@imported"

[[published]]
name = "dialogues of fashion dev"
column = "dialogues"
row = {domain = "fashion", split = "dev"}
value = 655
source = "@readme"
why = "@imported"

[[published]]
name = "dialogues of fashion devtest"
column = "dialogues"
row = {domain = "fashion", split = "devtest"}
value = 982
source = "@readme"
why = "@imported"

[[published]]
name = "dialogues of fashion teststd"
column = "dialogues"
row = {domain = "fashion", split = "teststd"}
value = 983
source = "@readme"
why = "@imported"
*/
WITH lengths AS (
    -- A turn has several events: the words of both, and the action.
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
