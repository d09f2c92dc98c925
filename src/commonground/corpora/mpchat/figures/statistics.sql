/*
title = "The paper's statistics"
caption = """
Dialogues of next response prediction, which leaves none out, and who writes in them, closed \
accounts aside; main authors have a persona, grounded messages an element of it that entails \
them. Words are split at white space; each element counts once."""
order = 50
chart = {kind = "bar", x = "part", y = ["dialogues", "responses", "grounded"]}
row_dialogues = ["part"]

[columns]
part = "split"
dialogues = "dialogues"
grounded_dialogues = "with a grounded message"
speakers = "authors"
utterances = "messages"
main_authors = "main authors"
responses = "messages of main authors"
grounded = "grounded messages"
elements = {title = "elements per persona", digits = 2}
communities = {title = "communities per persona", digits = 2}
words = {title = "words per message", digits = 2}
element_words = {title = "words per element", digits = 2}

[[published]]
name = "dialogues, {part}"
column = "dialogues"
by = "part"
values = {train = 11975, val = 1516, test = 1509}
source = "@table_6"
why = "@statistics"

[[published]]
name = "authors, {part}"
column = "speakers"
by = "part"
values = {train = 21197, val = 2828, test = 2797}
source = "@table_6"
why = "@statistics"

[[published]]
name = "messages, {part}"
column = "utterances"
by = "part"
values = {train = 34098, val = 4189, test = 4244}
source = "@table_6"
why = "@statistics"

[[published]]
name = "main authors, {part}"
column = "main_authors"
by = "part"
values = {train = 8891, val = 1193, test = 1162}
source = "@table_6"
why = "@statistics"

[[published]]
name = "messages of main authors, {part}"
column = "responses"
by = "part"
values = {train = 19048, val = 2303, test = 2321}
source = "@table_6"
why = "@statistics"

[[published]]
name = "grounded messages, {part}"
column = "grounded"
by = "part"
values = {train = 6628, val = 709, test = 676}
source = "@table_6"
why = "@statistics"

[[published]]
name = "elements per persona, {part}"
column = "elements"
by = "part"
values = {train = 15.89, val = 25.6, test = 30.76}
tolerance = 0.05
source = "@table_6"
why = "@statistics"

[[published]]
name = "communities per persona, {part}"
column = "communities"
by = "part"
values = {train = 4.2, val = 5.97, test = 5.88}
tolerance = 0.05
source = "@table_6"
why = "@statistics"

[[published]]
name = "words per message, {part}"
column = "words"
by = "part"
values = {train = 18.39, val = 18.74, test = 19.05}
tolerance = 0.005
source = "@table_6"
why = "@statistics"

[[published]]
name = "words per element, {part}"
column = "element_words"
by = "part"
values = {train = 10.16, val = 10.23, test = 10.02}
tolerance = 0.005
source = "@table_6"
why = "@statistics"

[[published]]
name = "dialogues, all"
column = "dialogues"
row = {part = "all"}
value = 15000
source = "@text"
why = "@statistics"

[[published]]
name = "dialogues with a grounded message, all"
column = "grounded_dialogues"
row = {part = "all"}
value = 7898
source = "@text"
why = "@statistics"

[[published]]
name = "authors, all"
column = "speakers"
row = {part = "all"}
value = 25877
source = "@text"
why = "@statistics"

[[published]]
name = "messages, all"
column = "utterances"
row = {part = "all"}
value = 42531
source = "@text"
why = "@statistics"
*/
WITH row_dialogues AS (
    -- Each dialogue counts in its split, and in all of them together.
    SELECT dialogue_id, unnest([split, 'all']) AS part,
           attributes ->> 'main_author' AS main_author
    FROM dialogues WHERE corpus = $corpus AND attributes ->> 'task' = 'nrp'
), marked AS (
    -- Several elements may ground a message, which counts once.
    SELECT DISTINCT dialogue_id, event, true AS is_grounded FROM groundings
    WHERE corpus = $corpus AND relation = 'grounded'
), said AS (
    SELECT part, count(DISTINCT dialogue_id) AS dialogues,
           count(DISTINCT dialogue_id) FILTER (is_grounded) AS grounded_dialogues,
           count(DISTINCT agent_id) AS speakers, count(*) AS utterances,
           count(DISTINCT main_author) AS main_authors,
           count(*) FILTER (speaker = main_author) AS responses,
           count(*) FILTER (is_grounded) AS grounded,
           avg(len(regexp_extract_all(text, '\S+'))) AS words
    FROM events JOIN row_dialogues USING (dialogue_id)
    JOIN (SELECT dialogue_id, speaker, agent_id FROM speakers
          WHERE corpus = $corpus) USING (dialogue_id, speaker)
    LEFT JOIN marked USING (dialogue_id, event)
    WHERE corpus = $corpus AND kind = 'utterance' GROUP BY part
), elements AS (
    -- Elements of the author's own persona have a position; others shown to a model have none.
    SELECT DISTINCT part, viewer, object_id, title,
           objects.attributes ->> 'subreddit' AS community
    FROM displays JOIN row_dialogues USING (dialogue_id) JOIN objects USING (corpus, object_id)
    WHERE corpus = $corpus AND viewer IS NOT NULL AND position IS NOT NULL
), shelves AS (
    SELECT part, viewer, count(*) AS elements,
           count(DISTINCT community) AS communities,
           sum(len(regexp_extract_all(title, '\S+'))) AS words
    FROM elements GROUP BY ALL
), personas AS (
    -- Words over all elements: a mean of authors' means would weigh them otherwise.
    SELECT part, avg(elements) AS elements, avg(communities) AS communities,
           sum(words) / sum(elements) AS element_words
    FROM shelves GROUP BY part
)
SELECT part, dialogues, grounded_dialogues, speakers, utterances, main_authors,
       responses, grounded, elements, communities, words, element_words
FROM said LEFT JOIN personas USING (part)
ORDER BY list_position(['train', 'val', 'test', 'all'], part)
