"""API calls of Taskmaster 3 and 4: which, with what arguments, how many in a dialogue."""

from __future__ import annotations

from commonground.figure import Behind, Chart, Figure, FigureColumn

_WITH_CALLS = ("taskmaster3", "taskmaster4")

APIS = Figure(
    name="apis",
    title="API calls",
    caption=(
        "API calls by name, the dialogues they are in, and those whose request or response is "
        "absent or cannot be read."
    ),
    columns=(
        FigureColumn("api", "API"),
        FigureColumn("calls", "calls"),
        FigureColumn("share", "share of calls", "%", 2),
        FigureColumn("dialogues", "dialogues"),
        FigureColumn("no_request", "without a request"),
        FigureColumn("no_response", "without a response"),
    ),
    query="""
        SELECT name AS api, count(*) AS calls,
               100.0 * count(*) / sum(count(*)) OVER () AS share,
               count(DISTINCT dialogue_id) AS dialogues,
               count(*) FILTER (json_type(arguments) IS DISTINCT FROM 'OBJECT') AS no_request,
               count(*) FILTER (json_type(result) IS DISTINCT FROM 'OBJECT') AS no_response
        FROM events WHERE corpus = $corpus AND kind = 'action'
        GROUP BY ALL ORDER BY calls DESC, api
    """,
    chart=Chart(x="api", y=("calls",)),
    link="action:{api}",
    corpora=_WITH_CALLS,
)

_CALLS = """
    SELECT name AS api, CASE WHEN json_type(arguments) = 'OBJECT'
                             THEN json_keys(arguments) END AS names, dialogue_id
    FROM events WHERE corpus = $corpus AND kind = 'action'
"""

ARGUMENTS = Figure(
    name="arguments",
    title="Arguments of API calls",
    caption="Calls by API and by each argument they give.",
    columns=(
        FigureColumn("argument", "argument"),
        FigureColumn("api", "API"),
        FigureColumn("calls", "calls"),
        FigureColumn("share", "share of the API's calls", "%", 2),
    ),
    query=f"""
        WITH calls AS ({_CALLS}), totals AS (
            SELECT api, count(*) AS total FROM calls GROUP BY api
        ), given AS (
            SELECT api, unnest(names) AS argument FROM calls
        )
        SELECT argument, api, count(*) AS calls, 100.0 * count(*) / any_value(total) AS share
        FROM given JOIN totals USING (api)
        GROUP BY argument, api ORDER BY calls DESC, argument, api LIMIT 40
    """,
    chart=Chart(kind="heatmap", x="api", y=("argument",), color="calls"),
    behind=Behind(
        keys=("argument", "api"),
        query=f"SELECT DISTINCT unnest(names) AS argument, api, dialogue_id FROM ({_CALLS})",
    ),
    corpora=_WITH_CALLS,
)

_CALLS_OF = """
    SELECT n_events - n_utterances AS calls, dialogue_id FROM dialogues WHERE corpus = $corpus
"""

PER_DIALOGUE = Figure(
    name="calls-of-a-dialogue",
    title="API calls of a dialogue",
    caption="Dialogues by their number of API calls.",
    columns=(
        FigureColumn("calls", "calls of a dialogue"),
        FigureColumn("dialogues", "dialogues"),
        FigureColumn("share", "share of dialogues", "%", 2),
    ),
    query=f"""
        SELECT calls, count(*) AS dialogues,
               100.0 * count(*) / sum(count(*)) OVER () AS share
        FROM ({_CALLS_OF}) GROUP BY ALL ORDER BY calls
    """,
    chart=Chart(kind="histogram", x="calls", y=("dialogues",), step=1),
    behind=Behind(keys=("calls",), query=_CALLS_OF),
    corpora=_WITH_CALLS,
)

CALLS_FIGURES = (APIS, ARGUMENTS, PER_DIALOGUE)
