"""What PhotoBook's players mark, in which order, and how often they change their minds."""

from __future__ import annotations

from commonground.figure import Behind, Chart, Figure, FigureColumn

_MARKS = """
    SELECT e.dialogue_id, e.segment, e.speaker, e.event, g.object_id, g.label
    FROM events e JOIN groundings g USING (corpus, dialogue_id, event)
    WHERE corpus = $corpus AND e.name = 'selection'
"""
_PLACED = f"""
    SELECT round, place, known, dialogue_id
    FROM (SELECT segment AS round, dialogue_id,
                 row_number() OVER (PARTITION BY dialogue_id, segment ORDER BY event) AS place,
                 segment > min(segment) OVER (PARTITION BY dialogue_id, object_id) AS known
          FROM (SELECT dialogue_id, segment, object_id, min(event) AS event
                FROM ({_MARKS}) GROUP BY ALL))
    WHERE place <= 6 AND round > 1
"""
_KINDS = f"""
    SELECT round, CASE WHEN before IS NULL THEN 'first' WHEN before = label THEN 'same label'
                       ELSE 'other label' END AS kind, dialogue_id
    FROM (SELECT segment AS round, label, dialogue_id,
                 lag(label) OVER (PARTITION BY dialogue_id, segment, speaker, object_id
                                  ORDER BY event) AS before
          FROM ({_MARKS}))
"""
_LASTS = f"""
    SELECT segment AS round, last(label ORDER BY event) AS label, dialogue_id
    FROM ({_MARKS}) GROUP BY dialogue_id, segment, speaker, object_id
"""

ORDER = Figure(
    name="selection-order",
    title="Known images come first",
    caption=(
        "The first, second, ... image that is marked in a round by either player, and whether it "
        "was marked in an earlier round of the game. In round 1 all are new."
    ),
    columns=(
        FigureColumn("round", "round"),
        FigureColumn("place", "place in the round"),
        FigureColumn("marks", "images marked"),
        FigureColumn("known", "marked in an earlier round", "%", 2),
    ),
    query=f"""
        SELECT round, place, count(*) AS marks,
               100.0 * count(*) FILTER (known) / count(*) AS known
        FROM ({_PLACED}) GROUP BY round, place ORDER BY round, place
    """,
    chart=Chart(kind="line", x="place", y=("known",), color="round"),
    behind=Behind(
        keys=("round", "place"),
        query=f"SELECT DISTINCT round, place, dialogue_id FROM ({_PLACED}) WHERE known",
    ),
)

CHANGES = Figure(
    name="label-changes",
    title="Marks that are made again",
    caption=(
        "Marks of a player in a round: first ones of an image, repeated ones with the label that "
        "the image had, and with the other."
    ),
    columns=(
        FigureColumn("round", "round"),
        FigureColumn("kind", "mark"),
        FigureColumn("marks", "marks"),
        FigureColumn("share", "share", "%", 2),
    ),
    query=f"""
        SELECT round, kind, count(*) AS marks,
               100.0 * count(*) / sum(count(*)) OVER (PARTITION BY round) AS share
        FROM ({_KINDS}) GROUP BY round, kind ORDER BY kind, round
    """,
    chart=Chart(x="kind", y=("marks",), color="round", log=True),
    behind=Behind(keys=("round", "kind"), query=f"SELECT DISTINCT * FROM ({_KINDS})"),
)

LABELS = Figure(
    name="labels",
    title="Common or different",
    caption="Last marks of a player on an image in a round, by label.",
    columns=(
        FigureColumn("round", "round"),
        FigureColumn("label", "label"),
        FigureColumn("marks", "marks"),
        FigureColumn("share", "share", "%", 2),
    ),
    query=f"""
        SELECT round, label, count(*) AS marks,
               100.0 * count(*) / sum(count(*)) OVER (PARTITION BY round) AS share
        FROM ({_LASTS}) GROUP BY round, label ORDER BY label, round
    """,
    chart=Chart(x="round", y=("share",), color="label"),
    behind=Behind(keys=("round", "label"), query=f"SELECT DISTINCT * FROM ({_LASTS})"),
)

SELECTIONS_FIGURES = (ORDER, CHANGES, LABELS)
