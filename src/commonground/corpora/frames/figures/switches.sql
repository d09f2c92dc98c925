/*
title = "Switches per dialogue"
caption = "Dialogues by the number of turns that change the active frame."
order = 80
chart = {kind = "histogram", x = "switches", y = ["dialogues"], step = 1}
row_dialogues = ["switches"]

[columns]
switches = "switches per dialogue"
dialogues = "dialogues"
share = {title = "share of dialogues", unit = "%", digits = 2}
*/
WITH row_dialogues AS (
    WITH turns AS (
        SELECT dialogue_id, event, speaker AS author, max(frame) AS frames,
               max(frame) FILTER (active) AS active
        FROM states JOIN events USING (corpus, dialogue_id, event)
        WHERE corpus = $corpus GROUP BY ALL
    ), steps AS (
        -- Before its first turn a dialogue has one frame, which is active.
        SELECT *, coalesce(lag(frames) OVER dialogue, 1) AS frames_before,
               coalesce(lag(active) OVER dialogue, 1) AS active_before
        FROM turns WINDOW dialogue AS (PARTITION BY dialogue_id ORDER BY event)
    )
    SELECT count(*) FILTER (active <> active_before) AS switches, dialogue_id
    FROM steps GROUP BY dialogue_id
)
SELECT switches, count(*) AS dialogues,
       100.0 * count(*) / sum(count(*)) OVER () AS share
FROM row_dialogues GROUP BY ALL ORDER BY switches
