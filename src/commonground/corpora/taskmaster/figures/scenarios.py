"""The scenarios of Taskmaster 3 and 4, and whether their instructions were released."""

from __future__ import annotations

from commonground.figure import Chart, Figure, FigureColumn

_WITH_SCENARIOS = ("taskmaster3", "taskmaster4")

SCENARIOS = Figure(
    name="scenarios",
    wording=True,
    title="Scenarios",
    caption=(
        "Dialogues by the title of their instructions, the share of them with the instructions "
        "themselves, and how many different texts these are."
    ),
    columns=(
        FigureColumn("scenario", "scenario"),
        FigureColumn("dialogues", "dialogues"),
        FigureColumn("covered", "with instructions", "%", 1),
        FigureColumn("texts", "texts of instructions"),
        FigureColumn("length", "utterances of a dialogue", "", 2),
    ),
    query="""
        SELECT attributes ->> 'scenario' AS scenario, count(*) AS dialogues,
               100.0 * count(attributes ->> 'instructions') / count(*) AS covered,
               count(DISTINCT attributes ->> 'instructions') AS texts,
               avg(n_utterances) AS length
        FROM dialogues WHERE corpus = $corpus GROUP BY ALL ORDER BY dialogues DESC, scenario
    """,
    chart=Chart(x="scenario", y=("dialogues",)),
    corpora=_WITH_SCENARIOS,
)

COVERAGE = Figure(
    name="instructions",
    title="Instructions",
    caption="Dialogues and scenarios by whether the instructions to the writers were released.",
    columns=(
        FigureColumn("instructions", "instructions"),
        FigureColumn("dialogues", "dialogues"),
        FigureColumn("share", "share of dialogues", "%", 2),
        FigureColumn("scenarios", "scenarios"),
    ),
    query="""
        SELECT CASE WHEN attributes ->> 'instructions' IS NULL THEN 'absent'
                    ELSE 'released' END AS instructions,
               count(*) AS dialogues,
               100.0 * count(*) / sum(count(*)) OVER () AS share,
               count(DISTINCT attributes ->> 'scenario') AS scenarios
        FROM dialogues WHERE corpus = $corpus GROUP BY ALL ORDER BY instructions DESC
    """,
    chart=Chart(x="instructions", y=("dialogues", "scenarios")),
    corpora=_WITH_SCENARIOS,
)

SCENARIOS_FIGURES = (SCENARIOS, COVERAGE)
