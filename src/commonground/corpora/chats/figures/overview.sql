/*
title = "Chats in numbers"
caption = "Dialogues and what is said in them; words are split at white space."
order = 10

[columns]
measure = "what"
number = "number"
*/
-- One row of numbers is turned into a row for each: both lists are in the same order.
SELECT unnest(['dialogues', 'messages', 'messages per dialogue', 'words per message',
               'speakers of a dialogue', 'labels', 'pictures']) AS measure,
       unnest([dialogues, messages, messages / dialogues, words,
               speakers / dialogues, labels, pictures]) AS number
FROM (SELECT count(*) AS dialogues, sum(n_utterances) AS messages
      FROM dialogues WHERE corpus = $corpus),
     (SELECT avg(len(regexp_extract_all(text, '\S+'))) AS words
      FROM events WHERE corpus = $corpus),
     (SELECT count(*) AS speakers FROM speakers WHERE corpus = $corpus),
     (SELECT count(*) AS labels FROM acts WHERE corpus = $corpus),
     (SELECT count(*) AS pictures FROM objects WHERE corpus = $corpus)
