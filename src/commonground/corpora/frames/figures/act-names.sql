/*
title = "Different acts"
caption = "How many different acts and slots there are, overall and by author."
order = 120

[columns]
author = "author"
acts = "different acts"
slots = "different slots"

[[published]]
name = "different acts"
column = "acts"
row = {author = "both"}
value = 20
source = "@summary"
*/
SELECT CASE WHEN grouping(speaker) = 1 THEN 'both' ELSE speaker END AS author,
       count(DISTINCT act) AS acts,
       count(DISTINCT slot) FILTER (relation IS DISTINCT FROM 'id') AS slots
FROM acts JOIN events USING (corpus, dialogue_id, event)
WHERE corpus = $corpus AND layer = 'acts'
GROUP BY GROUPING SETS ((), (speaker)) ORDER BY grouping(speaker) DESC, author
