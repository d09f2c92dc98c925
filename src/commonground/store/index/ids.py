"""The ids of dialogues by number, and their numbers by id.

Both are read from files when they are asked for: a million ids as Python texts would take more
memory than all else that is open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, overload
from zlib import crc32

import numpy as np

from commonground.store.index.arrays import map_array
from commonground.store.index.batches import BatchFile
from commonground.store.index.postings import Numbers


def write_ids(folder: Path, ids: Iterable[str]) -> None:
    """Writes what finds the ids of a part of an index, in order of their numbers.

    The ids themselves stand in its digest.
    """
    np.save(folder / "id_sums.npy", _sum(ids))


def join_ids(folders: Sequence[Path], target: Path) -> None:
    """Writes what finds the ids of an index from that of its parts, in the order given."""
    sums = np.concatenate([np.load(folder / "id_sums.npy") for folder in folders])
    order = np.argsort(sums, kind="stable").astype(np.int32)
    np.save(target / "id_order.npy", order)
    np.save(target / "id_sums.npy", sums[order])


def _sum(ids: Iterable[str]) -> Numbers:
    # Several ids may have one sum, so what is found is always compared.
    return np.fromiter(
        (crc32(each.encode("utf-8", "surrogatepass")) for each in ids), dtype=np.uint32
    )


class DialogueIds(Sequence[str]):
    """The ids of dialogues, in order of their numbers."""

    def __init__(self, folder: Path) -> None:
        file = BatchFile(folder / "cards.arrow", in_place=True)
        # The columns lie in the file; kept is where.
        self._columns = [file.read(each)["dialogue_id"] for each in range(len(file))]
        self._starts = file.row_starts
        self._sums = map_array(folder / "id_sums.npy")
        self._order = map_array(folder / "id_order.npy")

    def __len__(self) -> int:
        return len(self._order)

    def __iter__(self) -> Iterator[str]:
        for column in self._columns:
            yield from column.to_pylist()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __contains__(self, dialogue_id: object) -> bool:
        return isinstance(dialogue_id, str) and self.find(dialogue_id) is not None

    @overload
    def __getitem__(self, number: int) -> str: ...

    @overload
    def __getitem__(self, number: slice) -> list[str]: ...

    def __getitem__(self, number: int | slice) -> str | list[str]:
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        place = number + len(self) if number < 0 else number
        if not 0 <= place < len(self):
            raise IndexError(number)
        batch = int(np.searchsorted(self._starts, place, side="right")) - 1
        found: str = self._columns[batch][int(place - self._starts[batch])].as_py()
        return found

    def find(self, dialogue_id: str) -> int | None:
        """Returns the number of a dialogue; None where there is none of that id."""
        found: list[int] = self.find_all([dialogue_id]).tolist()
        return found[0] if found else None

    def find_all(self, dialogue_ids: Sequence[str]) -> Numbers:
        """Returns the numbers of those dialogues that are there, in the order of their ids."""
        sums = _sum(dialogue_ids)
        firsts = np.searchsorted(self._sums, sums)
        lasts = np.searchsorted(self._sums, sums, side="right")
        found: list[Any] = []
        for wanted, first, last in zip(dialogue_ids, firsts.tolist(), lasts.tolist(), strict=True):
            numbers = self._order[first:last].tolist()
            found += [each for each in numbers if self[each] == wanted]
        return np.array(found, dtype=np.int64)
