"""Events and utterances as rows, each with what its dialogue and its speaker say of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from commonground.model import EventRow
from commonground.schema import UTTERANCES, get_table, list_joined
from commonground.store.arrow import pa
from commonground.store.layout.integrity import open_part
from commonground.store.tables.columns import arrow_type

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
        files: the files, in order.
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


def join_utterances(read: Callable[[str, Sequence[str]], Any]) -> Any:
    """Returns the utterances as an Arrow table with the columns of :data:`.schema.UTTERANCES`.

    The view ``utterances`` of SQL has the same rows; only here do they keep the order of the files.

    Args:
        read: gives some columns of a table of the store, by the table's name and theirs.
    """
    named = [column.name for column in UTTERANCES.columns]
    own = [name for name in named if name in get_table("events").names]
    events = read("events", [*own, "kind"])
    kept = [place for place, each in enumerate(events["kind"].to_pylist()) if each == "utterance"]
    events = events.take(pa.array(kept, pa.int64())).select(own)
    of_dialogue, of_speaker = list_joined("dialogues"), list_joined("speakers")
    dialogues = _lookup(read("dialogues", ["dialogue_id", *of_dialogue]), keys=1)
    speakers = _lookup(read("speakers", ["dialogue_id", "speaker", *of_speaker]), keys=2)
    unknown = (None,) * len(of_speaker)
    places = zip(events["dialogue_id"].to_pylist(), events["speaker"].to_pylist(), strict=True)
    # Joined in Python, since a join of DuckDB or Arrow gives rows back in any order.
    found = [(*dialogues[each[:1]], *speakers.get(each, unknown)) for each in places]
    names = [*of_dialogue, *of_speaker]
    joined = {name: [row[place] for row in found] for place, name in enumerate(names)}
    columns = [
        pa.array(joined[column.name], arrow_type(column))
        if column.name in joined
        else events[column.name].cast(arrow_type(column))
        for column in UTTERANCES.columns
    ]
    return pa.table(columns, names=named)


def _lookup(table: Any, keys: int) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    """Returns the rest of each row by its first columns; the first row of a key counts."""
    found: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
        found.setdefault(row[:keys], row[keys:])
    return found
