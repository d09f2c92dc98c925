"""What lists show of dialogues and events: mapped from disk, found by number."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from commonground.store.arrow import pa

OPENING = 240
"""Characters that are kept of the first utterance."""

_CARD_COLUMNS = ("dialogue_id", "split", "domain", "n_events", "n_utterances", "source_file")


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """A dialogue as a list shows it.

    Attributes:
        dialogue_id: its id.
        split: released split; null where it is in none.
        domain: null where the corpus does not say.
        n_events: number of events.
        n_utterances: number of utterances.
        source_file: file that it was read from.
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


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """An event as a list shows it.

    Attributes:
        speaker: who spoke or acted.
        text: what was said; null for an action.
        name: what was done; null for an utterance.
    """

    speaker: str
    text: str | None
    name: str | None


def write_digest(folder: Path, dialogues: Any, events: Any, starts: Any, findings: Any) -> None:
    """Writes the digest.

    Args:
        folder: folder to write to.
        dialogues: Arrow table of the dialogues, in order.
        events: Arrow table of the events, in order of dialogues.
        starts: number of the first event of each dialogue, and behind the last one's last.
        findings: number of findings of each dialogue.
    """
    openings = [
        _opening(events["text"], first, last)
        for first, last in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    ]
    cards = dialogues.select(_CARD_COLUMNS)
    cards = cards.append_column("opening", pa.array(openings, pa.string()))
    cards = cards.append_column("findings", pa.array(np.asarray(findings, dtype=np.int32)))
    _write(folder / "cards.arrow", cards)
    lines = events.select(("speaker", "text", "name"))
    _write(folder / "lines.arrow", lines.cast(_large(lines.schema)))


def _opening(texts: Any, first: int, last: int) -> str:
    """Returns the beginning of the first text among some events."""
    for start in range(first, last, 8):
        for text in texts.slice(start, min(8, last - start)).to_pylist():
            if text:
                return str(text[:OPENING])
    return ""


def _large(schema: Any) -> Any:
    return pa.schema([(field.name, pa.large_string()) for field in schema])


def _write(path: Path, table: Any) -> None:
    whole = table.combine_chunks()
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, whole.schema) as out:
        out.write_table(whole)


class Digest:
    """A digest that is open for reading; nothing of it is kept in memory."""

    def __init__(self, folder: Path) -> None:
        self._cards = _open(folder / "cards.arrow")
        self._lines = _open(folder / "lines.arrow")

    def __len__(self) -> int:
        return int(self._cards.num_rows)

    def cards(self, ordinals: Sequence[int]) -> list[Card]:
        """Returns some dialogues, in the order given."""
        return [Card(**row) for row in self._cards.take(pa.array(ordinals, pa.int64())).to_pylist()]

    def lines(self, numbers: Sequence[int]) -> list[Line]:
        """Returns some events, in the order given."""
        return [Line(**row) for row in self._lines.take(pa.array(numbers, pa.int64())).to_pylist()]


def _open(path: Path) -> Any:
    return pa.ipc.open_file(pa.memory_map(str(path))).read_all().combine_chunks()
