/*
title = "Turns per dialogue"
caption = """
Dialogues by their number of turns (rounds): what the user says, and what the assistant does and \
answers; public copies of test dialogues end before their last turns."""
order = 30
chart = {kind = "bar", x = "turns", y = ["share"], color = "domain"}
row_dialogues = ["turns", "domain"]

[columns]
turns = "turns per dialogue"
domain = "domain"
dialogues = "dialogues"
share = {title = "share of the domain's dialogues", unit = "%", digits = 2}
*/
WITH row_dialogues AS (
    -- A turn has several events: the words of both, and the action.
    SELECT count(DISTINCT turn) AS turns, domain, dialogue_id
    FROM dialogues JOIN events USING (corpus, dialogue_id)
    WHERE corpus = $corpus GROUP BY ALL
), counts AS (
    SELECT turns, domain, count(*) AS dialogues FROM row_dialogues GROUP BY ALL
)
SELECT turns, domain, dialogues,
       100.0 * dialogues / sum(dialogues) OVER (PARTITION BY domain) AS share
FROM counts ORDER BY turns, domain
