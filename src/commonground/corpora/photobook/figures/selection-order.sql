/*
title = "Known images come first"
caption = """
The first, second, ... image that is marked in a round by either player, and whether it was \
marked in an earlier round of the game. In round 1 all are new. Shares have 95 % intervals: 1.96 \
standard errors over games."""
order = 190
chart = {kind = "line", x = "place", y = ["known"], color = "round"}
row_dialogues = ["round", "place"]

[columns]
round = "round"
place = "place in the round"
marks = "images marked"
known = {title = "marked in an earlier round", unit = "%", digits = 2}
known_low = {title = "from", unit = "%", digits = 2}
known_high = {title = "to", unit = "%", digits = 2}
*/
WITH first_marks AS (
    SELECT dialogue_id, segment, object_id, min(event) AS event
    FROM events JOIN groundings USING (corpus, dialogue_id, event)
    WHERE corpus = $corpus AND name = 'selection' GROUP BY ALL
), ordered AS (
    SELECT segment AS round, dialogue_id,
           row_number() OVER (PARTITION BY dialogue_id, segment ORDER BY event) AS place,
           -- Of first marks only, so the least segment is the round in which the image was met.
           segment > min(segment) OVER (PARTITION BY dialogue_id, object_id) AS known
    -- Windows come before QUALIFY: round 1 is looked at for what is known, and then left out.
    FROM first_marks QUALIFY place <= 6 AND round > 1
), row_dialogues AS (
    SELECT DISTINCT round, place, dialogue_id FROM ordered WHERE known
), means AS (
    -- A game has one mark at each place of a round.
    SELECT round, place, count(*) AS marks, 100.0 * avg(known::INTEGER) AS known,
           1.96 * 100.0 * stddev_samp(known::INTEGER) / sqrt(count(*)) AS reach
    FROM ordered GROUP BY round, place
)
SELECT round, place, marks, known, known - reach AS known_low, known + reach AS known_high
FROM means ORDER BY round, place
