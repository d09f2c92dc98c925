/*
title = "Who says how much"
caption = """
Turns of users and wizards, their words (split at white space), and their dialogue acts. \
Means have 95 % intervals: 1.96 standard errors, clustered by dialogue."""
order = 50
chart = {kind = "bar", x = "author", y = ["turns", "words", "acts"]}
link = "speaker:{author} kind:utterance"

[columns]
author = "author"
dialogues = "dialogues"
turns = "turns"
words = {title = "words per turn", digits = 2}
words_low = {title = "from", digits = 2}
words_high = {title = "to", digits = 2}
acts = {title = "acts per turn", digits = 2}
acts_low = {title = "from", digits = 2}
acts_high = {title = "to", digits = 2}
silent = {title = "turns without an act", unit = "%", digits = 2}
*/
WITH talk AS (
    SELECT dialogue_id, event, speaker,
           len(regexp_extract_all(text, '\S+')) AS words
    FROM events WHERE corpus = $corpus AND kind = 'utterance'
), done AS (
    SELECT dialogue_id, event, count(DISTINCT act_index) AS acts
    FROM acts WHERE corpus = $corpus AND layer = 'acts' GROUP BY ALL
), sums AS (
    SELECT speaker AS author, dialogue_id, count(*) AS n, sum(words) AS n_words,
           sum(coalesce(acts, 0)) AS n_acts, count(*) FILTER (acts IS NULL) AS n_silent
    FROM talk LEFT JOIN done USING (dialogue_id, event) GROUP BY ALL
), ratios AS (
    SELECT *, sum(n_words) OVER author / sum(n) OVER author AS words,
           sum(n_acts) OVER author / sum(n) OVER author AS acts
    FROM sums WINDOW author AS (PARTITION BY author)
), means AS (
    SELECT author, count(*) AS dialogues, sum(n) AS turns,
           words, 1.96 * stddev_samp(n_words - words * n) * sqrt(count(*)) / sum(n) AS of_words,
           acts, 1.96 * stddev_samp(n_acts - acts * n) * sqrt(count(*)) / sum(n) AS of_acts,
           100.0 * sum(n_silent) / sum(n) AS silent
    FROM ratios GROUP BY author, words, acts
)
SELECT author, dialogues, turns,
       words, words - of_words AS words_low, words + of_words AS words_high,
       acts, acts - of_acts AS acts_low, acts + of_acts AS acts_high, silent
FROM means ORDER BY author
