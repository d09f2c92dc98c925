"""What lists show of dialogues and events: mapped from disk, found by number."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from commonground.store.arrow import pa
from commonground.store.index.batches import BatchFile, BatchWriter, join_batches
from commonground.store.tables.columns import arrow_schema

OPENING = 240
"""Characters that are kept of the first utterance."""

_CARD_COLUMNS = ("dialogue_id", "split", "domain", "n_events", "n_utterances", "source_file")
# Large strings count in 64 bits: texts of more than 2 GiB in one batch overflow the usual ones.
_LINES = pa.schema([(name, pa.large_string()) for name in ("speaker", "text", "name")])


_CARDS = 65_536
"""Cards that are written at a time: all at once would be in memory a second time."""


class DialogueCard(msgspec.Struct, frozen=True, kw_only=True):
    """A dialogue as a list shows it.

    Attributes:
        domain: None where the corpus does not say.
        opening: beginning of the first utterance; empty where there is none.
        findings: number of faults found in it.
    """

    dialogue_id: str
    split: str | None
    domain: str | None
    n_events: int
    n_utterances: int
    source_file: str
    opening: str
    findings: int


class EventLine(msgspec.Struct, frozen=True, kw_only=True):
    """An event as a list shows it.

    Attributes:
        text: what was said; None for an action.
        name: what was done; None for an utterance.
    """

    speaker: str
    text: str | None
    name: str | None


class DigestWriter:
    """Writes a digest, piece by piece."""

    def __init__(self, folder: Path, dialogues: int) -> None:
        self._folder = folder
        self._dialogues = dialogues
        # Columns of texts, since as many Python texts would take several times the memory.
        self._openings: list[Any] = []
        self._opened = 0
        self._cards: list[Any] = []
        self._lines = BatchWriter(folder / "lines.arrow", _LINES)

    def add_dialogues(self, table: Any) -> None:
        """Adds the rows of dialogues that come next in the table, for their cards."""
        self._cards.append(table.select(_CARD_COLUMNS))

    def add_events(self, table: Any, first: int, bounds: Sequence[int]) -> None:
        """Adds all events of some dialogues.

        Args:
            table: Arrow table of the events, in order of dialogues.
            first: number of the first of these dialogues.
            bounds: row of the first event of each dialogue, and after the last one's last.
        """
        self._skip_to(first)
        openings = [_opening(table["text"], start, end) for start, end in pairwise(bounds)]
        self._openings.append(pa.array(openings, pa.string()))
        self._opened += len(openings)
        lines = table.select(_LINES.names).cast(_LINES).combine_chunks()
        for batch in lines.to_batches():
            self._lines.write(batch)

    def _skip_to(self, dialogue: int) -> None:
        """Notes that dialogues without events come before one."""
        self._openings.append(pa.array([""] * (dialogue - self._opened), pa.string()))
        self._opened = dialogue

    def close(self, findings: Any) -> None:
        """Writes what is left, given the number of findings of each dialogue."""
        self._lines.close()
        # An empty table is made here alone: with the first array pyarrow may import pandas.
        none = arrow_schema("dialogues").empty_table().select(_CARD_COLUMNS)
        cards = pa.concat_tables([none, *self._cards])
        self._skip_to(self._dialogues)
        cards = cards.append_column("opening", pa.chunked_array(self._openings, pa.string()))
        faults = pa.array(np.asarray(findings, dtype=np.int32))
        cards = cards.append_column("findings", faults)
        out = BatchWriter(self._folder / "cards.arrow", cards.schema)
        for start in range(0, len(cards), _CARDS):
            for batch in cards.slice(start, _CARDS).combine_chunks().to_batches():
                out.write(batch)
        out.close()


def join_digests(folders: Sequence[Path], target: Path) -> None:
    """Writes the digests of the parts of an index end to end, in the order given."""
    for name in ("cards.arrow", "lines.arrow"):
        join_batches([folder / name for folder in folders], target / name)


def _opening(texts: Any, first: int, last: int) -> str:
    """Returns the beginning of the first text among some events."""
    # The first event mostly has a text: a few rows are made Python strings, not all of the
    # dialogue.
    for start in range(first, last, 8):
        for text in texts.slice(start, min(8, last - start)).to_pylist():
            if text:
                return str(text[:OPENING])
    return ""


class _Rows:
    """Rows of a mapped file that are read when they are asked for."""

    def __init__(self, path: Path) -> None:
        self._file = BatchFile(path, in_place=True)
        self._starts = self._file.row_starts

    def __len__(self) -> int:
        return int(self._starts[-1])

    def column(self, name: str) -> np.ndarray:
        batches = (self._file.read(each) for each in range(len(self._file)))
        parts = [each.column(name).to_numpy() for each in batches]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)

    def take(self, numbers: Sequence[int]) -> list[dict[str, Any]]:
        """Returns some rows, in the order given."""
        places = np.searchsorted(self._starts, numbers, side="right") - 1
        rows: list[dict[str, Any]] = []
        for batch, run in groupby(zip(places.tolist(), numbers, strict=True), itemgetter(0)):
            own = pa.array([number - int(self._starts[batch]) for _, number in run], pa.int64())
            rows += self._file.read(batch).take(own).to_pylist()
        return rows


class Digest:
    """A digest that is open for reading; nothing of it is kept in memory."""

    def __init__(self, folder: Path) -> None:
        self._cards = _Rows(folder / "cards.arrow")
        self._lines = _Rows(folder / "lines.arrow")

    def __len__(self) -> int:
        return len(self._cards)

    def cards(self, ordinals: Sequence[int]) -> list[DialogueCard]:
        """Returns some dialogues, in the order given."""
        return [DialogueCard(**row) for row in self._cards.take(ordinals)]

    def findings(self) -> np.ndarray:
        """Returns the number of faults found in each dialogue."""
        return self._cards.column("findings")

    def lines(self, numbers: Sequence[int]) -> list[EventLine]:
        """Returns some events, in the order given."""
        return [EventLine(**row) for row in self._lines.take(numbers)]
