/*
title = "Candidate answers"
caption = "Turns with candidates for their answer, and how many each has."
order = 70
corpora = ["simmc"]
link = "domain:{domain} split:{split}"

[columns]
domain = "domain"
split = "split"
turns = "turns"
options = {title = "candidates per turn", digits = 2}
gold = "turns whose correct one is known"
*/
WITH turns AS (
    SELECT dialogue_id, event, count(*) AS options, coalesce(bool_or(gold), false) AS known
    FROM candidates WHERE corpus = $corpus AND task = 'retrieval' GROUP BY ALL
)
SELECT domain, split, count(*) AS turns, avg(options) AS options,
       count(*) FILTER (known) AS gold
FROM turns JOIN (SELECT dialogue_id, domain, split FROM dialogues
                 WHERE corpus = $corpus) USING (dialogue_id)
GROUP BY ALL ORDER BY domain, split
