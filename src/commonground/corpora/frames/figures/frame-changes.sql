/*
title = "Who creates frames, and who switches"
caption = """
Frames created after the first, by the author of the turn that created them; switches to a frame \
that this turn created, and back to an earlier one."""
order = 90
chart = {kind = "bar", x = "change", y = ["changes"], color = "author"}
row_dialogues = ["change", "author"]

[columns]
change = "what happens"
author = "author"
changes = "times"
per_dialogue = {title = "times per dialogue", digits = 2}
*/
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
), changes AS (
    -- Frames are numbered as they are made: a higher number is a new one.
    SELECT unnest(['frame made', 'switch to a new frame', 'switch to an older frame'])
               AS change,
           author,
           unnest([sum(frames - frames_before),
                   count(*) FILTER (active > frames_before),
                   count(*) FILTER (active <> active_before AND active <= frames_before)])
               AS times,
           dialogue_id
    FROM steps GROUP BY author, dialogue_id
), row_dialogues AS (
    SELECT change, author, dialogue_id FROM changes WHERE times > 0
)
SELECT change, author, sum(times) AS changes,
       sum(times) / (SELECT count(*) FROM dialogues WHERE corpus = $corpus)
           AS per_dialogue
FROM changes GROUP BY change, author ORDER BY change, author
