"""Which dialogues and events have a value: sorted numbers for each value of each field.

The files are plain NumPy arrays that are mapped, not read, so that a large corpus costs no more
memory than what is asked of it.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from commonground.store.index.arrays import map_array, write_array

_NUMBER_BYTES = 4

_AT_ONCE = 65_536
"""Dialogues whose events are numbered at a time."""

Level = Literal["event", "dialogue"]
Numbers = np.ndarray[Any, np.dtype[Any]]


def find_window(numbers: Numbers, window: range) -> slice:
    """Returns which of some ascending numbers lie in a window."""
    # As numbers of their type: else numpy makes all of them of the type of the bounds.
    bounds = np.array([window.start, window.stop], dtype=numbers.dtype)
    first, last = np.searchsorted(numbers, bounds).tolist()
    return slice(first, last)


class FieldInfo(msgspec.Struct, frozen=True):
    """What stands in the listing of one field.

    Attributes:
        level: whether the numbers are of events or of dialogues.
        values: its values, in order of first appearance.
    """

    level: Level
    values: list[str]


class IndexFields(msgspec.Struct):
    """The fields of an index, by name, and the names of its quantities."""

    fields: dict[str, FieldInfo]
    quantities: list[str]


class _Gathered:
    """The numbers of each value of one field, kept in a file as they come."""

    def __init__(self, level: Level, path: Path) -> None:
        self.level: Level = level
        self.codes: dict[str, int] = {}
        self._path = path
        self._file = path.open("w+b")
        self._written = 0
        # Of each value, where its numbers stand in the file: a begin and a length each time.
        self._runs: list[array[int]] = []
        self._last: list[int] = []
        self._in_order: list[bool] = []

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
            if code == len(self._runs):
                self._runs.append(array("q"))
                self._last.append(-1)
                self._in_order.append(True)
            first, last = bounds[index], bounds[index + 1]
            if first < last:
                self._runs[code].extend((self._written + first, last - first))
                # Rows may name events that their dialogue has not, and so come before others.
                self._in_order[code] &= int(found[first]) > self._last[code]
                self._last[code] = int(found[last - 1])
        self._file.write(found.tobytes())
        self._written += len(found)

    def write(self, folder: Path, field: str) -> None:
        """Writes the numbers of all values end to end, and where each value's begin."""
        counts = [sum(runs[1::2]) for runs in self._runs]
        for code in (code for code, fine in enumerate(self._in_order) if not fine):
            # As if it had come at once; what stands in the file before is not looked at again.
            whole = np.unique(np.concatenate([self._read(*run) for run in self._pairs(code)]))
            self._file.seek(0, os.SEEK_END)
            self._file.write(whole.tobytes())
            self._runs[code] = array("q", (self._written, len(whole)))
            self._written += len(whole)
            counts[code] = len(whole)
        runs = (run for code in range(len(self._runs)) for run in self._pairs(code))
        numbers = (self._read(*run) for run in runs)
        write_array(folder / f"{field}.numbers.npy", "<i4", sum(counts), numbers)
        np.save(folder / f"{field}.offsets.npy", np.cumsum([0, *counts], dtype=np.int64))
        self._file.close()
        self._path.unlink()

    def _pairs(self, code: int) -> Iterator[tuple[int, int]]:
        runs = self._runs[code]
        return zip(runs[::2], runs[1::2], strict=True)

    def _read(self, begin: int, length: int) -> Numbers:
        self._file.seek(begin * _NUMBER_BYTES)
        return np.frombuffer(self._file.read(length * _NUMBER_BYTES), np.int32)


