"""Frames of a dialogue: how many, who makes them, when another one becomes active."""

from __future__ import annotations

from commonground.figure import Chart, Figure, FigureColumn

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

FRAMES = Figure(
    name="frames",
    title="Frames of a dialogue",
    caption="Dialogues by the number of frames at their end.",
    columns=(
        FigureColumn("frames", "frames of a dialogue"),
        FigureColumn("dialogues", "dialogues"),
        FigureColumn("share", "share of dialogues", "%", 2),
    ),
    query="""
        SELECT frames, count(*) AS dialogues,
               100.0 * count(*) / sum(count(*)) OVER () AS share
        FROM (SELECT dialogue_id, max(frame) AS frames FROM states
              WHERE corpus = $corpus GROUP BY dialogue_id)
        GROUP BY ALL ORDER BY frames
    """,
    chart=Chart(kind="histogram", x="frames", y=("dialogues",), step=1),
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
        WITH {_STEPS}
        SELECT switches, count(*) AS dialogues,
               100.0 * count(*) / sum(count(*)) OVER () AS share
        FROM (SELECT dialogue_id, count(*) FILTER (active <> active_before) AS switches
              FROM steps GROUP BY dialogue_id)
        GROUP BY ALL ORDER BY switches
    """,
    chart=Chart(kind="histogram", x="switches", y=("dialogues",), step=1),
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
        WITH {_STEPS}, counts AS (
            SELECT author, sum(frames - frames_before) AS made,
                   count(*) FILTER (active > frames_before) AS moved,
                   count(*) FILTER (active <> active_before AND active <= frames_before) AS back
            FROM steps GROUP BY author
        )
        SELECT unnest(['frame made', 'switch to a new frame', 'switch to an older frame'])
                   AS change,
               author, unnest([made, moved, back]) AS changes,
               changes / (SELECT count(*) FROM dialogues WHERE corpus = $corpus) AS per_dialogue
        FROM counts ORDER BY change, author
    """,
    chart=Chart(x="change", y=("changes",), color="author"),
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
        WITH {_TURNS}
        SELECT relation, author, count(*) AS slots,
               100.0 * count(*) FILTER (frame <> active) / count(*) AS other
        FROM acts JOIN turns USING (dialogue_id, event)
        WHERE corpus = $corpus AND layer = 'acts' AND relation IN ('ref', 'read', 'write')
        GROUP BY ALL ORDER BY slots DESC, relation, author
    """,
    chart=Chart(x="relation", y=("slots",), color="author"),
)

TRACKING_FIGURES = (FRAMES, SWITCHES, CHANGES, REFERENCES)
