/*
title = "Actions of the assistant"
caption = "Turns by domain and by the assistant's action; None means no action."
order = 50
corpora = ["simmc"]
chart = {kind = "bar", x = "action", y = ["turns"], color = "domain"}
link = "domain:{domain} action:{action}"

[columns]
action = "action"
domain = "domain"
turns = "turns"
share = {title = "share of the domain's turns", unit = "%", digits = 2}
*/
WITH counts AS (
    SELECT name AS action, domain, count(*) AS turns
    FROM events JOIN dialogues USING (corpus, dialogue_id)
    WHERE corpus = $corpus AND kind = 'action' GROUP BY ALL
)
SELECT action, domain, turns,
       100.0 * turns / sum(turns) OVER (PARTITION BY domain) AS share
FROM counts ORDER BY sum(turns) OVER (PARTITION BY action) DESC, action, domain
