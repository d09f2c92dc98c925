"""Which events labels were given to: identified by a hash of each event, not by its number.

A message that is inserted gives the ones after it other numbers. A label has the hash of its event
(``of`` among its attributes), so that an import can find the event again, and
``check --integrity`` can tell whether a label stands where it belongs.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import msgspec

from commonground.store.arrow import read_parquet

OF = "of"
"""Attribute of a label that has the hash of its event."""

_SAID = ("kind", "speaker", "text", "name", "arguments")
"""Columns of an event that make it the same event, wherever in its dialogue it is."""

_DIGITS = 16
"""Hexadecimal digits of a hash; a dialogue has some hundred events."""


def read_hashes(parts: Iterable[Path], dialogues: Collection[str]) -> dict[str, list[str]]:
    """Returns the hashes of the events of some dialogues, in order.

    Args:
        parts: part files of the table ``events``.
        dialogues: ids of those that are wanted; one that is not there is left out.

    Raises:
        OSError, pyarrow.ArrowException, StoreError: a part cannot be read.
    """
    found: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for path in parts:
        table = read_parquet(path, ["dialogue_id", "event", *_SAID])
        columns = [table[name].to_pylist() for name in ("dialogue_id", "event", *_SAID)]
        for dialogue, event, *said in zip(*columns, strict=True):
            if dialogue in dialogues:
                found[dialogue].append((event, _hash(said)))
    return {dialogue: [digest for _, digest in sorted(each)] for dialogue, each in found.items()}


def _hash(said: Sequence[str | None]) -> str:
    return hashlib.sha256(msgspec.json.encode(said)).hexdigest()[:_DIGITS]


def find_places(
    old: list[str] | None, new: list[str], labelled: Iterable[tuple[int, str]]
) -> dict[tuple[int, str], int | None]:
    """Finds events of a dialogue in a later version of it.

    Args:
        old: hashes of the previous events; None where they are not known.
        new: those of now.
        labelled: number and hash of each event that is looked for.

    Returns:
        The number that each has now; None where it is not there, or may be one of several.
    """
    aligned = _align(old, new) if old is not None else {}
    found: dict[tuple[int, str], int | None] = {}
    taken: set[int] = set()
    for event, digest in labelled:
        # A text that was said several times may be any of them, though it is said once by now.
        once = new.count(digest) == 1 and (old is None or old.count(digest) <= 1)
        likely = [aligned.get(event), event, new.index(digest) if once else None]
        places = (e for e in likely if e is not None and new[e : e + 1] == [digest])
        place = next((each for each in places if each not in taken), None)
        if (event, digest) not in found:
            found[event, digest] = place
            if place is not None:
                taken.add(place)
    return found


def _align(old: list[str], new: list[str]) -> dict[int, int]:
    """Returns which previous event is which present one, but for those added or taken out."""
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return {
        block.a + n: block.b + n
        for block in matcher.get_matching_blocks()
        for n in range(block.size)
    }


def count_strays(rows: Iterable[Mapping[str, Any]], hashes: Mapping[str, Sequence[str]]) -> int:
    """Counts labels that stand at another event than they were given to.

    Args:
        rows: of the layer, with ``dialogue_id``, ``event`` and ``attributes``.
        hashes: of the events, by dialogue.
    """
    return sum(
        of is not None and of not in hashes.get(row["dialogue_id"], ())[row["event"] :][:1]
        for row, of in ((row, read_of(row)) for row in rows)
    )


def read_of(row: Mapping[str, Any]) -> str | None:
    """Returns the hash that a label has of its event; None where it was added without one."""
    of: str | None = msgspec.json.decode(row["attributes"]).get(OF)
    return of


def with_of(row: Mapping[str, Any], event: int, of: str) -> dict[str, Any]:
    """Returns the row of a label, wherever it stood, at an event."""
    attributes = {**msgspec.json.decode(row["attributes"]), OF: of}
    return {**row, "event": event, "attributes": msgspec.json.encode(attributes).decode()}


def rows_of(path: Path) -> Iterator[dict[str, Any]]:
    """Yields the rows of a part file of labels."""
    yield from read_parquet(path).to_pylist()
