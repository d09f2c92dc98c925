/*
title = "Slots"
caption = """
The thirty most frequent slots of dialogue acts by who names them, those in references to frames \
included; the numbers of new frames (id) are not slots."""
order = 130
chart = {kind = "bar", x = "slot", y = ["slots"], color = "author"}
link = "speaker:{author} slot:{slot}"

[columns]
slot = "slot"
author = "author"
slots = "times named"
*/
WITH counts AS (
    SELECT slot, speaker AS author, count(*) AS slots
    FROM acts JOIN events USING (corpus, dialogue_id, event)
    WHERE corpus = $corpus AND layer = 'acts' AND slot IS NOT NULL
          AND relation IS DISTINCT FROM 'id'
    GROUP BY ALL
), totals AS (
    SELECT slot, sum(slots) AS total FROM counts
    GROUP BY slot ORDER BY total DESC, slot LIMIT 30
)
SELECT slot, author, slots
FROM counts JOIN totals USING (slot) ORDER BY total DESC, slot, author
