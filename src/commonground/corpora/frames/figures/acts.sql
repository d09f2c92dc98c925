/*
title = "Dialogue acts"
caption = "Dialogue acts by their name and by who performs them."
order = 110
chart = {kind = "bar", x = "act", y = ["acts"], color = "author"}
link = "speaker:{author} act:{act}"

[columns]
act = "act"
author = "author"
acts = "acts"
share = {title = "share of the author's acts", unit = "%", digits = 2}
*/
WITH counts AS (
    SELECT act, speaker AS author, count(DISTINCT (dialogue_id, event, act_index)) AS acts
    FROM acts JOIN events USING (corpus, dialogue_id, event)
    WHERE corpus = $corpus AND layer = 'acts' GROUP BY ALL
)
SELECT act, author, acts,
       100.0 * acts / sum(acts) OVER (PARTITION BY author) AS share
FROM counts ORDER BY sum(acts) OVER (PARTITION BY act) DESC, act, author
