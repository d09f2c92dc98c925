"""Makes one part of an index from the tables: that of some dialogues which follow each other.

Numbers in it count from the first of these dialogues, and from their first event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc

from commonground.schema import LABEL_ACT
from commonground.store.arrow import pa
from commonground.store.index.blocks import BLOCK_TABLES, BlockWriter
from commonground.store.index.full_text import FullTextWriter
from commonground.store.index.ids import write_ids
from commonground.store.index.pieces import Ordinals, TableReader
from commonground.store.index.postings import Numbers, PostingsWriter
from commonground.store.index.summaries import DigestWriter

ORDER = ("events", *(name for name in BLOCK_TABLES if name != "events"))
"""Tables as they are added: events first, as the rows of others refer to their numbers."""

Files = Mapping[str, Sequence[Path]]
"""The files of each table that have rows of some dialogues, in order."""


def build_part(
    files: Files, ordinals: Ordinals, folder: Path, progress: Callable[[int], None]
) -> None:
    """Writes a part of an index to an empty folder.

    Args:
        files: of the tables; rows of other dialogues are left out.
        ordinals: numbers of its dialogues.
        progress: called with the rows of each piece of a table when they are in.
    """
    builder = _Builder(files, ordinals, folder)
    for name in ORDER:
        for count in builder.add_table(name):
            progress(count)
    builder.close()


class _Builder:
    def __init__(self, files: Files, ordinals: Ordinals, folder: Path) -> None:
        self._files = files
        self._folder = folder
        self._ordinals = ordinals
        self._length = len(ordinals)
        self._postings = PostingsWriter(folder)
        self._digest = DigestWriter(folder, self._length)
        self._text = FullTextWriter(folder)
        self._starts: Numbers = np.zeros(self._length + 1, dtype=np.int64)
        self._faults: Numbers = np.zeros(self._length, dtype=np.int64)
        self._quantities: dict[str, Numbers] = {}
        self._outcomes: dict[str, _Outcome] = {}
        self._ids: list[str] = []

    def add_table(self, name: str) -> Iterator[int]:
        """Adds a table; yields the rows of each of its pieces once they are in."""
        reader = TableReader(self._files.get(name, ()), name, self._ordinals)
        blocks = BlockWriter(self._folder / f"{name}.arrow", reader.schema, self._length)
        add = getattr(self, f"_add_{name}", None)
        for piece in reader.pieces():
            blocks.add(piece.table, piece.ordinals)
            if add is not None:
                add(piece.table, piece.ordinals)
            yield len(piece.ordinals)
        blocks.close()
        self._postings.flush()
        if name == "events":
            # What lies after the last event begins where that ends.
            np.maximum.accumulate(self._starts, out=self._starts)
            self._text.close()

    def close(self) -> None:
        """Writes what is known only after the last piece: quantities, lists, postings."""
        outcomes = {name: each.values() for name, each in self._outcomes.items()}
        for name, values in (self._quantities | outcomes).items():
            self._postings.add_quantity(name, values)
        self._digest.close(self._faults)
        write_ids(self._folder, self._ids)
        self._postings.close(self._starts)

    def _events_of(self, table: Any, ordinals: Numbers) -> Numbers:
        # A row about the whole dialogue has no event; it is found at the first one.
        numbers: Numbers = self._starts[ordinals] + table["event"].fill_null(0).to_numpy()
        return numbers

    def _add_dialogues(self, table: Any, ordinals: Numbers) -> None:
        self._digest.add_dialogues(table)
        self._ids += table["dialogue_id"].to_pylist()
        self._postings.add("split", "dialogue", table["split"], ordinals)
        self._postings.add("domain", "dialogue", table["domain"], ordinals)
        for name in ("n_events", "n_utterances"):
            whole = self._quantities.setdefault(name, np.full(self._length, np.nan))
            whole[ordinals] = table[name].to_numpy()

    def _add_events(self, table: Any, ordinals: Numbers) -> None:
        first, last = int(ordinals[0]), int(ordinals[-1]) + 1
        # Where the last dialogue that had events ended; those without any have left a 0.
        before = int(self._starts[: first + 1].max())
        bounds = np.searchsorted(ordinals, np.arange(first, last + 1))
        self._starts[first : last + 1] = before + bounds
        numbers = before + np.arange(len(table))
        self._postings.add("speaker", "event", table["speaker"], numbers)
        self._postings.add("kind", "event", table["kind"], numbers)
        self._postings.add("action", "event", table["name"], numbers)
        self._postings.add("segment", "event", table["segment"].cast(pa.string()), numbers)
        self._digest.add_events(table, first, bounds.tolist())
        said = np.asarray(table["text"].is_valid())
        self._text.add(numbers[said], table["text"].drop_null().to_pylist())

    def _add_acts(self, table: Any, ordinals: Numbers) -> None:
        numbers = self._events_of(table, ordinals)
        self._postings.add("act", "event", table["act"], numbers)
        self._postings.add("slot", "event", table["slot"], numbers)
        self._postings.add("layer", "event", table["layer"], numbers)
        # Of labels the values are few, and what people look for; of released acts they are texts.
        labels = pc.equal(table["act"].cast(pa.string()), LABEL_ACT)
        names = [table[name].cast(pa.string()) for name in ("layer", "value")]
        joined = pc.binary_join_element_wise(*names, "/")
        labelled = pc.if_else(labels, joined, pa.scalar(None, pa.string()))
        self._postings.add("layer", "event", labelled, numbers)

    def _add_spans(self, table: Any, ordinals: Numbers) -> None:
        self._postings.add("label", "event", table["label"], self._events_of(table, ordinals))

    def _add_findings(self, table: Any, ordinals: Numbers) -> None:
        # Not `faults[ordinals] += 1`: that adds 1 once, however often a number is in `ordinals`.
        self._faults += np.bincount(ordinals, minlength=self._length)
        self._postings.add("finding", "dialogue", table["code"], ordinals)

    def _add_displays(self, table: Any, ordinals: Numbers) -> None:
        self._postings.add("shown", "dialogue", table["object_id"], ordinals)

    def _add_groundings(self, table: Any, ordinals: Numbers) -> None:
        numbers = self._events_of(table, ordinals)
        self._postings.add("object", "event", table["object_id"], numbers)
        self._postings.add("grounding", "event", table["label"], numbers)

    def _add_outcomes(self, table: Any, ordinals: Numbers) -> None:
        names = np.asarray(table["name"].to_pylist(), dtype=object)
        values = table["value"].to_numpy()
        of_part = np.asarray(table["segment"].is_valid())
        for name in dict.fromkeys(names.tolist()):
            # Answers in words have no number.
            chosen = (names == name) & ~np.isnan(values)
            if chosen.any():
                outcome = self._outcomes.setdefault(name, _Outcome(self._length))
                outcome.add(ordinals[chosen], values[chosen], of_part[chosen])


class _Outcome:
    """An outcome that is a number: parts are summed, answers of speakers averaged."""

    def __init__(self, length: int) -> None:
        self._sums = np.zeros(length)
        self._counts = np.zeros(length, dtype=np.int32)
        self._parts = np.zeros(length, dtype=np.int32)

    def add(self, ordinals: Numbers, values: Numbers, of_part: Numbers) -> None:
        """Adds some values.

        Args:
            ordinals: whose values they are, in order; a dialogue may have several.
            of_part: 1 where a value is of a part of its dialogue, such as a round, else 0.
        """
        first, last = int(ordinals[0]), int(ordinals[-1]) + 1
        # `bincount` counts from 0: shifted, it costs the length of the piece, not of the corpus.
        near = ordinals - first
        self._sums[first:last] += np.bincount(near, weights=values)
        self._counts[first:last] += np.bincount(near).astype(np.int32)
        self._parts[first:last] += np.bincount(near, weights=of_part).astype(np.int32)

    def values(self) -> Numbers:
        # 0 / 0 where a dialogue has none; the line after makes that NaN on purpose.
        with np.errstate(invalid="ignore", divide="ignore"):
            whole = np.where(self._parts == 0, self._sums / self._counts, self._sums)
            return np.where(self._counts == 0, np.nan, whole)
