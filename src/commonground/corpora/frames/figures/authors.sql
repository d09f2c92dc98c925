/*
title = "Who says how much"
caption = """
Turns of users and wizards, their words (what white space divides), and their dialogue acts."""
order = 50
chart = {kind = "bar", x = "author", y = ["turns", "words", "acts"]}
link = "speaker:{author} kind:utterance"

[columns]
author = "author"
turns = "turns"
words = {title = "words of a turn", digits = 2}
acts = {title = "acts of a turn", digits = 2}
silent = {title = "turns without an act", unit = "%", digits = 2}
*/
WITH talk AS (
    SELECT dialogue_id, event, speaker,
           len(regexp_extract_all(text, '\S+')) AS words
    FROM events WHERE corpus = $corpus AND kind = 'utterance'
), done AS (
    SELECT dialogue_id, event, count(DISTINCT act_index) AS acts
    FROM acts WHERE corpus = $corpus AND layer = 'acts' GROUP BY ALL
)
SELECT speaker AS author, count(*) AS turns, avg(words) AS words,
       sum(coalesce(acts, 0)) / count(*) AS acts,
       100.0 * count(*) FILTER (acts IS NULL) / count(*) AS silent
FROM talk LEFT JOIN done USING (dialogue_id, event) GROUP BY ALL ORDER BY author
