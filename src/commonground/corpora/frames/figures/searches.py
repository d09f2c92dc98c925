"""Searches of the wizards, what they find, and what of it is offered."""

from __future__ import annotations

from commonground.figure import Chart, Figure, FigureColumn

SEARCHES = Figure(
    name="searches",
    title="Searches of a dialogue",
    caption="Dialogues by the number of searches of the wizard.",
    columns=(
        FigureColumn("searches", "searches of a dialogue"),
        FigureColumn("dialogues", "dialogues"),
    ),
    query="""
        SELECT n_events - n_utterances AS searches, count(*) AS dialogues
        FROM dialogues WHERE corpus = $corpus GROUP BY ALL ORDER BY searches
    """,
    chart=Chart(kind="histogram", x="searches", y=("dialogues",), step=1),
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
    query="""
        SELECT CAST(coalesce(json_array_length(result), 0) AS INTEGER) AS packages,
               count(*) AS searches, 100.0 * count(*) / sum(count(*)) OVER () AS share
        FROM events WHERE corpus = $corpus AND name = 'search' GROUP BY ALL ORDER BY packages
    """,
    chart=Chart(kind="histogram", x="packages", y=("searches",), step=1),
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
    query="""
        WITH asked AS (
            SELECT arguments FROM events WHERE corpus = $corpus AND name = 'search'
        )
        SELECT field, count(*) AS searches,
               100.0 * count(*) / (SELECT count(*) FROM asked) AS share
        FROM (SELECT unnest(json_keys(arguments)) AS field FROM asked)
        GROUP BY ALL ORDER BY searches DESC, field
    """,
    chart=Chart(x="field", y=("share",)),
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
    query="""
        WITH made AS (
            SELECT act, count(*) AS acts FROM acts
            WHERE corpus = $corpus AND layer = 'acts' AND relation = 'id' GROUP BY ALL
        ), matched AS (
            SELECT label AS act, count(*) AS matched FROM groundings
            WHERE corpus = $corpus AND relation = 'offered' GROUP BY ALL
        )
        SELECT act, acts, coalesce(matched, 0) AS matched,
               100.0 * coalesce(matched, 0) / acts AS share
        FROM made LEFT JOIN matched USING (act) ORDER BY acts DESC, act
    """,
    chart=Chart(x="act", y=("share",)),
    link="act:{act}",
)

SEARCHES_FIGURES = (SEARCHES, RESULTS, CONSTRAINTS, OFFERS)
