"""Where the published numbers of MPChat stand."""

from __future__ import annotations

from commonground.corpora.mpchat.native import CANDIDATES
from commonground.figure import PublishedValue

DATASET = "ahnjaewoo/MPCHAT@e003477 DATASET.md"

_WHY = "Rankings or elements were released that the description does not fit."
_MOST_PERSONAS = {"nrp": 5, "gpp": 4, "si": 5}


def published_candidates() -> tuple[PublishedValue, ...]:
    """Returns the published number of options, for a figure of columns task, fewest and most."""
    return tuple(
        PublishedValue(
            name=f"candidates of {task}, {column}",
            column=column,
            row={"task": task},
            value=CANDIDATES,
            source=DATASET,
            why=_WHY,
        )
        for task in _MOST_PERSONAS
        for column in ("fewest", "most")
    )


def published_elements() -> tuple[PublishedValue, ...]:
    """Returns the greatest number of elements a task gives, for columns task and most."""
    return tuple(
        PublishedValue(
            name=f"candidate elements of {task}, at most",
            column="most",
            row={"task": task},
            value=most,
            source=DATASET,
            why=_WHY,
        )
        for task, most in _MOST_PERSONAS.items()
    )
