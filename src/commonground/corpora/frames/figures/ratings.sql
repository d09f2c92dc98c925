/*
title = "Ratings by the users"
caption = "Dialogues by the user's satisfaction with the wizard, from 1 to 5."
order = 180
chart = {kind = "bar", x = "rating", y = ["dialogues"]}
link = "rating:{rating}"

[columns]
rating = "rating"
dialogues = "dialogues"
share = {title = "share of ratings", unit = "%", digits = 2}
*/
SELECT value AS rating, count(*) AS dialogues,
       100.0 * count(*) / sum(count(*)) OVER () AS share
FROM outcomes WHERE corpus = $corpus AND name = 'rating' GROUP BY ALL ORDER BY rating
