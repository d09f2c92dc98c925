"""Which dialogues and events have a value: sorted numbers for each value of each field.

The files are plain NumPy arrays that are mapped, not read, so that a large corpus costs no more
memory than what is asked of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

Level = Literal["event", "dialogue"]
Numbers = np.ndarray[Any, np.dtype[Any]]


class FieldInfo(msgspec.Struct, frozen=True):
    """What stands in the listing of one field.

    Attributes:
        level: whether the numbers are of events or of dialogues.
        values: its values, in order of first appearance.
    """

    level: Level
    values: list[str]


class Listing(msgspec.Struct):
    """The fields of an index, by name, and the names of its quantities."""

    fields: dict[str, FieldInfo]
    quantities: list[str]


class _Gathered:
    """The numbers of each value of one field, as they come."""

    def __init__(self, level: Level) -> None:
        self.level: Level = level
        self.codes: dict[str, int] = {}
        self.numbers: list[list[Numbers]] = []

    def add(self, values: Any, numbers: Numbers) -> None:
        encoded = values.combine_chunks().dictionary_encode()
        given = ~np.asarray(encoded.indices.is_null())
        # A null has no index. Any number will do for it, since its row is dropped right away.
        indices = encoded.indices.fill_null(0).to_numpy(zero_copy_only=False)[given]
        # Value above number in 64 bits: one sort puts both in order and drops what is there twice.
        pairs = np.unique(indices.astype(np.int64) << 32 | numbers[given].astype(np.int64))
        bounds = np.searchsorted(pairs >> 32, np.arange(len(encoded.dictionary) + 1)).tolist()
        # The lower half of each pair, in the order of the upper.
        found = (pairs & 0xFFFFFFFF).astype(np.int32)
        for index, value in enumerate(encoded.dictionary.to_pylist()):
            code = self.codes.setdefault(value, len(self.codes))
            if code == len(self.numbers):
                self.numbers.append([])
            # A view would keep the whole piece in memory for a few numbers of it.
            self.numbers[code].append(found[bounds[index] : bounds[index + 1]].copy())


class PostingsWriter:
    """Gathers fields and writes them to a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._listing = Listing({}, [])
        self._gathered: dict[str, _Gathered] = {}

    def add(self, field: str, level: Level, values: Any, numbers: Numbers) -> None:
        """Adds rows of a field; may be called again for further ones.

        Args:
            field: its name in the query language.
            level: whether ``numbers`` are of events or of dialogues.
            values: Arrow chunked array of texts, one per row; null rows count for nothing.
            numbers: number of the event or dialogue of each row.
        """
        self._gathered.setdefault(field, _Gathered(level)).add(values, numbers)

    def flush(self) -> None:
        """Writes the fields that were gathered, which have all their rows now."""
        for field, gathered in self._gathered.items():
            lists = [np.unique(np.concatenate(each)) for each in gathered.numbers]
            # The lists of all values lie end to end in one file; the offsets say where each begins.
            whole = np.concatenate(lists) if lists else np.zeros(0, dtype=np.int32)
            offsets = np.cumsum([0, *map(len, lists)], dtype=np.int64)
            np.save(self._folder / f"{field}.numbers.npy", whole)
            np.save(self._folder / f"{field}.offsets.npy", offsets)
            self._listing.fields[field] = FieldInfo(gathered.level, list(gathered.codes))
        self._gathered.clear()

    def add_quantity(self, name: str, values: Numbers) -> None:
        """Adds a number of each dialogue; NaN where it has none."""
        np.save(self._folder / f"quantity-{len(self._listing.quantities)}.npy", values)
        self._listing.quantities.append(name)

    def close(self, event_starts: Numbers) -> None:
        """Writes the listing, and the number of the first event of each dialogue."""
        np.save(self._folder / "event_starts.npy", event_starts)
        (self._folder / "listing.json").write_bytes(msgspec.json.encode(self._listing))


class Field:
    """The postings of one field.

    Args:
        folder: of the index.
        name: of the field.
        info: what its listing says of it.

    Attributes:
        level: whether the numbers are of events or of dialogues.
        values: the values, in order of first appearance.
    """

    def __init__(self, folder: Path, name: str, info: FieldInfo) -> None:
        self.level = info.level
        self.values = info.values
        # Only the numbers are mapped: a search looks at those of a few values, but at any offset.
        self._numbers = np.load(folder / f"{name}.numbers.npy", mmap_mode="r")
        self._offsets = np.load(folder / f"{name}.offsets.npy")

    @cached_property
    def codes(self) -> Mapping[str, int]:
        """The number of each value."""
        return {value: code for code, value in enumerate(self.values)}

    def numbers(self, code: int) -> Numbers:
        """Returns the ascending numbers of the events or dialogues that have a value."""
        return np.asarray(self._numbers[self._offsets[code] : self._offsets[code + 1]])

    def counts(self) -> Numbers:
        """Returns how many events or dialogues each value has."""
        return np.diff(self._offsets)


class Postings:
    """All fields of one corpus.

    Attributes:
        fields: by name.
        quantities: numbers of the dialogues by name; NaN where one has none.
        event_starts: number of the first event of each dialogue, and behind the last one's last.
    """

    def __init__(self, folder: Path) -> None:
        listing = msgspec.json.decode((folder / "listing.json").read_bytes(), type=Listing)
        self.fields = {name: Field(folder, name, info) for name, info in listing.fields.items()}
        self.quantities = {
            name: np.load(folder / f"quantity-{number}.npy")
            for number, name in enumerate(listing.quantities)
        }
        self.event_starts = np.load(folder / "event_starts.npy")

    def dialogues_of(self, events: Numbers) -> Numbers:
        """Returns the number of the dialogue of each event."""
        # From the right: an event that begins a dialogue is of that one, not of the one before it.
        return np.searchsorted(self.event_starts, events, side="right") - 1
