"""Where the turns of SIMMC stand in the store: numbers of their events."""

from __future__ import annotations

from typing import Literal

from commonground.corpora.simmc.tasks.inputs import name_instance
from commonground.task import Gold


def load_places(
    gold: Gold, kind: Literal["utterance", "action"], speaker: Literal["user", "assistant"]
) -> dict[str, int]:
    """Returns the number of each turn's event of a kind and speaker, by instance id.

    Empty where the right answers are not from a store; a turn whose event was not released (the
    words of a dialogue with API calls only) is not there.

    Raises:
        StoreError: the store is damaged.
    """
    if gold.files or gold.corpus is None:
        return {}
    rows = gold.corpus.rows(
        "SELECT dialogue_id, turn, min(event) FROM events "
        "WHERE corpus = ? AND kind = ? AND speaker = ? AND turn IS NOT NULL GROUP BY 1, 2",
        [gold.corpus.name, kind, speaker],
    )
    return {name_instance(dialogue, turn): event for dialogue, turn, event in rows}
