"""Events as rows, for going through a whole corpus with little in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from commonground.model import EventRow
from commonground.schema import get_table
from commonground.store.integrity import open_part

_BATCH = 8192


def read_events(files: Iterable[Path]) -> Iterator[EventRow]:
    """Yields the rows of Parquet files of the table ``events``, in order."""
    decode = msgspec.json.decode
    names = list(EventRow.__struct_fields__)
    json = [column.name for column in get_table("events").columns if column.type == "json"]
    for path in files:
        with open_part(path) as file:
            for batch in file.iter_batches(_BATCH, columns=names):
                columns = [batch.column(name).to_pylist() for name in names]
                for place in map(names.index, json):
                    columns[place] = [v if v is None else decode(v) for v in columns[place]]
                yield from map(EventRow, *columns)
