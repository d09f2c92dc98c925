"""What PhotoBook's players mark, in which order, and how often they change their minds."""

from __future__ import annotations

from commonground.figure import Chart, Figure, FigureColumn

_MARKS = """
    SELECT e.dialogue_id, e.segment, e.speaker, e.event, g.object_id, g.label
    FROM events e JOIN groundings g USING (corpus, dialogue_id, event)
    WHERE corpus = $corpus AND e.name = 'selection'
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
        WITH firsts AS (
            SELECT dialogue_id, segment, object_id, min(event) AS event
            FROM ({_MARKS}) GROUP BY ALL
        ), placed AS (
            SELECT segment,
                   row_number() OVER (PARTITION BY dialogue_id, segment ORDER BY event) AS place,
                   segment > min(segment) OVER (PARTITION BY dialogue_id, object_id) AS known
            FROM firsts
        )
        SELECT segment AS round, place, count(*) AS marks,
               100.0 * count(*) FILTER (known) / count(*) AS known
        FROM placed WHERE place <= 6 AND segment > 1 GROUP BY ALL ORDER BY round, place
    """,
    chart=Chart(kind="line", x="place", y=("known",), color="round"),
    link="round:{round} action:selection",
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
        WITH marks AS (
            SELECT segment, label,
                   lag(label) OVER (PARTITION BY dialogue_id, segment, speaker, object_id
                                    ORDER BY event) AS before
            FROM ({_MARKS})
        ), kinds AS (
            SELECT segment, CASE WHEN before IS NULL THEN 'first'
                                 WHEN before = label THEN 'same label'
                                 ELSE 'other label' END AS kind
            FROM marks
        )
        SELECT segment AS round, kind, count(*) AS marks,
               100.0 * count(*) / sum(count(*)) OVER (PARTITION BY segment) AS share
        FROM kinds GROUP BY segment, kind ORDER BY kind, segment
    """,
    chart=Chart(x="kind", y=("marks",), color="round", log=True),
    link="round:{round} action:selection",
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
        WITH lasts AS (
            SELECT segment, last(label ORDER BY event) AS label FROM ({_MARKS})
            GROUP BY dialogue_id, segment, speaker, object_id
        )
        SELECT segment AS round, label, count(*) AS marks,
               100.0 * count(*) / sum(count(*)) OVER (PARTITION BY segment) AS share
        FROM lasts GROUP BY segment, label ORDER BY label, segment
    """,
    chart=Chart(x="round", y=("share",), color="label"),
    link="round:{round} grounding:{label}",
)

SELECTIONS_FIGURES = (ORDER, CHANGES, LABELS)
