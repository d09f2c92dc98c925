/*
title = "Success, as the wizards see it"
caption = """
Dialogues by whether the wizard thinks that the user's goal was reached, with the users' mean \
rating and the mean number of turns."""
order = 190
chart = {kind = "bar", x = "success", y = ["dialogues", "rating", "turns"]}
link = "success:{success}"

[columns]
success = "goal reached (1: yes, 0: no)"
dialogues = "dialogues"
share = {title = "share", unit = "%", digits = 2}
rating = {title = "rating, mean", digits = 3}
turns = {title = "turns of a dialogue", digits = 2}
*/
WITH rated AS (
    SELECT dialogue_id, value AS rating FROM outcomes
    WHERE corpus = $corpus AND name = 'rating'
)
SELECT CAST(value AS INTEGER) AS success, count(*) AS dialogues,
       100.0 * count(*) / sum(count(*)) OVER () AS share,
       avg(rating) AS rating, avg(n_utterances) AS turns
FROM outcomes JOIN dialogues USING (corpus, dialogue_id)
     LEFT JOIN rated USING (dialogue_id)
WHERE corpus = $corpus AND name = 'success' GROUP BY ALL ORDER BY success DESC
