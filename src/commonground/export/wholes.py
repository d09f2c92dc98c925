"""Whole dialogues as plain rows, for formats that have room for metadata of any kind."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from commonground.export.aligned import Along
from commonground.export.selection import Selection
from commonground.schema import get_table

Row = dict[str, Any]
"""A row without its nulls, ids of corpus and dialogue left out; JSON stands in it as it is."""

LAYERS = ("spans", "acts", "states", "displays", "groundings", "outcomes")
"""Tables of what is annotated in a conversation; candidates are of tasks."""

_KEYS = ("corpus", "dialogue_id")


class Whole(msgspec.Struct, kw_only=True):
    """A dialogue with the rows of the tables that were asked for.

    Attributes:
        dialogue_id: id of the dialogue.
        row: its row of ``dialogues``.
        speakers: rows of ``speakers``.
        events: rows of ``events``, in order, each with its number under ``event``.
        layers: by event, rows by table; rows that name no event are under null, and with their
            number those that name one which is not there.
    """

    dialogue_id: str
    row: Row
    speakers: list[Row]
    events: list[Row]
    layers: dict[int | None, dict[str, list[Row]]]

    def layer(self, event: int | None) -> dict[str, list[Row]]:
        """Returns what is annotated at an event, by table; empty where nothing is."""
        return self.layers.get(event, {})


def read_wholes(selection: Selection, corpus: str, layers: Sequence[str]) -> Iterator[Whole]:
    """Yields the chosen dialogues of a corpus, one in memory at a time.

    Args:
        selection: the dialogues.
        corpus: name of the corpus.
        layers: tables to read beside dialogues, speakers and events.
    """
    dialogues, speakers, events = (
        _Reader(selection, corpus, name) for name in ("dialogues", "speakers", "events")
    )
    others = {name: _Reader(selection, corpus, name) for name in layers}
    for dialogue_id in selection.ids(corpus):
        of_dialogue = events.take(dialogue_id)
        found: dict[int | None, dict[str, list[Row]]] = {}
        for name, reader in others.items():
            for row in reader.take(dialogue_id):
                is_there = row.get("event") in range(len(of_dialogue))
                number = row.pop("event") if is_there else None
                found.setdefault(number, {}).setdefault(name, []).append(row)
        yield Whole(
            dialogue_id=dialogue_id,
            row=dialogues.take(dialogue_id)[0],
            speakers=speakers.take(dialogue_id),
            events=of_dialogue,
            layers=found,
        )


def attach_actions(whole: Whole) -> tuple[list[Row], list[Row]]:
    """Puts annotations into the rows of their events, and actions beside utterances.

    Returns:
        The utterances, each with the actions after it under ``actions``; and the actions before
        the first utterance.
    """
    spoken: list[Row] = []
    before: list[Row] = []
    for event in annotate_events(whole):
        if event["kind"] == "utterance":
            spoken.append(event)
        elif spoken:
            spoken[-1].setdefault("actions", []).append(event)
        else:
            before.append(event)
    return spoken, before


def annotate_events(whole: Whole) -> list[Row]:
    """Returns the rows of all events, each with its annotations by table."""
    return [event | whole.layer(event["event"]) for event in whole.events]


def read_objects(selection: Selection, corpus: str) -> Iterator[tuple[str, Row]]:
    """Yields the id and the other columns of each object that the selection uses."""
    columns = get_table("objects").columns[1:]
    names = [column.name for column in columns]
    for batch in selection.batches(corpus, "objects", names):
        for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            row = make_row(columns, values)
            yield row.pop("object_id"), row


def make_row(columns: Sequence[Any], values: Sequence[Any]) -> Row:
    """Returns a row by name, without nulls, JSON ready to be written as it is."""
    return {
        column.name: msgspec.Raw(value.encode()) if column.type == "json" else value
        for column, value in zip(columns, values, strict=True)
        if value is not None
    }


def ascii_json(text: bytes) -> bytes:
    """Writes JSON with escapes, for tools that split lines at any break that Unicode has.

    Some also read files in the encoding of the machine.
    """
    return text if text.isascii() else json.dumps(json.loads(text)).encode()


class _Reader:
    """Gives the rows of one table, dialogue by dialogue."""

    def __init__(self, selection: Selection, corpus: str, table: str) -> None:
        self._columns = [c for c in get_table(table).columns if c.name not in _KEYS]
        names = [column.name for column in self._columns]
        self._rows = Along(selection, corpus, table, names)

    def take(self, dialogue_id: str) -> list[Row]:
        return [make_row(self._columns, values) for values in self._rows.take(dialogue_id)]
