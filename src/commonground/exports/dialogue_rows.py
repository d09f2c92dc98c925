"""Dialogues as plain rows, for formats that have room for metadata of any kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import msgspec

from commonground.exports.selection import Selection
from commonground.schema import Column, get_table

Row = dict[str, Any]
"""A row without its nulls, ids of corpus and dialogue left out; JSON stands in it as it is."""

ANNOTATIONS = ("spans", "acts", "states", "displays", "groundings", "outcomes")
"""Tables of what is annotated in a conversation; candidates are of tasks."""

_KEYS = ("corpus", "dialogue_id")


class DialogueRows(msgspec.Struct, kw_only=True):
    """A dialogue with the rows of the tables that were asked for.

    Attributes:
        events: in order, each with its number under ``event``.
        annotations: by event, rows by table; rows that name no event are under None, and with
            their number those that name one which is not there.
    """

    dialogue_id: str
    row: Row
    speakers: list[Row]
    events: list[Row]
    annotations: dict[int | None, dict[str, list[Row]]]

    def annotated_at(self, event: int | None) -> dict[str, list[Row]]:
        """Returns what is annotated at an event, by table; empty where nothing is."""
        return self.annotations.get(event, {})


def read_dialogues(
    selection: Selection, corpus: str, tables: Sequence[str]
) -> Iterator[DialogueRows]:
    """Yields the chosen dialogues of a corpus, one in memory at a time.

    ``tables`` are those of annotations, to read beside dialogues, speakers and events.
    """
    dialogues, speakers, events = (
        _NamedRows(selection, corpus, name) for name in ("dialogues", "speakers", "events")
    )
    others = {name: _NamedRows(selection, corpus, name) for name in tables}
    for dialogue_id in selection.track(corpus, selection.ids(corpus)):
        of_dialogue = events.take(dialogue_id)
        found: dict[int | None, dict[str, list[Row]]] = {}
        for name, rows in others.items():
            for row in rows.take(dialogue_id):
                # Events are numbered from 0 without gaps, so that a number below their count is
                # there.
                is_there = row.get("event") in range(len(of_dialogue))
                number = row.pop("event") if is_there else None
                found.setdefault(number, {}).setdefault(name, []).append(row)
        yield DialogueRows(
            dialogue_id=dialogue_id,
            row=dialogues.take(dialogue_id)[0],
            speakers=speakers.take(dialogue_id),
            events=of_dialogue,
            annotations=found,
        )


def attach_actions(dialogue: DialogueRows) -> tuple[list[Row], list[Row]]:
    """Puts annotations into the rows of their events, and actions beside utterances.

    Returns:
        The utterances, each with the actions after it under ``actions``; and the actions before
        the first utterance.
    """
    spoken: list[Row] = []
    before: list[Row] = []
    for event in annotate_events(dialogue):
        if event["kind"] == "utterance":
            spoken.append(event)
        elif spoken:
            spoken[-1].setdefault("actions", []).append(event)
        else:
            before.append(event)
    return spoken, before


def annotate_events(dialogue: DialogueRows) -> list[Row]:
    """Returns the rows of all events, each with its annotations by table."""
    return [event | dialogue.annotated_at(event["event"]) for event in dialogue.events]


def read_objects(selection: Selection, corpus: str) -> Iterator[tuple[str, Row]]:
    """Yields the id and the other columns of each object that the selection uses."""
    columns = get_table("objects").columns[1:]  # without the corpus
    names = [column.name for column in columns]
    for values in selection.iterate_rows(corpus, "objects", names):
        row = make_row(columns, values)
        yield row.pop("object_id"), row


def make_row(columns: Sequence[Column], values: Sequence[Any]) -> Row:
    """Returns a row by name, without nulls, JSON ready to be written as it is."""
    return {
        column.name: msgspec.Raw(value.encode()) if column.type == "json" else value
        for column, value in zip(columns, values, strict=True)
        if value is not None
    }


class RowsByDialogue:
    """Gives the rows of one dialogue after the other; dialogues must be asked for in order.

    All tables of a store have their rows in the order of the dialogues, so that each is read once
    from beginning to end, and never more of it is in memory than a batch.
    """

    def __init__(
        self, selection: Selection, corpus: str, table: str, columns: Sequence[str]
    ) -> None:
        rows = selection.iterate_rows(corpus, table, ["dialogue_id", *columns])
        self._groups = groupby(rows, itemgetter(0))
        self._next: tuple[str, list[tuple[Any, ...]]] | None = None
        self._advance()

    def take(self, dialogue_id: str) -> list[tuple[Any, ...]]:
        """Returns the rows of a dialogue, each with the wanted columns."""
        if self._next is None or self._next[0] != dialogue_id:
            return []
        rows = self._next[1]
        self._advance()
        return rows

    def _advance(self) -> None:
        found = next(self._groups, None)
        # Listed now: the rows of a group are gone as soon as `groupby` is asked for the next one.
        self._next = None if found is None else (found[0], [row[1:] for row in found[1]])


class _NamedRows:
    """Gives the rows of one table by name, dialogue by dialogue."""

    def __init__(self, selection: Selection, corpus: str, table: str) -> None:
        self._columns = [c for c in get_table(table).columns if c.name not in _KEYS]
        names = [column.name for column in self._columns]
        self._rows = RowsByDialogue(selection, corpus, table, names)

    def take(self, dialogue_id: str) -> list[Row]:
        return [make_row(self._columns, values) for values in self._rows.take(dialogue_id)]
