"""The pictures of a dialogue in a list: a few of those that were shown or pointed at in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from commonground.model import Object
from commonground.store.index import CorpusIndex
from commonground.store.index.postings import Numbers

MOST = 4
"""Pictures of one dialogue in a list."""

_NONE: Numbers = np.zeros(0, dtype=np.int64)

_LOOKED_AT = 64
"""Objects that tell whether those of a corpus can be drawn."""


class Thumbnails:
    """Which objects with a picture each dialogue has.

    Where a corpus released no pictures, they are those that can be drawn.
    """

    def __init__(self, index: CorpusIndex, is_drawn: Callable[[Object], bool]) -> None:
        self._blocks = index.blocks
        self._is_drawn = is_drawn
        ids = enumerate(zip(index.blocks.object_ids, index.blocks.object_uris, strict=True))
        pictured = {object_id: row for row, (object_id, uri) in ids if uri}
        if not pictured and any(map(is_drawn, _sample(index))):
            pictured = {object_id: row for row, object_id in enumerate(index.blocks.object_ids)}
        dialogues, rows = _pairs(index, pictured) if pictured else (_NONE, _NONE)
        # By dialogue, and within one in the order of the objects.
        order = np.lexsort((np.arange(len(rows)), dialogues))
        self._rows = rows[order]
        self._starts = np.searchsorted(
            dialogues[order], np.arange(len(index.postings.event_starts))
        )

    def __bool__(self) -> bool:
        return bool(len(self._rows))

    def choose(self, ordinals: Sequence[int]) -> list[list[Object]]:
        """Returns some objects of each dialogue to be shown, at most :data:`MOST`."""
        rows = [self._choose(each) for each in ordinals]
        wanted = sorted({row for each in rows for row in each})
        # All at once: to read one object costs as much as to read a hundred.
        found = dict(zip(wanted, self._blocks.object_rows(wanted), strict=True))
        shown = {row for row, each in found.items() if each.uri or self._is_drawn(each)}
        return [[found[row] for row in each if row in shown] for each in rows]

    def _choose(self, ordinal: int) -> list[int]:
        first, last = int(self._starts[ordinal]), int(self._starts[ordinal + 1])
        count = last - first
        # Spread over all: those beside each other were often shown together.
        places = {first + number * count // MOST for number in range(MOST)} if count else set()
        return [int(self._rows[place]) for place in sorted(places)]


def _sample(index: CorpusIndex) -> list[Object]:
    """Returns some objects from all over a corpus, as the first may not be described."""
    step = max(1, len(index.blocks.object_ids) // _LOOKED_AT)
    return index.blocks.object_rows(range(0, len(index.blocks.object_ids), step))


def _pairs(index: CorpusIndex, pictured: dict[str, int]) -> tuple[Numbers, Numbers]:
    """Pairs dialogues with rows of objects: what was shown, or else what was pointed at."""
    for name in ("shown", "object"):
        field = index.postings.fields.get(name)
        lists: Sequence[tuple[int, Numbers]] = [
            (pictured[value], field.numbers(code))
            for code, value in enumerate(field.values if field else ())
            if field is not None and value in pictured
        ]
        if not lists or field is None:
            continue
        numbers = np.concatenate([each for _, each in lists])
        rows = np.repeat([row for row, _ in lists], [len(each) for _, each in lists])
        dialogues = index.postings.dialogues_of(numbers, field.level)
        both = np.unique(np.stack([dialogues, rows]), axis=1)
        return both[0], both[1]
    return _NONE, _NONE
