"""The scenarios of Taskmaster 3 and 4, and whether their instructions were released."""

from __future__ import annotations

from commonground.figure import Behind, Chart, Figure, FigureColumn

_WITH_SCENARIOS = ("taskmaster3", "taskmaster4")

_TOLD = """
    SELECT attributes ->> 'scenario' AS scenario, attributes ->> 'instructions' AS told,
           n_utterances, dialogue_id
    FROM dialogues WHERE corpus = $corpus
"""

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
    query=f"""
        SELECT scenario, count(*) AS dialogues,
               100.0 * count(told) / count(*) AS covered,
               count(DISTINCT told) AS texts,
               avg(n_utterances) AS length
        FROM ({_TOLD}) GROUP BY ALL ORDER BY dialogues DESC, scenario
    """,
    chart=Chart(x="scenario", y=("dialogues",)),
    behind=Behind(keys=("scenario",), query=f"SELECT scenario, dialogue_id FROM ({_TOLD})"),
    corpora=_WITH_SCENARIOS,
)

_COVERAGE = f"""
    SELECT CASE WHEN told IS NULL THEN 'absent' ELSE 'released' END AS instructions, scenario,
           dialogue_id
    FROM ({_TOLD})
"""

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
    query=f"""
        SELECT instructions, count(*) AS dialogues,
               100.0 * count(*) / sum(count(*)) OVER () AS share,
               count(DISTINCT scenario) AS scenarios
        FROM ({_COVERAGE}) GROUP BY ALL ORDER BY instructions DESC
    """,
    chart=Chart(x="instructions", y=("dialogues", "scenarios")),
    behind=Behind(
        keys=("instructions",), query=f"SELECT instructions, dialogue_id FROM ({_COVERAGE})"
    ),
    corpora=_WITH_SCENARIOS,
)

SCENARIOS_FIGURES = (SCENARIOS, COVERAGE)
