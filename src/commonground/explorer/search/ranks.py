"""Orders of dialogues by what is no quantity of theirs: id, split, domain, findings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from commonground.printing import sort_naturally
from commonground.store.index import CorpusIndex
from commonground.store.index.postings import Numbers

ID, FINDINGS = "id", "findings"
_NAMED = ("split", "domain")


def list_ranks(index: CorpusIndex) -> list[str]:
    """Lists what the dialogues of a corpus can be put in order by, beside their numbers."""
    fields = index.postings.fields
    # What is the same for all puts nothing in order.
    named = [each for each in _NAMED if each in fields and len(fields[each].values) > 1]
    found = [FINDINGS] if FINDINGS[:-1] in fields and fields[FINDINGS[:-1]].values else []
    return [ID, *named, *found]


def rank_dialogues(index: CorpusIndex, name: str) -> Numbers:
    """Returns a number for each dialogue, by which they are in order; NaN where one has none.

    Args:
        name: one of those that :func:`list_ranks` gives.
    """
    if name == ID:
        return _places(index.blocks.ids)
    if name == FINDINGS:
        return index.digest.findings().astype(np.float64)
    field = index.postings.fields[name]
    ranks = np.full(len(index.blocks.ids), np.nan)
    for code, place in enumerate(_places(field.values)):
        ranks[field.numbers(code)] = place
    return ranks


def _places(names: Sequence[str]) -> Numbers:
    """Returns the place of each name among all, numbers in them taken by their value."""
    places = {name: place for place, name in enumerate(sort_naturally(names))}
    return np.array([places[each] for each in names], dtype=np.float64)
