"""From the tables back to dialogues: one road, wherever the rows come from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from commonground.model import Action, Dialogue, Event, Object, Utterance, Withheld
from commonground.schema import NAMING_OBJECTS, get_table
from commonground.store.tables.columns import ROW_STRUCTS

if TYPE_CHECKING:
    from commonground.store.sql.query import Database

BATCH = 256
"""Dialogues that are rebuilt from one round of queries."""

Columns = dict[str, Sequence[Any]]
"""Rows of one table, column by column; JSON is text."""

_EVENTS = {
    struct.kind: (struct, struct.__struct_fields__) for struct in (Utterance, Withheld, Action)
}
"""For each kind of event what it becomes, and the columns that it has."""


def rebuild_dialogue(read: Callable[[str], Columns]) -> Dialogue:
    """Rebuilds a dialogue with all but its objects, from its rows in each table."""
    head = _parse_columns("dialogues", read("dialogues"))
    own = {name: head[name][0] for name in Dialogue.__struct_fields__ if name in head}
    dialogue = Dialogue(**own, events=list(_rebuild_events(read("events"))))
    for table, kind in ROW_STRUCTS.items():
        setattr(dialogue, table, rebuild_rows(kind, table, read(table)))
    return dialogue


def _rebuild_events(columns: Columns) -> Iterator[Event]:
    parsed = _parse_columns("events", columns)
    for row in zip(*parsed.values(), strict=True):
        cells = dict(zip(parsed, row, strict=True))
        kind, names = _EVENTS[cells["kind"]]
        yield kind(**{name: cells[name] for name in names})


def rebuild_rows(kind: Any, table: str, columns: Columns) -> list[Any]:
    """Returns rows as structs, whose fields are columns of the table, which may have more."""
    parsed = _parse_columns(table, columns)
    rows = zip(*(parsed[name] for name in kind.__struct_fields__), strict=True)
    return [kind(*row) for row in rows]


def _parse_columns(table: str, columns: Columns) -> Columns:
    is_json = {column.name for column in get_table(table).columns if column.type == "json"}
    return {
        name: [parse_json(each) for each in values] if name in is_json else values
        for name, values in columns.items()
    }


def parse_json(text: str | None) -> Any:
    """Reads a cell of a JSON column; null stays null."""
    if text is None:
        return None
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:  # half a surrogate pair, or a number beyond all floats
        return json.loads(text)


def list_shown(dialogue: Dialogue) -> list[str]:
    """Returns the ids of the objects that a dialogue shows, points at or offers, with repeats."""
    lists: list[Sequence[Any]] = [getattr(dialogue, name) for name in NAMING_OBJECTS]
    return [row.object_id for rows in lists for row in rows if row.object_id is not None]


def load_dialogues(database: Database, corpus: str, ids: Sequence[str]) -> Iterator[Dialogue]:
    """Rebuilds dialogues by SQL in the order given, :data:`BATCH` at a time; skips unknown ids."""
    for start in range(0, len(ids), BATCH):
        yield from _load_batch(database, corpus, list(ids[start : start + BATCH]))


def _load_batch(database: Database, corpus: str, ids: list[str]) -> list[Dialogue]:
    tables = {
        table: _query(database, table, corpus, "dialogue_id", ids)
        for table in ("dialogues", "events", *ROW_STRUCTS)
    }
    known = [each for each in ids if tables["dialogues"].get(each)]
    dialogues = [rebuild_dialogue(partial(_take_columns, tables, each)) for each in known]
    shown = [dict.fromkeys(list_shown(each)) for each in dialogues]
    wanted = list({object_id for each in shown for object_id in each})
    rows = _query(database, "objects", corpus, "object_id", wanted)
    for dialogue, uses in zip(dialogues, shown, strict=True):
        # In the order of the table, as everything is.
        mine = [row for object_id in rows if object_id in uses for row in rows[object_id]]
        dialogue.objects = rebuild_rows(Object, "objects", _to_columns("objects", mine))
    return dialogues


def _query(
    database: Database, table: str, corpus: str, key: str, values: list[str]
) -> dict[str, list[tuple[Any, ...]]]:
    """Returns the rows whose key is among some values, by that key."""
    names = get_table(table).names
    query = (
        # The whole list is one parameter, so the query is the same text for any number of ids.
        f"SELECT {', '.join(names)} FROM {table} WHERE corpus = ? AND {key} IN (SELECT unnest(?))"
    )
    if table == "events":
        # Events are rebuilt by their place, so their order is not left to the join.
        query += " ORDER BY dialogue_id, event"
    place = names.index(key)
    found: dict[str, list[tuple[Any, ...]]] = {}
    for row in database.rows(query, [corpus, values]):
        found.setdefault(row[place], []).append(row)
    return found


def _take_columns(
    tables: dict[str, dict[str, list[tuple[Any, ...]]]], dialogue_id: str, table: str
) -> Columns:
    return _to_columns(table, tables[table].get(dialogue_id, ()))


def _to_columns(table: str, rows: Iterable[tuple[Any, ...]]) -> Columns:
    names = get_table(table).names
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    return dict(zip(names, columns, strict=True))
