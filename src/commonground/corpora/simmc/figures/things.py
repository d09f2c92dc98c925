"""Things of SIMMC 1: what is known of them, and how many are in view."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import msgspec

from commonground.corpora.simmc.reprs import parse_literal
from commonground.figure import Behind, Chart, Data, Figure, FigureColumn, Row

_ONLY = ("simmc",)


class _Known(msgspec.Struct, frozen=True, gc=False):
    """An attribute of a thing, and all it says."""

    thing: str
    domain: str
    name: str
    words: Sequence[str]


def _list_attributes(data: Data) -> list[_Known]:
    found = []
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
                found.append(_Known(object_id, domain, name, words))
    return found


def _compute_attributes(data: Data) -> list[Row]:
    items: dict[tuple[str, str], int] = defaultdict(int)
    values: dict[tuple[str, str], set[str]] = defaultdict(set)
    for known in data.share(_list_attributes):
        items[known.domain, known.name] += 1
        values[known.domain, known.name].update(known.words)
    order = sorted(items, key=lambda key: (key[0], -items[key], key[1]))
    return [
        [name, domain, items[domain, name], len(values[domain, name])] for domain, name in order
    ]


def _list_behind_attributes(data: Data) -> list[Row]:
    """Returns the dialogues that show a thing with the attribute."""
    displays = data.rows(
        """
        SELECT object_id, list(DISTINCT dialogue_id) FROM displays
        WHERE corpus = $corpus GROUP BY object_id
        """
    )
    shown: dict[str, list[str]] = {row[0]: row[1] for row in displays}
    dialogues: dict[tuple[str, str], set[str]] = defaultdict(set)
    for known in data.share(_list_attributes):
        dialogues[known.name, known.domain].update(shown.get(known.thing, ()))
    return [[*key, dialogue] for key, found in dialogues.items() for dialogue in found]


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
        "different values each attribute has; addresses of pictures are left out. Links find the "
        "dialogues that show such a thing."
    ),
    columns=(
        FigureColumn("attribute", "attribute"),
        FigureColumn("domain", "domain"),
        FigureColumn("items", "things with it"),
        FigureColumn("values", "different values"),
    ),
    compute=_compute_attributes,
    chart=Chart(x="attribute", y=("items",), color="domain"),
    behind=Behind(keys=("attribute", "domain"), compute=_list_behind_attributes, partial=True),
    corpora=_ONLY,
)

_IN_VIEW = """
    WITH said AS (
        SELECT dialogue_id, event, domain
        FROM events JOIN dialogues USING (corpus, dialogue_id)
        WHERE corpus = $corpus AND kind = 'utterance' AND speaker = 'user'
    ), shown AS (
        SELECT dialogue_id, event, count(*) AS things FROM displays
        WHERE corpus = $corpus GROUP BY ALL
    )
    SELECT coalesce(things, 0) AS things, domain, dialogue_id
    FROM said LEFT JOIN shown USING (dialogue_id, event)
"""

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
    query=f"""
        WITH counts AS (
            SELECT things, domain, count(*) AS turns FROM ({_IN_VIEW}) GROUP BY ALL
        )
        SELECT things, domain, turns,
               100.0 * turns / sum(turns) OVER (PARTITION BY domain) AS share
        FROM counts ORDER BY things, domain
    """,
    chart=Chart(x="things", y=("share",), color="domain"),
    behind=Behind(keys=("things", "domain"), query=_IN_VIEW),
    corpora=_ONLY,
)

THINGS_FIGURES = (ATTRIBUTES, IN_VIEW)
