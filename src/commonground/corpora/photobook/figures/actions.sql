/*
title = "What players do"
caption = "Messages by kind: texts, and actions by their name."
order = 20
chart = {kind = "bar", x = "kind", y = ["messages"]}
row_dialogues = ["kind"]

[columns]
kind = "message"
messages = "messages"
per_game = {title = "in a game, mean", digits = 2}
*/
WITH row_dialogues AS (
    SELECT coalesce(name, 'text') AS kind, dialogue_id FROM events WHERE corpus = $corpus
)
SELECT coalesce(name, 'text') AS kind, count(*) AS messages,
       count(*) / (SELECT count(*) FROM dialogues WHERE corpus = $corpus) AS per_game
FROM events WHERE corpus = $corpus GROUP BY ALL ORDER BY messages DESC, kind
