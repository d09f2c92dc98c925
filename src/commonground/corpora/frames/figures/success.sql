/*
title = "Success, as the wizards see it"
caption = """
Dialogues by whether the wizard thinks that the user's goal was reached, with the users' mean \
rating and the mean number of turns, both with 95 % intervals: 1.96 standard errors."""
order = 190
chart = {kind = "bar", x = "success", y = ["dialogues", "rating", "turns"]}
link = "success:{success}"

[columns]
success = "goal reached (1: yes, 0: no)"
dialogues = "dialogues"
share = {title = "share", unit = "%", digits = 2}
rating = {title = "rating, mean", digits = 3}
rating_low = {title = "from", digits = 3}
rating_high = {title = "to", digits = 3}
turns = {title = "turns per dialogue", digits = 2}
turns_low = {title = "from", digits = 2}
turns_high = {title = "to", digits = 2}
*/
WITH rated AS (
    SELECT dialogue_id, value AS rating FROM outcomes
    WHERE corpus = $corpus AND name = 'rating'
), means AS (
    SELECT CAST(value AS INTEGER) AS success, count(*) AS dialogues,
           100.0 * count(*) / sum(count(*)) OVER () AS share,
           avg(rating) AS rating, 1.96 * stddev_samp(rating) / sqrt(count(rating)) AS of_rating,
           avg(n_utterances) AS turns,
           1.96 * stddev_samp(n_utterances) / sqrt(count(*)) AS of_turns
    FROM outcomes JOIN dialogues USING (corpus, dialogue_id)
         LEFT JOIN rated USING (dialogue_id)
    WHERE corpus = $corpus AND name = 'success' GROUP BY ALL
)
SELECT success, dialogues, share,
       rating, rating - of_rating AS rating_low, rating + of_rating AS rating_high,
       turns, turns - of_turns AS turns_low, turns + of_turns AS turns_high
FROM means ORDER BY success DESC
