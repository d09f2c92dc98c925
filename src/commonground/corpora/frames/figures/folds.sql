/*
title = "Folds of the frame tracking task"
caption = """
The authors' ten folds, each with all dialogues of one or two users; users in no fold are left \
out."""
order = 60
chart = {kind = "bar", x = "split", y = ["dialogues", "turns"]}
link = "split:{split}"

[columns]
split = "fold"
users = "users"
dialogues = "dialogues"
turns = "turns"
length = {title = "turns per dialogue", digits = 2}
share = {title = "share of dialogues", unit = "%", digits = 1}
*/
SELECT split, count(DISTINCT agent_id) AS users, count(*) AS dialogues,
       sum(n_utterances) AS turns, avg(n_utterances) AS length,
       100.0 * count(*) / sum(count(*)) OVER () AS share
FROM dialogues JOIN speakers USING (corpus, dialogue_id)
WHERE corpus = $corpus AND role = 'user' AND split IS NOT NULL
GROUP BY split ORDER BY length(split), split
