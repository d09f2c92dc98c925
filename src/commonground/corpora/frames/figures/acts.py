"""Dialogue acts of Frames and their slots, by author."""

from __future__ import annotations

from commonground.corpora.frames.figures.published import SUMMARY
from commonground.figure import Chart, Figure, FigureColumn, PublishedValue

ACTS = Figure(
    name="acts",
    title="Dialogue acts",
    caption="Dialogue acts by their name and by who performs them.",
    columns=(
        FigureColumn("act", "act"),
        FigureColumn("author", "author"),
        FigureColumn("acts", "acts"),
        FigureColumn("share", "share of the author's acts", "%", 2),
    ),
    query="""
        WITH counts AS (
            SELECT act, speaker AS author, count(DISTINCT (dialogue_id, event, act_index)) AS acts
            FROM acts JOIN events USING (corpus, dialogue_id, event)
            WHERE corpus = $corpus AND layer = 'acts' GROUP BY ALL
        )
        SELECT act, author, acts,
               100.0 * acts / sum(acts) OVER (PARTITION BY author) AS share
        FROM counts ORDER BY sum(acts) OVER (PARTITION BY act) DESC, act, author
    """,
    chart=Chart(x="act", y=("acts",), color="author"),
    link="speaker:{author} act:{act}",
)

ACT_NAMES = Figure(
    name="act-names",
    title="Different acts",
    caption="How many different acts and slots there are, in all and of each author.",
    columns=(
        FigureColumn("author", "author"),
        FigureColumn("acts", "different acts"),
        FigureColumn("slots", "different slots"),
    ),
    query="""
        SELECT CASE WHEN grouping(speaker) = 1 THEN 'both' ELSE speaker END AS author,
               count(DISTINCT act) AS acts,
               count(DISTINCT slot) FILTER (relation IS DISTINCT FROM 'id') AS slots
        FROM acts JOIN events USING (corpus, dialogue_id, event)
        WHERE corpus = $corpus AND layer = 'acts'
        GROUP BY GROUPING SETS ((), (speaker)) ORDER BY grouping(speaker) DESC, author
    """,
    published=(
        PublishedValue(
            name="different acts",
            column="acts",
            row={"author": "both"},
            value=20,
            source=SUMMARY,
        ),
    ),
)

SLOTS = Figure(
    name="slots",
    title="Slots",
    caption=(
        "The thirty most frequent slots of dialogue acts by who names them, those in references "
        "to frames included; the numbers of new frames (id) are no slots."
    ),
    columns=(
        FigureColumn("slot", "slot"),
        FigureColumn("author", "author"),
        FigureColumn("slots", "times named"),
    ),
    query="""
        WITH counts AS (
            SELECT slot, speaker AS author, count(*) AS slots
            FROM acts JOIN events USING (corpus, dialogue_id, event)
            WHERE corpus = $corpus AND layer = 'acts' AND slot IS NOT NULL
                  AND relation IS DISTINCT FROM 'id'
            GROUP BY ALL
        ), totals AS (
            SELECT slot, sum(slots) AS total FROM counts
            GROUP BY slot ORDER BY total DESC, slot LIMIT 30
        )
        SELECT slot, author, slots
        FROM counts JOIN totals USING (slot) ORDER BY total DESC, slot, author
    """,
    chart=Chart(x="slot", y=("slots",), color="author"),
    link="speaker:{author} slot:{slot}",
)

ACTS_FIGURES = (ACTS, ACT_NAMES, SLOTS)
