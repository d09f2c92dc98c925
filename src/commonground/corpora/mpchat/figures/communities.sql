/*
title = "Communities"
caption = "The thirty communities (subreddits) with the most dialogues."
order = 40
chart = {kind = "bar", x = "community", y = ["dialogues"]}
link = "domain:{community}"

[columns]
community = "community"
dialogues = "dialogues"
share = {title = "share of dialogues", unit = "%", digits = 2}
*/
SELECT domain AS community, count(*) AS dialogues,
       100.0 * count(*) / sum(count(*)) OVER () AS share
FROM dialogues WHERE corpus = $corpus
GROUP BY ALL ORDER BY dialogues DESC, community LIMIT 30
