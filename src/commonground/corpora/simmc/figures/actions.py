"""What the assistant of SIMMC 1 does, and the candidate answers it is given."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from commonground.figure import Behind, Chart, Data, Figure, FigureColumn, Row

_ONLY = ("simmc",)

ACTIONS = Figure(
    name="actions",
    title="Actions of the assistant",
    caption="Turns by domain and by the action of the assistant; None is no action.",
    columns=(
        FigureColumn("action", "action"),
        FigureColumn("domain", "domain"),
        FigureColumn("turns", "turns"),
        FigureColumn("share", "share of the domain's turns", "%", 2),
    ),
    query="""
        WITH counts AS (
            SELECT name AS action, domain, count(*) AS turns
            FROM events JOIN dialogues USING (corpus, dialogue_id)
            WHERE corpus = $corpus AND kind = 'action' GROUP BY ALL
        )
        SELECT action, domain, turns,
               100.0 * turns / sum(turns) OVER (PARTITION BY domain) AS share
        FROM counts ORDER BY sum(turns) OVER (PARTITION BY action) DESC, action, domain
    """,
    chart=Chart(x="action", y=("turns",), color="domain"),
    link="domain:{domain} action:{action}",
    corpora=_ONLY,
)


def _list_arguments(data: Data) -> list[tuple[str, str, str, str]]:
    """Returns each word among the arguments of an action: action, argument, word, dialogue."""
    given = data.rows(
        """
        SELECT name, arguments, list(dialogue_id) FROM events
        WHERE corpus = $corpus AND kind = 'action' AND arguments IS NOT NULL GROUP BY ALL
        """
    )
    return [
        (action, name, value, dialogue)
        for action, arguments, dialogues in given
        for name, value in set(_plain_values(json.loads(arguments)))
        for dialogue in dialogues
    ]


def _compute_arguments(data: Data) -> list[Row]:
    counts = Counter(each[:3] for each in data.share(_list_arguments))
    ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return [[f"{value} ({name})", action, times] for (action, name, value), times in ordered[:40]]


def _list_behind_arguments(data: Data) -> list[Row]:
    return [
        [f"{value} ({name})", action, dialogue]
        for action, name, value, dialogue in data.share(_list_arguments)
    ]


def _plain_values(arguments: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Gives the words among the arguments, each with its argument; numbers name single items."""
    for name, value in arguments.items():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, str) and each and not each.isdigit():
                yield name, each


ARGUMENTS = Figure(
    name="action-attributes",
    title="What actions ask for",
    caption=(
        "Actions by each word among their arguments, such as an attribute that is looked up, the "
        "forty most frequent; the items they are about are left out."
    ),
    columns=(
        FigureColumn("value", "value (argument)"),
        FigureColumn("action", "action"),
        FigureColumn("times", "actions"),
    ),
    compute=_compute_arguments,
    chart=Chart(x="value", y=("times",), color="action"),
    behind=Behind(keys=("value", "action"), compute=_list_behind_arguments),
    corpora=_ONLY,
)

CANDIDATES = Figure(
    name="candidates",
    title="Candidate answers",
    caption="Turns with candidates for their answer, and how many each has.",
    columns=(
        FigureColumn("domain", "domain"),
        FigureColumn("split", "split"),
        FigureColumn("turns", "turns"),
        FigureColumn("options", "candidates of a turn", "", 2),
        FigureColumn("gold", "turns whose right one is known"),
    ),
    query="""
        WITH turns AS (
            SELECT dialogue_id, event, count(*) AS options, coalesce(bool_or(gold), false) AS known
            FROM candidates WHERE corpus = $corpus AND task = 'retrieval' GROUP BY ALL
        )
        SELECT domain, split, count(*) AS turns, avg(options) AS options,
               count(*) FILTER (known) AS gold
        FROM turns JOIN (SELECT dialogue_id, domain, split FROM dialogues
                         WHERE corpus = $corpus) USING (dialogue_id)
        GROUP BY ALL ORDER BY domain, split
    """,
    link="domain:{domain} split:{split}",
    corpora=_ONLY,
)

ACTIONS_FIGURES = (ACTIONS, ARGUMENTS, CANDIDATES)
