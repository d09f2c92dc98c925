"""The entities that Taskmaster's texts are labelled with."""

from __future__ import annotations

from commonground.figure import Behind, Chart, Figure, FigureColumn

LABELS = Figure(
    name="labels",
    title="Entity types",
    caption="The thirty most frequent labels of spans; a span with two labels counts for both.",
    columns=(
        FigureColumn("label", "label"),
        FigureColumn("spans", "spans"),
        FigureColumn("dialogues", "dialogues"),
        FigureColumn("share", "share of spans", "%", 2),
    ),
    query="""
        SELECT label, count(*) AS spans, count(DISTINCT dialogue_id) AS dialogues,
               100.0 * count(*) / sum(count(*)) OVER () AS share
        FROM spans WHERE corpus = $corpus GROUP BY ALL ORDER BY spans DESC, label LIMIT 30
    """,
    chart=Chart(x="label", y=("spans",)),
    link="label:{label}",
)

_SPANS = """
    WITH marked AS (
        SELECT dialogue_id, event, count(*) AS spans FROM spans
        WHERE corpus = $corpus GROUP BY ALL
    )
    SELECT speaker, spans, dialogue_id
    FROM (SELECT dialogue_id, event, speaker FROM events
          WHERE corpus = $corpus AND kind = 'utterance')
         LEFT JOIN marked USING (dialogue_id, event)
"""

LABELLED = Figure(
    name="labelled-utterances",
    title="Utterances with entities",
    caption="Utterances by speaker, those with a labelled span, and spans of an utterance.",
    columns=(
        FigureColumn("speaker", "speaker"),
        FigureColumn("utterances", "utterances"),
        FigureColumn("labelled", "with a span", "%", 2),
        FigureColumn("spans", "spans of an utterance", "", 3),
    ),
    query=f"""
        SELECT speaker, count(*) AS utterances,
               100.0 * count(spans) / count(*) AS labelled,
               sum(coalesce(spans, 0)) / count(*) AS spans
        FROM ({_SPANS}) GROUP BY ALL ORDER BY speaker DESC
    """,
    chart=Chart(x="speaker", y=("labelled", "spans")),
    behind=Behind(
        keys=("speaker",),
        query=f"SELECT DISTINCT speaker, dialogue_id FROM ({_SPANS}) WHERE spans IS NOT NULL",
    ),
)

_STATUSES = """
    SELECT CASE WHEN label LIKE '%.accept' THEN 'accept'
                WHEN label LIKE '%.reject' THEN 'reject' ELSE 'neither' END AS status, dialogue_id
    FROM spans WHERE corpus = $corpus
"""

TRANSACTIONS = Figure(
    name="transactions",
    title="Accepted and rejected",
    caption="Spans by the end of their label: the value was accepted, rejected, or neither.",
    columns=(
        FigureColumn("status", "status"),
        FigureColumn("spans", "spans"),
        FigureColumn("share", "share of spans", "%", 2),
    ),
    query=f"""
        SELECT status, count(*) AS spans, 100.0 * count(*) / sum(count(*)) OVER () AS share
        FROM ({_STATUSES}) GROUP BY ALL ORDER BY status
    """,
    chart=Chart(x="status", y=("spans",)),
    behind=Behind(keys=("status",), query=_STATUSES),
    corpora=("taskmaster1",),
)

ENTITIES_FIGURES = (LABELS, LABELLED, TRANSACTIONS)
