"""From the tables back to dialogues."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from commonground.model import Action, Dialogue, Event, Object, Utterance, Withheld
from commonground.schema import get_table
from commonground.store.columns import ROW_STRUCTS
from commonground.store.query import Database

BATCH = 256
"""Dialogues that are rebuilt from one round of queries."""


def load_dialogues(database: Database, corpus: str, ids: Sequence[str]) -> Iterator[Dialogue]:
    """Rebuilds dialogues from the tables, in the order of ``ids``; unknown ids are skipped."""
    for start in range(0, len(ids), BATCH):
        yield from _load_batch(database, corpus, list(ids[start : start + BATCH]))


def _load_batch(database: Database, corpus: str, ids: list[str]) -> Iterator[Dialogue]:
    names = "dialogue_id, split, domain, started_at, attributes"
    query = f"SELECT {names} FROM dialogues WHERE corpus = ? AND dialogue_id IN (SELECT unnest(?))"
    found = {
        row[0]: Dialogue(
            dialogue_id=row[0],
            split=row[1],
            domain=row[2],
            started_at=row[3],
            attributes=_parse(row[4]),
        )
        for row in database.rows(query, [corpus, ids])
    }
    for row in _rows(database, "events", corpus, ids, "dialogue_id, event"):
        found[row["dialogue_id"]].events.append(_event(row))
    for table, kind in ROW_STRUCTS.items():
        for row in _rows(database, table, corpus, ids, None):
            dialogue = found[row.pop("dialogue_id")]
            del row["corpus"]
            getattr(dialogue, table).append(kind(**row))
    _add_objects(database, corpus, found)
    for each in ids:
        if each in found:
            yield found[each]


def _rows(
    database: Database, table: str, corpus: str, ids: list[str], order: str | None
) -> Iterator[dict[str, Any]]:
    columns = get_table(table).columns
    names = ", ".join(column.name for column in columns)
    query = f"SELECT {names} FROM {table} WHERE corpus = ? AND dialogue_id IN (SELECT unnest(?))"
    if order:
        query += f" ORDER BY {order}"
    is_json = [column.type == "json" for column in columns]
    keys = [column.name for column in columns]
    for values in database.rows(query, [corpus, ids]):
        yield {
            key: _parse(value) if parse else value
            for key, value, parse in zip(keys, values, is_json, strict=True)
        }


def _parse(text: str | None) -> Any:
    return None if text is None else json.loads(text)


def _event(row: dict[str, Any]) -> Event:
    common = {
        key: row[key] for key in ("speaker", "turn", "segment", "at_s", "native_id", "details")
    }
    if row["kind"] == "utterance":
        return Utterance(text=row["text"], **common)
    if row["kind"] == "withheld":
        return Withheld(**common)
    return Action(name=row["name"], arguments=row["arguments"], result=row["result"], **common)


def _add_objects(database: Database, corpus: str, found: dict[str, Dialogue]) -> None:
    """Gives each dialogue the objects that it shows, points at or offers."""
    uses: dict[str, dict[str, None]] = {}
    for dialogue in found.values():
        for rows in (dialogue.displays, dialogue.groundings, dialogue.candidates):
            for row in rows:
                if row.object_id is not None:
                    uses.setdefault(row.object_id, {})[dialogue.dialogue_id] = None
    names = "object_id, kind, title, uri, attributes"
    query = f"SELECT {names} FROM objects WHERE corpus = ? AND object_id IN (SELECT unnest(?))"
    for object_id, kind, title, uri, attributes in database.rows(query, [corpus, list(uses)]):
        for dialogue_id in uses[object_id]:
            each = Object(object_id, kind, title, uri, _parse(attributes))
            found[dialogue_id].objects.append(each)
