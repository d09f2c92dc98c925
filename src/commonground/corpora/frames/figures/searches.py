"""Searches of the wizards, what they find, and what of it is offered."""

from __future__ import annotations

from commonground.figure import Behind, Chart, Figure, FigureColumn

_SEARCHES = """
    SELECT n_events - n_utterances AS searches, dialogue_id FROM dialogues WHERE corpus = $corpus
"""
_FOUND = """
    SELECT CAST(coalesce(json_array_length(result), 0) AS INTEGER) AS packages, dialogue_id
    FROM events WHERE corpus = $corpus AND name = 'search'
"""
_ASKED = """
    SELECT unnest(json_keys(arguments)) AS field, dialogue_id
    FROM events WHERE corpus = $corpus AND name = 'search'
"""
_MATCHED = """
    SELECT label AS act, dialogue_id FROM groundings
    WHERE corpus = $corpus AND relation = 'offered'
"""

SEARCHES = Figure(
    name="searches",
    title="Searches of a dialogue",
    caption="Dialogues by the number of searches of the wizard.",
    columns=(
        FigureColumn("searches", "searches of a dialogue"),
        FigureColumn("dialogues", "dialogues"),
    ),
    query=f"""
        SELECT searches, count(*) AS dialogues FROM ({_SEARCHES}) GROUP BY ALL ORDER BY searches
    """,
    chart=Chart(kind="histogram", x="searches", y=("dialogues",), step=1),
    behind=Behind(keys=("searches",), query=_SEARCHES),
)

RESULTS = Figure(
    name="results",
    title="Packages that a search finds",
    caption="Searches by the number of packages found; ten are the most that are shown.",
    columns=(
        FigureColumn("packages", "packages found"),
        FigureColumn("searches", "searches"),
        FigureColumn("share", "share of searches", "%", 2),
    ),
    query=f"""
        SELECT packages, count(*) AS searches,
               100.0 * count(*) / sum(count(*)) OVER () AS share
        FROM ({_FOUND}) GROUP BY ALL ORDER BY packages
    """,
    chart=Chart(kind="histogram", x="packages", y=("searches",), step=1),
    behind=Behind(keys=("packages",), query=_FOUND),
)

CONSTRAINTS = Figure(
    name="constraints",
    title="What searches ask for",
    caption="Searches that give each field of the search form.",
    columns=(
        FigureColumn("field", "field"),
        FigureColumn("searches", "searches"),
        FigureColumn("share", "share of searches", "%", 2),
    ),
    query=f"""
        SELECT field, count(*) AS searches,
               100.0 * count(*) / (SELECT count(*) FROM events
                                   WHERE corpus = $corpus AND name = 'search') AS share
        FROM ({_ASKED}) GROUP BY ALL ORDER BY searches DESC, field
    """,
    chart=Chart(x="field", y=("share",)),
    behind=Behind(keys=("field",), query=f"SELECT DISTINCT * FROM ({_ASKED})"),
)

OFFERS = Figure(
    name="offers",
    title="Offers with a package",
    caption=(
        "Acts that make a frame (offers, and some suggestions), and those of them whose slots fit "
        "exactly one package that was found before."
    ),
    columns=(
        FigureColumn("act", "act"),
        FigureColumn("acts", "acts that make a frame"),
        FigureColumn("matched", "with one package"),
        FigureColumn("share", "share", "%", 2),
    ),
    query=f"""
        WITH made AS (
            SELECT act, count(*) AS acts FROM acts
            WHERE corpus = $corpus AND layer = 'acts' AND relation = 'id' GROUP BY ALL
        ), matched AS (
            SELECT act, count(*) AS matched FROM ({_MATCHED}) GROUP BY ALL
        )
        SELECT act, acts, coalesce(matched, 0) AS matched,
               100.0 * coalesce(matched, 0) / acts AS share
        FROM made LEFT JOIN matched USING (act) ORDER BY acts DESC, act
    """,
    chart=Chart(x="act", y=("share",)),
    behind=Behind(keys=("act",), query=_MATCHED),
)

SEARCHES_FIGURES = (SEARCHES, RESULTS, CONSTRAINTS, OFFERS)
