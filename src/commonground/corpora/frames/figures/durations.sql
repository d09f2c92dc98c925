/*
title = "How long dialogues last"
caption = "Dialogues by the minutes from their first turn to their last, in steps of five."
order = 40
chart = {kind = "histogram", x = "minutes", y = ["dialogues"], step = 5}
row_dialogues = ["minutes"]

[columns]
minutes = {title = "duration, from", unit = "min"}
dialogues = "dialogues"
*/
WITH row_dialogues AS (
    SELECT 5 * CAST(floor(max(at_s) / 300) AS INTEGER) AS minutes, dialogue_id FROM events
    WHERE corpus = $corpus AND kind = 'utterance' GROUP BY dialogue_id
)
SELECT minutes, count(*) AS dialogues FROM row_dialogues GROUP BY ALL ORDER BY minutes
