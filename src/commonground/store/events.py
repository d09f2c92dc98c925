"""Events as rows, for going through a whole corpus with little in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from commonground.store.integrity import open_part

_BATCH = 8192


class EventRow(msgspec.Struct, frozen=True, gc=False):
    """A row of the table ``events``; columns as there, JSON decoded."""

    dialogue_id: str
    event: int
    kind: str
    speaker: str
    turn: int | None
    segment: int | None
    at_s: float | None
    text: str | None
    name: str | None
    arguments: Any
    result: Any
    native_id: str | None
    details: Any


def read_events(files: Iterable[Path]) -> Iterator[EventRow]:
    """Yields the rows of Parquet files of the table ``events``, in order."""
    decode = msgspec.json.decode
    names = list(EventRow.__struct_fields__)
    for path in files:
        with open_part(path) as file:
            for batch in file.iter_batches(_BATCH, columns=names):
                columns = [batch.column(name).to_pylist() for name in names]
                for place in map(names.index, ("arguments", "result", "details")):
                    columns[place] = [v if v is None else decode(v) for v in columns[place]]
                yield from map(EventRow, *columns)