class PostingsWriter:
    """Gathers fields and writes them to a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._listing = IndexFields({}, [])
        self._gathered: dict[str, _Gathered] = {}

    def add(self, field: str, level: Level, values: Any, numbers: Numbers) -> None:
        """Adds rows of a field; may be called again for further ones.

        Args:
            field: its name in the query language.
            level: whether ``numbers`` are of events or of dialogues.
            values: Arrow chunked array of texts, one per row; null rows count for nothing.
            numbers: number of the event or dialogue of each row.
        """
        if field not in self._gathered:
            self._gathered[field] = _Gathered(level, self._folder / f"{field}.gathered")
        self._gathered[field].add(values, numbers)

    def flush(self) -> None:
        """Writes the fields that were gathered, which have all their rows now."""
        for field, gathered in self._gathered.items():
            gathered.write(self._folder, field)
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


class FieldPostings:
    """The postings of one field.

    Attributes:
        level: whether the numbers are of events or of dialogues.
        values: the values, in order of first appearance.
    """

    def __init__(self, folder: Path, name: str, info: FieldInfo) -> None:
        self.level = info.level
        self.values = info.values
        # Only the numbers are mapped: a search looks at those of a few values, but at any offset.
        self._numbers = map_array(folder / f"{name}.numbers.npy")
        self._offsets = np.load(folder / f"{name}.offsets.npy")

    @cached_property
    def codes(self) -> Mapping[str, int]:
        """The number of each value."""
        return {value: code for code, value in enumerate(self.values)}

    def numbers(self, code: int) -> Numbers:
        """Returns the ascending numbers of the events or dialogues that have a value."""
        found: Numbers = self._numbers[self._offsets[code] : self._offsets[code + 1]]
        return found

    def counts(self) -> Numbers:
        """Returns how many events or dialogues each value has."""
        return np.diff(self._offsets)


class Postings:
    """All fields of one corpus.

    Attributes:
        fields: by name.
        quantities: numbers of the dialogues by name; NaN where one has none.
        event_starts: number of the first event of each dialogue, and after the last one's last.
    """

    def __init__(self, folder: Path) -> None:
        listing = _read_listing(folder)
        self.fields = {
            name: FieldPostings(folder, name, info) for name, info in listing.fields.items()
        }
        self.quantities = {
            name: np.load(folder / f"quantity-{number}.npy")
            for number, name in enumerate(listing.quantities)
        }
        self.event_starts = np.load(folder / "event_starts.npy")
        self._event_dialogues = map_array(folder / "event_dialogues.npy")

    def dialogues_of(self, numbers: Numbers, level: Level = "event") -> Numbers:
        """Returns the number of the dialogue of each event; those of dialogues as they are."""
        if level == "dialogue":
            return numbers
        # Those of events that no dialogue has are of the last one.
        found: Numbers = self._event_dialogues.take(numbers, mode="clip")
        return found


def join_postings(
    folders: Sequence[Path], part_starts: Numbers, event_bases: Numbers, target: Path
) -> None:
    """Writes the postings of the parts of an index as one.

    Args:
        folders: of the parts, in order.
        part_starts: the first dialogue of each part, and after them the number of dialogues.
        event_bases: the first event of each part, and after them the number of events.
    """
    listings = [_read_listing(folder) for folder in folders]
    joined = IndexFields({}, [])
    for name in _union(each.fields for each in listings):
        having = [number for number, each in enumerate(listings) if name in each.fields]
        fields = [
            FieldPostings(folders[each], name, listings[each].fields[name]) for each in having
        ]
        bases = event_bases if fields[0].level == "event" else part_starts
        values = _union(each.values for each in fields)
        _join_field(target, name, values, fields, [int(bases[each]) for each in having])
        joined.fields[name] = FieldInfo(fields[0].level, values)
    for name in _union(each.quantities for each in listings):
        values_of = [
            np.load(folder / f"quantity-{each.quantities.index(name)}.npy")
            if name in each.quantities
            else np.full(int(length), np.nan)
            for folder, each, length in zip(folders, listings, np.diff(part_starts), strict=True)
        ]
        np.save(target / f"quantity-{len(joined.quantities)}.npy", np.concatenate(values_of))
        joined.quantities.append(name)
    starts = [np.load(folder / "event_starts.npy")[:-1] for folder in folders]
    shifted = [each + base for each, base in zip(starts, event_bases, strict=False)]
    np.save(target / "event_starts.npy", np.concatenate([*shifted, event_bases[-1:]]))
    (target / "listing.json").write_bytes(msgspec.json.encode(joined))


def write_event_dialogues(folder: Path) -> None:
    """Writes the number of the dialogue of each event of an index with its postings in it."""
    starts = np.load(folder / "event_starts.npy")
    pieces = (
        np.repeat(np.arange(first, first + len(lengths), dtype=np.int32), lengths)
        for first in range(0, len(starts) - 1, _AT_ONCE)
        for lengths in [np.diff(starts[first : first + _AT_ONCE + 1])]
    )
    write_array(folder / "event_dialogues.npy", "<i4", int(starts[-1]), pieces)


def _union(lists: Iterable[Iterable[str]]) -> list[str]:
    """Returns what occurs in some lists, in order of first appearance."""
    return list(dict.fromkeys(chain.from_iterable(lists)))


def _join_field(
    target: Path,
    name: str,
    values: Sequence[str],
    fields: Sequence[FieldPostings],
    bases: Sequence[int],
) -> None:
    """Writes the numbers of one field.

    Args:
        values: all that it has in any part.
        fields: what it is in each part that has it.
        bases: what is added to the numbers of each of these.
    """

    def numbers_of(value: str) -> list[Numbers]:
        found: list[Numbers] = []
        for field, base in zip(fields, bases, strict=True):
            if value in field.codes:
                found.append(field.numbers(field.codes[value]) + np.int32(base))
        # Rows may name events that their dialogue has not, and those may be of the next part.
        if any(one[-1] >= other[0] for one, other in pairwise(filter(len, found))):
            return [np.unique(np.concatenate(found))]
        return found

    counts = [sum(map(len, numbers_of(value))) for value in values]
    pieces = (numbers for value in values for numbers in numbers_of(value))
    write_array(target / f"{name}.numbers.npy", "<i4", sum(counts), pieces)
    np.save(target / f"{name}.offsets.npy", np.cumsum([0, *counts], dtype=np.int64))


def _read_listing(folder: Path) -> IndexFields:
    return msgspec.json.decode((folder / "listing.json").read_bytes(), type=IndexFields)
