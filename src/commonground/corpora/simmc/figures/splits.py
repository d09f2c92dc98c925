"""How many dialogues and turns each split has, and how long dialogues are."""

from __future__ import annotations

from commonground.corpora.simmc.figures.published import published_splits, published_splits_2
from commonground.figure import Behind, Chart, Figure, FigureColumn

_COLUMNS = (
    FigureColumn("domain", "domain"),
    FigureColumn("split", "split"),
    FigureColumn("dialogues", "dialogues"),
    FigureColumn("turns", "turns"),
    FigureColumn("length", "turns of a dialogue", "", 2),
    FigureColumn("spoken", "dialogues with words"),
    FigureColumn("utterances", "utterances"),
)
_QUERY = """
    WITH lengths AS (
        SELECT domain, split, dialogue_id, n_utterances, count(DISTINCT turn) AS turns
        FROM dialogues JOIN events USING (corpus, dialogue_id)
        WHERE corpus = $corpus GROUP BY ALL
    ), counts AS (
        SELECT domain, split, count(*) AS dialogues, sum(turns) AS turns, avg(turns) AS length,
               count(*) FILTER (n_utterances > 0) AS spoken, sum(n_utterances) AS utterances
        FROM lengths GROUP BY ALL
    )
    SELECT * FROM counts
    ORDER BY domain, list_position(['train', 'dev', 'devtest', 'teststd', 'mini'], split)
"""

SPLITS = Figure(
    name="splits",
    title="Dialogues and turns of each split",
    caption=(
        "Dialogues and turns by domain and split; of dialogues without words only the actions "
        "were imported."
    ),
    columns=_COLUMNS,
    query=_QUERY,
    chart=Chart(x="split", y=("dialogues", "turns"), color="domain"),
    link="domain:{domain} split:{split}",
    published=tuple(published_splits(["train", "dev", "devtest", "teststd"])),
    corpora=("simmc",),
)

SPLITS_2 = Figure(
    name="splits",
    title="Dialogues and turns of each split",
    caption="Dialogues and turns by domain and split.",
    columns=_COLUMNS,
    query=_QUERY,
    chart=Chart(x="split", y=("dialogues", "turns"), color="domain"),
    link="domain:{domain} split:{split}",
    published=tuple(published_splits_2()),
    corpora=("simmc2",),
)

_LENGTHS = """
    SELECT count(DISTINCT turn) AS turns, domain, dialogue_id
    FROM dialogues JOIN events USING (corpus, dialogue_id)
    WHERE corpus = $corpus GROUP BY ALL
"""

ROUNDS = Figure(
    name="rounds",
    title="Turns of a dialogue",
    caption=(
        "Dialogues by their number of turns (rounds): what the user says, and what the assistant "
        "does and answers; public copies of test dialogues end before their last turns."
    ),
    columns=(
        FigureColumn("turns", "turns of a dialogue"),
        FigureColumn("domain", "domain"),
        FigureColumn("dialogues", "dialogues"),
        FigureColumn("share", "share of the domain's dialogues", "%", 2),
    ),
    query=f"""
        WITH counts AS (
            SELECT turns, domain, count(*) AS dialogues FROM ({_LENGTHS}) GROUP BY ALL
        )
        SELECT turns, domain, dialogues,
               100.0 * dialogues / sum(dialogues) OVER (PARTITION BY domain) AS share
        FROM counts ORDER BY turns, domain
    """,
    chart=Chart(x="turns", y=("share",), color="domain"),
    behind=Behind(keys=("turns", "domain"), query=_LENGTHS),
)

SPLITS_FIGURES = (SPLITS, SPLITS_2, ROUNDS)
