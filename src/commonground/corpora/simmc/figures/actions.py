"""What the assistant of SIMMC 1 asks for in its actions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from commonground.figure import Data, Row


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


def compute_arguments(data: Data) -> list[Row]:
    """Counts actions by the words among their arguments, the forty most frequent."""
    counts = Counter(each[:3] for each in data.share(_list_arguments))
    # Equal counts by name: the order of rows must not depend on that of the files.
    ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return [[f"{value} ({name})", action, times] for (action, name, value), times in ordered[:40]]


def find_arguments(data: Data) -> list[Row]:
    """Gives the dialogues of each word and action."""
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
