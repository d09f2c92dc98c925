"""What the README of the data says of the files, beside the dialogues of each split."""

from __future__ import annotations

from commonground.corpora.simmc.figures.published import README
from commonground.figure import Figure, FigureColumn, PublishedValue, published_measure

_QUERY = """
    WITH shares AS (
        SELECT domain, split, count(*) AS dialogues,
               100.0 * count(*) / sum(count(*)) OVER (PARTITION BY domain) AS share
        FROM dialogues WHERE corpus = $corpus AND split IS NOT NULL GROUP BY domain, split
    ), files AS (
        SELECT CAST(json ->> 'version' AS DOUBLE) AS version,
               CAST(json ->> 'year' AS DOUBLE) AS year
        FROM native WHERE corpus = $corpus AND format = 'dials' AND source_path = '$'
    ), graphs AS (
        SELECT DISTINCT unnest(regexp_extract_all(json, '"(state_graph_\\d+)"', 1)) AS graph
        FROM native WHERE corpus = $corpus AND format = 'dials'
    )
    SELECT 'share of ' || domain || ' ' || split AS measure, share AS number, '%' AS unit
    FROM shares
    UNION ALL SELECT 'domains', count(DISTINCT domain), '' FROM shares
    UNION ALL SELECT 'version, least', min(version), '' FROM files
    UNION ALL SELECT 'version, greatest', max(version), '' FROM files
    UNION ALL SELECT 'year, least', min(year), '' FROM files
    UNION ALL SELECT 'year, greatest', max(year), '' FROM files
    UNION ALL SELECT 'state graphs of a turn', nullif(count(*), 0), '' FROM graphs
    ORDER BY measure
"""

_SHARES = {"train": 60, "dev": 10, "devtest": 15, "teststd": 15}


def _share(domain: str, split: str, value: float) -> PublishedValue:
    measure = f"share of {domain} {split}"
    return published_measure(measure, measure, value, README, unit="%", tolerance=0.5)


def _say(name: str, measure: str, value: float) -> PublishedValue:
    why = "No file at hand says it."
    return published_measure(name, measure, value, _FORMAT, why=why)


_FORMAT = README.replace("dataset splits", "data format")

DOCUMENTED = Figure(
    name="documented",
    title="What the README says of the files",
    caption=(
        "Shares of the splits in a domain's dialogues, and what files of dialogues say of "
        "themselves; state graphs are in files with all annotations only."
    ),
    columns=(
        FigureColumn("measure", "what"),
        FigureColumn("number", "number"),
        FigureColumn("unit", "unit"),
    ),
    query=_QUERY,
    published=(
        *(_share(d, s, n) for d in ("furniture", "fashion") for s, n in _SHARES.items()),
        _say("domains", "domains", 2),
        _say("version of the files", "version, greatest", 1.0),
        _say("year of the files", "year, greatest", 2020),
        _say("state graphs of a turn", "state graphs of a turn", 3),
    ),
    corpora=("simmc",),
)
