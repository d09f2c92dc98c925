/*
title = "Slots of other frames"
caption = """
Slots that an act refers to in a frame (ref), reads from one or writes to one; of these, the \
share in a frame that is not active after the turn."""
order = 100
chart = {kind = "bar", x = "relation", y = ["slots"], color = "author"}
row_dialogues = ["relation", "author"]

[columns]
relation = "reference"
author = "author"
slots = "references"
other = {title = "to a frame that is not active", unit = "%", digits = 2}
*/
WITH row_dialogues AS (
    WITH turns AS (
        SELECT dialogue_id, event, speaker AS author, max(frame) AS frames,
               max(frame) FILTER (active) AS active
        FROM states JOIN events USING (corpus, dialogue_id, event)
        WHERE corpus = $corpus GROUP BY ALL
    )
    SELECT relation, author, frame <> active AS other, dialogue_id
    FROM acts JOIN turns USING (dialogue_id, event)
    WHERE corpus = $corpus AND layer = 'acts' AND relation IN ('ref', 'read', 'write')
)
SELECT relation, author, count(*) AS slots,
       100.0 * count(*) FILTER (other) / count(*) AS other
FROM row_dialogues GROUP BY relation, author ORDER BY slots DESC, relation, author
