"""The index of an imported corpus: what makes it quick to browse, made once from its tables.

It lies in the folder of the import that it was made from and goes with it. Where that folder
cannot be written to, it lies in the user's cache instead.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc

from commonground.errors import StoreError
from commonground.store.arrow import pa
from commonground.store.blocks import (
    BLOCK_TABLES,
    BlockReader,
    write_blocks,
    write_object_blocks,
)
from commonground.store.corpus import Corpus
from commonground.store.digest import Digest, write_digest
from commonground.store.full_text import FullText, write_full_text
from commonground.store.postings import Numbers, Postings, PostingsWriter

INDEX_VERSION = 1
"""Raised when an index of before can no longer be read."""

Progress = Callable[[int, int], None]
"""Told steps done and steps in all."""

_STEPS = len(BLOCK_TABLES) + 1


class CorpusIndex:
    """An index that is open for reading.

    Attributes:
        folder: where it is.
        blocks: the dialogues.
        postings: which dialogues and events have a value.
        full_text: which have a word.
        digest: what lists show of them.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.blocks = BlockReader(folder)
        self.postings = Postings(folder)
        self.full_text = FullText(folder / "text")
        self.digest = Digest(folder)


def open_index(corpus: Corpus, progress: Progress | None = None) -> CorpusIndex:
    """Opens the index of a corpus; makes it first where there is none.

    Args:
        corpus: a whole corpus; that of a part is made with :func:`make_index`.
        progress: told how far it is.

    Raises:
        StoreError: there is none, and it can be written nowhere.
    """
    data = (corpus.store.path / corpus.name / corpus.manifest.data).resolve()
    places = [data / f"index-{INDEX_VERSION}", _cache_folder(data)]
    for place in places:
        if place.is_dir():
            return CorpusIndex(place)
    errors = []
    for place in places:
        try:
            return CorpusIndex(make_index(corpus, place, progress))
        except OSError as error:
            errors.append(f"{place}: {error.strerror or error}")
    raise StoreError(
        f"The index of {corpus.name} cannot be written ({'; '.join(errors)}).",
        "Free some space, or make one of these folders writable.",
    )


