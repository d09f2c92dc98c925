/*
title = "Who talks"
caption = """
Utterances by speaker, their words, the dialogues that the speaker begins and ends, and the \
utterances that follow another one of the same speaker."""
order = 60
chart = {kind = "bar", x = "speaker", y = ["utterances", "words"]}
link = "speaker:{speaker} kind:utterance"

[columns]
speaker = "speaker"
utterances = "utterances"
words = {title = "words of an utterance", digits = 2}
begun = "dialogues begun"
ended = "dialogues ended"
again = "utterances in succession"

[[published]]
name = "utterances of the user in succession"
column = "again"
row = {speaker = "user"}
value = 0
source = "@readme_3"
corpus = "taskmaster3"
*/
WITH said AS (
    SELECT speaker, len(regexp_extract_all(text, '\S+')) AS words,
           lag(speaker) OVER dialogue AS before, lead(speaker) OVER dialogue AS after
    FROM events WHERE corpus = $corpus AND kind = 'utterance'
    WINDOW dialogue AS (PARTITION BY dialogue_id ORDER BY event)
)
SELECT speaker, count(*) AS utterances, avg(words) AS words,
       count(*) FILTER (before IS NULL) AS begun,
       count(*) FILTER (after IS NULL) AS ended,
       count(*) FILTER (before = speaker) AS again
FROM said GROUP BY ALL ORDER BY speaker DESC
