/*
title = "What actions ask for"
caption = """
Actions by the words among their arguments, such as an attribute that is looked up: the forty \
most frequent, without the items that the actions are about."""
order = 60
corpora = ["simmc"]
chart = {kind = "bar", x = "value", y = ["times"], color = "action"}
row_dialogues = ["value", "action"]

[columns]
value = "value (argument)"
action = "action"
times = "actions"
*/
WITH arguments AS (
    SELECT name AS action, dialogue_id, event, arguments, unnest(json_keys(arguments)) AS argument
    FROM events WHERE corpus = $corpus AND kind = 'action' AND arguments IS NOT NULL
), held AS (
    SELECT action, dialogue_id, event, argument,
           json_extract(arguments, '$."' || argument || '"') AS held
    FROM arguments
), words AS (
    SELECT action, dialogue_id, event, argument,
           unnest(CASE json_type(held) WHEN 'ARRAY' THEN json_extract(held, '$[*]')
                  ELSE [held] END) AS word
    FROM held
), row_dialogues AS (
    -- Numbers name single items.
    SELECT DISTINCT (word ->> '$') || ' (' || argument || ')' AS value, action, argument,
           dialogue_id, event
    FROM words
    WHERE json_type(word) = 'VARCHAR' AND NOT regexp_full_match(word ->> '$', '[0-9]*')
)
SELECT value, action, count(*) AS times
FROM row_dialogues GROUP BY value, action, argument
ORDER BY times DESC, action, argument, value LIMIT 40