def _cache_folder(data: Path) -> Path:
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    name = hashlib.sha256(str(data).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return base / "commonground" / f"index-{INDEX_VERSION}-{name}"


def _say_nothing(_done: int, _total: int) -> None:
    pass


def make_index(corpus: Corpus, place: Path, progress: Progress | None = None) -> Path:
    """Writes the index beside its place, moves it there in one step, and returns the place.

    Raises:
        OSError: it cannot be written.
    """
    beside = place.with_name(f"{place.name}.{uuid.uuid4().hex[:8]}")
    beside.mkdir(parents=True)
    try:
        _Builder(corpus, beside, progress or _say_nothing).build()
        try:
            beside.rename(place)
        except OSError:
            if not place.is_dir():  # else another process was faster, with the same result
                raise
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return place


class _Builder:
    def __init__(self, corpus: Corpus, folder: Path, progress: Progress) -> None:
        self._corpus = corpus
        self._folder = folder
        self._progress = progress
        self._ids = corpus.table("dialogues")["dialogue_id"].combine_chunks()
        self._postings = PostingsWriter(folder)
        self._starts: Numbers = np.zeros(len(self._ids) + 1, dtype=np.int64)

    def build(self) -> None:
        # Events first: all others are told by their numbers.
        names = ["dialogues", "events", *(n for n in BLOCK_TABLES[1:] if n != "events")]
        for step, name in enumerate(names):
            self._progress(step, _STEPS)
            table, ordinals = self._sorted(name)
            write_blocks(self._folder / f"{name}.arrow", table, ordinals, len(self._ids))
            add = getattr(self, f"_add_{name}", None)
            if add is not None:
                add(table, ordinals)
            if name == "events":
                self._write_text(table)
                events = table
            if name == "dialogues":
                dialogues = table
            if name == "findings":
                faults = np.bincount(ordinals, minlength=len(self._ids))
        write_digest(self._folder, dialogues, events, self._starts, faults)
        self._progress(_STEPS - 1, _STEPS)
        objects = self._corpus.table("objects").drop_columns(["corpus"])
        write_object_blocks(self._folder / "objects.arrow", objects)
        self._postings.close(self._starts)
        self._progress(_STEPS, _STEPS)

    def _sorted(self, name: str) -> tuple[Any, Numbers]:
        """Returns the rows that belong to dialogues, in order, and the number of theirs."""
        table = self._corpus.table(name).drop_columns(["corpus"])
        found = pc.index_in(table["dialogue_id"], value_set=self._ids)
        table = table.filter(pc.is_valid(found))
        ordinals = found.drop_null().to_numpy().astype(np.int64)
        if name != "dialogues":
            table = table.drop_columns(["dialogue_id"])
        key = ordinals
        if "event" in table.column_names and name == "events":
            key = ordinals << 32 | table["event"].to_numpy()
        if np.any(np.diff(key) < 0):
            order = np.argsort(key, kind="stable")
            table, ordinals = table.take(pa.array(order)), ordinals[order]
        return table, ordinals

    def _events_of(self, table: Any, ordinals: Numbers) -> Numbers:
        numbers: Numbers = self._starts[ordinals] + table["event"].fill_null(0).to_numpy()
        return numbers

    def _add_dialogues(self, table: Any, ordinals: Numbers) -> None:
        self._postings.add("split", "dialogue", table["split"], ordinals)
        self._postings.add("domain", "dialogue", table["domain"], ordinals)
        for name in ("n_events", "n_utterances"):
            self._postings.add_measure(name, table[name].to_numpy().astype(np.float64))

    def _add_events(self, table: Any, ordinals: Numbers) -> None:
        counts = np.bincount(ordinals, minlength=len(self._ids))
        np.cumsum(counts, out=self._starts[1:])
        numbers = np.arange(len(table))
        self._postings.add("speaker", "event", table["speaker"], numbers)
        self._postings.add("kind", "event", table["kind"], numbers)
        self._postings.add("action", "event", table["name"], numbers)
        self._postings.add("segment", "event", _as_text(table["segment"]), numbers)

    def _add_acts(self, table: Any, ordinals: Numbers) -> None:
        numbers = self._events_of(table, ordinals)
        self._postings.add("act", "event", table["act"], numbers)
        self._postings.add("slot", "event", table["slot"], numbers)

    def _add_spans(self, table: Any, ordinals: Numbers) -> None:
        self._postings.add("label", "event", table["label"], self._events_of(table, ordinals))

    def _add_findings(self, table: Any, ordinals: Numbers) -> None:
        self._postings.add("finding", "dialogue", table["code"], ordinals)

    def _add_displays(self, table: Any, ordinals: Numbers) -> None:
        self._postings.add("shown", "dialogue", table["object_id"], ordinals)

    def _add_groundings(self, table: Any, ordinals: Numbers) -> None:
        numbers = self._events_of(table, ordinals)
        self._postings.add("object", "event", table["object_id"], numbers)
        self._postings.add("grounding", "event", table["label"], numbers)

    def _add_outcomes(self, table: Any, ordinals: Numbers) -> None:
        """Adds each outcome that is a number: parts are summed, answers of speakers averaged."""
        names = table["name"].to_numpy(zero_copy_only=False)
        values = table["value"].to_numpy()
        of_part = np.asarray(table["segment"].is_valid())
        for name in dict.fromkeys(names.tolist()):
            chosen = (names == name) & ~np.isnan(values)
            if chosen.any():
                measured = _measure(
                    ordinals[chosen], values[chosen], of_part[chosen], len(self._ids)
                )
                self._postings.add_measure(name, measured)

    def _write_text(self, table: Any) -> None:
        folder = self._folder / "text"
        folder.mkdir()
        write_full_text(folder, self._texts(table["text"]))

    def _texts(self, column: Any) -> Iterator[tuple[list[int], list[str]]]:
        for first, last in zip(self._starts[:-1].tolist(), self._starts[1:].tolist(), strict=True):
            texts = column.slice(first, last - first).to_pylist()
            said = [(first + i, text) for i, text in enumerate(texts) if text is not None]
            yield [number for number, _ in said], [text for _, text in said]


def _measure(ordinals: Numbers, values: Numbers, of_part: Numbers, length: int) -> Numbers:
    sums = np.bincount(ordinals, weights=values, minlength=length)
    counts = np.bincount(ordinals, minlength=length)
    whole = np.bincount(ordinals, weights=of_part, minlength=length) == 0
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(counts == 0, np.nan, np.where(whole, sums / counts, sums))


def _as_text(column: Any) -> Any:
    return column.cast(pa.string())
