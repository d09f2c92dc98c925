/*
title = "Repeated and changed marks"
caption = """
Marks in a round: first marks of an image, repeated marks with the same label, and with the \
other."""
order = 200
chart = {kind = "bar", x = "kind", y = ["marks"], color = "round", log = true}
row_dialogues = ["round", "kind"]

[columns]
round = "round"
kind = "mark"
marks = "marks"
share = {title = "share", unit = "%", digits = 2}
*/
WITH row_dialogues AS (
    SELECT round, CASE WHEN before IS NULL THEN 'first' WHEN before = label THEN 'same label'
                       ELSE 'other label' END AS kind, dialogue_id
    FROM (SELECT segment AS round, label, dialogue_id,
                 -- The label that the same player gave the same image before, in this round.
                 lag(label) OVER (PARTITION BY dialogue_id, segment, speaker, object_id
                                  ORDER BY event) AS before
          FROM (
              SELECT e.dialogue_id, e.segment, e.speaker, e.event, g.object_id, g.label
              FROM events e JOIN groundings g USING (corpus, dialogue_id, event)
              WHERE corpus = $corpus AND e.name = 'selection'
          ))
)
SELECT round, kind, count(*) AS marks,
       100.0 * count(*) / sum(count(*)) OVER (PARTITION BY round) AS share
FROM row_dialogues GROUP BY round, kind ORDER BY kind, round
