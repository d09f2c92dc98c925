/*
title = "API calls"
caption = """
API calls by name, the dialogues they are in, and those whose request or response is absent or \
cannot be read."""
order = 100
corpora = ["taskmaster3", "taskmaster4"]
chart = {kind = "bar", x = "api", y = ["calls"]}
link = "action:{api}"

[columns]
api = "API"
calls = "calls"
share = {title = "share of calls", unit = "%", digits = 2}
dialogues = "dialogues"
no_request = "without a request"
no_response = "without a response"
*/
SELECT name AS api, count(*) AS calls,
       100.0 * count(*) / sum(count(*)) OVER () AS share,
       count(DISTINCT dialogue_id) AS dialogues,
       count(*) FILTER (json_type(arguments) IS DISTINCT FROM 'OBJECT') AS no_request,
       count(*) FILTER (json_type(result) IS DISTINCT FROM 'OBJECT') AS no_response
FROM events WHERE corpus = $corpus AND kind = 'action'
GROUP BY ALL ORDER BY calls DESC, api
