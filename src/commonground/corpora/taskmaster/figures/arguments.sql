/*
title = "Arguments of API calls"
caption = "Calls by API and by each argument they give."
order = 110
corpora = ["taskmaster3", "taskmaster4"]
chart = {kind = "heatmap", x = "api", y = ["argument"], color = "calls"}
row_dialogues = ["argument", "api"]

[columns]
argument = "argument"
api = "API"
calls = "calls"
share = {title = "share of the API's calls", unit = "%", digits = 2}
*/
WITH row_dialogues AS (
    SELECT DISTINCT unnest(names) AS argument, api, dialogue_id FROM (
        SELECT name AS api, CASE WHEN json_type(arguments) = 'OBJECT'
                                 THEN json_keys(arguments) END AS names, dialogue_id
        FROM events WHERE corpus = $corpus AND kind = 'action'
    )
), calls AS (
    SELECT name AS api, CASE WHEN json_type(arguments) = 'OBJECT'
                         THEN json_keys(arguments) END AS names, dialogue_id
    FROM events WHERE corpus = $corpus AND kind = 'action'
), totals AS (
    SELECT api, count(*) AS total FROM calls GROUP BY api
), given AS (
    SELECT api, unnest(names) AS argument FROM calls
)
SELECT argument, api, count(*) AS calls, 100.0 * count(*) / any_value(total) AS share
FROM given JOIN totals USING (api)
GROUP BY argument, api ORDER BY calls DESC, argument, api LIMIT 40
