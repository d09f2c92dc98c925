/*
title = "Dialogues of each split"
caption = "Dialogues by released split; the remaining ones are in none."
order = 40
corpora = ["taskmaster1", "taskmaster3"]
chart = {kind = "bar", x = "split", y = ["dialogues"]}
link = "split:{split}"

[columns]
split = "split"
dialogues = "dialogues"
utterances = "utterances"
length = {title = "utterances per dialogue", digits = 2}

[[published]]
name = "dialogs of {split}"
column = "dialogues"
by = "split"
values = {train = 6168, dev = 770, test = 770}
source = "@card_1"
why = "@imported"
corpus = "taskmaster1"
*/
SELECT * FROM (SELECT split,
count(*) AS dialogues, sum(n_utterances) AS utterances, avg(n_utterances) AS length
FROM dialogues
               WHERE corpus = $corpus AND split IS NOT NULL GROUP BY ALL)
ORDER BY list_position(['train', 'dev', 'test'], split)
