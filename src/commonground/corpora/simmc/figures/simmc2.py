"""What only SIMMC 2 has: scenes, numbered things, and references that may be ambiguous."""

from __future__ import annotations

from commonground.figure import Behind, Chart, Figure, FigureColumn

_ONLY = ("simmc2",)

_MENTIONED = """
    WITH mentioned AS (
        SELECT dialogue_id, event, count(*) AS things FROM groundings
        WHERE corpus = $corpus AND relation = 'mentioned' GROUP BY ALL
    )
    SELECT coalesce(things, 0) AS things, speaker, dialogue_id
    FROM (SELECT dialogue_id, event, speaker FROM events
          WHERE corpus = $corpus AND kind = 'utterance')
         LEFT JOIN mentioned USING (dialogue_id, event)
"""
_LABELLED = """
    WITH labelled AS (
        SELECT dialogue_id, event, any_value(value) AS label FROM states
        WHERE corpus = $corpus AND layer = 'disambiguation' AND slot = 'label' GROUP BY ALL
    )
    SELECT CASE label WHEN '1' THEN 'ambiguous' WHEN '0' THEN 'clear' ELSE 'not annotated'
           END AS ambiguous, dialogue_id
    FROM (SELECT dialogue_id, event FROM events
          WHERE corpus = $corpus AND kind = 'utterance' AND speaker = 'user')
         LEFT JOIN labelled USING (dialogue_id, event)
"""
_SCENES = """
    SELECT dialogue_id, count(DISTINCT object_id) AS scenes FROM displays
    WHERE corpus = $corpus GROUP BY ALL
"""

MENTIONS = Figure(
    name="mentions",
    title="Things that an utterance mentions",
    caption="Utterances by who says them and by how many things they are annotated with.",
    columns=(
        FigureColumn("things", "things mentioned"),
        FigureColumn("speaker", "speaker"),
        FigureColumn("utterances", "utterances"),
        FigureColumn("share", "share of the speaker's", "%", 2),
    ),
    query=f"""
        WITH counts AS (
            SELECT things, speaker, count(*) AS utterances FROM ({_MENTIONED}) GROUP BY ALL
        )
        SELECT things, speaker, utterances,
               100.0 * utterances / sum(utterances) OVER (PARTITION BY speaker) AS share
        FROM counts ORDER BY things, speaker DESC
    """,
    chart=Chart(x="things", y=("utterances",), color="speaker"),
    behind=Behind(
        keys=("things", "speaker"), query=f"SELECT things, speaker, dialogue_id FROM ({_MENTIONED})"
    ),
    corpora=_ONLY,
)

DOUBTS = Figure(
    name="ambiguity",
    title="Ambiguous references",
    caption=(
        "User utterances by whether it is annotated that their references leave open what is meant."
    ),
    columns=(
        FigureColumn("ambiguous", "reference"),
        FigureColumn("utterances", "utterances"),
        FigureColumn("share", "share", "%", 2),
    ),
    query=f"""
        SELECT ambiguous, count(*) AS utterances,
               100.0 * count(*) / sum(count(*)) OVER () AS share
        FROM ({_LABELLED}) GROUP BY ALL ORDER BY ambiguous
    """,
    chart=Chart(x="ambiguous", y=("utterances",)),
    behind=Behind(keys=("ambiguous",), query=_LABELLED),
    corpora=_ONLY,
)

SCENES = Figure(
    name="scenes",
    title="Scenes of a dialogue",
    caption="Dialogues by how many different scenes they go through.",
    columns=(
        FigureColumn("scenes", "scenes"),
        FigureColumn("dialogues", "dialogues"),
        FigureColumn("share", "share of dialogues", "%", 2),
    ),
    query=f"""
        SELECT scenes, count(*) AS dialogues,
               100.0 * count(*) / sum(count(*)) OVER () AS share
        FROM ({_SCENES})
        GROUP BY ALL ORDER BY scenes
    """,
    chart=Chart(x="scenes", y=("dialogues",)),
    behind=Behind(keys=("scenes",), query=f"SELECT scenes, dialogue_id FROM ({_SCENES})"),
    corpora=_ONLY,
)

SIMMC2_FIGURES = (MENTIONS, DOUBTS, SCENES)
