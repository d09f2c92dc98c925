"""Keeps a task to some dialogues: those of a fold, or those held out."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from commonground.store.corpus import Part
from commonground.task import Gold, Instance, Scored, Task


def narrow_gold(gold: Gold) -> Gold:
    """Returns a gold source whose corpus shows the dialogues to keep and no others."""
    if gold.dialogues is None or gold.corpus is None:
        return gold
    return msgspec.structs.replace(gold, corpus=Part(gold.corpus, gold.dialogues))


def list_instances(task: Task, gold: Gold) -> Iterator[Instance]:
    """Yields the instances of the dialogues to keep.

    Raises:
        TaskError: there is nothing to take them from.
    """
    for each in task.instances(narrow_gold(gold)):
        # Looked at again, for instances of released files, which no part of a corpus narrows.
        if gold.dialogues is None or each.dialogue_id in gold.dialogues:
            yield each


def keep_scored(scored: list[Scored], gold: Gold) -> list[Scored]:
    """Returns the scored instances of the dialogues to keep.

    Released files, and lines that stand for no dialogue of the store, are only narrowed here.
    """
    if gold.dialogues is None:
        return scored
    return [each for each in scored if each.dialogue_id in gold.dialogues]
