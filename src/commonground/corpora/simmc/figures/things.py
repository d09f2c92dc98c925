"""Things of SIMMC 1: what is known of them, and how many are in view."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

from commonground.corpora.simmc.reprs import parse_literal
from commonground.figure import Chart, Data, Figure, FigureColumn, Row

_ONLY = ("simmc",)


def _compute_attributes(data: Data) -> list[Row]:
    items: dict[tuple[str, str], int] = defaultdict(int)
    values: dict[tuple[str, str], set[str]] = defaultdict(set)
    for object_id, attributes in data.rows(
        """
        SELECT object_id, attributes FROM objects
        WHERE corpus = $corpus AND kind = 'item' AND attributes IS NOT NULL
        """
    ):
        domain = object_id.partition("/")[0].partition("-")[0]
        for name, value in json.loads(attributes).items():
            words = _words(value) if name != "url" else []
            if words:
                items[domain, name] += 1
                values[domain, name].update(words)
    order = sorted(items, key=lambda key: (key[0], -items[key], key[1]))
    return [
        [name, domain, items[domain, name], len(values[domain, name])] for domain, name in order
    ]


def _words(value: Any) -> list[str]:
    """Returns what an attribute says, each as text; an empty list says nothing."""
    if isinstance(value, str) and value.startswith("["):
        # Many lists were released as their Python text; some of them cannot be read.
        value = parse_literal(value) or value
    listed = value if isinstance(value, list) else [value]
    return [str(each) for each in listed if each not in ("", None)]


ATTRIBUTES = Figure(
    name="attributes",
    title="What is known of things",
    caption=(
        "Things of the catalogues and of scenes by the attributes that are filled, and how many "
        "different values each attribute has; addresses of pictures are left out."
    ),
    columns=(
        FigureColumn("attribute", "attribute"),
        FigureColumn("domain", "domain"),
        FigureColumn("items", "things with it"),
        FigureColumn("values", "different values"),
    ),
    compute=_compute_attributes,
    chart=Chart(x="attribute", y=("items",), color="domain"),
    corpora=_ONLY,
)

IN_VIEW = Figure(
    name="in-view",
    title="Things in view",
    caption="Turns with words, by how many things the user has before them.",
    columns=(
        FigureColumn("things", "things in view"),
        FigureColumn("domain", "domain"),
        FigureColumn("turns", "turns"),
        FigureColumn("share", "share of the domain's turns", "%", 2),
    ),
    query="""
        WITH said AS (
            SELECT dialogue_id, event, domain
            FROM events JOIN dialogues USING (corpus, dialogue_id)
            WHERE corpus = $corpus AND kind = 'utterance' AND speaker = 'user'
        ), shown AS (
            SELECT dialogue_id, event, count(*) AS things FROM displays
            WHERE corpus = $corpus GROUP BY ALL
        ), counts AS (
            SELECT coalesce(things, 0) AS things, domain, count(*) AS turns
            FROM said LEFT JOIN shown USING (dialogue_id, event) GROUP BY ALL
        )
        SELECT things, domain, turns,
               100.0 * turns / sum(turns) OVER (PARTITION BY domain) AS share
        FROM counts ORDER BY things, domain
    """,
    chart=Chart(x="things", y=("share",), color="domain"),
    corpora=_ONLY,
)

THINGS_FIGURES = (ATTRIBUTES, IN_VIEW)
