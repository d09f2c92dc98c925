"""Acts and slots that the dialogues at hand are annotated with, by who performs them."""

from __future__ import annotations

from commonground.figure import Behind, Chart, Figure, FigureColumn

_LAYERS = {
    "simmc": "'belief_state', 'system_belief_state'",
    "simmc2": "'transcript_annotated', 'system_transcript_annotated'",
}


def _annotated(corpus: str) -> str:
    """Returns SQL for the annotated acts, a row for each slot, with who performs them."""
    return f"""
        SELECT act, slot, speaker, dialogue_id, event, act_index
        FROM acts JOIN events USING (corpus, dialogue_id, event)
        WHERE corpus = $corpus AND layer IN ({_LAYERS[corpus]})
    """


def _behind(corpus: str, column: str) -> Behind:
    return Behind(
        keys=(column, "speaker"),
        query=f"SELECT DISTINCT {column}, speaker, dialogue_id FROM ({_annotated(corpus)})",
    )


def _acts(corpus: str) -> Figure:
    return Figure(
        name="acts",
        title="Annotated acts",
        caption="The most frequent acts that dialogues are annotated with, by speaker.",
        columns=(
            FigureColumn("act", "act"),
            FigureColumn("speaker", "speaker"),
            FigureColumn("acts", "acts"),
        ),
        query=f"""
            WITH counts AS (
                SELECT act, speaker, count(DISTINCT (dialogue_id, event, act_index)) AS acts
                FROM ({_annotated(corpus)})
                GROUP BY ALL ORDER BY acts DESC, act, speaker LIMIT 30
            )
            SELECT * FROM counts ORDER BY sum(acts) OVER (PARTITION BY act) DESC, act, speaker DESC
        """,
        chart=Chart(x="act", y=("acts",), color="speaker"),
        behind=_behind(corpus, "act"),
        corpora=(corpus,),
    )


def _slots(corpus: str) -> Figure:
    return Figure(
        name="slots",
        title="Annotated slots",
        caption="The most frequent slots of annotated acts, by speaker.",
        columns=(
            FigureColumn("slot", "slot"),
            FigureColumn("speaker", "speaker"),
            FigureColumn("slots", "slots"),
        ),
        query=f"""
            WITH counts AS (
                SELECT slot, speaker, count(*) AS slots
                FROM ({_annotated(corpus)}) WHERE slot IS NOT NULL
                GROUP BY ALL ORDER BY slots DESC, slot, speaker LIMIT 30
            )
            SELECT * FROM counts
            ORDER BY sum(slots) OVER (PARTITION BY slot) DESC, slot, speaker DESC
        """,
        chart=Chart(x="slot", y=("slots",), color="speaker"),
        behind=_behind(corpus, "slot"),
        corpora=(corpus,),
    )


LABELS_FIGURES = tuple(make(corpus) for corpus in _LAYERS for make in (_acts, _slots))
