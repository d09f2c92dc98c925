"""Makes the index of a corpus from its tables, in pieces of whole dialogues.

So no table is in memory at once. Tables are written in the order of the files, dialogue by
dialogue, and their row groups can be taken one after the other. A table that is in another order
is read whole and sorted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from commonground.store.arrow import pa
from commonground.store.corpus import Corpus
from commonground.store.index.blocks import BLOCK_TABLES, BlockWriter, write_object_blocks
from commonground.store.index.full_text import FullTextWriter
from commonground.store.index.postings import Numbers, PostingsWriter
from commonground.store.index.summaries import DigestWriter
from commonground.store.layout.integrity import open_part
from commonground.store.layout.manifest import part_files
from commonground.store.tables.columns import arrow_schema

Progress = Callable[[int, int], None]
"""Told rows done and rows in all."""

_ORDER = ("events", *(name for name in BLOCK_TABLES if name != "events"))
"""Events first: the rows of others are told by the numbers of these."""


def build_index(corpus: Corpus, folder: Path, progress: Progress) -> None:
    """Writes the index of a corpus, or of a part of one, to an empty folder.

    Args:
        corpus: an open import; dialogues are numbered in the order of its table.
        folder: empty folder that the files of the index are written to.
        progress: told rows done and rows in all after each piece of a table.
    """
    builder = _Builder(corpus, folder)
    done, total = 0, count_rows(corpus, _ORDER)
    progress(0, total)
    for name in _ORDER:
        for count in builder.add_table(name):
            done += count
            progress(min(done, total), total)
    builder.close()
    progress(total, total)


class _Builder:
    def __init__(self, corpus: Corpus, folder: Path) -> None:
        self._corpus = corpus
        self._folder = folder
        self._ordinals = Ordinals(read_ids(corpus))
        self._length = len(self._ordinals)
        self._postings = PostingsWriter(folder)
        self._digest = DigestWriter(folder, self._length)
        (folder / "text").mkdir()
        self._text = FullTextWriter(folder / "text")
        self._starts: Numbers = np.zeros(self._length + 1, dtype=np.int64)
        self._faults: Numbers = np.zeros(self._length, dtype=np.int64)
        self._quantities = _Quantities(self._length)

    def add_table(self, name: str) -> Iterator[int]:
        """Adds a table; yields the rows of each of its pieces once they are in."""
        reader = TableReader(self._corpus, name, self._ordinals)
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
            # What lies behind the last event begins where that ends.
            np.maximum.accumulate(self._starts, out=self._starts)
            self._text.close()

    def close(self) -> None:
        """Writes what is known only after the last piece: quantities, lists, objects, postings."""
        for name, values in self._quantities.values().items():
            self._postings.add_quantity(name, values)
        self._digest.close(self._faults)
        objects = self._corpus.table("objects").drop_columns(["corpus"])
        write_object_blocks(self._folder / "objects.arrow", objects)
        self._postings.close(self._starts)

    def _events_of(self, table: Any, ordinals: Numbers) -> Numbers:
        # A row about the whole dialogue has no event; it is found at the first one.
        numbers: Numbers = self._starts[ordinals] + table["event"].fill_null(0).to_numpy()
        return numbers

    def _add_dialogues(self, table: Any, ordinals: Numbers) -> None:
        self._digest.add_dialogues(table)
        self._postings.add("split", "dialogue", table["split"], ordinals)
        self._postings.add("domain", "dialogue", table["domain"], ordinals)
        for name in ("n_events", "n_utterances"):
            self._quantities.add_plain(name, ordinals, table[name].to_numpy())

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
        self._add_text(table["text"], ordinals, numbers)

    def _add_text(self, column: Any, ordinals: Numbers, numbers: Numbers) -> None:
        said = np.asarray(column.is_valid())
        texts = column.drop_null().to_pylist()
        places = zip(ordinals[said].tolist(), numbers[said].tolist(), texts, strict=True)
        for ordinal, number, text in places:
            self._text.add(ordinal, number, text)

    def _add_acts(self, table: Any, ordinals: Numbers) -> None:
        numbers = self._events_of(table, ordinals)
        self._postings.add("act", "event", table["act"], numbers)
        self._postings.add("slot", "event", table["slot"], numbers)

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
                self._quantities.add(name, ordinals[chosen], values[chosen], of_part[chosen])


class _Quantity:
    def __init__(self, length: int) -> None:
        self.sums = np.zeros(length)
        self.counts = np.zeros(length, dtype=np.int32)
        self.parts = np.zeros(length, dtype=np.int32)

    def values(self) -> Numbers:
        # 0 / 0 where a dialogue has none; the line after makes that NaN on purpose.
        with np.errstate(invalid="ignore", divide="ignore"):
            whole = np.where(self.parts == 0, self.sums / self.counts, self.sums)
            return np.where(self.counts == 0, np.nan, whole)


class _Quantities:
    """Gathers each outcome that is a number: parts are summed, answers of speakers averaged."""

    def __init__(self, length: int) -> None:
        self._length = length
        self._plain: dict[str, Numbers] = {}
        self._gathered: dict[str, _Quantity] = {}

    def add_plain(self, name: str, ordinals: Numbers, values: Numbers) -> None:
        """Adds a number that each dialogue has once.

        Args:
            name: of the number.
            ordinals: which dialogues it is known of.
            values: it, for each of them.
        """
        whole = self._plain.setdefault(name, np.full(self._length, np.nan))
        whole[ordinals] = values

    def add(self, name: str, ordinals: Numbers, values: Numbers, of_part: Numbers) -> None:
        """Adds some values of an outcome, and whether each is of a part of its dialogue.

        Args:
            name: of the outcome.
            ordinals: whose values they are, in order; a dialogue may have several.
            values: of the outcome.
            of_part: 1 where a value is of a part of its dialogue, such as a round, else 0.
        """
        quantity = self._gathered.setdefault(name, _Quantity(self._length))
        first, last = int(ordinals[0]), int(ordinals[-1]) + 1
        # `bincount` counts from 0: shifted, it costs the length of the piece, not of the corpus.
        near = ordinals - first
        quantity.sums[first:last] += np.bincount(near, weights=values)
        quantity.counts[first:last] += np.bincount(near).astype(np.int32)
        quantity.parts[first:last] += np.bincount(near, weights=of_part).astype(np.int32)

    def values(self) -> dict[str, Numbers]:
        """Returns the number of each dialogue, by name; NaN where it has none."""
        return self._plain | {name: each.values() for name, each in self._gathered.items()}


class Piece(msgspec.Struct, frozen=True):
    """Rows of one table that belong to some dialogues, all that these have.

    Attributes:
        table: Arrow table, without the columns that say which corpus and dialogue it is; only
            that of the dialogues has their ids.
        ordinals: number of the dialogue of each row, ascending.
    """

    table: Any
    ordinals: Numbers


class Ordinals:
    """The number of each dialogue by its id, in 12 bytes for each of many.

    Ids are compared by 64 bits of them: that two of a million share those happens once in tens of
    millions of indexes.

    Args:
        ids: in order of the numbers.
    """

    def __init__(self, ids: Iterable[str]) -> None:
        numbers = _number_ids(ids)
        self._order = np.argsort(numbers, kind="stable").astype(np.int32)
        self._sorted = numbers[self._order]

    def __len__(self) -> int:
        return len(self._sorted)

    def find(self, ids: Iterable[str]) -> Numbers:
        """Returns the number of each dialogue; -1 where it is none of these."""
        wanted = _number_ids(ids)
        if not len(self):
            return np.full(len(wanted), -1, dtype=np.int64)
        places = np.minimum(np.searchsorted(self._sorted, wanted), len(self) - 1)
        found: Numbers = np.where(self._sorted[places] == wanted, self._order[places], -1)
        return found


def _number_ids(ids: Iterable[str]) -> Numbers:
    # Of texts, ``hash`` differs from process to process; none of these numbers is kept.
    return np.fromiter(map(hash, ids), dtype=np.int64)


class TableReader:
    """Reads one table of a corpus.

    Args:
        corpus: the corpus, or a part of it.
        name: name of the table.
        ordinals: numbers of the dialogues that are wanted.
    """

    def __init__(self, corpus: Corpus, name: str, ordinals: Ordinals) -> None:
        self._files = part_files(corpus.store.path, corpus.manifest, name)
        self._by_event = name == "events"
        self._keeps_ids = name == "dialogues"
        self._ordinals = ordinals
        self._schema = arrow_schema(name)

    @property
    def schema(self) -> Any:
        """The Arrow schema of the pieces."""
        dropped = ("corpus",) if self._keeps_ids else ("corpus", "dialogue_id")
        names = [name for name in self._schema.names if name not in dropped]
        return pa.schema([self._schema.field(name) for name in names])

    def pieces(self) -> Iterator[Piece]:
        """Yields the rows of the wanted dialogues, in order of dialogues."""
        # A pass over the keys alone, a small part of the bytes: once pieces were given out, it
        # would be too late to sort.
        if not self._in_order():
            yield self._sorted()
            return
        held: list[Piece] = []
        for found in self._groups():
            if not len(found.ordinals):
                continue
            # The last dialogue of a group may go on in the next one.
            cut = int(np.searchsorted(found.ordinals, found.ordinals[-1]))
            if cut or (held and held[-1].ordinals[-1] != found.ordinals[0]):
                yield from _joined([*held, _slice(found, 0, cut)])
                held = []
            held.append(_slice(found, cut, len(found.ordinals)))
        yield from _joined(held)

    def _groups(self) -> Iterator[Piece]:
        for file in self._files:
            with open_part(file) as opened:
                for group in range(opened.num_row_groups):
                    yield self._piece(opened.read_row_group(group, use_threads=False))

    def _piece(self, table: Any) -> Piece:
        ordinals = self._ordinals_of(table["dialogue_id"])
        wanted = ordinals >= 0
        plain = table.select(self._schema.names).cast(self._schema).select(self.schema.names)
        if not wanted.all():
            plain = plain.filter(pa.array(wanted))
        return Piece(plain, ordinals[wanted])

    def _ordinals_of(self, column: Any) -> Numbers:
        """Returns the number of the dialogue of each row; -1 where it is none of the wanted."""
        encoded = column.combine_chunks().dictionary_encode()
        known = self._ordinals.find(encoded.dictionary.to_pylist())
        # The -1 at the end is what null ids point at.
        numbers = np.append(known, -1)
        found: Numbers = numbers[encoded.indices.fill_null(len(known)).to_numpy(False)]
        return found

    def _in_order(self) -> bool:
        last = -1
        for keys in self._keys():
            if len(keys) and (keys[0] < last or np.any(np.diff(keys) < 0)):
                return False
            last = int(keys[-1]) if len(keys) else last
        return True

    def _keys(self) -> Iterator[Numbers]:
        columns = ["dialogue_id", "event"] if self._by_event else ["dialogue_id"]
        for file in self._files:
            with open_part(file) as opened:
                for group in range(opened.num_row_groups):
                    table = opened.read_row_group(group, columns=columns, use_threads=False)
                    ordinals = self._ordinals_of(table["dialogue_id"])
                    keys = self._key(ordinals, table)
                    yield keys[ordinals >= 0]

    def _key(self, ordinals: Numbers, table: Any) -> Numbers:
        # Both in one number, the dialogue above the event: it sorts as the pair does, and many
        # times faster.
        return ordinals << 32 | table["event"].to_numpy() if self._by_event else ordinals

    def _sorted(self) -> Piece:
        found = list(self._groups())
        table = pa.concat_tables([each.table for each in found])
        ordinals = np.concatenate([each.ordinals for each in found])
        # Stable, so that rows of one event stay in the order in which they were written.
        order = np.argsort(self._key(ordinals, table), kind="stable")
        return Piece(table.take(pa.array(order)), ordinals[order])


def read_ids(corpus: Corpus) -> Iterator[str]:
    """Yields the ids of the dialogues of a corpus, in the order of the files."""
    for chunk in corpus.table("dialogues", ["dialogue_id"])["dialogue_id"].chunks:
        yield from chunk.to_pylist()


def _slice(piece: Piece, first: int, last: int) -> Piece:
    return Piece(piece.table.slice(first, last - first), piece.ordinals[first:last])


def _joined(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Yields some pieces as one; nothing where they hold nothing."""
    given = [each for each in pieces if len(each.ordinals)]
    if given:
        table = pa.concat_tables([each.table for each in given]).combine_chunks()
        yield Piece(table, np.concatenate([each.ordinals for each in given]))


def count_rows(corpus: Corpus, names: Sequence[str]) -> int:
    """Returns how many rows some tables of a corpus have together."""
    return sum(corpus.manifest.counts.get(name, 0) for name in names)
