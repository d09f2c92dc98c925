"""What a dialogue's page needs of its corpus: its place in a list, and its released records."""

from __future__ import annotations

import numpy as np

from commonground.errors import UsageError
from commonground.site.library import Shelf
from commonground.site.pages.dialogue import NativeRecord, Neighbours


def find_neighbours(shelf: Shelf, ordinal: int, query: str = "", sort: str = "") -> Neighbours:
    """Returns the place of a dialogue in the list that a query gives.

    A query or an order that is wrong is left out: the dialogue is there all the same.
    """
    try:
        ordinals = shelf.select(query, sort).ordinals
    except UsageError:
        query, sort, ordinals = "", "", shelf.select("").ordinals
    found = np.flatnonzero(ordinals == ordinal)
    if not len(found):
        return Neighbours(query=query, sort=sort, total=len(ordinals))
    place = int(found[0])
    ids = shelf.open().blocks.ids
    return Neighbours(
        query=query,
        sort=sort,
        position=place + 1,
        total=len(ordinals),
        previous=ids[ordinals[place - 1]] if place else None,
        next=ids[ordinals[place + 1]] if place + 1 < len(ordinals) else None,
    )


def list_native(shelf: Shelf, ordinal: int) -> list[NativeRecord]:
    """Returns the released records of a dialogue."""
    columns = shelf.open().blocks.rows("native", ordinal)
    names = NativeRecord.__struct_fields__
    rows = zip(*(columns[name] for name in names), strict=True)
    return [NativeRecord(**dict(zip(names, row, strict=True))) for row in rows]
