"""Frames of a dialogue: how many, who makes them, when another one becomes active."""

from __future__ import annotations

from commonground.figure import Behind, Chart, Figure, FigureColumn

# Set in as they stand in the queries, which are shown to readers.
_TURNS = """turns AS (
            SELECT dialogue_id, event, speaker AS author, max(frame) AS frames,
                   max(frame) FILTER (active) AS active
            FROM states JOIN events USING (corpus, dialogue_id, event)
            WHERE corpus = $corpus GROUP BY ALL
        )"""
_STEPS = f"""{_TURNS}, steps AS (
            SELECT *, coalesce(lag(frames) OVER dialogue, 1) AS frames_before,
                   coalesce(lag(active) OVER dialogue, 1) AS active_before
            FROM turns WINDOW dialogue AS (PARTITION BY dialogue_id ORDER BY event)
        )"""

_MOST = """
    SELECT max(frame) AS frames, dialogue_id FROM states
    WHERE corpus = $corpus GROUP BY dialogue_id
"""
_SWITCHES = f"""
        WITH {_STEPS}
        SELECT count(*) FILTER (active <> active_before) AS switches, dialogue_id
        FROM steps GROUP BY dialogue_id
"""
_CHANGES = f"""
        WITH {_STEPS}
        SELECT unnest(['frame made', 'switch to a new frame', 'switch to an older frame'])
                   AS change,
               author,
               unnest([sum(frames - frames_before),
                       count(*) FILTER (active > frames_before),
                       count(*) FILTER (active <> active_before AND active <= frames_before)])
                   AS times,
               dialogue_id
        FROM steps GROUP BY author, dialogue_id
"""
_REFERENCES = f"""
        WITH {_TURNS}
        SELECT relation, author, frame <> active AS other, dialogue_id
        FROM acts JOIN turns USING (dialogue_id, event)
        WHERE corpus = $corpus AND layer = 'acts' AND relation IN ('ref', 'read', 'write')
"""

FRAMES = Figure(
    name="frames",
    title="Frames of a dialogue",
    caption="Dialogues by the number of frames at their end.",
    columns=(
        FigureColumn("frames", "frames of a dialogue"),
        FigureColumn("dialogues", "dialogues"),
        FigureColumn("share", "share of dialogues", "%", 2),
    ),
    query=f"""
        SELECT frames, count(*) AS dialogues,
               100.0 * count(*) / sum(count(*)) OVER () AS share
        FROM ({_MOST}) GROUP BY ALL ORDER BY frames
    """,
    chart=Chart(kind="histogram", x="frames", y=("dialogues",), step=1),
    behind=Behind(keys=("frames",), query=_MOST),
)

SWITCHES = Figure(
    name="switches",
    title="Switches of a dialogue",
    caption="Dialogues by the number of turns after which another frame is active than before.",
    columns=(
        FigureColumn("switches", "switches of a dialogue"),
        FigureColumn("dialogues", "dialogues"),
        FigureColumn("share", "share of dialogues", "%", 2),
    ),
    query=f"""
        SELECT switches, count(*) AS dialogues,
               100.0 * count(*) / sum(count(*)) OVER () AS share
        FROM ({_SWITCHES}) GROUP BY ALL ORDER BY switches
    """,
    chart=Chart(kind="histogram", x="switches", y=("dialogues",), step=1),
    behind=Behind(keys=("switches",), query=_SWITCHES),
)

CHANGES = Figure(
    name="frame-changes",
    title="Who makes frames, and who switches",
    caption=(
        "Frames made after the first, by the author of the turn that made them; switches to a "
        "frame that this turn made, and back to one that was there."
    ),
    columns=(
        FigureColumn("change", "what happens"),
        FigureColumn("author", "author"),
        FigureColumn("changes", "times"),
        FigureColumn("per_dialogue", "times in a dialogue", "", 2),
    ),
    query=f"""
        SELECT change, author, sum(times) AS changes,
               sum(times) / (SELECT count(*) FROM dialogues WHERE corpus = $corpus)
                   AS per_dialogue
        FROM ({_CHANGES}) GROUP BY change, author ORDER BY change, author
    """,
    chart=Chart(x="change", y=("changes",), color="author"),
    behind=Behind(
        keys=("change", "author"),
        query=f"SELECT change, author, dialogue_id FROM ({_CHANGES}) WHERE times > 0",
    ),
)

REFERENCES = Figure(
    name="references",
    title="Slots of other frames",
    caption=(
        "Slots that an act refers to in a frame (ref), reads from one or writes to one; of these, "
        "the share in a frame that is not active after the turn."
    ),
    columns=(
        FigureColumn("relation", "reference"),
        FigureColumn("author", "author"),
        FigureColumn("slots", "references"),
        FigureColumn("other", "to a frame that is not active", "%", 2),
    ),
    query=f"""
        SELECT relation, author, count(*) AS slots,
               100.0 * count(*) FILTER (other) / count(*) AS other
        FROM ({_REFERENCES}) GROUP BY relation, author ORDER BY slots DESC, relation, author
    """,
    chart=Chart(x="relation", y=("slots",), color="author"),
    behind=Behind(
        keys=("relation", "author"),
        query=f"SELECT relation, author, dialogue_id FROM ({_REFERENCES})",
    ),
)

TRACKING_FIGURES = (FRAMES, SWITCHES, CHANGES, REFERENCES)
