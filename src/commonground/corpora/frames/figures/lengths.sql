/*
title = "Turns per dialogue"
caption = "Dialogues by the number of turns of both sides."
order = 30
chart = {kind = "histogram", x = "turns", y = ["dialogues"], step = 1}
link = "utterances:{turns}"

[columns]
turns = "turns per dialogue"
dialogues = "dialogues"
*/
SELECT n_utterances AS turns, count(*) AS dialogues
FROM dialogues WHERE corpus = $corpus GROUP BY ALL ORDER BY turns
