/*
title = "Who talks"
caption = """
Utterances by speaker, their words, the dialogues that the speaker begins and ends, and the \
utterances that follow another one of the same speaker. The mean has a 95 % interval: 1.96 \
standard errors, clustered by dialogue."""
order = 60
chart = {kind = "bar", x = "speaker", y = ["utterances", "words"]}
link = "speaker:{speaker} kind:utterance"

[columns]
speaker = "speaker"
dialogues = "dialogues"
utterances = "utterances"
words = {title = "words per utterance", digits = 2}
words_low = {title = "from", digits = 2}
words_high = {title = "to", digits = 2}
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
    SELECT dialogue_id, speaker, len(regexp_extract_all(text, '\S+')) AS words,
           lag(speaker) OVER dialogue AS before, lead(speaker) OVER dialogue AS after
    FROM events WHERE corpus = $corpus AND kind = 'utterance'
    WINDOW dialogue AS (PARTITION BY dialogue_id ORDER BY event)
), sums AS (
    SELECT speaker, dialogue_id, count(*) AS n, sum(words) AS n_words,
           count(*) FILTER (before IS NULL) AS begun,
           count(*) FILTER (after IS NULL) AS ended,
           count(*) FILTER (before = speaker) AS again
    FROM said GROUP BY ALL
), ratios AS (
    SELECT *, sum(n_words) OVER speaker / sum(n) OVER speaker AS words
    FROM sums WINDOW speaker AS (PARTITION BY speaker)
), means AS (
    SELECT speaker, count(*) AS dialogues, sum(n) AS utterances, words,
           1.96 * stddev_samp(n_words - words * n) * sqrt(count(*)) / sum(n) AS reach,
           sum(begun) AS begun, sum(ended) AS ended, sum(again) AS again
    FROM ratios GROUP BY speaker, words
)
SELECT speaker, dialogues, utterances, words, words - reach AS words_low,
       words + reach AS words_high, begun, ended, again
FROM means ORDER BY speaker DESC
