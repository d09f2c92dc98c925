/*
title = "What players say about each other"
caption = "Answers from 1 to 5 to the three statements of the closing questionnaire."
order = 50
chart = {kind = "bar", x = "answer", y = ["answers"], color = "question"}
row_dialogues = ["question", "answer"]

[columns]
question = "question"
answer = "answer"
answers = "answers"
share = {title = "share", unit = "%", digits = 1}
*/
WITH row_dialogues AS (
    SELECT CASE name WHEN 'col' THEN 'collaboration went well'
                     WHEN 'partner_u' THEN 'partner understood me'
                     ELSE 'I understood partner' END AS question,
           CAST(value AS INTEGER) AS answer, dialogue_id
    FROM outcomes WHERE corpus = $corpus AND name IN ('col', 'partner_u', 'self_u')
)
SELECT question, answer, count(*) AS answers,
       100.0 * count(*) / sum(count(*)) OVER (PARTITION BY question) AS share
FROM row_dialogues GROUP BY question, answer ORDER BY question, answer
