/*
title = "Dialogues of each domain"
caption = """
Dialogues by domain; in generation 1 that is the name of the instructions. Means \
have 95 % intervals: 1.96 standard errors."""
order = 30
chart = {kind = "bar", x = "domain", y = ["dialogues", "length"]}
link = "domain:{domain}"

[columns]
domain = "domain"
dialogues = "dialogues"
utterances = "utterances"
length = {title = "utterances per dialogue", digits = 2}
length_low = {title = "from", digits = 2}
length_high = {title = "to", digits = 2}

[[published]]
name = "dialogs of {domain}"
column = "dialogues"
by = "domain"
values = {restaurant-search = 3276, food-ordering = 1050, movies = 3047, hotels = 2355, flights = 2481, music = 1602, sports = 3478}
source = "@readme_2"
why = "@imported"
corpus = "taskmaster2"
*/
WITH means AS (
    SELECT domain, count(*) AS dialogues, sum(n_utterances) AS utterances,
           avg(n_utterances) AS length,
           1.96 * stddev_samp(n_utterances) / sqrt(count(*)) AS reach
    FROM dialogues WHERE corpus = $corpus GROUP BY ALL
)
SELECT domain, dialogues, utterances, length,
       length - reach AS length_low, length + reach AS length_high
FROM means ORDER BY dialogues DESC, domain
