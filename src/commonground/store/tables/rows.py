"""Events as rows, each with what its dialogue and its speaker say of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from commonground.model import EventRow
from commonground.schema import get_table
from commonground.store.layout.integrity import open_part

# Rows that are Python objects at a time: enough for speed, and a few megabytes.
_BATCH = 8192


def read_events(
    files: Iterable[Path],
    splits: Mapping[str, str | None],
    roles: Mapping[tuple[str, str], str],
) -> Iterator[EventRow]:
    """Yields the rows of Parquet files of the table ``events``, in order, with little in memory.

    Of each dialogue and each speaker a few words are there: split and role are looked up.

    Args:
        splits: the split of each dialogue, by its id.
        roles: the role of each speaker, by the dialogue's id and the speaker's label.
    """
    decode = msgspec.json.decode
    names = [name for name in EventRow.__struct_fields__ if name not in ("split", "role")]
    dialogue, speaker = names.index("dialogue_id"), names.index("speaker")
    json = [column.name for column in get_table("events").columns if column.type == "json"]
    for path in files:
        with open_part(path) as file:
            for batch in file.iter_batches(_BATCH, columns=names):
                columns = [batch.column(name).to_pylist() for name in names]
                for place in map(names.index, json):
                    columns[place] = [v if v is None else decode(v) for v in columns[place]]
                columns.append([splits.get(each) for each in columns[dialogue]])
                who = zip(columns[dialogue], columns[speaker], strict=True)
                columns.append([roles.get(each) for each in who])
                yield from map(EventRow, *columns)
