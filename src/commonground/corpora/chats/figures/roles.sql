/*
title = "Messages by role"
caption = "Messages of users, assistants and peers; words are split at white space."
order = 30
chart = {kind = "bar", x = "role", y = ["messages"]}
row_dialogues = ["role"]

[columns]
role = "role"
messages = "messages"
words = {title = "words per message", digits = 2}
*/
WITH row_dialogues AS (
    SELECT role, dialogue_id, text FROM utterances WHERE corpus = $corpus
)
SELECT role, count(*) AS messages, avg(len(regexp_extract_all(text, '\S+'))) AS words
FROM row_dialogues GROUP BY role ORDER BY messages DESC, role
