"""How long the dialogues of Frames are, who talks how much, and the folds."""

from __future__ import annotations

from commonground.figure import Behind, Chart, Figure, FigureColumn

_DURATIONS = """
    SELECT 5 * CAST(floor(max(at_s) / 300) AS INTEGER) AS minutes, dialogue_id FROM events
    WHERE corpus = $corpus AND kind = 'utterance' GROUP BY dialogue_id
"""

LENGTHS = Figure(
    name="lengths",
    title="Turns of a dialogue",
    caption="Dialogues by their number of turns of both sides.",
    columns=(
        FigureColumn("turns", "turns of a dialogue"),
        FigureColumn("dialogues", "dialogues"),
    ),
    query="""
        SELECT n_utterances AS turns, count(*) AS dialogues
        FROM dialogues WHERE corpus = $corpus GROUP BY ALL ORDER BY turns
    """,
    chart=Chart(kind="histogram", x="turns", y=("dialogues",), step=1),
    link="utterances:{turns}",
)

DURATIONS = Figure(
    name="durations",
    title="How long dialogues last",
    caption="Dialogues by the minutes from their first turn to their last, in steps of five.",
    columns=(
        FigureColumn("minutes", "duration, from", "min"),
        FigureColumn("dialogues", "dialogues"),
    ),
    query=f"""
        SELECT minutes, count(*) AS dialogues FROM ({_DURATIONS}) GROUP BY ALL ORDER BY minutes
    """,
    chart=Chart(kind="histogram", x="minutes", y=("dialogues",), step=5),
    behind=Behind(keys=("minutes",), query=_DURATIONS),
)

AUTHORS = Figure(
    name="authors",
    title="Who says how much",
    caption=(
        "Turns of users and wizards, their words (what white space divides), and their dialogue "
        "acts."
    ),
    columns=(
        FigureColumn("author", "author"),
        FigureColumn("turns", "turns"),
        FigureColumn("words", "words of a turn", "", 2),
        FigureColumn("acts", "acts of a turn", "", 2),
        FigureColumn("silent", "turns without an act", "%", 2),
    ),
    query="""
        WITH talk AS (
            SELECT dialogue_id, event, speaker,
                   len(regexp_extract_all(text, '\\S+')) AS words
            FROM events WHERE corpus = $corpus AND kind = 'utterance'
        ), done AS (
            SELECT dialogue_id, event, count(DISTINCT act_index) AS acts
            FROM acts WHERE corpus = $corpus AND layer = 'acts' GROUP BY ALL
        )
        SELECT speaker AS author, count(*) AS turns, avg(words) AS words,
               sum(coalesce(acts, 0)) / count(*) AS acts,
               100.0 * count(*) FILTER (acts IS NULL) / count(*) AS silent
        FROM talk LEFT JOIN done USING (dialogue_id, event) GROUP BY ALL ORDER BY author
    """,
    chart=Chart(x="author", y=("turns", "words", "acts")),
    link="speaker:{author} kind:utterance",
)

FOLDS = Figure(
    name="folds",
    title="Folds of the frame tracking task",
    caption=(
        "The authors' ten folds, each all dialogues of one user or two; users of none of them are "
        "left out."
    ),
    columns=(
        FigureColumn("split", "fold"),
        FigureColumn("users", "users"),
        FigureColumn("dialogues", "dialogues"),
        FigureColumn("turns", "turns"),
        FigureColumn("length", "turns of a dialogue", "", 2),
        FigureColumn("share", "share of dialogues", "%", 1),
    ),
    query="""
        SELECT split, count(DISTINCT agent_id) AS users, count(*) AS dialogues,
               sum(n_utterances) AS turns, avg(n_utterances) AS length,
               100.0 * count(*) / sum(count(*)) OVER () AS share
        FROM dialogues JOIN speakers USING (corpus, dialogue_id)
        WHERE corpus = $corpus AND role = 'user' AND split IS NOT NULL
        GROUP BY split ORDER BY length(split), split
    """,
    chart=Chart(x="split", y=("dialogues", "turns")),
    link="split:{split}",
)

DIALOGUES_FIGURES = (LENGTHS, DURATIONS, AUTHORS, FOLDS)
